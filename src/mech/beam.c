/* Beam elements: geometrically exact, with two nodes, on SE(3).
 *
 *   h = H_a^-1 H_b,  d = log h,  eps = (d - d0)/L,  N = K eps + D epsdot                              (B1)
 *   delta d = P (eta_a, eta_b),  P = [-T^-1(-d), T^-1(d)],  epsdot = P v/L                            (B2)
 *   g = P^T N,  C = P^T (D/L) P                                                                       (B3)
 *   K = P^T (K/L + (D/L) Q_v) P + [Q_N(-d); Q_N(d)] P                                                 (B4)
 *     Q_N(d) = d(T^-T(d) N)/dd,  Q_v = d(T^-1(d) v_b)/dd (d) + d(T^-1(d) v_a)/dd (-d)
 *
 * These are for increments eta and velocities v = (U, Omega) in body components, which are the coordinates of
 * SE(3). In physical ones, with dx = R eta_u: rows and columns of u are turned by R; and since R and
 * U = R^T xdot turn,                                                                                    (B5)
 *   K += -tilde(f_u) on (u, phi) and P^T (D/L) P_u tilde(U) on phi, for each body, before that.
 *
 * K is not symmetric away from equilibrium, and must not be made so. Reference: V. Sonneville, A. Cardona,
 * O. Bruls, Geometrically exact beam finite element formulated on the special Euclidean group SE(3), 2014. */
#include "mech/beam.h"

#include "lie/se3.h"

enum { N6 = 6 };

/* d = log(H_a^-1 H_b): w = log R, u = B(-w) x with T^-1 = [B Z; 0 B] (L15); r: of w. Quaternions need not have
 * length one, as Euler parameters need not. */
static ph_twist relative(const ph_kin *a, const ph_kin *b, ph_stumpff *r)
{
    ph_vec3 x = ph_tmul(a->R, ph_sub(b->x, a->x)), w = ph_so3_log(ph_qmul(ph_quat_conj(a->q), b->q));
    *r = ph_stumpff_of(w);
    ph_vec3 wx = ph_cross(w, x);
    return (ph_twist){ph_add(x, ph_sub(ph_scale(r->d, ph_cross(w, wx)), ph_scale(0.5, wx))), w};
}

/* T^-1 = [B Z; 0 B], B = I + W/2 + d W^2, Z = U/2 + d (U W + W U) + 2 d' (w.u) W^2, W = tilde(w), U = tilde(u)
 * (L14) */
static ph_dual inverse_tangent(const ph_stumpff *r, ph_twist x)
{
    double m = ph_dot(x.w, x.u), d1 = r->d1 * m;
    ph_vec3 w = x.w, u = x.u, half = ph_scale(0.5, w), Half = ph_scale(0.5, u), dw = ph_scale(r->d, w);
    ph_rows ww = ph_rows_outer(dw, w), uw = ph_rows_outer(dw, u), d1ww = ph_rows_outer(ph_scale(d1, w), w);
    return (ph_dual){ph_rows_add(ph_rows_diag(1 - r->d * r->s), ph_rows_add(ww, ph_rows_tilde(half))),
                     ph_rows_add(ph_rows_add(ph_rows_diag(-2 * r->d * m - d1 * r->s), ph_rows_tilde(Half)),
                                 ph_rows_add(d1ww, ph_rows_add(uw, ph_rows_transpose(uw))))};
}

void ph_beam_reference(const ph_body_def *a, const ph_body_def *b, double *d0)
{
    static const ph_body_def ground = {.R = {1, 0, 0, 0}};
    a = a ? a : &ground, b = b ? b : &ground;
    ph_kin first = {.x = a->x, .q = a->R, .R = ph_qmat(a->R)}, second = {.x = b->x, .q = b->R};
    ph_stumpff r;
    ph_twist d = relative(&first, &second, &r);
    ph_store3(d0, d.u), ph_store3(d0 + 3, d.w);
}

static ph_twist load(const double *x)
{
    return (ph_twist){ph_load3(x), ph_load3(x + 3)};
}

/* y = A x/L */
static void apply(const double *A, const double *x, double length, double *y)
{
    ph_block_apply(N6, y, A, x);
    for (int i = 0; i < N6; i++)
        y[i] /= length;
}

/* d - d0 */
static void strain_of(const ph_force *f, ph_twist d, double *out)
{
    ph_store3(out, ph_sub(d.u, ph_load3(f->d0))), ph_store3(out + 3, ph_sub(d.w, ph_load3(f->d0 + 3)));
}

/* Damping, and inertia, know velocities. */
static void fill_rates(const ph_force_site *s, ph_beam_at *e)
{
    e->v[0] = (ph_twist){ph_tmul(s->a.R, s->a.v), s->a.w};
    e->v[1] = (ph_twist){ph_tmul(s->b.R, s->b.v), s->b.w};
    e->rate = ph_twist_sub(ph_dual_apply(e->T[1], e->v[1]), ph_dual_apply(e->T[0], e->v[0]));
}

