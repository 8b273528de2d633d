/* What tests of simulations share: a counting allocator, the whole state as one vector, every built-in
 * problem in a small size, and a system wrapped around another one that counts calls and breaks one callback
 * on request. */
#ifndef PH_TEST_SIM_CASES_H
#define PH_TEST_SIM_CASES_H

#include "check.h"
#include "problem/problem.h"

/* ---- an allocator that counts and fails on request ---------------------------------------------- */

typedef struct counter {
    long asked, live; /* requests; blocks not given back */
    double bytes;     /* asked for */
    long fail_at;     /* the request that fails, from 0; -1: none */
    ph_allocator hooks;
} counter;

static inline void *counter_alloc(size_t size, void *ctx)
{
    counter *c = ctx;
    if (c->asked++ == c->fail_at)
        return NULL;
    void *p = malloc(size);
    c->bytes += (double)size;
    c->live += p != NULL;
    return p;
}

static inline void counter_free(void *p, void *ctx)
{
    counter *c = ctx;
    c->live -= p != NULL;
    free(p);
}

static inline void counter_open(counter *c, long fail_at)
{
    *c = (counter){.fail_at = fail_at, .hooks = {counter_alloc, counter_free, c}};
}

/* ---- problems ----------------------------------------------------------------------------------- */

/* Row k of the table, chains and rings with four bodies; NULL past the end. */
static inline ph_problem *small_problem(int k)
{
    const char *name = ph_problem_name(k);
    if (!name)
        return NULL;
    int many = !strcmp(name, "chain") || !strcmp(name, "ring");
    ph_problem *p = ph_problem_create(name, many ? &(ph_problem_def){4, 0} : NULL);
    assert_non_null(p);
    return p;
}

static inline ph_problem *problem_named(const char *name)
{
    ph_problem *p = ph_problem_create(name, NULL);
    assert_non_null(p);
    return p;
}

static inline ph_options options_for(const ph_problem *p, ph_formulation f)
{
    ph_options o = ph_default_options();
    o.h = p->h;
    o.formulation = f;
    return o;
}

static inline ph_sim *sim_of(const ph_system *sys, const ph_options *o, const double *q0, const double *v0)
{
    ph_sim *sim;
    ph_error err = {0};
    if (ph_sim_create(&sim, sys, o, 0, q0, v0, &err) != PH_OK)
        fail_msg("%s: %s", sys->name, err.text);
    return sim;
}

