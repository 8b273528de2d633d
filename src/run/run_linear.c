/* A run linearised about its present state: x' = A x + B u, y = C x + D u.
 *
 * The state moves by increments dq = y of positions and dv of velocities that constraints allow: with bases Nh and Nw of
 * (T7), y = Nh z, dv = Nw w + F z, B F = -Z Nh. Independent coordinates are picked from those that have names: free
 * coordinates of joints first, then positions and rotations of bodies and modes, as long as they are independent; and their
 * rates; and states,
 *
 *   x = (S z, R w + Q z),   S = b Nh,  R = b Nw,  Q = b F + z_b Nh                                     (T10)
 *
 * with the rows b, z_b of a coordinate. Rotations of bodies are world vectors theta, R -> exp(theta) R. Columns of A and C are differences of order 4 of accelerations, which are solved for
 * at each place, along these coordinates; those of B and D likewise along inputs. */
#include <stdio.h>
#include <string.h>

#include "base/difference.h"
#include "la/small.h"
#include "mech/coordinate.h"
#include "mech/reach.h"
#include "run/private.h"
#include "equilibrium/linear.h"

#define NAME 160

/* What a row must add to those before it, of the length that it could have at most; less where this leaves too few. */
static const double apart[] = {1e-2, 1e-4, 1e-7};

/* What may become an independent coordinate. */
typedef struct candidate {
    enum { JOINT, BODY, MODE, STATE } kind;
    int index, k; /* of the joint, body, flexible body or state; coordinate, half and axis, mode, number */
} candidate;