/* (B1, B2) */
static void element_of(const ph_force_site *s, ph_beam_at *e)
{
    const ph_force_def *def = s->f->def;
    double strain[N6], N[N6], rate[N6], more[N6];
    e->d = relative(&s->a, &s->b, &e->r);
    e->T[1] = inverse_tangent(&e->r, e->d);
    e->T[0] = ph_dual_sub(e->T[1], ph_dual_hat(e->d)); /* T^-1(-d) = T^-1(d) - hat(d) */
    strain_of(s->f, e->d, strain);
    apply(def->K6, strain, s->f->length, N);
    if (def->D6 || def->M6)
        fill_rates(s, e);
    if (def->D6) {
        ph_store3(rate, e->rate.u), ph_store3(rate + 3, e->rate.w);
        apply(def->D6, rate, s->f->length, more);
        for (int i = 0; i < N6; i++)
            N[i] += more[i];
    }
    e->N = load(N);
}

ph_status ph_beam_fill(const ph_force_site *s, ph_beam_at *e)
{
    element_of(s, e);
    return ph_dot(e->d.w, e->d.w) <= PH_BEAM_TURN_MAX * PH_BEAM_TURN_MAX ? PH_OK : PH_E_CALLBACK;
}

void ph_beam_section(const ph_force_site *s, double *force, double *strain)
{
    ph_beam_at e;
    element_of(s, &e);
    ph_store3(force, e.N.u), ph_store3(force + 3, e.N.w);
    strain_of(s->f, e.d, strain);
    for (int i = 0; i < N6; i++)
        strain[i] /= s->f->length;
}

/* ---- forces and tangents, body axes -------------------------------------------------------------------- */

/* (B3) */
void ph_beam_add_f(const ph_beam_at *e, ph_twist f[2])
{
    f[0] = ph_twist_sub(f[0], ph_dual_fold(e->T[0], e->N));
    f[1] = ph_twist_add(f[1], ph_dual_fold(e->T[1], e->N));
}

/* A/L */
static ph_six section_of(const double *A, double length)
{
    ph_rows B[4];
    for (int k = 0; k < 4; k++) {
        const double *a = A + N6 * 3 * (k / 2) + 3 * (k % 2);
        B[k] = ph_rows_scale(1 / length,
                             ph_rows_of(ph_row_load3(a), ph_row_load3(a + N6), ph_row_load3(a + 2 * N6)));
    }
    return (ph_six){B[0], B[1], B[2], B[3]};
}

/* out += P^T S P for a symmetric S */
static void add_square(const ph_beam_at *e, const ph_six *S, ph_six out[2][2])
{
    ph_six A = ph_six_dual(S, &e->T[0]), B = ph_six_dual(S, &e->T[1]), across = ph_dual_six(&e->T[0], &B);
    out[0][0] = ph_six_add(out[0][0], ph_dual_six(&e->T[0], &A));
    out[1][1] = ph_six_add(out[1][1], ph_dual_six(&e->T[1], &B));
    out[0][1] = ph_six_sub(out[0][1], across);
    out[1][0] = ph_six_sub(out[1][0], ph_six_transpose(across));
}

void ph_beam_add_C(const ph_force_site *s, const ph_beam_at *e, ph_six C[2][2])
{
    if (!s->f->def->D6)
        return;
    ph_six S = section_of(s->f->def->D6, s->f->length);
    add_square(e, &S, C);
}

/* [0 J0; J0 J1] and [J0 J1; 0 J0] of (B4), at -d and at d */
static void slope_at(const ph_beam_at *e, int side, ph_form F, ph_vec3 u0, ph_vec3 u1, ph_rows *J0,
                     ph_rows *J1)
{
    ph_mat3 A, B;
    double sign = side ? 1 : -1;
    ph_se3_form_slope(F, ph_scale(sign, e->d.w), ph_scale(sign, e->d.u), u0, u1, &A, &B);
    *J0 = ph_rows_from(A), *J1 = ph_rows_from(B);
}

/* P^T (D/L) d(rate)/dq: Q_v P and, with physical velocities, what turning U = R^T xdot adds (B4, B5) */
static void add_damped(const ph_force_site *s, const ph_beam_at *e, ph_form F, ph_six K[2][2])
{
    ph_six D = section_of(s->f->def->D6, s->f->length);
    ph_dual Q[2];
    for (int i = 0; i < 2; i++)
        slope_at(e, i, F, e->v[i].w, e->v[i].u, &Q[i].r, &Q[i].e);
    Q[0] = ph_dual_add(Q[0], Q[1]);
    for (int j = 0; j < 2; j++) {
        ph_dual slope = ph_dual_mul(Q[0], e->T[j]);
        if (!s->body_axes)
            slope.e = ph_rows_add(slope.e, ph_rows_mul_tilde(e->T[j].r, e->v[j].u));
        ph_six A = ph_six_dual(&D, &slope);
        for (int i = 0; i < 2; i++) {
            ph_six B = ph_dual_six(&e->T[i], &A);
            K[i][j] = i == j ? ph_six_add(K[i][j], B) : ph_six_sub(K[i][j], B);
        }
    }
}

