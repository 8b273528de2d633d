/* A run linearised about its present state: x' = A x + B u, y = C x + D u.
 *
 * The state moves by increments dq = y of positions and dv of velocities that constraints allow: with bases Nh and Nw of
 * (T7), y = Nh z, dv = Nw w + F z, B F = -Z Nh. Independent coordinates are picked from those that have names: free
 * coordinates of joints first, then positions and rotations of bodies and modes, as long as they are independent; and their
 * rates; and states,
 *
 *   x = (S z, R w + Q z),   S = b Nh,  R = b Nw,  Q = b F + z_b Nh                                     (T10)
 *
 * with the rows b, z_b of a coordinate. Rotations of bodies are world vectors theta, R -> exp(theta) R.
 *
 * A column belongs to a direction (y, u) of the state, or to an input. Its accelerations a and multipliers m obey the tangents at
 * the state,
 *
 *   M a + (B + g_lambda^T)^T m = -f,   B a = -c,   f = C u + K y,   c = d/de (B vdot + convective)          (T11)
 *   a = p - Nw G Nl^T (f + M p),   G = (Nl^T M Nw)^-1,   B p = -c
 *
 * with Nl = Nw without friction. Rates of positions change by b u + z y. Accelerations of coordinates change by b a and by their
 * change at fixed vdot. That change, c, f of an input, and sensors along (y, u, a, m) are differences of order 4 of functions of
 * the state, and nothing is solved at their places. At rest in equilibrium only sensors and inputs need them.
 *
 * For large systems at rest x may be (z, z', s) with Nh = X the K lowest modes of lowest.c, orthonormal in M, and s the states:
 * z'' = X^T M a. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/difference.h"
#include "base/spectrum.h"
#include "equilibrium/equilibrium_limits.h"
#include "equilibrium/linear.h"
#include "la/small.h"
#include "mech/coordinate.h"
#include "mech/reach.h"
#include "mech/support.h"
#include "run/private.h"

#define NAME 160

/* What a row must add to those before it, of the length that it could have at most; less where this leaves too few. */
static const double apart[] = {1e-2, 1e-4, 1e-7};

/* What may become an independent coordinate. */
typedef struct candidate {
    enum { JOINT, BODY, MODE, STATE, VIBRATION } kind;
    int index; /* joint, body, flexible body or state */
    int k;     /* coordinate, half and axis, mode, number or vibration */
} candidate;

typedef struct work {
    ph_run *run;
    ph_linear l;
    int modes; /* coordinates are that many of the lowest modes; 0: candidates */
    int nv, n, n_all, n_y;
    candidate *all;
    int *position, *rate;   /* those that were picked: nz, nw */
    double *b, *z;          /* rows of all candidates: n_all x nv */
    double *S, *R, *F;      /* nz x nz, nw x nw inverted; nz x nv */
    double *Q;              /* nw x nz */
    double *y, *u;          /* direction: nv each */
    double *C, *K;          /* tangents at the state: size_pairs each */
    double *L, *LM, *MN;    /* nw x nv: G Nl^T, G Nl^T M, Nw^T M */
    double *a;              /* nv + nl: accelerations and multipliers of a direction */
    double *f, *c, *p;      /* nv, nl, nv of (T11) */
    double *noise[2];       /* nv each: round-off of f, and of a */
    double *value[4];       /* values at the four places of a difference: the most of nl + nw + nv and n_y */
    double *sum, *sizes;    /* a difference, and the sizes of its values: as many */
    double *column, *error; /* derivatives of x' and of sensors, and their round-off: n + n_y each */
    ph_nodes nodes;         /* all of them */
    char *names;
    void *block;
} work;

/* ---- coordinates ------------------------------------------------------------------------------------------ */

static int list_candidates(const ph_mechanism *m, candidate *out)
{
    int n = 0;
#define ADD(...)                                                                                             \
    do {                                                                                                     \
        if (out)                                                                                             \
            out[n] = (candidate){__VA_ARGS__};                                                               \
        n++;                                                                                                 \
    } while (0)
    for (int j = 0; j < m->model->n_joints; j++)
        for (int k = 0; k < PH_LENGTH; k++)
            if (m->joint[m->joint_of[j]].frees >> k & 1)
                ADD(JOINT, j, k);
    for (int b = 0; b < m->model->n_bodies; b++)
        for (int k = 0; k < (m->body[b].particle ? 3 : 6) && m->body[b].marker < 0; k++)
            ADD(BODY, b, k);
    for (int f = 0; f < m->n_flex; f++)
        for (int k = 0; k < m->flex[f].r->modes; k++)
            ADD(MODE, f, k);
    for (int s = 0; s < m->model->n_states; s++)
        for (int k = 0; k < m->own[s].n; k++)
            ADD(STATE, s, k);
#undef ADD
    return n;
}

