/* Four beam elements at once: the text of beam.h and beam_mass.h with an element in each lane of a vector. */
#include "mech/beam_batch.h"

#define PH_ELEMENT_LANES
#include "lie/batch_lanes.h"

/* What the text reads of an element. */
typedef struct sections {
    const ph_real *K6, *D6, *M6; /* M6: NULL or not */
    int mass_model;
} ph_force_def;

typedef struct elements {
    const ph_force_def *def;
    ph_real length, d0[6], mass;
    ph_vec3 moment;
    ph_mat3 J;
} ph_force;

typedef struct ph_joint ph_joint; /* there are none */

#include "mech/beam_mass.h"
#include "mech/element_lanes.h"

/* ---- in --------------------------------------------------------------------------------------------- */

/* An end; velocities where they are asked for */
PH_FN ph_kin end_of(int axes, const ph_beam_batch *b, const ph_beam_state *s, int side, int moves)
{
    ph_kin k = end_at(&b->at, &s->at, side);
    if (!moves)
        return k;
    k.v = vectors(s->at.v, b->at.v[side]), k.w = vectors(s->at.v, b->at.w[side]);
    if (axes)
        k.v = ph_mul(k.R, k.v);
    return k;
}

/* Accelerations of the world where v' = 0, or that of the state; in body axes R (U' + Omega x U) */
PH_FN void accelerate(int axes, const ph_beam_batch *b, const ph_beam_state *s, int rest, ph_force_site *site)
{
    const ph_kin *k[2] = {&site->a, &site->b};
    for (int i = 0; i < 2; i++) {
        ph_vec3 a = rest ? ph_zero3() : vectors(s->at.vdot, b->at.v[i]);
        site->acc[2 * i + 1] = rest ? ph_zero3() : vectors(s->at.vdot, b->at.w[i]);
        if (axes)
            a = ph_mul(k[i]->R, ph_add(a, ph_cross(k[i]->w, vectors(s->at.v, b->at.v[i]))));
        site->acc[2 * i] = a;
    }
}

/* Four elements at one instant; velocities where they are asked for. */
typedef struct opened {
    ph_force_def def;
    ph_force f;
    ph_force_site site;
} opened;

PH_FN void open_batch(const ph_beam_batch *b, const ph_beam_state *s, int moves, opened *o)
{
    const ph_real *K6 = (const ph_real *)b->sections->K6, *D6 = (const ph_real *)b->sections->D6;
    o->def = (ph_force_def){K6, b->damped ? D6 : NULL, b->heavy ? K6 : NULL, b->mass_model};
    o->f.def = &o->def;
#define PH_BEAM_NUMBER(list, record, member, n, ...) load_numbers((ph_real *)&o->f.member, n, b->member);
#include "mech/numbers.def"
    o->site.f = &o->f, o->site.body_axes = s->body_axes;
    o->site.a = end_of(s->body_axes, b, s, 0, moves), o->site.b = end_of(s->body_axes, b, s, 1, moves);
    o->site.gravity = ph_v3(ph_k(s->gravity[0]), ph_k(s->gravity[1]), ph_k(s->gravity[2]));
}

/* ---- out -------------------------------------------------------------------------------------------- */

PH_FN void add_lane(double *p, int lane, ph_vec3 a)
{
    p[0] += a.x[lane], p[1] += a.y[lane], p[2] += a.z[lane];
}

/* A block of 6 x 6 */
PH_OUT_OF_LINE void add_six(double *p, const int *at, int n, const ph_six *A)
{
    for (int half = 0; half < 2; half++) {
        const ph_mat3 *u = half ? &A->wu : &A->uu, *w = half ? &A->ww : &A->uw;
        int k = 18 * half;
        add4(p, at, n, k, u->xx, u->xy, u->xz, w->xx);
        add4(p, at, n, k + 4, w->xy, w->xz, u->yx, u->yy);
        add4(p, at, n, k + 8, u->yz, w->yx, w->yy, w->yz);
        add4(p, at, n, k + 12, u->zx, u->zy, u->zz, w->zx);
        for (int i = 0; i < n; i++)
            p[at[i] + k + 16] += w->zy[i], p[at[i] + k + 17] += w->zz[i];
    }
}

