/* Beam elements: geometrically exact, with two nodes, on SE(3).
 *
 *   h = H_a^-1 H_b,  d = log h,  eps = (d - d0)/L,  N = K eps + D epsdot                              (B1)
 *   delta d = P (eta_a, eta_b),  P = [-T^-1(-d), T^-1(d)],  epsdot = P v/L                            (B2)
 *   g = P^T N,  C = P^T (D/L) P                                                                       (B3)
 *   K = P^T (K/L + (D/L) Q_v) P + [Q_N(-d); Q_N(d)] P                                                 (B4)
 *     Q_N(d) = d(T^-T(d) N)/dd,  Q_v = d(T^-1(d) v_b)/dd (d) + d(T^-1(d) v_a)/dd (-d)
 *
 * These are for increments eta and velocities v = (U, Omega) in body components. In physical ones, with
 * dx = R eta_u: P gets columns P_u R^T, the rows of forces R f_u; and since R and U = R^T xdot turn,     (B5)
 *   K += -R tilde(f_u) on (x, phi) and P^T (D/L) P_u tilde(U) on phi, for each body.
 *
 * K is not symmetric away from equilibrium, and must not be made so. Reference: V. Sonneville, A. Cardona,
 * O. Bruls, Geometrically exact beam finite element formulated on the special Euclidean group SE(3), 2014. */
#include "mech/beam.h"

#include <string.h>

#include "lie/so3.h"

enum { N6 = 6, N12 = 12 };

static const ph_group_ops *se3(void)
{
    return ph_group_get(PH_SE3);
}

/* log(H_a^-1 H_b); quaternions need not have length one, as Euler parameters need not */
static void relative(const ph_kin *a, const ph_kin *b, double *d)
{
    double h[7];
    ph_store3(h, ph_tmul(a->R, ph_sub(b->x, a->x)));
    ph_quat_store(h + 3, ph_qmul(ph_quat_conj(a->q), b->q));
    se3()->log(0, h, d);
}

void ph_beam_reference(const ph_body_def *a, const ph_body_def *b, double *d0)
{
    static const ph_body_def ground = {.R = {1, 0, 0, 0}};
    a = a ? a : &ground, b = b ? b : &ground;
    ph_kin first = {.x = a->x, .q = a->R, .R = ph_qmat(a->R)}, second = {.x = b->x, .q = b->R};
    relative(&first, &second, d0);
}

/* Columns of one body: sign T^-1 [R^T 0; 0 I] */
static void put_columns(double *P, double sign, const double *T, ph_mat3 R)
{
    for (int i = 0; i < N6; i++) {
        ph_store3(P + N12 * i, ph_scale(sign, ph_mul(R, ph_load3(T + N6 * i)))); /* a^T R^T = (R a)^T */
        ph_store3(P + N12 * i + 3, ph_scale(sign, ph_load3(T + N6 * i + 3)));
    }
}

/* y = A x/L */
static void apply(const double *A, const double *x, double length, double *y)
{
    for (int i = 0; i < N6; i++) {
        y[i] = 0;
        for (int j = 0; j < N6; j++)
            y[i] += A[N6 * i + j] * x[j];
        y[i] /= length;
    }
}

/* d, P, rate, N (B1, B2) */
static void element_of(const ph_force_site *s, ph_beam_at *e)
{
    const ph_force_def *def = s->f->def;
    double ad[N6 * N6], v[N12], strain[N6], more[N6];
    relative(&s->a, &s->b, e->d);
    se3()->Tinv(0, e->d, e->Tb);
    se3()->hat(0, e->d, ad);
    for (int i = 0; i < N6 * N6; i++)
        e->Ta[i] = e->Tb[i] - ad[i]; /* T^-1(-d) = T^-1(d) - hat(d) */
    put_columns(e->P, -1, e->Ta, s->a.R);
    put_columns(e->P + 6, 1, e->Tb, s->b.R);
    ph_store3(v, s->a.v), ph_store3(v + 3, s->a.w), ph_store3(v + 6, s->b.v), ph_store3(v + 9, s->b.w);
    for (int i = 0; i < N6; i++) {
        strain[i] = e->d[i] - s->f->d0[i];
        e->rate[i] = 0;
        for (int j = 0; j < N12; j++)
            e->rate[i] += e->P[N12 * i + j] * v[j];
    }
    apply(def->K6, strain, s->f->length, e->N);
    if (!def->D6)
        return;
    apply(def->D6, e->rate, s->f->length, more);
    for (int i = 0; i < N6; i++)
        e->N[i] += more[i];
}

