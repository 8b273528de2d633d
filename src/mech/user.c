/* Constraints that a function of the model gives, Phi(t, states of all bodies). Those that were traced have exact
 * derivatives (user_exact.c); others are differenced here:
 *
 *   B      first differences of order 8 in physical coordinates (weights of drive.c): error 1e-12
 *   Phi_t  likewise in t
 *   convective: second difference of order 8 along the motion q o exp(s v), t + s: error 1e-8
 *   Z      mixed second differences by a coordinate and along the motion: error 1e-8
 *   K      Hessian of F = lambda . Phi in exponential coordinates,
 *          H_ij = (F(i+j) + F(-i-j) - F(i) - F(-i) - F(j) - F(-j) + 2F)/(2 e^2), error 1e-7,
 *          plus tilde(B_phi^T lambda)/2 on (phi, phi) of each body, since
 *          exp(r e_j) exp(s e_i) = exp(r e_j + s e_i + rs [e_j, e_i]/2 + ...)
 *
 * Markers of flexible bodies are bodies here: what is found for them is carried to the coordinates of their
 * frame, see carry.h.
 *
 * A constraint is linked with the bodies that its function reads, and with all where that is not known. The states at work
 * belong to the mechanism: one thread at a time. */
#include "mech/carry.h"
#include "mech/user.h"

#include <stdlib.h>
#include <string.h>

#include "base/difference.h"
#include "lie/so3.h"

#define STEP2 0x1p-12 /* of second differences: balances e^2/12 and 4 eps/e^2 */

static const double first[] = {672. / 840, -168. / 840, 32. / 840, -3. / 840};
static const double second[] = {8064. / 5040, -1008. / 5040, 128. / 5040, -9. / 5040};

/* ---- the bodies and nodes of a constraint ----------------------------------------------------------- */

/* How many bodies a constraint may read; those of its expression, where it is one on all its ways. */
static int bodies_of(const ph_model *model, const ph_user_constraint_def *d, const int **list)
{
    const ph_traced *t = d->f.traced;
    int known = t && t->program && !t->untraced;
    *list = known ? t->body : NULL;
    return known ? t->n_bodies : model->n_bodies;
}