static void name_of(const ph_mechanism *m, const candidate *c, int rate, char *out)
{
    static const char *const axis[] = {"x", "y", "z", "rx", "ry", "rz"};
    static const char *const speed[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
    const ph_model *model = m->model;
    const char *more = rate ? ".rate" : "";
    if (c->kind == VIBRATION)
        snprintf(out, NAME, "mode%d%s", c->k + 1, more);
    else if (c->kind == JOINT && ph_joint_frees(&m->joint[m->joint_of[c->index]]) == 1)
        snprintf(out, NAME, "%s%s", model->joint[c->index].name, more);
    else if (c->kind == JOINT)
        snprintf(out, NAME, "%s.%s%s", model->joint[c->index].name, axis[c->k], more);
    else if (c->kind == BODY)
        snprintf(out, NAME, "%s.%s", model->body[c->index].name, (rate ? speed : axis)[c->k]);
    else if (c->kind == MODE)
        snprintf(out, NAME, "%s.mode%d%s", model->body[m->flex[c->index].body].name, c->k + 1, more);
    else if (m->own[c->index].n == 1)
        snprintf(out, NAME, "%s", model->state[c->index].name);
    else
        snprintf(out, NAME, "%s.%d", model->state[c->index].name, c->k + 1);
}

/* Rows b and z of a candidate, in the coordinates of the space. */
static void rows_of(const work *w, const ph_state *s, const candidate *c, double *b, double *z)
{
    const ph_mechanism *m = w->run->mech;
    memset(b, 0, sizeof *b * (size_t)w->nv), memset(z, 0, sizeof *z * (size_t)w->nv);
    if (c->kind == STATE || c->kind == MODE) {
        b[c->kind == STATE ? m->own[c->index].v + c->k : m->flex[c->index].v + c->k] = 1;
        return;
    }
    double unit[6] = {0}, none[6] = {0}, by_place[6], by_speed[6];
    if (c->kind == BODY) { /* theta = R phi, theta' = R domega */
        unit[c->k] = 1;
        if (c->k >= 3)
            ph_store3(unit + 3, ph_tmul(ph_kin_of(m, s, c->index).R, ph_load3(unit + 3)));
        ph_nodes_add(m, s, &w->nodes, c->index, unit, NULL, b);
        ph_nodes_add(m, s, &w->nodes, c->index, none, unit, z);
        return;
    }
    const ph_joint *j = &m->joint[m->joint_of[c->index]];
    ph_site site = {.j = j, .a = ph_kin_of(m, s, j->body[0]), .b = ph_kin_of(m, s, j->body[1])};
    ph_vec3 row[PH_SLOTS], rate[PH_SLOTS];
    ph_coordinate_row(&site, c->k, row);
    ph_coordinate_z(&site, c->k, rate);
    for (int side = 0; side < 2; side++) {
        if (j->body[side] < 0)
            continue;
        ph_store3(by_speed, row[2 * side]), ph_store3(by_speed + 3, row[2 * side + 1]);
        ph_store3(by_place, rate[2 * side]), ph_store3(by_place + 3, rate[2 * side + 1]);
        ph_nodes_add(m, s, &w->nodes, j->body[side], by_speed, NULL, b);
        ph_nodes_add(m, s, &w->nodes, j->body[side], by_place, by_speed, z);
    }
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Rows of candidates on a basis of n vectors, picked as long as they are independent; first: those before others. 0: there
 * are not enough. ortho: n x n. */
static int pick(const work *w, int n, const double *N, const int *first, int n_first, int rates, int *picked,
                double *ortho)
{
    int count = 0;
    double most = 0;
    for (int c = 0; c < w->n_all; c++) {
        double sum = 0, size = dot(w->nv, w->b + c * w->nv, w->b + c * w->nv);
        for (int k = 0; k < n; k++) {
            double x = dot(w->nv, w->b + c * w->nv, N + k * w->nv);
            sum += x * x;
        }
        most = size > 0 ? fmax(most, sqrt(sum / size)) : most;
    }
    for (int pass = 0; pass < 3 && count < n; pass++)
        for (int i = -n_first; i < w->n_all && count < n; i++) {
            int c = i < 0 ? first[i + n_first] : i, known = 0;
            for (int k = 0; k < count; k++)
                known |= picked[k] == c;
            if (known || (w->all[c].kind == STATE && !rates))
                continue;
            double *row = ortho + count * n;
            for (int k = 0; k < n; k++)
                row[k] = dot(w->nv, w->b + c * w->nv, N + k * w->nv);
            double size = most * sqrt(dot(w->nv, w->b + c * w->nv, w->b + c * w->nv));
            for (int twice = 0; twice < 2; twice++)
                for (int k = 0; k < count; k++) {
                    double f = dot(n, row, ortho + k * n);
                    for (int j = 0; j < n; j++)
                        row[j] -= f * ortho[k * n + j];
                }
            double left = sqrt(dot(n, row, row));
            if (!(left > apart[pass] * size))
                continue;
            for (int k = 0; k < n; k++)
                row[k] /= left;
            picked[count++] = c;
        }
    return count == n;
}

/* The inverse of the matrix of picked rows on a basis; scratch: 2 n n. 0: it is singular. */
static int invert(const work *w, int n, const int *picked, const double *N, double *out, double *scratch)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            scratch[i * n + j] = dot(w->nv, w->b + picked[i] * w->nv, N + j * w->nv);
            out[i * n + j] = i == j;
        }
    return ph_small_solve(n, n, scratch, out);
}

