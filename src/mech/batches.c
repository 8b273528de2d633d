/* Elements of one kind that are evaluated four at a time: which stand together, and where their numbers are. */
#include "mech/beam_batch.h"
#include "mech/mech.h"

/* ---- beams -------------------------------------------------------------------------------------------- */

/* Kinds of elements: with or without damping; without mass, or with one of three models. */
enum { KINDS = 8 };

static int kind_of(const ph_force *f)
{
    return 4 * (f->def->D6 != NULL) + (f->def->M6 ? 1 + f->def->mass_model : 0);
}

size_t ph_beams_needed(const ph_model *model)
{
    size_t beams = 0;
    for (int k = 0; k < model->n_forces; k++)
        beams += (size_t)ph_force_is_beam(&model->force[k]);
    return beams < 2 ? 0 : beams / PH_BATCH + KINDS;
}

/* Between two bodies with nodes of their own. */
static int fits(const ph_force *f)
{
    return f->def && ph_force_is_beam(f->def) && f->direct && f->body[0] >= 0 && f->body[1] >= 0;
}

static void put66(const double *A, int lane, double out[36][PH_BATCH])
{
    for (int k = 0; k < 36 && A; k++)
        out[k][lane] = A[k];
}

static void put_lane(const ph_mechanism *m, const ph_force *f, int lane, ph_beam_batch *b)
{
    const double moment[3] = {f->moment.x, f->moment.y, f->moment.z};
    double J[9];
    b->force[lane] = (int)(f - m->force);
    for (int side = 0; side < 2; side++) {
        const ph_body *body = &m->body[f->body[side]];
        b->x[side][lane] = body->q[0], b->q[side][lane] = body->q[1], b->R[side][lane] = 9 * body->R;
        b->v[side][lane] = body->v[0], b->w[side][lane] = body->v[1];
    }
    for (int k = 0; k < 16; k++)
        b->K[k][lane] = f->K[k];
    b->length[lane] = f->length, b->mass[lane] = f->mass;
    for (int k = 0; k < 6; k++)
        b->d0[k][lane] = f->d0[k];
    put66(f->def->K6, lane, b->K6), put66(f->def->D6, lane, b->D6);
    for (int k = 0; k < 3; k++)
        b->moment[k][lane] = moment[k];
    ph_store33(J, f->J);
    for (int k = 0; k < 9; k++)
        b->J[k][lane] = J[k];
}

/* Up to four elements; one alone is better off without lanes. */
static void close_batch(ph_mechanism *m, ph_force *const *of, int n)
{
    if (n < 2)
        return;
    ph_beam_batch *b = &m->beam[m->n_beams++];
    const ph_force_def *def = of[0]->def;
    b->n = n, b->damped = def->D6 != NULL, b->heavy = def->M6 != NULL, b->mass_model = def->mass_model;
    for (int lane = 0; lane < PH_BATCH; lane++)
        put_lane(m, of[lane < n ? lane : n - 1], lane, b);
    for (int lane = 0; lane < n; lane++)
        of[lane]->in_lane = 1;
}

void ph_beams_list(ph_mechanism *m)
{
    for (int kind = 0; kind < KINDS && ph_beams_needed(m->model); kind++) {
        ph_force *of[PH_BATCH];
        int n = 0;
        for (ph_force *f = m->force, *end = f + m->n_forces; f < end; f++) {
            if (!fits(f) || kind_of(f) != kind)
                continue;
            of[n++] = f;
            if (n == PH_BATCH)
                close_batch(m, of, n), n = 0;
        }
        close_batch(m, of, n);
    }
}

ph_status ph_beams_add(const ph_mechanism *m, const ph_state *s, double *g, double *M, double *C, double *K,
                       const ph_force **which)
{
    ph_vec3 gravity = ph_scale(m->load, m->model->gravity);
    ph_beam_state at = {.q = s->q,
                        .v = s->v,
                        .vdot = s->vdot,
                        .R = (const double *)s->R,
                        .gravity = {gravity.x, gravity.y, gravity.z},
                        .body_axes = m->space->body_axes};
    for (const ph_beam_batch *b = m->beam, *end = b + m->n_beams; b < end; b++) {
        unsigned turned = g || K || (M && b->heavy) || (C && (b->heavy || b->damped))
                              ? ph_beam_batch_add(b, &at, g, M, C, K)
                              : 0;
        for (int lane = 0; turned; lane++)
            if (turned >> lane & 1) {
                *which = &m->force[b->force[lane]];
                return PH_E_CALLBACK;
            }
    }
    return PH_OK;
}