void ph_user_take(ph_mechanism *m, ph_arena *a)
{
    const ph_model *model = m->model;
    ph_user none, *u = m->user = ph_arena_take(a, (size_t)model->n_constraints, sizeof none);
    size_t most = 0;
    for (int k = 0; k < model->n_constraints; k++) {
        const int *list;
        ph_user *to = a->base ? &u[k] : &none;
        size_t rows = (size_t)model->constraint[k].rows,
               bodies = (size_t)bodies_of(model, &model->constraint[k], &list);
        size_t nodes = PH_SIDE_NODES * bodies, n = 6 * bodies, all = 4 * rows + 2 * rows * n + n * n + 2 * n;
        to->body = ph_arena_take(a, bodies, sizeof(int)), to->place = ph_arena_take(a, bodies, sizeof(int));
        to->node = ph_arena_take(a, nodes, sizeof(int)), to->link = ph_arena_take(a, nodes, sizeof(int));
        to->pair = ph_arena_take(a, nodes * nodes, sizeof(int));
        most = all > most ? all : most;
    }
    m->scratch = most ? ph_arena_take(a, most, sizeof(double)) : NULL;
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

void ph_user_fill(ph_mechanism *m, int k)
{
    ph_user *u = &m->user[k];
    const int *list;
    int kept = 0;
    u->def = &m->model->constraint[k];
    u->n_bodies = bodies_of(m->model, u->def, &list), u->n_nodes = 0;
    for (int i = 0; i < u->n_bodies; i++) {
        u->body[i] = list ? list[i] : i;
        const ph_body *frame = &m->body[m->body[u->body[i]].frame];
        for (int h = 0; h < frame->nodes; h++)
            u->node[u->n_nodes++] = frame->node[0] + h;
    }
    qsort(u->node, (size_t)u->n_nodes, sizeof *u->node, ascending);
    for (int i = 0; i < u->n_nodes; i++)
        if (!kept || u->node[i] != u->node[kept - 1])
            u->node[kept++] = u->node[i];
    u->n_nodes = kept;
    for (int i = 0; i < u->n_bodies; i++) {
        int begin = m->body[m->body[u->body[i]].frame].node[0];
        u->place[i] = (int)((int *)bsearch(&begin, u->node, (size_t)kept, sizeof begin, ascending) - u->node);
    }
}

/* Physical coordinate i of a constraint: x y z and phi of its body i/6. Those of particles beyond x are zero. */
static int exists(const ph_mechanism *m, const ph_user *u, int i)
{
    return i % 6 < 3 || !m->body[u->body[i / 6]].particle;
}

typedef ph_user_work work;

static work work_of(const ph_mechanism *m, const ph_user *u)
{
    work w = {.user = u, .n = 6 * u->n_bodies, .rows = u->def->rows};
    double *at = m->scratch;
    for (int k = 0; k < 4; k++, at += w.rows)
        w.f[k] = at;
    w.A = at, at += w.rows * w.n;
    w.A2 = at, at += w.rows * w.n;
    w.H = at, at += w.n * w.n;
    w.plus = at, w.minus = at + w.n;
    return w;
}

static const ph_user *end_of(const ph_mechanism *m)
{
    return m->user + m->model->n_constraints;
}

/* With the states at work. */
static ph_status rows_at(const ph_mechanism *m, const ph_user *u, double t, double *out)
{
    return ph_function_values(&(ph_scene){.m = m, .t = t, .bodies = m->states}, &u->def->f, u->def->rows,
                              out);
}

static void shift(ph_body_state *b, ph_vec3 x, ph_vec3 phi)
{
    b->x = ph_add(b->x, x);
    b->q = ph_qmul(b->q, ph_so3_exp(ph_stumpff_of(phi), phi));
}

static ph_vec3 unit(int i, double by)
{
    return ph_v3(i == 0 ? by : 0, i == 1 ? by : 0, i == 2 ? by : 0);
}

/* Rows with coordinates i and j (-1: none) moved by e each; of one body, in one exponential. */
static ph_status rows_moved(const ph_mechanism *m, const ph_user *u, double t, int i, int j, double e,
                            double *out)
{
    int bi = u->body[i / 6], bj = j < 0 ? bi : u->body[j / 6];
    ph_body_state kept_i = m->states[bi], kept_j = m->states[bj];
    ph_vec3 x = unit(i % 6, e), phi = unit(i % 6 - 3, e);
    if (j >= 0 && bi == bj) {
        x = ph_add(x, unit(j % 6, e)), phi = ph_add(phi, unit(j % 6 - 3, e));
    } else if (j >= 0) {
        shift(&m->states[bj], unit(j % 6, e), unit(j % 6 - 3, e));
    }
    shift(&m->states[bi], x, phi);
    ph_status s = rows_at(m, u, t, out);
    m->states[bi] = kept_i;
    if (bi != bj)
        m->states[bj] = kept_j;
    return s;
}

/* ---- where rows and blocks go --------------------------------------------------------------------- */

static int node_dim(const ph_mechanism *m, int node)
{
    return ph_group_dim(m->node[node].group, m->node[node].n);
}

/* The body, alone. */
static ph_carried carried_of(int body)
{
    ph_carried w = {.body = {body, PH_GROUND}};
    for (int k = 0; k < 2 * PH_SIDE_NODES; k++)
        w.B[k] = -1;
    for (int k = 0; k < 4 * PH_SIDE_NODES * PH_SIDE_NODES; k++)
        w.K[k] = -1;
    return w;
}

/* put_row where there are flexible bodies. */
static void put_carried_row(const ph_mechanism *m, const ph_state *s, const ph_user *u, int row,
                            const double *B, const double *Z, double *out)
{
    for (int i = 0; i < u->n_nodes; i++) {
        int dim = node_dim(m, u->node[i]);
        memset(out + u->link[i] + row * dim, 0, sizeof(double) * (size_t)dim);
    }
    for (int b = 0; b < u->n_bodies; b++) {
        ph_carried w = carried_of(u->body[b]);
        const ph_body *frame = &m->body[m->body[u->body[b]].frame];
        double local_B[12] = {0}, local_Z[12] = {0};
        for (int k = 0; k < frame->nodes; k++)
            w.B[k] = u->link[u->place[b] + k] + row * node_dim(m, frame->node[0] + k);
        memcpy(local_B, B + 6 * b, 6 * sizeof(double));
        if (Z)
            memcpy(local_Z, Z + 6 * b, 6 * sizeof(double));
        ph_carried_add_row(m, s, &w, local_B, Z ? local_Z : NULL, out);
    }
}

/* One row of B (and of Z) of its coordinates, to its links. */
static void put_row(const ph_mechanism *m, const ph_state *s, const ph_user *u, int row, const double *B,
                    const double *Z, double *out)
{
    if (m->n_flex) {
        put_carried_row(m, s, u, row, B, Z, out);
        return;
    }
    for (int b = 0; b < u->n_bodies; b++) {
        const ph_body *body = &m->body[u->body[b]];
        ph_joint one = {.body = {u->body[b], PH_GROUND}, .rows = 1};
        double local_B[12] = {0}, local_Z[12] = {0};
        for (int h = 0; h < 2 && body->node[h] >= 0; h++) {
            int joined = h == 1 && m->space->joined;
            one.B[h] = joined ? one.B[0] + m->space->n[0]
                              : u->link[u->place[b] + h] + row * node_dim(m, body->node[h]);
            memcpy(local_B + 3 * h, B + 6 * b + 3 * h, 3 * sizeof(double));
            if (Z)
                memcpy(local_Z + 3 * h, Z + 6 * b + 3 * h, 3 * sizeof(double));
            if (m->space->plain)
                memcpy(out + one.B[h], Z ? local_Z + 3 * h : local_B + 3 * h, 3 * sizeof(double));
        }
        if (!m->space->plain)
            ph_space_rows(m, s, &one, local_B, Z ? local_Z : NULL, out);
    }
}

static void put_rows(const ph_mechanism *m, const ph_state *s, const work *w, const double *B,
                     const double *Z, double *out)
{
    for (int i = 0; i < w->rows; i++)
        put_row(m, s, w->user, i, B + i * w->n, Z ? Z + i * w->n : NULL, out);
}

/* ---- first derivatives ---------------------------------------------------------------------------- */

ph_status ph_user_Phi(const ph_mechanism *m, const ph_state *s, double *out)
{
    ph_scene at = ph_scene_of(m, s, NULL);
    ph_status status = PH_OK;
    for (const ph_user *u = m->user; u < end_of(m) && status == PH_OK; u++)
        status = ph_function_values(&at, &u->def->f, u->def->rows, out + u->l_at);
    return status;
}

static ph_status difference_B(const ph_mechanism *m, double t, const work *w)
{
    memset(w->A, 0, sizeof(double) * (size_t)(w->rows * w->n));
    for (int i = 0; i < w->n; i++)
        for (int k = 0; k < 4 && exists(m, w->user, i); k++) {
            double e = (k + 1) * PH_DIFFERENCE_WIDE;
            ph_status s = rows_moved(m, w->user, t, i, -1, e, w->f[0]);
            if (s == PH_OK)
                s = rows_moved(m, w->user, t, i, -1, -e, w->f[1]);
            if (s != PH_OK)
                return s;
            for (int r = 0; r < w->rows; r++)
                w->A[r * w->n + i] += first[k] * (w->f[0][r] - w->f[1][r]) / PH_DIFFERENCE_WIDE;
        }
    return PH_OK;
}

/* In A. */
static ph_status find_B(const ph_mechanism *m, const ph_state *s, const work *w)
{
    if (ph_user_exact(m, s, w, &(ph_user_wanted){.B = w->A}))
        return PH_OK;
    ph_states_of(m, s, m->states);
    return difference_B(m, s->t, w);
}

ph_status ph_user_B(const ph_mechanism *m, const ph_state *s, double *out)
{
    ph_status status = PH_OK;
    for (const ph_user *u = m->user; u < end_of(m) && status == PH_OK; u++) {
        work w = work_of(m, u);
        status = find_B(m, s, &w);
        if (status == PH_OK)
            put_rows(m, s, &w, w.A, NULL, out);
    }
    return status;
}

/* Phi_t of one of them; f[3] is left as it is, unless it is o. */
static ph_status rates(const ph_mechanism *m, const ph_state *s, const ph_user *u, double *o)
{
    work w = work_of(m, u);
    if (ph_user_exact(m, s, &w, &(ph_user_wanted){.Phi_t = o}))
        return PH_OK;
    ph_states_of(m, s, m->states);
    memset(o, 0, sizeof(double) * (size_t)w.rows);
    for (int k = 0; k < 4; k++) {
        ph_status status = rows_at(m, u, s->t + (k + 1) * PH_DIFFERENCE_WIDE, w.f[0]);
        if (status == PH_OK)
            status = rows_at(m, u, s->t - (k + 1) * PH_DIFFERENCE_WIDE, w.f[1]);
        if (status != PH_OK)
            return status;
        for (int r = 0; r < w.rows; r++)
            o[r] += first[k] * (w.f[0][r] - w.f[1][r]) / PH_DIFFERENCE_WIDE;
    }
    return PH_OK;
}

ph_status ph_user_Phi_t(const ph_mechanism *m, const ph_state *s, double *out)
{
    ph_status status = PH_OK;
    for (const ph_user *u = m->user; u < end_of(m) && status == PH_OK; u++)
        status = rates(m, s, u, out + u->l_at);
    return status;
}

void ph_user_flow(const ph_mechanism *m, const ph_state *s, ph_flow *given)
{
    for (const ph_user *u = m->user; u < end_of(m); u++) {
        work w = work_of(m, u);
        int fails = rates(m, s, u, w.f[3]) != PH_OK;
        for (int i = 0; i < w.rows; i++)
            ph_flow_add(given, 1, &(ph_port){s->lambda[u->l_at + i], fails ? NAN : w.f[3][i]});
    }
}

/* ---- second derivatives --------------------------------------------------------------------------- */

/* The states moved along the motion for a time e. */
static void move_all(const ph_mechanism *m, const ph_state *s, double e)
{
    ph_states_of(m, s, m->states);
    for (int b = 0; b < m->model->n_bodies; b++)
        shift(&m->states[b], ph_scale(e, m->states[b].v), ph_scale(e, m->states[b].omega));
}

static double time_step(const ph_mechanism *m, double step)
{
    double speed = 1;
    for (int b = 0; b < m->model->n_bodies; b++)
        speed = fmax(speed, fmax(ph_norm(m->states[b].v), ph_norm(m->states[b].omega)));
    return exp2(floor(log2(step / speed))); /* t + step is exact */
}

/* Where coordinates of the space are not physical, and of markers, B V y' comes on top. */
static ph_status add_drift(const ph_mechanism *m, const ph_state *s, const work *w, double *o)
{
    ph_status status = find_B(m, s, w);
    for (int r = 0; r < w->rows && status == PH_OK; r++)
        for (int b = 0; b < w->user->n_bodies; b++) {
            ph_carried one = carried_of(w->user->body[b]);
            double local[12] = {0};
            memcpy(local, w->A + r * w->n + 6 * b, 6 * sizeof(double));
            ph_carried_drift(m, s, &one, 1, local, o + r);
        }
    return status;
}

static ph_status difference_convective(const ph_mechanism *m, const ph_state *s, const work *w, double *o)
{
    ph_states_of(m, s, m->states);
    double step = time_step(m, PH_DIFFERENCE_WIDE);
    ph_status status = rows_at(m, w->user, s->t, w->f[2]);
    memset(o, 0, sizeof(double) * (size_t)w->rows);
    for (int k = 0; k < 4 && status == PH_OK; k++) {
        double e = (k + 1) * step;
        move_all(m, s, e);
        status = rows_at(m, w->user, s->t + e, w->f[0]);
        move_all(m, s, -e);
        if (status == PH_OK)
            status = rows_at(m, w->user, s->t - e, w->f[1]);
        for (int r = 0; r < w->rows; r++)
            o[r] += second[k] * ((w->f[0][r] - w->f[2][r]) + (w->f[1][r] - w->f[2][r])) / (step * step);
    }
    return status;
}

ph_status ph_user_convective(const ph_mechanism *m, const ph_state *s, double *out)
{
    ph_status status = PH_OK;
    for (const ph_user *u = m->user; u < end_of(m) && status == PH_OK; u++) {
        work w = work_of(m, u);
        double *o = out + u->l_at;
        status = ph_user_exact(m, s, &w, &(ph_user_wanted){.convective = o})
                     ? PH_OK
                     : difference_convective(m, s, &w, o);
        if (status == PH_OK && (m->n_flex || !m->space->plain))
            status = add_drift(m, s, &w, o);
    }
    return status;
}

/* Rows after a shift of coordinate i by e, then along the motion for a time d. */
static ph_status rows_shifted(const ph_mechanism *m, const ph_state *s, const ph_user *u, int i, double e,
                              double d, double *out)
{
    ph_states_of(m, s, m->states);
    shift(&m->states[u->body[i / 6]], unit(i % 6, e), unit(i % 6 - 3, e));
    for (int b = 0; b < m->model->n_bodies; b++)
        shift(&m->states[b], ph_scale(d, m->states[b].v), ph_scale(d, m->states[b].omega));
    return rows_at(m, u, s->t + d, out);
}

static ph_status difference_Z(const ph_mechanism *m, const ph_state *s, const work *w)
{
    ph_states_of(m, s, m->states);
    double e = STEP2, d = time_step(m, STEP2);
    ph_status status = difference_B(m, s->t, w);
    for (int i = 0; i < w->n && status == PH_OK; i++) {
        if (!exists(m, w->user, i)) {
            for (int r = 0; r < w->rows; r++)
                w->A2[r * w->n + i] = 0;
            continue;
        }
        static const double side[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
        for (int k = 0; k < 4 && status == PH_OK; k++)
            status = rows_shifted(m, s, w->user, i, side[k][0] * e, side[k][1] * d, w->f[k]);
        for (int r = 0; r < w->rows; r++)
            w->A2[r * w->n + i] = ((w->f[0][r] - w->f[1][r]) - (w->f[2][r] - w->f[3][r])) / (4 * e * d);
    }
    return status;
}

ph_status ph_user_Z(const ph_mechanism *m, const ph_state *s, double *out)
{
    ph_status status = PH_OK;
    for (const ph_user *u = m->user; u < end_of(m) && status == PH_OK; u++) {
        work w = work_of(m, u);
        status =
            ph_user_exact(m, s, &w, &(ph_user_wanted){.B = w.A, .Z = w.A2}) ? PH_OK : difference_Z(m, s, &w);
        if (status == PH_OK)
            put_rows(m, s, &w, w.A, w.A2, out);
    }
    return status;
}

static double weighted(const work *w, const double *f, const double *lambda)
{
    double sum = 0;
    for (int r = 0; r < w->rows; r++)
        sum += lambda[r] * f[r];
    return sum;
}

static ph_status hessian(const ph_mechanism *m, const ph_state *s, const double *lambda, const work *w)
{
    double e = STEP2;
    const ph_user *u = w->user;
    ph_status status = rows_at(m, u, s->t, w->f[0]);
    double F = weighted(w, w->f[0], lambda);
    for (int i = 0; i < w->n && status == PH_OK; i++)
        for (int side = 1; side >= -1 && status == PH_OK && exists(m, u, i); side -= 2) {
            status = rows_moved(m, u, s->t, i, -1, side * e, w->f[0]);
            (side > 0 ? w->plus : w->minus)[i] = weighted(w, w->f[0], lambda) - F;
        }
    for (int i = 0; i < w->n; i++)
        for (int j = 0; j <= i; j++) {
            double H = 0;
            if (exists(m, u, i) && exists(m, u, j) && status == PH_OK) {
                status = rows_moved(m, u, s->t, i, j, e, w->f[0]);
                if (status == PH_OK)
                    status = rows_moved(m, u, s->t, i, j, -e, w->f[1]);
                double both = (weighted(w, w->f[0], lambda) - F) + (weighted(w, w->f[1], lambda) - F);
                H = (both - w->plus[i] - w->minus[i] - w->plus[j] - w->minus[j]) / (2 * e * e);
            }
            w->H[i * w->n + j] = w->H[j * w->n + i] = H;
        }
    return status;
}

/* put_bodies where there are flexible bodies. */
static void put_carried_bodies(const ph_mechanism *m, const ph_state *s, const work *w, int a, int b,
                               const ph_vec3 *r, double *out)
{
    const ph_user *u = w->user;
    int sj = a == b ? 0 : 1;
    ph_carried x = carried_of(u->body[a]);
    const ph_body *fa = &m->body[m->body[u->body[a]].frame], *fb = &m->body[m->body[u->body[b]].frame];
    double local[144] = {0};
    x.body[1] = a == b ? PH_GROUND : u->body[b];
    for (int k = 0; k < fa->nodes; k++)
        for (int l = 0; l < fb->nodes; l++)
            x.K[2 * PH_SIDE_NODES * k + PH_SIDE_NODES * sj + l] =
                u->pair[(u->place[a] + k) * u->n_nodes + u->place[b] + l];
    for (int i = 0; i < 6; i++)
        memcpy(local + 12 * i + 6 * sj, w->H + (6 * a + i) * w->n + 6 * b, 6 * sizeof(double));
    ph_carried_K(m, s, &x, local, NULL, r, out);
}

/* Blocks of bodies a and b of the n x n matrix H, and r of body a, to the pairs of the system. */
static void put_bodies(const ph_mechanism *m, const ph_state *s, const work *w, int a, int b,
                       const ph_vec3 *r, double *out)
{
    const ph_user *u = w->user;
    const ph_body *one = &m->body[u->body[a]], *other = &m->body[u->body[b]];
    int at[16], sj = a == b ? 0 : 1;
    double local[144] = {0};
    if (m->n_flex) {
        put_carried_bodies(m, s, w, a, b, r, out);
        return;
    }
    for (int k = 0; k < 16; k++)
        at[k] = -1;
    for (int hi = 0; hi < 2 && one->node[hi] >= 0; hi++)
        for (int hj = 0; hj < 2 && other->node[hj] >= 0; hj++) {
            int joined = m->space->joined, pa = u->place[a] + (joined ? 0 : hi),
                pb = u->place[b] + (joined ? 0 : hj);
            int k = 4 * hi + 2 * sj + hj, cols = node_dim(m, other->node[hj]), n0 = m->space->n[0];
            at[k] = u->pair[pa * u->n_nodes + pb] + (joined ? hi * n0 * cols + hj * n0 : 0);
            for (int i = 0; i < 9; i++)
                local[ph_local_pairs[k] + 12 * (i / 3) + i % 3] =
                    w->H[(6 * a + 3 * hi + i / 3) * w->n + 6 * b + 3 * hj + i % 3];
            if (m->space->plain)
                for (int i = 0; i < 9; i++)
                    out[at[k] + i] += local[ph_local_pairs[k] + 12 * (i / 3) + i % 3];
        }
    if (!m->space->plain)
        ph_space_K(m, s, (int[]){u->body[a], a == b ? PH_GROUND : u->body[b]}, at, local, NULL, NULL, r, out);
}

/* B^T lambda of one body, from A */
static void pull(const work *w, const double *lambda, int body, double sum[6])
{
    memset(sum, 0, 6 * sizeof *sum);
    for (int r = 0; r < w->rows; r++)
        for (int i = 0; i < 6; i++)
            sum[i] += lambda[r] * w->A[r * w->n + 6 * body + i];
}

/* The Hessian in exponential coordinates, and what makes derivatives of B^T lambda of it. */
static ph_status difference_K(const ph_mechanism *m, const ph_state *s, const double *lambda, const work *w)
{
    ph_states_of(m, s, m->states);
    ph_status status = hessian(m, s, lambda, w);
    if (status == PH_OK)
        status = difference_B(m, s->t, w);
    for (int a = 0; a < w->user->n_bodies && status == PH_OK; a++) {
        double sum[6];
        pull(w, lambda, a, sum);
        ph_mat3 half = ph_tilde(ph_scale(0.5, ph_load3(sum + 3)));
        const double *add = &half.xx;
        for (int i = 0; i < 9; i++)
            w->H[(6 * a + 3 + i / 3) * w->n + 6 * a + 3 + i % 3] += add[i];
    }
    return status;
}

ph_status ph_user_K(const ph_mechanism *m, const ph_state *s, double *out)
{
    ph_status status = PH_OK;
    for (const ph_user *u = m->user; u < end_of(m) && status == PH_OK; u++) {
        work w = work_of(m, u);
        const double *lambda = s->lambda + u->l_at;
        status = ph_user_exact(m, s, &w, &(ph_user_wanted){.B = w.A, .K = w.H, .lambda = lambda})
                     ? PH_OK
                     : difference_K(m, s, lambda, &w);
        for (int a = 0; a < u->n_bodies && status == PH_OK; a++) {
            double sum[6];
            pull(&w, lambda, a, sum);
            ph_vec3 r[PH_SLOTS] = {ph_load3(sum), ph_load3(sum + 3)};
            for (int b = 0; b < u->n_bodies; b++)
                put_bodies(m, s, &w, a, b, a == b ? r : NULL, out);
        }
    }
    return status;
}
