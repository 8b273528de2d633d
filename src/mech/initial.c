/* Consistent initial values, in physical coordinates.
 *
 *   [ W  B^T       ] [ dv ]   [ 0              ]
 *   [ B  -delta S  ] [ m  ] = [ -(B v + Phi_t) ]         W = M, heavy on what the model gives
 *
 * Repeated with what was given set back each time: in the end the given velocities stand as they are and
 * the others have changed with the least kinetic energy. delta S, small against the diagonal S of B W^-1
 * B^T, makes rows that repeat each other harmless; the repetition removes its error. Likewise for
 * positions, with W = M.
 *
 * Flexible bodies start undeformed: zeta = 0, and zetadot = 0 is given as long as velocities can be
 * consistent with it, or velocities of the frame are given. What must be projected moves them as rigid
 * bodies, as far as it can: their modes are heavy. */
#include "mech/beam.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "la/solver.h"
#include "step/rank.h"
#include "step/size.h"

#define PASSES     30
#define HEAVY      1e6   /* weight of what is given: each pass keeps it to this factor */
#define DELTA      1e-10 /* of the diagonal */
#define CONSISTENT 1e-8  /* violations up to this, relative, come from rounding in the model file */
#define EXACT      1e-13 /* what cannot be improved may stay */

typedef struct task {
    ph_mechanism *m; /* in physical coordinates */
    int assemble;    /* project what is inconsistent */
    int coupled;     /* M has blocks between nodes */
    double slow;     /* 1/s; velocities of this times the size of positions are rest */
    ph_layout lay;
    ph_eval ev;
    ph_point at;
    double *given, *heavy; /* nv: velocities given by the model; weights */
    double *stiff;         /* nv: weights of what the model does not give, of modes */
    double *value, *b, *x;
    int *size, *row, *col;
    unsigned char *late;
    int nnz, values;
    ph_solver *solver;
    void *block;
} task;

/* ---- memory and matrix ---------------------------------------------------------------------------- */

static void take(task *k, ph_arena *a)
{
    const ph_layout *lay = &k->lay;
    size_t d = sizeof(double), N = (size_t)(lay->N + lay->C),
           places = (size_t)lay->n_pairs + 2 * (size_t)lay->n_links + N;
    size_t squares = 0;
    for (int c = 0; c < lay->C; c++)
        squares += (size_t)lay->sys->constraints[c].rows * (size_t)lay->sys->constraints[c].rows;
    ph_eval_take(&k->ev, lay, a);
    ph_point_take(&k->at, lay, a);
    k->given = ph_arena_take(a, (size_t)lay->nv, d);
    k->heavy = ph_arena_take(a, (size_t)lay->nv, d);
    k->stiff = ph_arena_take(a, (size_t)lay->nv, d);
    k->b = ph_arena_take(a, (size_t)(lay->nv + lay->nl), d);
    k->x = ph_arena_take(a, (size_t)(lay->nv + lay->nl), d);
    k->value = ph_arena_take(a, (size_t)lay->size_pairs + 2 * (size_t)lay->size_links + squares, d);
    k->size = ph_arena_take(a, N, sizeof(int));
    k->late = ph_arena_take(a, N, 1);
    k->row = ph_arena_take(a, places, sizeof(int));
    k->col = ph_arena_take(a, places, sizeof(int));
}

static int has_mass(const task *k, const ph_block *pair)
{
    return k->coupled || pair->row == pair->col;
}

static void put(task *k, int row, int col)
{
    k->row[k->nnz] = row, k->col[k->nnz] = col, k->nnz++;
}

/* In the order of newton.c: the pattern is then that of [M B^T; B 0] where rows are redundant and no force
 * couples nodes. */
static void list_places(task *k)
{
    const ph_layout *lay = &k->lay;
    for (int i = 0; i < lay->N; i++)
        k->size[i] = lay->slot[i].dim;
    for (int e = 0; e < lay->n_pairs; e++)
        if (has_mass(k, &lay->pair[e]))
            put(k, lay->pair[e].row, lay->pair[e].col);
    for (int e = 0; e < lay->n_links; e++)
        put(k, lay->link[e].col, lay->N + lay->link[e].row);
    for (int e = 0; e < lay->n_links; e++)
        put(k, lay->N + lay->link[e].row, lay->link[e].col);
    for (int c = 0; c < lay->C; c++) {
        k->size[lay->N + c] = lay->rows[c], k->late[lay->N + c] = 1;
        put(k, lay->N + c, lay->N + c);
    }
}