/* ---- places ----------------------------------------------------------------------------------------------- */

/* The direction that changes coordinate number x of the state alone. */
static void direction(work *w, int x)
{
    int nz = w->l.nz, nw = w->l.nw, nv = w->nv;
    memset(w->y, 0, sizeof *w->y * (size_t)nv), memset(w->u, 0, sizeof *w->u * (size_t)nv);
    for (int j = 0; j < nz && x < nz; j++)
        for (int i = 0; i < nv; i++) {
            w->y[i] += w->S[j * nz + x] * w->l.Nh[j * nv + i];
            w->u[i] += w->S[j * nz + x] * w->F[j * nv + i];
        }
    for (int r = 0; r < nw; r++) { /* what the other rates still need */
        int c = w->rate[r];
        double need = (x == nz + r) - dot(nv, w->b + c * nv, w->u) * (x < nz) - dot(nv, w->z + c * nv, w->y);
        w->sum[r] = need;
    }
    for (int j = 0; j < nw; j++) {
        double f = dot(nw, w->R + j * nw, w->sum);
        for (int i = 0; i < nv; i++)
            w->u[i] += f * w->l.Nw[j * nv + i];
    }
}

/* The state (now o exp(e y), v + e u) with accelerations vdot + e a and multipliers lambda + e m, to sim->next; a NULL: as they
 * are now. */
static void go(const work *w, double e, const double *a)
{
    ph_sim *sim = w->l.sim;
    sim->next.t = sim->now.t;
    ph_point_shift(&sim->lay, &sim->now, e, w->y, &sim->next);
    for (int i = 0; i < w->nv; i++) {
        sim->next.v[i] = sim->now.v[i] + e * w->u[i];
        sim->next.vdot[i] = sim->now.vdot[i] + (a ? e * a[i] : 0);
    }
    for (int i = 0; i < sim->lay.nl; i++)
        sim->next.lambda[i] = sim->now.lambda[i] + (a ? e * a[w->nv + i] : 0);
}

/* The acceleration of a coordinate. */
static double acceleration(const work *w, const ph_state *s, const candidate *c)
{
    const ph_mechanism *m = w->run->mech;
    ph_body_state b;
    if (c->kind == VIBRATION) /* its direction is fixed */
        return 0;
    if (c->kind == JOINT)
        return ph_joint_acceleration(m, s, &m->joint[m->joint_of[c->index]], c->k);
    if (c->kind == MODE)
        return s->vdot[m->flex[c->index].v + c->k];
    if (c->kind == STATE)
        return s->vdot[m->own[c->index].v + c->k];
    ph_mechanism_body(m, s, c->index, &b);
    ph_vec3 a = b.a;
    if (c->k >= 3) { /* theta'' = R (omega x domega + domegadot) */
        ph_state now = ph_point_view(&w->l.sim->now, &w->l.sim->lay);
        ph_kin k = ph_kin_of(m, &now, c->index);
        a = ph_mul(k.R, ph_add(ph_cross(k.w, b.omega), b.omega_dot));
    }
    return c->k % 3 == 0 ? a.x : c->k % 3 == 1 ? a.y : a.z;
}