ph_status ph_beam_fill(const ph_force_site *s, ph_beam_at *e)
{
    element_of(s, e);
    double turn2 = e->d[3] * e->d[3] + e->d[4] * e->d[4] + e->d[5] * e->d[5];
    return turn2 <= PH_BEAM_TURN_MAX * PH_BEAM_TURN_MAX ? PH_OK : PH_E_CALLBACK;
}

void ph_beam_section(const ph_force_site *s, double *force, double *strain)
{
    ph_beam_at e;
    element_of(s, &e);
    for (int i = 0; i < N6; i++)
        force[i] = e.N[i], strain[i] = (e.d[i] - s->f->d0[i]) / s->f->length;
}

/* (B3) */
void ph_beam_add_g(const ph_beam_at *e, ph_vec3 r[PH_SLOTS])
{
    double f[N12] = {0};
    for (int i = 0; i < N6; i++)
        for (int j = 0; j < N12; j++)
            f[j] += e->P[N12 * i + j] * e->N[i];
    for (int k = 0; k < PH_SLOTS; k++)
        r[k] = ph_add(r[k], ph_load3(f + 3 * k));
}

static ph_mat3 block_of(const double *A, int i, int j)
{
    const double *a = A + 3 * N12 * i + 3 * j;
    return (ph_mat3){a[0],       a[1],       a[2],           a[N12],        a[N12 + 1],
                     a[N12 + 2], a[2 * N12], a[2 * N12 + 1], a[2 * N12 + 2]};
}

void ph_beam_put(const double *A, const ph_put *p)
{
    for (int i = 0; i < PH_SLOTS; i++)
        for (int j = 0; j < PH_SLOTS; j++)
            ph_add_pair(p, i, j, block_of(A, i, j));
}

/* out (12 x 12) += P^T A, A 6 x 12 */
static void fold(const double *P, const double *A, double *out)
{
    for (int k = 0; k < N6; k++)
        for (int i = 0; i < N12; i++)
            for (int j = 0; j < N12; j++)
                out[N12 * i + j] += P[N12 * k + i] * A[N12 * k + j];
}

/* out (6 x 12) += A B/L, A 6 x 6, B 6 x 12 */
static void add_product(const double *A, const double *B, double length, double *out)
{
    for (int i = 0; i < N6; i++)
        for (int k = 0; k < N6; k++) {
            double a = A[N6 * i + k] / length;
            for (int j = 0; j < N12; j++)
                out[N12 * i + j] += a * B[N12 * k + j];
        }
}

void ph_beam_add_C(const ph_force_site *s, const ph_beam_at *e, double *out)
{
    double DP[N6 * N12] = {0};
    if (!s->f->def->D6)
        return;
    add_product(s->f->def->D6, e->P, s->f->length, DP);
    fold(e->P, DP, out);
}

/* d(rate)/dq at fixed physical velocities: Q_v P, and what turning U = R^T xdot adds (B4, B5) */
static void rate_slope(const ph_force_site *s, const ph_beam_at *e, double *out)
{
    double va[N6], vb[N6], minus[N6], Qa[N6 * N6], Qb[N6 * N6];
    ph_vec3 Ua = ph_tmul(s->a.R, s->a.v), Ub = ph_tmul(s->b.R, s->b.v);
    ph_store3(va, Ua), ph_store3(va + 3, s->a.w), ph_store3(vb, Ub), ph_store3(vb + 3, s->b.w);
    for (int i = 0; i < N6; i++)
        minus[i] = -e->d[i];
    se3()->dTinv(0, minus, va, Qa);
    se3()->dTinv(0, e->d, vb, Qb);
    for (int i = 0; i < N6 * N6; i++)
        Qa[i] += Qb[i];
    add_product(Qa, e->P, 1, out);
    for (int i = 0; i < N6; i++) { /* a^T tilde(U) = (a x U)^T */
        ph_add3(out + N12 * i + 3, ph_scale(-1, ph_cross(ph_load3(e->Ta + N6 * i), Ua)));
        ph_add3(out + N12 * i + 9, ph_cross(ph_load3(e->Tb + N6 * i), Ub));
    }
}