/* W: the blocks of bodies, which are all there are, or all blocks where M couples nodes. Returns its end. */
static double *fill_weights(const task *k, int weighted, double *v)
{
    const double *weight = weighted ? k->heavy : k->stiff;
    for (const ph_block *p = k->lay.pair, *end = p + k->lay.n_pairs; p < end; p++) {
        double w =
            fmin(weight[p->row_at], weight[p->col_at]); /* M and more of it on what is heavy: definite */
        for (int j = 0; j < p->m * p->n && has_mass(k, p); j++)
            *v++ = w * k->ev.M[p->at + j];
    }
    return v;
}

/* S of constraint c is added up in k->b, which is free here. */
static void fill_matrix(task *k, int weighted)
{
    const ph_layout *lay = &k->lay;
    double *BT = fill_weights(k, weighted, k->value), *B = BT + lay->size_links, *v = B + lay->size_links;
    double *S = k->b + lay->nv;
    memset(S, 0, sizeof(double) * (size_t)lay->nl);
    memcpy(B, k->ev.B, sizeof(double) * (size_t)lay->size_links);
    for (const ph_block *l = lay->link, *end = l + lay->n_links; l < end; l++) {
        const ph_block *p = &lay->pair[lay->diag[l->col]];
        double w = (weighted ? k->heavy : k->stiff)[l->col_at];
        ph_small_transpose(l->m, l->n, B + l->at, BT + l->at);
        for (int i = 0; i < l->m; i++)
            for (int j = 0; j < l->n; j++) {
                double x = B[l->at + i * l->n + j];
                S[l->row_at + i] += x * x / (w * k->ev.M[p->at + j * p->n + j]);
            }
    }
    for (int c = 0; c < lay->C; c++)
        for (int i = 0; i < lay->rows[c]; i++)
            for (int j = 0; j < lay->rows[c]; j++)
                *v++ = i != j ? 0 : S[lay->l_at[c] + i] > 0 ? -DELTA * S[lay->l_at[c] + i] : -1;
}

/* The solver, which is not needed where all is consistent as given. */
static ph_status analyse(task *k)
{
    if (k->solver)
        return PH_OK;
    list_places(k);
    ph_graph graph = {.n = k->lay.N + k->lay.C,
                      .size = k->size,
                      .late = k->late,
                      .nnz = k->nnz,
                      .row = k->row,
                      .col = k->col};
    return ph_solver_analyse_known(&k->solver, PH_AUTO, &graph, k->lay.known, k->m->alloc);
}

/* ---- projections ---------------------------------------------------------------------------------- */

typedef enum level { POSITIONS, VELOCITIES } level;

static const double *violations(task *k, level what)
{
    const ph_layout *lay = &k->lay;
    double *rows = what == POSITIONS ? k->ev.Phi : k->ev.rate;
    for (int c = 0; c < lay->C && what == POSITIONS; c++)
        for (int i = 0; i < lay->rows[c] && lay->sys->constraints[c].nonholonomic; i++)
            rows[lay->l_at[c] + i] = 0;
    return rows;
}

/* The largest violation, relative to what cancels in it, velocities of rest included; NaN stays NaN. */
static ph_status measure(task *k, level what, double *worst)
{
    const ph_layout *lay = &k->lay;
    ph_state s = ph_point_view(&k->at, lay);
    ph_status status = ph_eval_residual(&k->ev, &s, PH_EVAL_PHI | PH_EVAL_RATE);
    if (status != PH_OK)
        return status;
    ph_size x = ph_size_positions(lay, k->at.q, ph_size_bodies(lay, k->ev.M)),
            v = ph_size_largest(lay, k->at.v);
    for (int i = 0; i < 2; i++)
        v.of[i] += x.of[i] * k->slow;
    ph_size_rows(lay, k->ev.B, what == POSITIONS ? x : v, k->b);
    for (int i = 0; i < lay->nl && what == VELOCITIES; i++)
        k->b[i] += fabs(k->ev.Phi_t[i]);
    *worst = ph_size_ratio(lay->nl, violations(k, what), k->b);
    return PH_OK;
}