static inline void run_sim(ph_sim *sim, long steps)
{
    ph_error err = {0};
    if (ph_sim_run(sim, steps, NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
}

/* ---- the whole state as one vector -------------------------------------------------------------- */

typedef struct snapshot {
    int n, nq, nv, nl;
    double *x; /* t, q, v, vdot, a (0 where there is none), lambda, eta where there are any */
} snapshot;

static inline snapshot snap(const ph_sim *sim, const ph_system *sys)
{
    ph_state s = ph_sim_state(sim);
    snapshot w = {.nq = ph_system_nq(sys), .nv = ph_system_nv(sys), .nl = ph_system_nl(sys)};
    const double *part[] = {&s.t, s.q, s.v, s.vdot, s.a, s.lambda, s.eta};
    const int size[] = {1, w.nq, w.nv, w.nv, w.nv, w.nl, s.eta ? w.nl : 0};
    w.x = malloc(sizeof(double) * (size_t)(1 + w.nq + 3 * w.nv + 2 * w.nl));
    assert_non_null(w.x);
    for (int k = 0; k < 7; k++)
        for (int i = 0; i < size[k]; i++)
            w.x[w.n++] = part[k] ? part[k][i] : 0;
    return w;
}

static inline const double *snap_q(const snapshot *w)
{
    return w->x + 1;
}

static inline const double *snap_v(const snapshot *w)
{
    return snap_q(w) + w->nq;
}

static inline const double *snap_vdot(const snapshot *w)
{
    return snap_v(w) + w->nv;
}

static inline const double *snap_lambda(const snapshot *w)
{
    return snap_vdot(w) + 2 * w->nv;
}

static inline int same_bits(const snapshot *a, const snapshot *b)
{
    return a->n == b->n && !memcmp(a->x, b->x, sizeof(double) * (size_t)a->n);
}

static inline double size_of(const double *x, int n)
{
    double m = 1;
    for (int i = 0; i < n; i++)
        m = fmax(m, fabs(x[i]));
    return m;
}

/* The largest difference of q, v and lambda, each relative to max(1, its size); NaN counts. */
static inline double distance(const snapshot *a, const snapshot *b)
{
    double q = max_diff(snap_q(a), snap_q(b), a->nq) / size_of(snap_q(b), b->nq);
    double v = max_diff(snap_v(a), snap_v(b), a->nv) / size_of(snap_v(b), b->nv);
    double l = max_diff(snap_lambda(a), snap_lambda(b), a->nl) / size_of(snap_lambda(b), b->nl);
    double m = q > v || isnan(q) ? q : v;
    return m > l || isnan(m) ? m : l;
}

/* ---- a system around a system ------------------------------------------------------------------- */

#define CALLBACKS(X) X(M) X(g) X(Phi) X(B) X(Phi_t) X(convective) X(C) X(K) X(Z) X(g_lambda)

typedef enum callback {
#define ROW(name) IN_##name,
    CALLBACKS(ROW)
#undef ROW
        IN_COUNT
} callback;

static const char *const callback_name[IN_COUNT] = {
#define ROW(name) #name,
    CALLBACKS(ROW)
#undef ROW
};

typedef enum damage { NONE, ADD, NOT_A_NUMBER, INFINITE, REFUSE } damage;

/* One call of all those of several systems is damaged. */
typedef struct nth {
    long calls, at;  /* made so far; the one that is, from 0; -1: none */
    damage damage;   /* REFUSE, NOT_A_NUMBER or INFINITE */
    callback victim; /* whose it was */
} nth;

typedef struct wrap {
    ph_system sys; /* for the library; its ctx is this object */
    const ph_system *inner;
    int size[IN_COUNT];
    double *out[IN_COUNT]; /* of the inner callbacks, which keep what they wrote */
    long calls[IN_COUNT];
    damage damage;
    callback victim;
    int entry;     /* that ADD, NOT_A_NUMBER and INFINITE touch */
    double amount; /* of ADD */
    double from_t; /* the damage begins here */
    nth *nth;      /* or one call is damaged; NULL: none is */
} wrap;

/* The next call of some: 1 where it is refused; a number of out is damaged otherwise. */
static inline int nth_call(nth *n, double *out, int size)
{
    if (!n || n->calls++ != n->at)
        return 0;
    if (n->damage != REFUSE && size > 0)
        out[n->at % size] = n->damage == NOT_A_NUMBER ? NAN : HUGE_VAL;
    return n->damage == REFUSE;
}

static inline ph_callback inner_callback(const ph_system *sys, callback k)
{
    switch (k) {
#define ROW(name)                                                                                            \
    case IN_##name:                                                                                          \
        return sys->name;
        CALLBACKS(ROW)
#undef ROW
    default:
        return NULL;
    }
}

static inline ph_status wrap_call(wrap *w, callback k, const ph_state *s, double *out)
{
    ph_status status = inner_callback(w->inner, k)(s, w->out[k], w->inner->ctx);
    w->calls[k]++;
    memcpy(out, w->out[k], sizeof(double) * (size_t)w->size[k]);
    if (w->nth && w->nth->calls == w->nth->at)
        w->nth->victim = k;
    if (nth_call(w->nth, out, w->size[k]))
        return PH_E_INPUT;
    if (w->damage == NONE || w->victim != k || !(s->t >= w->from_t))
        return status;
    if (w->damage == REFUSE)
        return PH_E_INPUT;
    out[w->entry] = w->damage == ADD ? out[w->entry] + w->amount : w->damage == NOT_A_NUMBER ? NAN : HUGE_VAL;
    return status;
}

#define ROW(name)                                                                                            \
    static inline ph_status wrap_##name(const ph_state *s, double *out, void *ctx)                           \
    {                                                                                                        \
        return wrap_call(ctx, IN_##name, s, out);                                                            \
    }
CALLBACKS(ROW)
#undef ROW

static inline int node_dim(const ph_system *sys, int node)
{
    return ph_group_dim(sys->nodes[node].group, sys->nodes[node].n);
}

/* Place e of the pairs or of the links, and the size of its block. */
static inline ph_place place_at(const ph_system *sys, int links, int e, int *m, int *n)
{
    const ph_place *list = links ? sys->links : sys->pairs;
    ph_place p = list ? list[e] : (ph_place){e / sys->n_nodes, e % sys->n_nodes};
    *m = links ? sys->constraints[p.row].rows : node_dim(sys, p.row);
    *n = node_dim(sys, p.col);
    return p;
}

static inline int place_count(const ph_system *sys, int links)
{
    int rows = links ? sys->n_constraints : sys->n_nodes;
    if (links ? !sys->links : !sys->pairs)
        return rows * sys->n_nodes;
    return links ? sys->n_links : sys->n_pairs;
}

static inline int doubles_of(const ph_system *sys, int links)
{
    int sum = 0, m, n;
    for (int e = 0; e < place_count(sys, links); e++) {
        place_at(sys, links, e, &m, &n);
        sum += m * n;
    }
    return sum;
}

static inline void wrap_open(wrap *w, const ph_system *inner)
{
    int nv = ph_system_nv(inner), nl = ph_system_nl(inner);
    int pairs = doubles_of(inner, 0), links = doubles_of(inner, 1);
    const int size[IN_COUNT] = {
        [IN_M] = pairs, [IN_C] = pairs, [IN_K] = pairs,        [IN_B] = links,  [IN_Z] = links,
        [IN_g] = nv,    [IN_Phi] = nl,  [IN_g_lambda] = links, [IN_Phi_t] = nl, [IN_convective] = nl};
    *w = (wrap){.sys = *inner, .inner = inner, .from_t = -HUGE_VAL, .amount = 1};
    w->sys.ctx = w, w->sys.products = NULL, w->sys.tangents = NULL,
    w->sys.positions = NULL; /* what is counted and broken is called */
    for (int k = 0; k < IN_COUNT; k++) {
        w->size[k] = size[k];
        w->out[k] = calloc((size_t)size[k] + 1, sizeof(double));
        assert_non_null(w->out[k]);
    }
#define ROW(name) w->sys.name = inner->name ? wrap_##name : NULL;
    CALLBACKS(ROW)
#undef ROW
}

/* y += A x, or A^T x */
static inline void add_product(int m, int n, int turned, const double *A, const double *x, double *y)
{
    for (int i = 0; i < (turned ? n : m); i++) {
        double sum = turned ? A[i] * x[0] : A[i * n] * x[0];
        for (int j = 1; j < (turned ? m : n); j++)
            sum += (turned ? A[j * n + i] : A[i * n + j]) * x[j];
        y[i] += sum;
    }
}

/* The products of a system from its blocks, in the order of its lists; amount is added to the first number. */
static inline ph_status block_products(const ph_system *sys, const ph_state *s, double *M, double *B,
                                       double amount, double *r, double *Phi, double *rate)
{
    int m, n;
    ph_status status = sys->M(s, M, sys->ctx);
    if (status == PH_OK && sys->B)
        status = sys->B(s, B, sys->ctx);
    if (status == PH_OK && Phi)
        status = sys->Phi(s, Phi, sys->ctx);
    for (int e = 0; r && e < place_count(sys, 0); e++, M += m * n) {
        ph_place p = place_at(sys, 0, e, &m, &n);
        add_product(m, n, 0, M, s->vdot + s->v_at[p.col], r + s->v_at[p.row]);
    }
    for (int e = 0; e < place_count(sys, 1); e++, B += m * n) {
        ph_place p = place_at(sys, 1, e, &m, &n);
        if (r)
            add_product(m, n, 1, B, s->lambda + s->l_at[p.row], r + s->v_at[p.col]);
        if (rate)
            add_product(m, n, 0, B, s->v + s->v_at[p.col], rate + s->l_at[p.row]);
    }
    if (amount != 0)
        *(r ? r : Phi ? Phi : rate) += amount;
    return status;
}

static inline ph_status wrap_products(const ph_state *s, double *r, double *Phi, double *rate, void *ctx)
{
    wrap *w = ctx;
    return w->damage == REFUSE || nth_call(w->nth, NULL, 0)
               ? PH_E_INPUT
               : block_products(w->inner, s, w->out[IN_M], w->out[IN_B], w->damage == ADD ? w->amount : 0, r,
                                Phi, rate);
}

/* g, C and K of the inner system one after the other; amount is added to the first number of g. */
static inline ph_status wrap_tangents(const ph_state *s, double *g, double *C, double *K, void *ctx)
{
    wrap *w = ctx;
    const ph_system *sys = w->inner;
    if (w->damage == REFUSE || nth_call(w->nth, NULL, 0) || sys->g(s, g, sys->ctx) != PH_OK ||
        sys->C(s, C, sys->ctx) != PH_OK)
        return PH_E_INPUT;
    g[0] += w->damage == ADD ? w->amount : 0;
    return sys->K(s, K, sys->ctx);
}

/* Phi and B likewise */
static inline ph_status wrap_positions(const ph_state *s, double *Phi, double *B, void *ctx)
{
    wrap *w = ctx;
    const ph_system *sys = w->inner;
    if (w->damage == REFUSE || nth_call(w->nth, NULL, 0) || sys->Phi(s, Phi, sys->ctx) != PH_OK)
        return PH_E_INPUT;
    Phi[0] += w->damage == ADD ? w->amount : 0;
    return sys->B(s, B, sys->ctx);
}

static inline void wrap_close(wrap *w)
{
    for (int k = 0; k < IN_COUNT; k++)
        free(w->out[k]);
}

/* Take away everything that the library can difference. */
static inline void without_tangents(ph_system *sys)
{
    sys->C = sys->K = sys->Z = sys->convective = sys->g_lambda = NULL;
    if (sys->flags & PH_RHEONOMIC)
        sys->Phi_t = NULL;
}

#endif