void ph_beam_add_K(const ph_force_site *s, const ph_beam_at *e, ph_six K[2][2])
{
    ph_form F = ph_form_Tinv(e->r);
    ph_six S = section_of(s->f->def->K6, s->f->length);
    add_square(e, &S, K);
    if (s->f->def->D6)
        add_damped(s, e, F, K);
    for (int i = 0; i < 2; i++) {
        ph_rows J0, J1;
        slope_at(e, i, ph_form_transpose(F), e->N.u, e->N.w, &J0, &J1);
        for (int j = 0; j < 2; j++) {
            ph_rows A = ph_rows_mul_rows(J0, e->T[j].r);
            ph_six B = {.uw = A,
                        .wu = A,
                        .ww = ph_rows_add(ph_rows_mul_rows(J0, e->T[j].e), ph_rows_mul_rows(J1, e->T[j].r))};
            K[i][j] = j ? ph_six_add(K[i][j], B) : ph_six_sub(K[i][j], B);
        }
    }
}

/* (L/2) eps^T K eps */
double ph_beam_strain_energy(const ph_force_site *s)
{
    ph_stumpff r;
    double d[N6], V = 0;
    strain_of(s->f, relative(&s->a, &s->b, &r), d);
    for (int i = 0; i < N6; i++)
        for (int j = 0; j < N6; j++)
            V += d[i] * s->f->def->K6[N6 * i + j] * d[j];
    return V / (2 * s->f->length);
}

/* ---- to their places ----------------------------------------------------------------------------------- */

void ph_beam_put_f(const ph_force_site *s, const ph_twist f[2], ph_vec3 r[PH_SLOTS])
{
    const ph_kin *k[2] = {&s->a, &s->b};
    for (int i = 0; i < 2; i++) {
        r[2 * i] = ph_add(r[2 * i], s->body_axes ? f[i].u : ph_mul(k[i]->R, f[i].u));
        r[2 * i + 1] = ph_add(r[2 * i + 1], f[i].w);
    }
}

void ph_beam_put(const ph_force_site *s, ph_six A[2][2], const ph_put *p)
{
    ph_rows R[2] = {ph_rows_from(s->a.R), ph_rows_from(s->b.R)};
    for (int k = 0; k < 4; k++) {
        int i = k / 2, j = k % 2;
        ph_six *B = &A[i][j];
        if (!s->body_axes) {
            ph_rows Rt = ph_rows_transpose(R[j]);
            B->uu = ph_rows_mul_rows(R[i], ph_rows_mul_rows(B->uu, Rt));
            B->uw = ph_rows_mul_rows(R[i], B->uw);
            B->wu = ph_rows_mul_rows(B->wu, Rt);
        }
        ph_add_pair(p, 2 * i, 2 * j, ph_rows_to(B->uu));
        ph_add_pair(p, 2 * i, 2 * j + 1, ph_rows_to(B->uw));
        ph_add_pair(p, 2 * i + 1, 2 * j, ph_rows_to(B->wu));
        ph_add_pair(p, 2 * i + 1, 2 * j + 1, ph_rows_to(B->ww));
    }
}

void ph_beam_put_K(const ph_force_site *s, const ph_twist f[2], ph_six K[2][2], const ph_put *p)
{
    for (int i = 0; i < 2 && !s->body_axes; i++)
        K[i][i].uw = ph_rows_sub(K[i][i].uw, ph_rows_tilde(f[i].u));
    ph_beam_put(s, K, p);
}

/* ---- elements without inertia -------------------------------------------------------------------------- */

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_beam_at e;
    ph_twist f[2] = {0};
    ph_status status = ph_beam_fill(s, &e);
    if (status != PH_OK)
        return status;
    ph_beam_add_f(&e, f);
    ph_beam_put_f(s, f, r);
    return PH_OK;
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    ph_beam_at e;
    ph_six A[2][2] = {0};
    ph_status status = ph_beam_fill(s, &e);
    if (status != PH_OK)
        return status;
    ph_beam_add_C(s, &e, A);
    ph_beam_put(s, A, p);
    return PH_OK;
}

static ph_status g_K(const ph_force_site *s, ph_vec3 r[PH_SLOTS], const ph_put *p)
{
    ph_beam_at e;
    ph_twist f[2] = {0};
    ph_six A[2][2] = {0};
    ph_status status = ph_beam_fill(s, &e);
    if (status != PH_OK)
        return status;
    ph_beam_add_f(&e, f);
    ph_beam_put_f(s, f, r);
    ph_beam_add_K(s, &e, A);
    ph_beam_put_K(s, f, A, p);
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    ph_vec3 r[PH_SLOTS] = {{0}};
    return g_K(s, r, p);
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
                                    .energy = ph_beam_strain_energy,
                                    .body_axes = 1,
                                    .turns = 1,
                                    .still = still,
                                    .make = make};