static void restore(task *k)
{
    for (int i = 0; i < k->lay.nv; i++)
        if (k->heavy[i] > 1)
            k->at.v[i] = k->given[i];
}

static ph_status correct(task *k, level what, int weighted)
{
    const double *rows = violations(k, what);
    int nv = k->lay.nv, nl = k->lay.nl;
    ph_status s = analyse(k);
    if (s != PH_OK)
        return s;
    fill_matrix(k, weighted);
    s = ph_solver_factor(k->solver, k->value);
    if (s != PH_OK)
        return s;
    for (int i = 0; i < nv + nl; i++)
        k->b[i] = i < nv ? 0 : -rows[i - nv];
    s = ph_solver_solve(k->solver, k->b, k->x);
    if (s != PH_OK)
        return s;
    if (what == POSITIONS)
        ph_point_shift(&k->lay, &k->at, 1, k->x, &k->at);
    else
        for (int i = 0; i < nv; i++)
            k->at.v[i] += k->x[i];
    if (weighted)
        restore(k);
    return PH_OK;
}

/* Until the constraints hold to the last digit or nothing gets better; worst is what is left. */
static ph_status project(task *k, level what, int weighted, double *worst)
{
    double best = HUGE_VAL;
    ph_status s = measure(k, what, worst);
    for (int pass = 0, stuck = 0; pass < PASSES && s == PH_OK && !(*worst <= DBL_EPSILON); pass++) {
        stuck = *worst < 0.5 * best ? 0 : stuck + 1;
        best = fmin(best, *worst);
        if (stuck == 3 || (stuck && *worst <= EXACT))
            break;
        s = correct(k, what, weighted);
        if (s == PH_OK)
            s = measure(k, what, worst);
    }
    return s;
}

/* ---- words ---------------------------------------------------------------------------------------- */

/* The constraint that is violated most, and by how much. */
static ph_projected most_violated(task *k, level what)
{
    const double *rows = violations(k, what);
    int worst = 0;
    for (int c = 0; c < k->lay.C; c++)
        if (!(ph_small_max(k->lay.rows[c], rows + k->lay.l_at[c]) <=
              ph_small_max(k->lay.rows[worst], rows + k->lay.l_at[worst])))
            worst = c;
    return (ph_projected){ph_small_max(k->lay.rows[worst], rows + k->lay.l_at[worst]), worst};
}

static ph_status refuse(task *k, level what, ph_error *err)
{
    const ph_mechanism *m = k->m;
    ph_projected most = most_violated(k, what);
    const char *name;
    ph_origin at;
    const char *whose = ph_mechanism_whose(m, most.constraint, &name, &at);
    return ph_mech_fail(
        err, PH_E_INCONSISTENT, m->model, at, "%s '%s': the initial %s violate it by %.3g%s", whose,
        name ? name : "", what == POSITIONS ? "positions" : "velocities", most.violation,
        k->assemble ? " and cannot be made consistent" : "; say assemble = true to have them projected");
}

/* Velocities of modes, from now on free, of bodies whose frames have no given ones: to give those is to say
 * that the body starts as a rigid one. Returns whether there are any. */
static int free_modes(task *k)
{
    const ph_mechanism *m = k->m;
    int any = 0;
    for (int i = 0; i < m->n_flex; i++) {
        const ph_body_def *d = &m->model->body[m->flex[i].body];
        for (int l = 0; l < m->flex[i].r->modes && !d->has_v && !d->has_omega; l++)
            k->heavy[m->flex[i].v + l] = any = 1;
    }
    return any;
}

/* Given velocities contradict each other: from where all began they change, too, but as little as they must. */
static void give_way(task *k)
{
    memcpy(k->at.v, k->given, sizeof(double) * (size_t)k->lay.nv);
    for (int i = 0; i < k->lay.nv; i++)
        k->stiff[i] = fmax(k->stiff[i], k->heavy[i]);
}