/* Rows of one body += [R 0; 0 I] Q_N P, and -R tilde(f_u) on (x, phi) (B4, B5) */
static void add_turned(const ph_force_site *s, const ph_beam_at *e, int side, double *K)
{
    double d[N6], Q[N6 * N6], A[N6 * N12] = {0};
    ph_mat3 R = side ? s->b.R : s->a.R;
    const double *T = side ? e->Tb : e->Ta;
    ph_vec3 f = ph_v3(0, 0, 0);
    for (int i = 0; i < N6; i++) {
        d[i] = side ? e->d[i] : -e->d[i];
        f = ph_add(f, ph_scale(side ? e->N[i] : -e->N[i], ph_load3(T + N6 * i)));
    }
    se3()->dTinvt(0, d, e->N, Q);
    add_product(Q, e->P, 1, A);
    for (int j = 0; j < N12; j++) {
        double *k = K + N12 * N6 * side + j;
        ph_vec3 up = ph_mul(R, ph_v3(A[j], A[N12 + j], A[2 * N12 + j]));
        k[0] += up.x, k[N12] += up.y, k[2 * N12] += up.z;
        for (int i = 3; i < N6; i++)
            k[N12 * i] += A[N12 * i + j];
    }
    double turn[9];
    ph_store33(turn, ph_mtilde(R, ph_scale(-1, f)));
    for (int i = 0; i < 9; i++)
        K[N12 * (N6 * side + i / 3) + N6 * side + 3 + i % 3] += turn[i];
}

void ph_beam_add_K(const ph_force_site *s, const ph_beam_at *e, double *out)
{
    double dN[N6 * N12] = {0};
    add_product(s->f->def->K6, e->P, s->f->length, dN);
    if (s->f->def->D6) {
        double slope[N6 * N12] = {0};
        rate_slope(s, e, slope);
        add_product(s->f->def->D6, slope, s->f->length, dN);
    }
    fold(e->P, dN, out);
    add_turned(s, e, 0, out);
    add_turned(s, e, 1, out);
}

/* (L/2) eps^T K eps */
double ph_beam_strain_energy(const ph_force_site *s)
{
    double d[N6], V = 0;
    relative(&s->a, &s->b, d);
    for (int i = 0; i < N6; i++)
        for (int j = 0; j < N6; j++)
            V += (d[i] - s->f->d0[i]) * s->f->def->K6[N6 * i + j] * (d[j] - s->f->d0[j]);
    return V / (2 * s->f->length);
}

/* ---- elements without inertia ------------------------------------------------------------------------ */

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_beam_at e;
    ph_status status = ph_beam_fill(s, &e);
    if (status == PH_OK)
        ph_beam_add_g(&e, r);
    return status;
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    ph_beam_at e;
    double out[N12 * N12] = {0};
    if (!s->f->def->D6)
        return PH_OK;
    ph_status status = ph_beam_fill(s, &e);
    if (status != PH_OK)
        return status;
    ph_beam_add_C(s, &e, out);
    ph_beam_put(out, p);
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    ph_beam_at e;
    double out[N12 * N12] = {0};
    ph_status status = ph_beam_fill(s, &e);
    if (status != PH_OK)
        return status;
    ph_beam_add_K(s, &e, out);
    ph_beam_put(out, p);
    return PH_OK;
}

const ph_force_ops ph_force_beam = {.g = g, .C = C, .K = K, .energy = ph_beam_strain_energy};