/* At fixed vdot and lambda: B vdot + convective, accelerations of the coordinates, and r = M vdot + g + B^T lambda. */
static ph_status look_at_motion(work *w, double e, double *out)
{
    ph_sim *sim = w->l.sim;
    const ph_layout *lay = &sim->lay;
    double *rates = out + lay->nl, *r = rates + w->l.nw;
    go(w, e, NULL);
    ph_state s = ph_point_view(&sim->next, lay);
    memset(out, 0, sizeof *out * (size_t)lay->nl);
    ph_status status = ph_eval_residual(&sim->ev, &s, PH_EVAL_PHI | PH_EVAL_RATE);
    if (status == PH_OK)
        status = ph_eval_convective(&sim->ev, &s, out);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        ph_small_mul_add(b->m, b->n, sim->ev.B + b->at, s.vdot + b->col_at, out + b->row_at);
    for (int i = 0; i < w->l.nw; i++)
        rates[i] = acceleration(w, &s, &w->all[w->rate[i]]);
    memcpy(r, sim->ev.r, sizeof *r * (size_t)w->nv);
    return status;
}

/* Sensors where accelerations and multipliers change with the state. */
static ph_status look_at_sensors(work *w, double e, double *out)
{
    ph_sim *sim = w->l.sim;
    ph_mechanism *m = w->run->mech;
    go(w, e, w->a);
    ph_state s = ph_point_view(&sim->next, &sim->lay);
    ph_status status = sim->lay.C ? ph_eval_positions(&sim->ev, &s) : PH_OK;
    if (status == PH_OK)
        status = ph_redundant_least(&sim->matrix, &sim->ev, sim->next.lambda);
    for (int k = 0, n = 0; k < m->model->n_sensors && status == PH_OK; n += m->model->sensor[k++].size)
        status = ph_mechanism_sensor(m, &s, k, out + n);
    return status;
}

typedef ph_status look_fn(work *w, double e, double *out);

/* d/de of n values, along the direction and, if there is one, an input. Their sizes go to w->sizes. */
static ph_status difference(work *w, double e, ph_input *input, look_fn *look, int n)
{
    static const int place[4] = {-2, -1, 1, 2};
    ph_input kept = input ? *input : (ph_input){0};
    double u = input ? ph_input_at(input, w->l.sim->now.t) : 0;
    ph_status s = PH_OK;
    for (int k = 0; k < 4 && s == PH_OK; k++) {
        if (input)
            *input = (ph_input){.u = {u + place[k] * e, u + place[k] * e}};
        s = look(w, place[k] * e, w->value[k]);
    }
    if (input)
        *input = kept;
    double *const *f = w->value;
    for (int i = 0; i < n && s == PH_OK; i++) {
        w->sum[i] = (8 * (f[2][i] - f[1][i]) - (f[3][i] - f[0][i])) / (12 * e);
        w->sizes[i] = fabs(f[1][i]) + fabs(f[2][i]);
    }
    return s;
}

/* out += |blocks| max |x|: numbers of x that should be 0 have the round-off of the largest one. */
static void add_sizes(const ph_layout *lay, const double *blocks, const double *x, double *out)
{
    double largest = ph_small_max(lay->nv, x);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++)
                out[b->row_at + i] += fabs(blocks[b->at + i * b->n + j]) * largest;
}

static double dot_sizes(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(a[i] * b[i]);
    return sum;
}

static double sum_of_sizes(int n, const double *a)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(a[i]);
    return sum;
}