typedef struct work {
    ph_run *run;
    ph_linear l;
    int nv, n, n_all, n_y;
    candidate *all;
    int *position, *rate; /* those that were picked: nz, nw */
    double *b, *z;        /* rows of all candidates: n_all x nv */
    double *S, *R, *F;    /* nz x nz, nw x nw inverted; nz x nv */
    double *Q;            /* nw x nz */
    double *y, *u;        /* direction: nv each */
    double *f[4], *sum;   /* rates of x and sensors: n + n_y */
    ph_nodes nodes;       /* all of them */
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
    if (c->kind == JOINT && ph_joint_frees(&m->joint[m->joint_of[c->index]]) == 1)
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

/* Derivatives of x by time and, if they are asked for, sensors, at the state (now o exp(e y), v + e u), accelerations being found. */
static ph_status look(work *w, double e, int sensors, double *out)
{
    ph_sim *sim = w->l.sim;
    ph_mechanism *m = w->run->mech;
    int nz = w->l.nz, nw = w->l.nw;
    sim->next.t = sim->now.t;
    ph_point_shift(&sim->lay, &sim->now, e, w->y, &sim->next);
    for (int i = 0; i < w->nv; i++)
        sim->next.v[i] = sim->now.v[i] + e * w->u[i];
    memcpy(sim->next.vdot, sim->now.vdot, sizeof(double) * (size_t)w->nv);
    memcpy(sim->next.lambda, sim->now.lambda, sizeof(double) * (size_t)sim->lay.nl);
    ph_status s = ph_start_accelerations(sim, &sim->next);
    if (s != PH_OK)
        return s;
    ph_state at = ph_point_view(&sim->next, &sim->lay), now = ph_point_view(&sim->now, &sim->lay);
    for (int i = 0; i < nz + nw; i++) {
        const candidate *c = &w->all[i < nz ? w->position[i] : w->rate[i - nz]];
        int rate = i >= nz;
        ph_body_state b;
        if (c->kind == JOINT && !rate) {
            out[i] = ph_mechanism_rate(m, &at, c->index, c->k);
        } else if (c->kind == JOINT) {
            out[i] = ph_joint_acceleration(m, &at, &m->joint[m->joint_of[c->index]], c->k);
        } else if (c->kind == MODE) {
            out[i] = (rate ? at.vdot : at.v)[m->flex[c->index].v + c->k];
        } else if (c->kind == STATE) {
            out[i] = at.vdot[m->own[c->index].v + c->k];
        } else {
            ph_mechanism_body(m, &at, c->index, &b);
            ph_vec3 v = rate ? b.a : b.v;
            if (c->k >= 3) { /* theta'' = R (omega x domega + domegadot) */
                ph_kin k = ph_kin_of(m, &now, c->index);
                v = ph_mul(k.R, rate ? ph_add(ph_cross(k.w, b.omega), b.omega_dot) : b.omega);
            }
            out[i] = c->k % 3 == 0 ? v.x : c->k % 3 == 1 ? v.y : v.z;
        }
    }
    for (int k = 0, n = nz + nw; sensors && k < m->model->n_sensors && s == PH_OK;
         n += m->model->sensor[k++].size)
        s = ph_mechanism_sensor(m, &at, k, out + n);
    return s;
}

static ph_status column_of(work *w, double e, ph_input *input, int sensors, double *out)
{
    static const int place[4] = {-2, -1, 1, 2};
    ph_input kept = input ? *input : (ph_input){0};
    double u = input ? ph_input_at(input, w->l.sim->now.t) : 0;
    ph_status s = PH_OK;
    for (int k = 0; k < 4 && s == PH_OK; k++) {
        if (input)
            *input = (ph_input){.u = {u + place[k] * e, u + place[k] * e}};
        s = look(w, input ? 0 : place[k] * e, sensors, w->f[k]);
    }
    if (input)
        *input = kept;
    for (int i = 0; i < w->n + (sensors ? w->n_y : 0); i++)
        out[i] = (8 * (w->f[2][i] - w->f[1][i]) - (w->f[3][i] - w->f[0][i])) / (12 * e);
    return s;
}

/* ---- all -------------------------------------------------------------------------------------------------- */

static void take(work *w, ph_arena *a)
{
    size_t nv = (size_t)w->nv, nz = (size_t)w->l.nz, nw = (size_t)w->l.nw, all = (size_t)w->n_all,
           d = sizeof(double);
    size_t n = nz + nw + (size_t)w->n_y, nodes = (size_t)w->run->sys->n_nodes;
    w->all = ph_arena_take(a, all, sizeof *w->all);
    w->position = ph_arena_take(a, nz, sizeof(int)), w->rate = ph_arena_take(a, nw, sizeof(int));
    w->b = ph_arena_take(a, all * nv, d), w->z = ph_arena_take(a, all * nv, d);
    w->S = ph_arena_take(a, nz * nz, d), w->R = ph_arena_take(a, nw * nw, d),
    w->F = ph_arena_take(a, nz * nv, d);
    w->Q = ph_arena_take(a, 2 * nw * nw + 2 * nz * nz, d);
    w->y = ph_arena_take(a, nv, d), w->u = ph_arena_take(a, nv, d);
    for (int k = 0; k < 4; k++)
        w->f[k] = ph_arena_take(a, n, d);
    w->sum = ph_arena_take(a, n, d);
    w->nodes.node = ph_arena_take(a, nodes, sizeof(int)), w->nodes.at = ph_arena_take(a, nodes, sizeof(int));
}

/* In words of the model, where a function of it failed. */
static ph_status fail(const ph_run *run, ph_status s, ph_error *err)
{
    ph_fail(err, s, "the system cannot be linearised: %s", ph_status_text(s));
    return ph_run_explain_static(run, s, err);
}

static ph_status choose(work *w, ph_error *err)
{
    const ph_mechanism *m = w->run->mech;
    ph_state s = ph_point_view(&w->l.sim->now, &w->l.sim->lay);
    int nz = w->l.nz, nw = w->l.nw;
    for (int i = 0; i < m->sys.n_nodes; i++)
        w->nodes.node[i] = i, w->nodes.at[i] = s.v_at[i];
    w->nodes.n = m->sys.n_nodes, w->nodes.size = w->nv;
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
    *w = (work){.run = run};
    if (!run->mech)
        return ph_fail(err, PH_E_INPUT, "a system of one's own has no names to linearise by");
    ph_status status = ph_linear_open(&w->l, run->sys, s.t, s.q, s.v, run->config.alloc, err);
    if (status != PH_OK)
        return ph_run_explain_static(run, status, err);
    w->nv = w->l.nv, w->n = w->l.nz + w->l.nw, w->n_all = list_candidates(run->mech, NULL);
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

static void put(const work *w, const double *column, int k, int n, double *top, double *bottom)
{
    for (int i = 0; i < w->n && top; i++)
        top[i * n + k] = column[i];
    for (int i = 0; i < w->n_y && bottom; i++)
        bottom[i * n + k] = column[w->n + i];
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
        double e = PH_DIFFERENCE_WIDE * (input ? fmax(1, fabs(ph_input_at(input, w.l.sim->now.t))) : 1);
        if (input)
            memset(w.y, 0, sizeof *w.y * (size_t)w.nv), memset(w.u, 0, sizeof *w.u * (size_t)w.nv);
        else
            direction(&w, k);
        s = column_of(&w, e, input, bottom != NULL, w.sum);
        if (s != PH_OK)
            fail(run, s, err);
        else
            put(&w, w.sum, input ? k - w.n : k, input ? m : w.n, top, bottom);
    }
    finish(&w);
    return s;
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
