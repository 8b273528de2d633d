/* A model at neighbouring values of one parameter. */
#include "run/neighbours.h"

#include <string.h>

const double ph_neighbour_weight[PH_NEIGHBOURS] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

/* Five-point differences over steps of this part of the value have errors of 1e-11 of a smooth function and
 * 1e-13 of round-off; a power of 2, so that steps are exact. */
#define PART 0x1p-9

/* The step of a parameter with value 0. */
#define STEP_AT_ZERO 0x1p-10

/* What rounding may do to a step; differences over smaller ones are noise. */
#define ROUNDED 1e-3

static const int place[PH_NEIGHBOURS] = {-2, -1, 1, 2};

double ph_run_eps(const ph_run *run, int parameter)
{
    if (!run->model || parameter < 0 || parameter >= run->model->n_params)
        return 0;
    double value = fabs(run->model->param[parameter].value), part = run->config.eps;
    if (part > 0)
        return part * (value != 0 ? value : 1);
    return value != 0 ? PART * value : STEP_AT_ZERO;
}

/* about: the value of the parameter itself, at which its functions have their tangents (P8) */
static ph_status build(ph_neighbour *n, const ph_run *run, const ph_setting *set, double about, ph_error *err)
{
    const ph_allocator *alloc = run->config.alloc;
    ph_status s = ph_model_near(&n->model, run->model, set, 1, set->name, alloc, err);
    if (s == PH_OK)
        s = ph_mechanism_create(&n->mech, n->model, run->def.space, alloc, err);
    if (s != PH_OK)
        return s;
    n->mech->parameter.about = about, n->mech->parameter.tangents = n->model->symbol > 0;
    n->sys = *ph_mechanism_system(n->mech);
    n->sys.n_redundant = run->sys->n_redundant;
    s = ph_mechanism_initial(n->mech, run->def.assemble, &n->q0, &n->v0, err);
    if (s == PH_OK)
        ph_mechanism_share(n->mech, run->mech);
    return s;
}

ph_status ph_neighbours_create(ph_neighbours *out, const ph_run *run, int parameter, double eps,
                               ph_error *err)
{
    *out = (ph_neighbours){0};
    if (!run->model || parameter < 0 || parameter >= run->model->n_params)
        return ph_fail(err, PH_E_INPUT, "there is no parameter %d", parameter);
    const ph_param_def *p = &run->model->param[parameter];
    out->name = p->name, out->value = p->value;
    out->eps = eps > 0 ? eps : ph_run_eps(run, parameter);
    if (!(fabs(p->value + out->eps - p->value - out->eps) <= ROUNDED * out->eps))
        return ph_fail(err, PH_E_INPUT, "parameter '%s' = %.9g does not change by so little as %.3g", p->name,
                       p->value, out->eps);
    ph_status s = PH_OK;
    for (int k = 0; k < PH_NEIGHBOURS && s == PH_OK; k++) {
        ph_error why = {0};
        ph_setting set = {p->name, p->value + place[k] * out->eps};
        s = build(&out->at[k], run, &set, p->value, &why);
        if (s != PH_OK)
            ph_fail(err, s, "parameter '%s' = %.9g, near its value: %.400s", p->name, set.value, why.text);
    }
    const ph_mechanism *at[PH_NEIGHBOURS];
    for (int k = 0; k < PH_NEIGHBOURS; k++)
        at[k] = out->at[k].mech;
    if (s == PH_OK)
        s = ph_loads_create(&out->loads, PH_NEIGHBOURS, at, run->config.alloc, err);
    if (s != PH_OK)
        ph_neighbours_destroy(out);
    return s;
}

void ph_neighbours_destroy(ph_neighbours *n)
{
    ph_loads_destroy(n->loads);
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        ph_mechanism_destroy(n->at[k].mech);
        ph_model_free(n->at[k].model);
    }
    *n = (ph_neighbours){0};
}

ph_param ph_neighbours_param(const ph_neighbours *n)
{
    ph_param p = {.name = n->name, .eps = n->eps};
    if (n->loads)
        p.loads = ph_loads_add, p.ctx = n->loads;
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        p.at[k].sys = &n->at[k].sys;
        p.at[k].q0 = n->at[k].q0, p.at[k].v0 = n->at[k].v0;
    }
    return p;
}
