/* Constraints whose functions were traced. With arguments a(u, t), da/dt = 1 of the time and 0 of others, the velocity u'
 * and a' = da/dt + sum_i da/du_i u_i', row by row of Phi(a):
 *
 *   B_i = sum_a Phi_a da/du_i,  Phi_t = sum_a Phi_a da/dt
 *   Z_j = d(B u' + Phi_t)/du_j = sum_ab Phi_ab a' db/du_j + sum_a Phi_a sum_i d(da/du_i)/du_j u_i'    (P6)
 *   convective = sum_ab Phi_ab a' b' + sum_a Phi_a sum_ij d(da/du_i)/du_j u_i' u_j'
 *   K = d(B^T lambda)/du is (P5) of lambda . Phi */
#include "mech/user.h"

#include <string.h>

#define ARGUMENTS 256 /* of one function */

/* The two bodies of an argument, side by side, by their places among those of the constraint; -1: the ground. */
typedef struct sides {
    int n, body[2];
    double u[12]; /* velocities */
    double d[12]; /* da/du */
} sides;

static int place_of(const ph_user *u, int body)
{
    int k = 0;
    while (u->body[k] != body)
        k++;
    return k;
}

static int open_sides(const ph_formula *k, const ph_user *user, int i, int second, sides *x, double H[144])
{
    const ph_argument *a = &k->p->arg[i];
    const ph_argument_ops *op = ph_argument_get(a->kind)->op;
    x->n = ph_argument_bodies(k->at->m->model, a, x->body);
    memset(x->d, 0, sizeof x->d);
    memset(x->u, 0, sizeof x->u);
    for (int side = 0; side < x->n; side++) {
        if (x->body[side] < 0)
            continue;
        const ph_body_state *b = ph_scene_body(k->at, x->body[side]);
        ph_store3(x->u + 6 * side, b->v), ph_store3(x->u + 6 * side + 3, b->omega);
        op->slope(k->at, a, side, PH_BY_PLACE, 1, x->d + 6 * side);
        x->body[side] = place_of(user, x->body[side]);
    }
    if (!second || !op->second || !x->n)
        return 0;
    memset(H, 0, 144 * sizeof *H);
    op->second(k->at, a, 1, H);
    return 1;
}

static double rate_of(const ph_formula *k, const ph_user *u, int i)
{
    sides x;
    double sum = k->p->arg[i].kind == PH_ARG_TIME, H[144];
    open_sides(k, u, i, 0, &x, H);
    for (int c = 0; c < 6 * x.n; c++)
        sum += x.d[c] * x.u[c];
    return sum;
}

static void add(const sides *x, double f, const double *d, double *row)
{
    for (int c = 0; c < 6 * x->n; c++)
        if (x->body[c / 6] >= 0)
            row[6 * x->body[c / 6] + c % 6] += f * d[c];
}

/* One row: its gradient is in k->g, Hr: second derivatives times the rates of arguments. */
static void put_row(const ph_formula *k, const ph_user *u, const double *rate, const double *Hr, int row,
                    int n, const ph_user_wanted *out)
{
    double *B = out->B ? out->B + row * n : NULL, *Z = out->Z ? out->Z + row * n : NULL, Phi_t = 0,
           convective = 0;
    if (B)
        memset(B, 0, sizeof(double) * (size_t)n);
    if (Z)
        memset(Z, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < k->p->n_args; i++) {
        sides x;
        double D2[144], along[12] = {0};
        int curved = open_sides(k, u, i, Z || out->convective, &x, D2);
        Phi_t += k->p->arg[i].kind == PH_ARG_TIME ? k->g[i] : 0;
        for (int c = 0; c < 144 && curved; c++)
            along[c % 12] += D2[c] * (c / 12 < 6 * x.n ? x.u[c / 12] : 0);
        if (B)
            add(&x, k->g[i], x.d, B);
        if (Z)
            add(&x, Hr[i], x.d, Z), add(&x, k->g[i], along, Z);
        convective += rate[i] * Hr[i];
        for (int c = 0; c < 6 * x.n && curved; c++)
            convective += k->g[i] * along[c] * x.u[c];
    }
    if (out->Phi_t)
        out->Phi_t[row] = Phi_t;
    if (out->convective)
        out->convective[row] = convective;
}

/* Adds (P5) of lambda . Phi of one function; lambda: of its rows. */
static int add_K(ph_formula *k, const ph_user *u, const double *lambda, int n, double *K, double *y)
{
    double unit[ARGUMENTS] = {0}, column[ARGUMENTS];
    int known = 1;
    for (int b = 0; b < k->p->n_args && known; b++) {
        sides x;
        double D2[144];
        unit[b] = 1;
        known = ph_program_curvature(k->p, k->room, lambda, unit, k->g, column);
        unit[b] = 0;
        memset(y, 0, sizeof(double) * (size_t)n);
        for (int a = 0; a < k->p->n_args; a++) {
            open_sides(k, u, a, 0, &x, D2);
            add(&x, column[a], x.d, y);
        }
        int curved = open_sides(k, u, b, 1, &x, D2);
        for (int c = 0; c < 6 * x.n; c++) {
            int j = 6 * x.body[c / 6] + c % 6;
            if (x.body[c / 6] < 0)
                continue;
            for (int i = 0; i < n && x.d[c] != 0; i++)
                K[i * n + j] += y[i] * x.d[c];
            for (int i = 0; i < 6 * x.n && curved; i++)
                if (x.body[i / 6] >= 0)
                    K[(6 * x.body[i / 6] + i % 6) * n + j] += k->g[b] * D2[12 * i + c];
        }
    }
    return known;
}

int ph_user_exact(const ph_mechanism *m, const ph_state *s, const ph_user_work *w, const ph_user_wanted *out)
{
    const ph_user *u = w->user;
    double rate[ARGUMENTS], Hr[ARGUMENTS] = {0}, weight[PH_SENSOR_MAX] = {0}, Phi[PH_SENSOR_MAX];
    int curved = out->Z || out->convective || out->K;
    ph_scene at = ph_scene_of(m, s, NULL);
    ph_formula k;
    at.whole = curved;
    int known = ph_formula_open(&k, &at, &u->def->f, w->rows, Phi) && k.p->n_args <= ARGUMENTS;
    if (known)
        ph_formula_partials(&k, curved ? 2 : 1);
    for (int i = 0; known && i < k.p->n_args; i++)
        rate[i] = curved ? rate_of(&k, u, i) : 0;
    for (int r = 0; r < w->rows && known; r++) {
        weight[r] = 1;
        known =
            curved ? ph_program_curvature(k.p, k.room, weight, rate, k.g, Hr) : ph_formula_gradient(&k, r);
        weight[r] = 0;
        if (known)
            put_row(&k, u, rate, Hr, r, w->n, out);
    }
    if (known && out->K) {
        memset(out->K, 0, sizeof(double) * (size_t)w->n * (size_t)w->n);
        known = add_K(&k, u, out->lambda, w->n, out->K, w->plus);
    }
    ph_formula_close(&k);
    return known;
}