/* f, c and their round-off, from the tangents and the difference that was taken. */
static void find_loads(work *w, double e)
{
    const ph_layout *lay = &w->l.sim->lay;
    int nv = w->nv, nl = lay->nl, nw = w->l.nw;
    double *r = w->sum + nl + nw, *size = w->sizes + nl + nw, *noise = w->noise[0];
    ph_linear_apply(lay, w->C, w->u, w->f);
    ph_linear_apply(lay, w->K, w->y, w->p);
    memset(noise, 0, sizeof *noise * (size_t)nv);
    add_sizes(lay, w->C, w->u, noise), add_sizes(lay, w->K, w->y, noise);
    for (int i = 0; i < nv; i++) {
        w->f[i] += w->p[i] + r[i];
        noise[i] = DBL_EPSILON * (noise[i] + size[i] / e);
    }
    for (int i = 0; i < nl; i++)
        w->c[i] = -w->sum[i];
}

/* (T11): a and m, to w->a. */
static ph_status respond(work *w)
{
    const ph_linear *l = &w->l;
    int nv = w->nv, nw = l->nw;
    double *a = w->a, *noise = w->noise[1];
    for (int i = 0; i < nv; i++)
        w->p[i] = -w->f[i];
    ph_status s = ph_start_respond(l->sim, &l->sim->now, w->p, w->c, a);
    if (s != PH_OK)
        return s;
    memcpy(w->p, a, sizeof *a * (size_t)nv);
    memset(noise, 0, sizeof *noise * (size_t)nv);
    for (int j = 0; j < nw; j++) {
        double q = dot(nv, w->MN + j * nv, a);
        for (int i = 0; i < nv; i++)
            w->p[i] -= q * l->Nw[j * nv + i];
    }
    memcpy(a, w->p, sizeof *a * (size_t)nv);
    for (int j = 0; j < nw; j++) {
        const double *L = w->L + j * nv, *N = l->Nw + j * nv;
        double q = dot(nv, L, w->f) + dot(nv, w->LM + j * nv, w->p), round = dot_sizes(nv, L, w->noise[0]);
        for (int i = 0; i < nv; i++) {
            a[i] -= q * N[i];
            noise[i] += round * fabs(N[i]);
        }
    }
    return PH_OK;
}

/* Rows of x' in column k: rates of positions, then accelerations. A rate that is a coordinate too is exact. */
static void fill_rates(work *w, int k, double e)
{
    int nv = w->nv, nl = w->l.sim->lay.nl, nz = w->l.nz;
    for (int i = 0; i < nz; i++) {
        const double *b = w->b + w->position[i] * nv, *z = w->z + w->position[i] * nv;
        int r = 0;
        while (r < w->l.nw && w->rate[r] != w->position[i])
            r++;
        w->column[i] = r < w->l.nw ? k == nz + r : dot(nv, b, w->u) + dot(nv, z, w->y);
        w->error[i] = DBL_EPSILON * (sum_of_sizes(nv, b) * ph_small_max(nv, w->u) +
                                     sum_of_sizes(nv, z) * ph_small_max(nv, w->y));
    }
    for (int i = 0; i < w->l.nw; i++) {
        const double *b = w->b + w->rate[i] * nv;
        w->column[nz + i] = dot(nv, b, w->a) + w->sum[nl + i];
        int stiffness = w->modes && k < nz && i < nz; /* entries of K between modes: its round-off */
        w->error[nz + i] = stiffness ? DBL_EPSILON * w->l.kappa
                                     : dot_sizes(nv, b, w->noise[1]) + DBL_EPSILON * w->sizes[nl + i] / e;
    }
}

/* Rows of sensors. Numbers of one sensor share their round-off: a rotation mixes them. */
static void fill_sensors(work *w, double e)
{
    const ph_model *model = w->run->mech->model;
    for (int k = 0, at = 0; k < model->n_sensors; at += model->sensor[k++].size) {
        int n = model->sensor[k].size;
        double noise = ph_small_max(n, w->sizes + at) / e + ph_small_max(n, w->sum + at);
        for (int i = at; i < at + n; i++) {
            w->column[w->n + i] = w->sum[i];
            w->error[w->n + i] = DBL_EPSILON * noise;
        }
    }
}

