/* Elements of one kind that are evaluated four at a time: which stand together, and where their numbers are. */
#include "mech/beam_batch.h"
#include "mech/hinge_batch.h"
#include "mech/mech.h"

static void put_ends(const ph_mechanism *m, const int body[2], int lane, ph_ends *e)
{
    for (int side = 0; side < 2; side++) {
        const ph_body *b = &m->body[body[side]];
        e->x[side][lane] = b->q[0], e->q[side][lane] = b->q[1], e->R[side][lane] = 9 * b->R;
        e->v[side][lane] = b->v[0], e->w[side][lane] = b->v[1];
    }
}

static ph_ends_state state_of(const ph_state *s)
{
    return (ph_ends_state){s->q, s->v, s->vdot, (const double *)s->R, s->lambda};
}

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

static int same_section(const ph_force_def *a, const ph_force_def *b)
{
    return a->K6 == b->K6 && a->D6 == b->D6;
}

/* A batch has others than the one before where they change within one of the two. */
size_t ph_sections_needed(const ph_model *model)
{
    const ph_force_def *last = NULL;
    size_t changes = KINDS, batches = ph_beams_needed(model);
    for (const ph_force_def *f = model->force, *end = f + model->n_forces; f < end; f++)
        if (ph_force_is_beam(f)) {
            changes += !last || !same_section(f, last);
            last = f;
        }
    return batches < 2 * changes ? batches : 2 * changes;
}

/* Between two bodies with nodes of their own. */
static int fits(const ph_force *f)
{
    return f->def && ph_force_is_beam(f->def) && f->direct && f->body[0] >= 0 && f->body[1] >= 0;
}

static void put_numbers(int n, const double *a, int lane, double out[][PH_BATCH])
{
    for (int k = 0; k < n; k++)
        out[k][lane] = a[k];
}

static void put_lane(const ph_mechanism *m, const ph_force *f, int lane, ph_beam_batch *b)
{
    b->force[lane] = (int)(f - m->force);
    put_ends(m, f->body, lane, &b->at);
    for (int k = 0; k < 16; k++)
        b->K[k][lane] = f->K[k];
#define PH_BEAM_NUMBER(list, record, member, n, ...)                                                         \
    put_numbers(n, (const double *)&f->member, lane, b->member);
#include "mech/numbers.def"
}