static ph_status settle(task *k, level what, ph_error *err)
{
    char why[480];
    double worst = 0;
    int any_free = 0;
    for (int i = 0; i < k->lay.nv; i++)
        any_free |= k->heavy[i] == 1;
    ph_status s = measure(k, what, &worst);
    if (s == PH_OK && what == VELOCITIES && any_free)
        s = project(k, what, 1, &worst);
    if (s == PH_OK && what == VELOCITIES && !(worst <= CONSISTENT) && free_modes(k))
        s = project(k, what, 1, &worst);
    if (s == PH_OK && !(worst <= CONSISTENT) && !k->assemble)
        return refuse(k, what, err);
    k->m->projected[what] = worst <= CONSISTENT ? (ph_projected){0} : most_violated(k, what);
    if (what == VELOCITIES && !(worst <= CONSISTENT))
        give_way(k);
    if (s == PH_OK && !(worst <= EXACT))
        s = project(k, what, 0, &worst);
    if (s == PH_OK && !(worst <= CONSISTENT))
        return refuse(k, what, err);
    if (s == PH_OK)
        return s;
    if (s == PH_E_CALLBACK)
        return ph_fail(err, s, "t = 0: %s",
                       ph_mechanism_complaint(k->m, why, sizeof why)[0] ? why
                                                                        : ph_model_complaint(k->m->model));
    return ph_fail(err, s, "the initial %s cannot be made consistent: %s",
                   what == POSITIONS ? "positions" : "velocities", ph_status_text(s));
}

/* ---- all ------------------------------------------------------------------------------------------ */

static void read_model(task *k)
{
    const ph_mechanism *m = k->m;
    for (int i = 0; i < k->lay.nv; i++)
        k->stiff[i] = 1;
    for (int b = 0; b < m->model->n_bodies; b++) {
        const ph_body_def *d = &m->model->body[b];
        const ph_body *body = &m->body[b];
        if (d->marker)
            continue;
        ph_kin kin = {.x = d->x,
                      .v = d->has_v ? d->v : ph_v3(0, 0, 0),
                      .w = d->has_omega ? d->omega : ph_v3(0, 0, 0),
                      .q = d->R};
        if (d->particle)
            ph_store3(k->at.q + body->q[0], kin.x), ph_store3(k->at.v + body->v[0], kin.v);
        else
            m->space->set(body, &kin, k->at.q, k->at.v);
        for (int h = 0; h < (d->particle ? 1 : 2); h++)
            for (int i = 0; i < 3; i++)
                k->heavy[body->v[h] + i] = (h ? d->has_omega : d->has_v) ? HEAVY : 1;
    }
    for (const ph_flex *f = m->flex, *end = f + m->n_flex; f < end; f++)
        for (int i = 0; i < f->r->modes; i++) {
            k->at.q[f->q + i] = k->at.v[f->v + i] = 0;
            k->heavy[f->v + i] = k->stiff[f->v + i] = HEAVY;
        }
    ph_states_initial(m, k->at.q, k->at.v);
    for (const ph_own_state *x = m->own, *end = x + m->model->n_states; x < end; x++)
        for (int i = 0; i < x->n; i++)
            k->heavy[x->v + i] = HEAVY;
    memcpy(k->given, k->at.v, sizeof(double) * (size_t)k->lay.nv);
    ph_point_rotations(&k->at, &k->lay);
}