/* Column k of A and C, or of B and D. */
static ph_status column_of(work *w, int k, ph_input *input, int sensors)
{
    int nl = w->l.sim->lay.nl, nv = w->nv, nw = w->l.nw;
    double size = fmax(ph_small_max(nv, w->y), ph_small_max(nv, w->u));
    double e =
        PH_DIFFERENCE_WIDE * (input ? fmax(1, fabs(ph_input_at(input, w->l.sim->now.t))) : 1 / fmax(1, size));
    ph_status s = difference(w, e, input, look_at_motion, nl + nw + nv);
    if (s != PH_OK)
        return s;
    if (!input) /* the tangents have it */
        for (int i = nl + nw; i < nl + nw + nv; i++)
            w->sum[i] = w->sizes[i] = 0;
    find_loads(w, e);
    s = respond(w);
    if (s != PH_OK)
        return s;
    fill_rates(w, k, e);
    s = sensors ? difference(w, e, input, look_at_sensors, w->n_y) : PH_OK;
    if (sensors && s == PH_OK)
        fill_sensors(w, e);
    return s;
}

/* ---- all -------------------------------------------------------------------------------------------------- */

static void take(work *w, ph_arena *a)
{
    size_t nv = (size_t)w->nv, nz = (size_t)w->l.nz, nw = (size_t)w->l.nw, all = (size_t)w->n_all,
           d = sizeof(double);
    size_t nl = (size_t)w->l.sim->lay.nl, pairs = (size_t)w->l.sim->lay.size_pairs;
    size_t n = nz + nw + (size_t)w->n_y, nodes = (size_t)w->run->sys->n_nodes, most = nl + nw + nv;
    most = most > (size_t)w->n_y ? most : (size_t)w->n_y;
    w->all = ph_arena_take(a, all, sizeof *w->all);
    w->position = ph_arena_take(a, nz, sizeof(int)), w->rate = ph_arena_take(a, nw, sizeof(int));
    w->b = ph_arena_take(a, all * nv, d), w->z = ph_arena_take(a, all * nv, d);
    w->S = ph_arena_take(a, nz * nz, d), w->R = ph_arena_take(a, nw * nw, d),
    w->F = ph_arena_take(a, nz * nv, d);
    w->Q = ph_arena_take(a, 2 * nw * nw + 2 * nz * nz, d);
    w->y = ph_arena_take(a, nv, d), w->u = ph_arena_take(a, nv, d);
    w->C = ph_arena_take(a, pairs, d), w->K = ph_arena_take(a, pairs, d);
    w->L = ph_arena_take(a, nw * nv, d), w->LM = ph_arena_take(a, nw * nv, d);
    w->MN = ph_arena_take(a, nw * nv, d);
    w->a = ph_arena_take(a, nv + nl, d), w->f = ph_arena_take(a, nv, d);
    w->c = ph_arena_take(a, nl, d), w->p = ph_arena_take(a, nv, d);
    for (int k = 0; k < 2; k++)
        w->noise[k] = ph_arena_take(a, nv, d);
    for (int k = 0; k < 4; k++)
        w->value[k] = ph_arena_take(a, most, d);
    w->sum = ph_arena_take(a, most, d), w->sizes = ph_arena_take(a, most, d);
    w->column = ph_arena_take(a, n, d), w->error = ph_arena_take(a, n, d);
    w->nodes.node = ph_arena_take(a, nodes, sizeof(int)), w->nodes.at = ph_arena_take(a, nodes, sizeof(int));
}

/* In words of the model, where a function of it failed. */
static ph_status fail(const ph_run *run, ph_status s, ph_error *err)
{
    ph_fail(err, s, "the system cannot be linearised: %s", ph_status_text(s));
    return ph_run_explain_static(run, s, err);
}

/* Keep what (T11) needs of the state that ph_linear_open has evaluated. 0: friction leaves no unique accelerations. */
static int keep_tangents(work *w)
{
    const ph_linear *l = &w->l;
    const ph_layout *lay = &l->sim->lay;
    const ph_eval *ev = &l->sim->ev;
    int nv = w->nv, nw = l->nw;
    memcpy(w->C, ev->C, sizeof *w->C * (size_t)lay->size_pairs);
    memcpy(w->K, ev->K, sizeof *w->K * (size_t)lay->size_pairs);
    memcpy(w->L, l->Nl ? l->Nl : l->Nw, sizeof *w->L * (size_t)(nw * nv));
    for (int j = 0; j < nw; j++)
        ph_linear_apply(lay, ev->M, l->Nw + j * nv, w->MN + j * nv);
    for (int i = 0; i < nw && l->Nl; i++)
        for (int j = 0; j < nw; j++)
            w->Q[i * nw + j] = dot(nv, w->L + i * nv, w->MN + j * nv);
    if (l->Nl && !ph_small_solve(nw, nv, w->Q, w->L))
        return 0;
    for (int j = 0; j < nw; j++) /* M is symmetric */
        ph_linear_apply(lay, ev->M, w->L + j * nv, w->LM + j * nv);
    return 1;
}

