/* Sensitivities of models in tests: a simulation with one varied parameter, and differences of whole runs. */
#ifndef PH_TEST_SENS_CASES_H
#define PH_TEST_SENS_CASES_H

#include "check.h"

#include "run/neighbours.h"

/* ---- a model with one varied parameter -------------------------------------------------------------------- */

typedef struct fixture {
    ph_neighbour self;
    ph_run *run; /* of the same model: its neighbours follow it */
    ph_neighbours near;
    ph_sim *sim;
    ph_sens *sens;
} fixture;

static inline void open_fixture(fixture *r, const char *file, const char *param, int space,
                                const ph_options *given)
{
    char path[256];
    ph_error err = {0};
    ph_options o = *given;
    snprintf(path, sizeof path, PH_TEST_DIR "/../models/%s", file);
    *r = (fixture){0};
    if (ph_model_read(&r->self.model, path, NULL, 0, NULL, &err) != PH_OK ||
        ph_mechanism_create(&r->self.mech, r->self.model, (ph_space_code)space, NULL, &err) != PH_OK ||
        ph_mechanism_initial(r->self.mech, 0, &r->self.q0, &r->self.v0, &err) != PH_OK)
        fail_msg("%s", err.text);
    r->self.sys = *ph_mechanism_system(r->self.mech);
    int *dependent = calloc((size_t)r->self.sys.n_constraints + 1, sizeof(int));
    assert_int_equal(ph_system_rank(&r->self.sys, 0, r->self.q0, dependent, &err), PH_OK);
    for (int c = 0; c < r->self.sys.n_constraints; c++)
        r->self.sys.n_redundant += dependent[c];
    free(dependent);
    char option[64];
    const char *const options = option;
    ph_run_config c = ph_run_defaults();
    snprintf(option, sizeof option, "space=%s", ph_space_word(space));
    c.options = &options, c.n_options = 1, c.wait = 1;
    int k = ph_model_find(r->self.model, PH_PARAMETERS, param);
    if (ph_run_create(&r->run, r->self.model, &c, &err) != PH_OK ||
        ph_neighbours_create(&r->near, r->run, k, ph_run_eps(r->run, k), &err) !=
            PH_OK) /* the longest step: differences of runs over shorter ones are noise */
        fail_msg("%s", err.text);
    ph_param p = ph_neighbours_param(&r->near);
    if (ph_sim_create(&r->sim, &r->self.sys, &o, 0, r->self.q0, r->self.v0, &err) != PH_OK ||
        ph_sens_create(&r->sens, r->sim, 1, &p, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static inline void close_fixture(fixture *r)
{
    ph_sens_destroy(r->sens);
    ph_sim_destroy(r->sim);
    ph_neighbours_destroy(&r->near);
    ph_run_close(r->run);
    ph_mechanism_destroy(r->self.mech);
    ph_model_free(r->self.model);
}

/* Five-point differences of the whole run: W, v, vdot, lambda one after the other. */
static inline double *difference(const fixture *r, long steps)
{
    static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const ph_system *sys = &r->self.sys;
    int nv = ph_system_nv(sys), nl = ph_system_nl(sys);
    double *d = calloc((size_t)(3 * nv + nl), sizeof *d);
    ph_state base = ph_sim_state(r->sim);
    ph_options o = ph_sim_options(r->sim);
    ph_error err = {0};
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        const ph_neighbour *n = &r->near.at[k];
        ph_sim *sim;
        double f = weight[k] / r->near.eps;
        if (ph_sim_create(&sim, &n->sys, &o, 0, n->q0, n->v0, &err) != PH_OK ||
            ph_sim_run(sim, steps, NULL, NULL, &err) != PH_OK)
            fail_msg("%s", err.text);
        ph_state s = ph_sim_state(sim);
        for (int i = 0; i < sys->n_nodes; i++) {
            const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
            int dim = ph_group_dim(sys->nodes[i].group, sys->nodes[i].n);
            double inverse[16], x[16];
            op->inverse(dim, base.q + base.q_at[i], inverse);
            op->compose(dim, inverse, s.q + s.q_at[i], inverse);
            op->log(dim, inverse, x);
            for (int j = 0; j < dim; j++)
                d[s.v_at[i] + j] += f * x[j];
        }
        for (int i = 0; i < nv; i++)
            d[nv + i] += f * s.v[i], d[2 * nv + i] += f * s.vdot[i];
        for (int i = 0; i < nl; i++)
            d[3 * nv + i] += f * s.lambda[i];
        ph_sim_destroy(sim);
    }
    return d;
}

typedef struct agreement {
    double W, v, vdot, lambda; /* largest differences, relative to the largest derivative of the kind */
} agreement;

static inline agreement compare(const fixture *r, long steps)
{
    int nv = ph_system_nv(&r->self.sys), nl = ph_system_nl(&r->self.sys);
    double *d = difference(r, steps);
    ph_derivative x = ph_sens_get(r->sens, 0);
    agreement a = {max_diff(x.W, d, nv) / norm2(d, nv), max_diff(x.v, d + nv, nv) / norm2(d + nv, nv),
                   max_diff(x.vdot, d + 2 * nv, nv) / norm2(d + 2 * nv, nv),
                   nl ? max_diff(x.lambda, d + 3 * nv, nl) / norm2(d + 3 * nv, nl) : 0};
    free(d);
    return a;
}

static inline ph_options tight(double h)
{
    ph_options o = ph_default_options();
    o.formulation = PH_INDEX3;   /* whose errors are published */
    o.newton = PH_FULL, o.h = h; /* so that differences of runs see the discrete solution */
    o.atol = 1e-13, o.rtol = 1e-13;
    return o;
}

/* Differences of runs have errors of their own: (W4) about 1e-10 of smooth functions, and round-off, which
 * index-3 magnifies by 1/h in v and by 1/h^2 in vdot and lambda. */
typedef struct bar {
    double W, v, rest;
} bar;

static inline void check_agreement(const agreement *a, bar b)
{
    check_le(a->W, b.W);         /* derivative */
    check_le(a->v, b.v);         /* derivative */
    check_le(a->vdot, b.rest);   /* derivative */
    check_le(a->lambda, b.rest); /* derivative */
}

/* ---- gradients ---------------------------------------------------------------------------------------- */

/* A function of all that a state has; scale is the explicit dependence on the parameter. */
typedef struct scalar {
    const fixture *r;
    double scale;
    double forces; /* 1: accelerations and multipliers count; 0: they do not */
    double sum,
        last; /* derivative of its integral, by the direct method; of the integrand at the last step */
} scalar;

static inline ph_status value_of(const ph_state *s, double *value, const ph_covector *g, void *ctx)
{
    const scalar *f = ctx;
    const ph_system *sys = &f->r->self.sys;
    double sum = 0;
    for (int i = 0; i < sys->n_nodes; i++) {
        int dim = ph_group_dim(sys->nodes[i].group, sys->nodes[i].n), at = s->v_at[i];
        if (sys->nodes[i].group == PH_SO3) { /* u R w */
            ph_vec3 u = ph_v3(1, 2, 3), w = ph_v3(0.5, -0.25, 1);
            ph_mat3 R = ph_state_R(s, i);
            sum += ph_dot(u, ph_mul(R, w));
            if (g)
                ph_store3(g->W + at, ph_cross(w, ph_tmul(R, u)));
        }
        for (int k = 0; k < dim; k++) {
            double a = sin(1 + at + k), b = cos(2 + 3 * (at + k)), c = 1e-2 * f->forces * sin(3 + at + k);
            if (sys->nodes[i].group == PH_RN)
                sum += a * s->q[s->q_at[i] + k];
            sum += 0.5 * b * s->v[at + k] * s->v[at + k] + c * s->vdot[at + k];
            if (g && sys->nodes[i].group == PH_RN)
                g->W[at + k] = a;
            if (g)
                g->v[at + k] = b * s->v[at + k], g->vdot[at + k] = c;
        }
    }
    for (int i = 0; i < ph_system_nl(sys); i++) {
        double c = 1e-2 * f->forces * cos(i);
        sum += c * s->lambda[i];
        if (g)
            g->lambda[i] = c;
    }
    *value = sum + f->scale;
    if (g)
        g->p[0] = f->scale;
    return PH_OK;
}

/* d(value)/dp from the derivatives of the direct method */
static inline double derivative_of(const scalar *f, const ph_state *s)
{
    int nv = ph_system_nv(&f->r->self.sys), nl = ph_system_nl(&f->r->self.sys);
    double *mem = calloc((size_t)(3 * nv + nl + 1), sizeof *mem), value, by_p = 0;
    ph_covector g = {mem, mem + nv, mem + 2 * nv, mem + 3 * nv, &by_p};
    ph_derivative d = ph_sens_get(f->r->sens, 0);
    assert_int_equal(value_of(s, &value, &g, (void *)f), PH_OK);
    for (int i = 0; i < nv; i++)
        by_p += g.W[i] * d.W[i] + g.v[i] * d.v[i] + g.vdot[i] * d.vdot[i];
    for (int i = 0; i < nl; i++)
        by_p += g.lambda[i] * d.lambda[i];
    free(mem);
    return by_p;
}

static inline ph_status add_up(const ph_sim *sim, void *ctx)
{
    scalar *f = ctx;
    ph_state s = ph_sim_state(sim);
    double x = derivative_of(f, &s);
    if (ph_sim_stats(sim).steps)
        f->sum += 0.5 * ph_sim_options(sim).h * (x + f->last);
    f->last = x;
    return PH_OK;
}

static inline double adjoint_error(const char *file, const char *param, const ph_options *o, long steps,
                                   double forces)
{
    fixture r;
    double value, gradient;
    ph_error err = {0};
    open_fixture(&r, file, param, 0, o);
    scalar f = {.r = &r, .scale = 0.3, .forces = forces};
    ph_objective objective = {.final = value_of, .integral = value_of, .ctx = &f};
    assert_int_equal(ph_sim_run(r.sim, steps, add_up, &f, NULL), PH_OK);
    ph_state s = ph_sim_state(r.sim);
    double direct = f.sum + derivative_of(&f, &s);
    close_fixture(&r);
    open_fixture(&r, file, param, 0, o);
    if (ph_sens_gradient(r.sens, steps, &objective, 0, &value, &gradient, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_sim_stats(r.sim).steps, steps);
    close_fixture(&r);
    return fabs(gradient - direct) / fabs(direct);
}

#endif