/* Those of the batch before, where they are the same. */
static const ph_beam_sections *sections_of(ph_mechanism *m, const ph_beam_batch *b)
{
    int same = b > m->beam;
    for (int lane = 0; lane < PH_BATCH && same; lane++)
        same = same_section(m->force[b->force[lane]].def, m->force[b[-1].force[lane]].def);
    if (same)
        return b[-1].sections;
    ph_beam_sections *s = &m->sections[m->n_sections++];
    for (int lane = 0; lane < PH_BATCH; lane++) {
        const ph_force_def *def = m->force[b->force[lane]].def;
#define PH_SECTION_NUMBER(list, record, member, n, ...)                                                      \
    if (def->member)                                                                                         \
        put_numbers(n, def->member, lane, s->member);
#include "mech/numbers.def"
    }
    return s;
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
    b->sections = sections_of(m, b);
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

static ph_beam_state beam_state_of(const ph_mechanism *m, const ph_state *s)
{
    ph_vec3 gravity = ph_scale(m->load, m->model->gravity);
    return (ph_beam_state){
        .at = state_of(s), .gravity = {gravity.x, gravity.y, gravity.z}, .body_axes = m->space->body_axes};
}

void ph_beams_energies(const ph_mechanism *m, const ph_state *s, double *kinetic, double *potential)
{
    ph_beam_state at = beam_state_of(m, s);
    for (const ph_beam_batch *b = m->beam, *end = b + m->n_beams; b < end; b++)
        ph_beam_batch_energies(b, &at, kinetic, potential);
}

ph_status ph_beams_add(const ph_mechanism *m, const ph_state *s, double *g, double *M, double *C, double *K,
                       const ph_force **which)
{
    ph_beam_state at = beam_state_of(m, s);
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

/* ---- joints ------------------------------------------------------------------------------------------- */

enum { PICKS = 8 }; /* turns that a joint may lock */

size_t ph_hinges_needed(const ph_model *model)
{
    return model->n_joints < 2 ? 0 : (size_t)model->n_joints / PH_BATCH + PICKS;
}

/* A point of two bodies and some turns between them, in physical coordinates: which turns; 0: it is something else. */
static unsigned pick_of(const ph_mechanism *m, const ph_joint *j)
{
    int plain = j->direct && !j->switched && j->drive < 0 && j->n_parts == 2 &&
                j->part[0].op == &ph_part_point && j->part[1].op == &ph_part_turn;
    for (int side = 0; side < 2; side++)
        plain = plain && j->body[side] >= 0 && m->body[j->body[side]].turns;
    return plain ? j->part[1].pick : 0;
}

static void put_hinge(const ph_mechanism *m, const ph_joint *j, int lane, ph_hinge_batch *b)
{
    b->l_at[lane] = j->l_at;
    put_ends(m, j->body, lane, &b->at);
    for (int k = 0; k < PH_SLOTS; k++)
        b->B[k][lane] = j->B[k];
    for (int k = 0; k < 16; k++)
        b->K[k][lane] = j->K[k];
#define PH_HINGE_NUMBER(list, record, member, n, ...)                                                        \
    put_numbers(n, (const double *)&j->member, lane, b->member);
#include "mech/numbers.def"
}

/* Up to four joints; one alone stays alone. */
static void close_hinges(ph_mechanism *m, const int *of, int n)
{
    if (n == 1)
        m->unpinned[m->n_unpinned++] = of[0];
    if (n < 2)
        return;
    ph_hinge_batch *b = &m->hinge[m->n_hinges++];
    b->n = n, b->rows = m->joint[of[0]].rows, b->pick = (int)m->joint[of[0]].part[1].pick;
    for (int lane = 0; lane < PH_BATCH; lane++)
        put_hinge(m, &m->joint[of[lane < n ? lane : n - 1]], lane, b);
}

void ph_hinges_list(ph_mechanism *m)
{
    int of[PICKS][PH_BATCH], n[PICKS] = {0};
    int all = m->n_unpinned;
    m->n_unpinned = 0;
    for (int k = 0; k < all; k++) {
        unsigned pick = pick_of(m, &m->joint[m->unpinned[k]]);
        if (!pick) {
            m->unpinned[m->n_unpinned++] = m->unpinned[k];
            continue;
        }
        of[pick][n[pick]++] = m->unpinned[k];
        if (n[pick] == PH_BATCH)
            close_hinges(m, of[pick], PH_BATCH), n[pick] = 0;
    }
    for (int pick = 1; pick < PICKS; pick++)
        close_hinges(m, of[pick], n[pick]);
}

#define EACH_HINGE(m, s, f, ...)                                                                             \
    ph_ends_state at = state_of(s);                                                                          \
    for (const ph_hinge_batch *b = (m)->hinge, *end = b + (m)->n_hinges; b < end; b++)                       \
    ph_hinge_batch_##f(b, &at, __VA_ARGS__)

void ph_hinges_Phi(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_HINGE(m, s, Phi, out);
}

void ph_hinges_B(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_HINGE(m, s, B, out);
}

void ph_hinges_positions(const ph_mechanism *m, const ph_state *s, double *Phi, double *B)
{
    EACH_HINGE(m, s, positions, Phi, B);
}

void ph_hinges_products(const ph_mechanism *m, const ph_state *s, double *r, double *Phi, double *rate)
{
    EACH_HINGE(m, s, products, r, Phi, rate);
}

void ph_hinges_Z(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_HINGE(m, s, Z, out);
}

void ph_hinges_K(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_HINGE(m, s, K, out);
}

void ph_hinges_convective(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_HINGE(m, s, convective, out);
}