/* Modes and their rates, and states. */
static void choose_modes(work *w)
{
    const ph_mechanism *m = w->run->mech;
    int nz = w->l.nz, nw = w->l.nw, first = w->nv - (nw - nz);
    size_t nv = (size_t)w->nv;
    memcpy(w->b, w->MN, sizeof *w->b * (size_t)nw * nv);
    memset(w->z, 0, sizeof *w->z * (size_t)nw * nv), memset(w->F, 0, sizeof *w->F * (size_t)nz * nv);
    for (int i = 0; i < nw; i++) {
        w->all[i] = (candidate){VIBRATION, 0, i}, w->rate[i] = i;
        for (int j = 0; j < nw; j++)
            w->R[i * nw + j] = i == j;
    }
    for (int i = 0; i < nz; i++) {
        w->position[i] = i;
        for (int j = 0; j < nz; j++)
            w->S[i * nz + j] = i == j;
    }
    for (int s = 0; s < m->model->n_states; s++)
        for (int k = 0; k < m->own[s].n; k++)
            w->all[nz + m->own[s].v + k - first] = (candidate){STATE, s, k};
}

static ph_status choose(work *w, ph_error *err)
{
    const ph_mechanism *m = w->run->mech;
    ph_state s = ph_point_view(&w->l.sim->now, &w->l.sim->lay);
    int nz = w->l.nz, nw = w->l.nw;
    for (int i = 0; i < m->sys.n_nodes; i++)
        w->nodes.node[i] = i, w->nodes.at[i] = s.v_at[i];
    w->nodes.n = m->sys.n_nodes, w->nodes.size = w->nv;
    if (!keep_tangents(w))
        return ph_fail(err, PH_E_SINGULAR, "friction leaves no unique accelerations");
    if (w->modes) {
        choose_modes(w);
        return PH_OK;
    }
    list_candidates(m, w->all);
    for (int c = 0; c < w->n_all; c++)
        rows_of(w, &s, &w->all[c], w->b + c * w->nv, w->z + c * w->nv);
    int ok = pick(w, nz, w->l.Nh, NULL, 0, 0, w->position, w->Q) &&
             pick(w, nw, w->l.Nw, w->position, nz, 1, w->rate, w->Q) &&
             invert(w, nz, w->position, w->l.Nh, w->S, w->Q) && invert(w, nw, w->rate, w->l.Nw, w->R, w->Q);
    if (!ok)
        return ph_fail(err, PH_E_SINGULAR, "no independent coordinates were found");
    for (int j = 0; j < nz; j++) {
        ph_status status = ph_linear_follow(&w->l, w->l.Nh + j * w->nv, w->F + j * w->nv);
        if (status != PH_OK)
            return fail(w->run, status, err);
    }
    return PH_OK;
}