PH_OUT_OF_LINE void add_pairs(int axes, double *p, const ph_beam_batch *b, ph_six A[2][2])
{
    for (int k = 4; k-- > 0;) { /* the second end of an element before the first one of the next */
        int i = k / 2, j = k % 2;
        const ph_six *B = &A[i][j];
        const int(*at)[4] = &b->K[8 * i + 2 * j];
        if (axes) {
            add_six(p, at[0], b->n, B);
            continue;
        }
        add_matrices(p, at[0], b->n, B->uu), add_matrices(p, at[1], b->n, B->uw);
        add_matrices(p, at[4], b->n, B->wu), add_matrices(p, at[5], b->n, B->ww);
    }
}

/* ---- elements --------------------------------------------------------------------------------------- */

PH_FN void add_forces(const ph_beam_batch *b, const ph_force_site *s, const ph_twist f[2], double *g)
{
    ph_vec3 r[PH_SLOTS] = {0};
    ph_beam_put_f(s, f, r);
    for (int i = 0; i < b->n; i++) { /* in the order of elements that come alone */
        add_lane(g + b->at.v[0][i], i, r[PH_XA]), add_lane(g + b->at.w[0][i], i, r[PH_FA]);
        add_lane(g + b->at.v[1][i], i, r[PH_XB]), add_lane(g + b->at.w[1][i], i, r[PH_FB]);
    }
}

void ph_beam_batch_energies(const ph_beam_batch *b, const ph_beam_state *s, double *kinetic,
                            double *potential)
{
    opened o;
    ph_stumpff r;
    open_batch(b, s, b->heavy, &o);
    ph_twist d = ph_beam_relative(&o.site.a, &o.site.b, &r);
    ph_real V = ph_beam_potential(&o.site, d), T = b->heavy ? ph_beam_kinetic(&o.site, d) : ph_k(0);
    for (int i = 0; i < b->n; i++) /* in the order of elements that come alone */
        *potential += V[i], *kinetic += T[i];
}

/* Forces are those at v' = 0, the tangent that of all accelerations. */
unsigned ph_beam_batch_add(const ph_beam_batch *b, const ph_beam_state *s, double *g, double *M, double *C,
                           double *K)
{
    int axes = s->body_axes, heavy = b->heavy;
    opened o;
    ph_beam_at e;
    open_batch(b, s, heavy || b->damped, &o);
    if (heavy)
        accelerate(axes, b, s, 1, &o.site);
    ph_mask fine = ph_beam_fill(&o.site, &e);
    if (!ph_all(fine))
        return ph_bits(ph_not(fine));
    if (g || (K && !heavy)) {
        ph_twist forces[2] = {0};
        ph_six k[2][2] = {0};
        ph_beam_add(&o.site, &e, &(ph_beam_terms){forces, NULL, NULL, K && !heavy ? k : NULL});
        if (g)
            add_forces(b, &o.site, forces, g);
        if (K && !heavy)
            ph_beam_turn_K(&o.site, forces, k), add_pairs(axes, K, b, k);
    }
    if (M && heavy) {
        ph_six m[2][2] = {0};
        ph_beam_add(&o.site, &e, &(ph_beam_terms){NULL, m, NULL, NULL});
        ph_beam_turn(&o.site, m), add_pairs(axes, M, b, m);
    }
    if (C && !(K && heavy) && (heavy || b->damped)) {
        ph_six c[2][2] = {0};
        ph_beam_add(&o.site, &e, &(ph_beam_terms){NULL, NULL, c, NULL});
        ph_beam_turn(&o.site, c), add_pairs(axes, C, b, c);
    }
    if (K && heavy) { /* C does not depend on accelerations, and comes along */
        ph_twist forces[2] = {0};
        ph_six c[2][2] = {0}, k[2][2] = {0};
        accelerate(axes, b, s, 0, &o.site);
        ph_beam_add(&o.site, &e, &(ph_beam_terms){forces, NULL, C ? c : NULL, k});
        ph_beam_turn_K(&o.site, forces, k), add_pairs(axes, K, b, k);
        if (C)
            ph_beam_turn(&o.site, c), add_pairs(axes, C, b, c);
    }
    return 0;
}
