/* Beam elements without inertia: the text of beam.h with one element at a time, and the building of elements. */
#include "mech/beam_mass.h"

void ph_beam_reference(const ph_body_def *a, const ph_body_def *b, double *d0)
{
    static const ph_body_def ground = {.R = {1, 0, 0, 0}};
    a = a ? a : &ground, b = b ? b : &ground;
    ph_kin first = {.x = a->x, .q = a->R, .R = ph_qmat(a->R)}, second = {.x = b->x, .q = b->R};
    ph_stumpff r;
    ph_twist d = ph_beam_relative(&first, &second, &r);
    ph_store3(d0, d.u), ph_store3(d0 + 3, d.w);
}

void ph_beam_section(const ph_force_site *s, double *force, double *strain)
{
    ph_beam_at e;
    ph_beam_fill(s, &e);
    ph_twist eps = ph_beam_strain(s->f, e.d);
    ph_store3(force, e.N.u), ph_store3(force + 3, e.N.w);
    ph_store3(strain, eps.u), ph_store3(strain + 3, eps.w);
    for (int i = 0; i < PH_BEAM_N; i++)
        strain[i] /= s->f->length;
}

double ph_beam_energy(const ph_force_site *s)
{
    ph_stumpff r;
    return ph_beam_potential(s, ph_beam_relative(&s->a, &s->b, &r));
}

/* ---- to their places ----------------------------------------------------------------------------------- */

static void put(ph_six A[2][2], const ph_put *p)
{
    for (int k = 0; k < 4; k++) {
        int i = k / 2, j = k % 2;
        const ph_six *B = &A[i][j];
        ph_add_pair(p, 2 * i, 2 * j, ph_rows_to(B->uu));
        ph_add_pair(p, 2 * i, 2 * j + 1, ph_rows_to(B->uw));
        ph_add_pair(p, 2 * i + 1, 2 * j, ph_rows_to(B->wu));
        ph_add_pair(p, 2 * i + 1, 2 * j + 1, ph_rows_to(B->ww));
    }
}

ph_status ph_beam_put(const ph_force_site *s, ph_vec3 *r, const ph_put *M, const ph_put *C, const ph_put *K)
{
    ph_beam_at e;
    ph_twist f[2] = {0};
    ph_six m[2][2] = {0}, c[2][2] = {0}, k[2][2] = {0};
    if (!ph_beam_fill(s, &e))
        return PH_E_CALLBACK;
    ph_beam_add(s, &e, &(ph_beam_terms){r || K ? f : NULL, M ? m : NULL, C ? c : NULL, K ? k : NULL});
    if (r)
        ph_beam_put_f(s, f, r);
    if (M)
        ph_beam_turn(s, m), put(m, M);
    if (C)
        ph_beam_turn(s, c), put(c, C);
    if (K)
        ph_beam_turn_K(s, f, k), put(k, K);
    return PH_OK;
}

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    return ph_beam_put(s, r, NULL, NULL, NULL);
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    return ph_beam_put(s, NULL, NULL, p, NULL);
}

static ph_status g_K(const ph_force_site *s, ph_vec3 r[PH_SLOTS], const ph_put *p)
{
    return ph_beam_put(s, r, NULL, NULL, p);
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    return ph_beam_put(s, NULL, NULL, NULL, p);
}

/* ---- building ------------------------------------------------------------------------------------- */

static int still(const ph_force_def *d)
{
    return !d->D6 && !d->M6;
}

/* m, m c and J of [m I, -m tilde(c); m tilde(c), J], times the length. */
static void weigh(const double *M6, ph_force *out)
{
    double L = out->length;
    const double *J = M6 + 21;
    out->mass = L * M6[0];
    out->moment = ph_scale(L, ph_v3(M6[11], M6[15], M6[4]));
    out->J = ph_mscale(L, (ph_mat3){J[0], J[1], J[2], J[6], J[7], J[8], J[12], J[13], J[14]});
}

/* The reference; |u| of d0 = (u, w) is the length of its arc. */
static ph_status make(const ph_model *model, ph_force *out, ph_error *err)
{
    const ph_force_def *d = out->def;
    const ph_body_def *end[2];
    const char *name = d->name ? d->name : "";
    for (int side = 0; side < 2; side++) {
        end[side] = d->body[side] < 0 ? NULL : &model->body[d->body[side]];
        if (d->M6 && end[side] && end[side]->marker)
            return ph_mech_fail(
                err, PH_E_INPUT, model, d->origin,
                "force '%s': a beam element with mass cannot end at the marker '%s'; fix a body "
                "to it with a joint",
                name, end[side]->name);
    }
    if (!d->K6)
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin, "force '%s': its section has no stiffness",
                            name);
    ph_beam_reference(end[0], end[1], out->d0);
    out->length = isnan(d->length) ? ph_norm(ph_load3(out->d0)) : d->length;
    if (!(out->length > 0))
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin, "force '%s': its ends are the same point",
                            name);
    if (d->M6) {
        weigh(d->M6, out);
        out->op = &ph_force_beam_mass;
    }
    return PH_OK;
}

const ph_force_ops ph_force_beam = {.g = g,
                                    .C = C,
                                    .K = K,
                                    .g_K = g_K,
                                    .energy = ph_beam_energy,
                                    .body_axes = 1,
                                    .turns = 1,
                                    .still = still,
                                    .make = make};