static ph_status begin(work *w, ph_run *run, ph_error *err)
{
    ph_state s = ph_sim_state(run->sim);
    *w = (work){.run = run, .modes = run->linear_modes};
    if (!run->mech)
        return ph_fail(err, PH_E_INPUT, "a system of one's own has no names to linearise by");
    ph_status status = ph_mechanism_can(run->mech, PH_CAN_LINEARISE, err);
    if (status != PH_OK)
        return status;
    status = w->modes
                 ? ph_linear_open_lowest(&w->l, run->sys, s.t, s.q, s.v, w->modes, run->config.alloc, err)
                 : ph_linear_open(&w->l, run->sys, s.t, s.q, s.v, run->config.alloc, err);
    if (status != PH_OK)
        return ph_run_explain_static(run, status, err);
    w->nv = w->l.nv, w->n = w->l.nz + w->l.nw;
    w->n_all = w->modes ? w->l.nw : list_candidates(run->mech, NULL);
    for (int k = 0; k < run->model->n_sensors; k++)
        w->n_y += run->model->sensor[k].size;
    ph_arena a = {0};
    take(w, &a);
    if (!ph_arena_open(&a, run->config.alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory to linearise the system");
    w->block = a.block;
    take(w, &a);
    return choose(w, err);
}

static void finish(work *w)
{
    ph_linear_destroy(&w->l);
    ph_free(w->run->config.alloc, w->block);
}

/* Return x, or 0 if it is not above its round-off. */
static double above_noise(double x, double noise)
{
    return fabs(x) > PH_LINEAR_NOISE * noise ? x : 0;
}

static void put(const work *w, int k, int n, double *top, double *bottom)
{
    const double *x = w->column, *e = w->error;
    for (int i = 0; i < w->n && top; i++)
        top[i * n + k] = above_noise(x[i], e[i]);
    for (int i = 0; i < w->n_y && bottom; i++)
        bottom[i * n + k] = above_noise(x[w->n + i], e[w->n + i]);
}

static ph_status keep_names(work *w, ph_error *err)
{
    ph_run *run = w->run;
    char *names = ph_alloc(run->config.alloc, (size_t)w->n * NAME + 1);
    if (!names)
        return ph_fail(err, PH_E_MEMORY, "not enough memory to linearise the system");
    for (int i = 0; i < w->n; i++)
        name_of(run->mech, &w->all[i < w->l.nz ? w->position[i] : w->rate[i - w->l.nz]], i >= w->l.nz,
                names + i * NAME);
    ph_free(run->config.alloc, run->linear_names);
    run->linear_names = names, run->n_linear = w->n;
    return PH_OK;
}

ph_status ph_run_linearise(ph_run *run, double *A, double *B, double *C, double *D, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    work w;
    ph_status s = begin(&w, run, err);
    if (s == PH_OK)
        s = keep_names(&w, err);
    int m = run->n_inputs;
    for (int k = 0; k < w.n + m && s == PH_OK; k++) {
        ph_input *input = k < w.n ? NULL : &run->mech->input[k - w.n];
        double *top = input ? B : A, *bottom = input ? D : C;
        if (!top && !bottom)
            continue; /* what nobody asks for cannot fail */
        if (input)
            memset(w.y, 0, sizeof *w.y * (size_t)w.nv), memset(w.u, 0, sizeof *w.u * (size_t)w.nv);
        else
            direction(&w, k);
        s = column_of(&w, k, input, bottom != NULL);
        if (s != PH_OK)
            fail(run, s, err);
        else
            put(&w, input ? k - w.n : k, input ? m : w.n, top, bottom);
    }
    finish(&w);
    return s;
}

ph_status ph_run_linear_modes(ph_run *run, int modes, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    if (modes < 0)
        return ph_fail(err, PH_E_INPUT, "the number of modes must not be negative, not %d", modes);
    run->linear_modes = modes;
    return PH_OK;
}

ph_status ph_run_linear_sizes(ph_run *run, int *n_x, int *n_u, int *n_y, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    work w;
    ph_status s = begin(&w, run, err);
    if (s == PH_OK) {
        if (n_x)
            *n_x = w.n;
        if (n_u)
            *n_u = run->n_inputs;
        if (n_y)
            *n_y = w.n_y;
    }
    finish(&w);
    return s;
}

const char *ph_run_linear_name(const ph_run *run, int x)
{
    return x >= 0 && x < run->n_linear ? run->linear_names + x * NAME : NULL;
}

ph_status ph_linear_eigenvalues(int n, const double *A, double *re, double *im, ph_error *err)
{
    if (n > 0 && (!A || !re || !im))
        return ph_refuse_null("A, re, im", err);
    size_t nn = (size_t)n * (size_t)n;
    double *W = malloc((2 * nn + 1) * sizeof *W);
    double complex *mu = calloc((size_t)n + 1, sizeof *mu);
    ph_status s = W && mu ? PH_OK : PH_E_MEMORY;
    int rest = 0;
    if (s == PH_OK) {
        memcpy(W, A, nn * sizeof *W);
        ph_balance(n, W);
        rest = ph_remove_zeros(n, W, PH_LINEAR_SINGULAR, 0, W + nn);
        s = ph_eigenvalues(rest, W, mu);
    }
    for (int k = 0; k < n && s == PH_OK; k++)
        re[k] = creal(mu[k]), im[k] = cimag(mu[k]);
    free(W), free(mu);
    if (s == PH_E_MEMORY)
        return ph_fail(err, s, "not enough memory for eigenvalues");
    return s == PH_OK ? s : ph_fail(err, s, "the eigenvalues of the linearised system were not found");
}