static ph_status open_task(task *k, ph_error *err)
{
    ph_skeleton *skeleton;
    ph_status s = ph_mechanism_skeleton(k->m, &skeleton, err);
    if (s != PH_OK)
        return s;
    k->lay = skeleton->lay;
    ph_arena a = {0};
    take(k, &a);
    if (!ph_arena_open(&a, k->m->alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory for initial values");
    k->block = a.block;
    take(k, &a);
    return PH_OK;
}

/* q0 and v0 of a mechanism in physical coordinates. */
static ph_status initial_physical(ph_mechanism *m, int assemble, ph_error *err)
{
    double h = m->model->run.opt.h;
    task k = {.m = m,
              .assemble = assemble,
              .coupled = m->inertia || m->n_flex,
              .slow = h > 0 ? PH_SIZE_REST / h : 0};
    ph_status s = open_task(&k, err);
    if (s == PH_OK) {
        read_model(&k);
        for (int what = POSITIONS; what <= VELOCITIES && s == PH_OK && k.lay.C; what++) {
            ph_state at = ph_point_view(&k.at, &k.lay);
            ph_eval_mass(&k.ev, &at);
            s = settle(&k, what, err);
        }
    }
    if (s == PH_OK) {
        memcpy(m->q0, k.at.q, sizeof(double) * (size_t)k.lay.nq);
        memcpy(m->v0, k.at.v, sizeof(double) * (size_t)k.lay.nv);
    }
    ph_solver_destroy(k.solver);
    ph_free(m->alloc, k.block);
    return s;
}

static ph_status refuse_space(const ph_mechanism *m, int body, ph_error *err)
{
    return ph_mech_fail(err, PH_E_INPUT, m->model, m->model->body[body].origin, "body '%s' starts where %s",
                        m->model->body[body].name, PH_SINGULAR);
}

const char *ph_mechanism_complaint(const ph_mechanism *m, char *text, size_t size)
{
    int body = atomic_load(&m->singular) - 1, beam = atomic_load(&m->turned) - 1;
    int rough = atomic_load(&m->rough) - 1;
    text[0] = 0;
    if (body >= 0)
        snprintf(text, size, "body '%s' reaches a state where %s", m->model->body[body].name, PH_SINGULAR);
    else if (beam >= 0)
        snprintf(text, size,
                 "beam element '%s' turns by more than %g rad from end to end, where its strain is no longer "
                 "unique: "
                 "use more elements, or smaller steps of time or load",
                 m->force[beam].def->name, PH_BEAM_TURN_MAX);
    else if (rough >= 0)
        snprintf(
            text, size,
            "joint '%s': its drive has no velocity or acceleration there that can be found: it jumps, has a "
            "kink, or changes too fast; make it smooth, with two continuous derivatives",
            m->model->joint[m->joint[rough].def].name);
    return text;
}

ph_status ph_mechanism_initial(ph_mechanism *m, int assemble, const double **q0, const double **v0,
                               ph_error *err)
{
    ph_mechanism *plain = m;
    ph_status s =
        m->space->plain ? PH_OK : ph_mechanism_create(&plain, m->model, PH_SPACE_R3XSO3, m->alloc, err);
    if (s == PH_OK)
        s = initial_physical(plain, assemble, err);
    for (int b = 0; b < m->model->n_bodies && s == PH_OK && plain != m; b++) {
        const ph_body *from = &plain->body[b], *to = &m->body[b];
        if (from->marker >= 0)
            continue;
        ph_kin k = {.x = ph_load3(plain->q0 + from->q[0]), .v = ph_load3(plain->v0 + from->v[0])};
        if (from->particle) {
            ph_store3(m->q0 + to->q[0], k.x), ph_store3(m->v0 + to->v[0], k.v);
            continue;
        }
        const double *q = plain->q0 + from->q[1];
        k.w = ph_load3(plain->v0 + from->v[1]);
        k.q = (ph_quat){q[0], q[1], q[2], q[3]};
        m->space->set(to, &k, m->q0, m->v0);
        if (m->space->singular && m->space->singular(to, m->q0))
            s = refuse_space(m, b, err);
    }
    for (int k = 0; k < m->n_flex && s == PH_OK && plain != m; k++) {
        const ph_flex *from = &plain->flex[k], *to = &m->flex[k];
        size_t size = sizeof(double) * (size_t)to->r->modes;
        memcpy(m->q0 + to->q, plain->q0 + from->q, size), memcpy(m->v0 + to->v, plain->v0 + from->v, size);
    }
    if (s == PH_OK)
        ph_states_initial(m, m->q0, m->v0);
    if (plain && plain != m) {
        memcpy(m->projected, plain->projected, sizeof m->projected);
        ph_mechanism_destroy(plain);
    }
    ph_mechanism_rewind(m);
    *q0 = m->q0, *v0 = m->v0;
    return s;
}

/* Rows of joints that are released depend on nothing, and are counted apart. */
ph_status ph_mechanism_rank_at(ph_mechanism *m, double t, const double *q, ph_error *err)
{
    ph_skeleton *skeleton;
    ph_status s = ph_mechanism_skeleton(m, &skeleton, err);
    if (s == PH_OK)
        s = ph_skeleton_rank(skeleton, t, q, m->dependent, err);
    m->sys.n_redundant = m->sys.n_idle = 0;
    for (int c = 0; c < m->sys.n_constraints && s == PH_OK; c++) {
        m->sys.n_redundant += m->dependent[c];
        if (c >= m->n_joints || !m->joint[c].idle)
            continue;
        m->sys.n_idle += m->joint[c].rows, m->dependent[c] = 0;
    }
    return s;
}

ph_status ph_mechanism_rank(ph_mechanism *m, ph_error *err)
{
    return ph_mechanism_rank_at(m, 0, m->q0, err);
}
