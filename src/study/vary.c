/* A model file built again for neighbouring values of one parameter. */
#include "study/vary.h"
#include "mech/model.h"
#include "study/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Five-point differences over steps of this part of the value have errors of 1e-11 of a smooth function and
 * 1e-13 of round-off; a power of 2, so that steps are exact. */
#define PART 0x1p-9

/* Of a parameter with value 0. */
#define STEP_AT_ZERO 0x1p-10

/* What rounding may do to a step; differences over smaller ones are noise. */
#define ROUNDED 1e-3

static const int place[PH_NEIGHBOURS] = {-2, -1, 1, 2};

static const ph_param_def *find(const ph_model *model, const char *name)
{
    for (int i = 0; i < model->n_params; i++)
        if (!strcmp(model->param[i].name, name))
            return &model->param[i];
    return NULL;
}

static ph_status no_parameter(const ph_model *model, const char *name, ph_error *err)
{
    char all[256] = "";
    for (int i = 0; i < model->n_params && strlen(all) + strlen(model->param[i].name) + 3 < sizeof all; i++)
        strcat(strcat(all, i ? ", " : ""), model->param[i].name);
    if (!model->n_params)
        return ph_study_fail(err, PH_E_INPUT, "there is no parameter '%s'; the model has none", name);
    return ph_study_fail(err, PH_E_INPUT, "there is no parameter '%s'; the model has: %s", name, all);
}

static ph_status build(ph_neighbour *n, const ph_vary_base *base, const ph_setting *sets, ph_error *err)
{
    ph_status s = ph_model_read(&n->model, base->path, sets, base->n_sets + 1, NULL, err);
    if (s != PH_OK)
        return s;
    s = ph_mechanism_create(&n->mech, n->model, (ph_space_code)base->space, NULL, err);
    if (s != PH_OK)
        return s;
    n->sys = *ph_mechanism_system(n->mech);
    n->sys.n_redundant = base->n_redundant;
    return ph_mechanism_initial(n->mech, base->assemble, &n->q0, &n->v0, err);
}

ph_status ph_vary_create(ph_vary *out, const ph_vary_base *base, const char *name, double eps, ph_error *err)
{
    const ph_param_def *p = find(base->model, name);
    *out = (ph_vary){.name = name};
    if (!p)
        return no_parameter(base->model, name, err);
    out->value = p->value;
    out->eps = eps > 0 ? eps : p->value != 0 ? PART * fabs(p->value) : STEP_AT_ZERO;
    if (!(fabs(p->value + out->eps - p->value - out->eps) <= ROUNDED * out->eps))
        return ph_study_fail(err, PH_E_INPUT, "parameter '%s' = %.9g does not change by so little as %.3g",
                             name, p->value, out->eps);
    ph_setting *sets = calloc((size_t)base->n_sets + 1, sizeof *sets);
    ph_status s =
        sets ? PH_OK : ph_study_fail(err, PH_E_MEMORY, "not enough memory for parameter '%s'", name);
    if (sets && base->n_sets)
        memcpy(sets, base->sets, sizeof *sets * (size_t)base->n_sets);
    for (int k = 0; k < PH_NEIGHBOURS && s == PH_OK; k++) {
        ph_error why = {0};
        sets[base->n_sets] = (ph_setting){name, p->value + place[k] * out->eps};
        s = build(&out->at[k], base, sets, &why);
        if (s != PH_OK)
            ph_study_fail(err, s, "parameter '%s' = %.9g, near its value: %s", name, sets[base->n_sets].value,
                          why.text);
    }
    free(sets);
    const ph_mechanism *at[PH_NEIGHBOURS];
    for (int k = 0; k < PH_NEIGHBOURS; k++)
        at[k] = out->at[k].mech;
    if (s == PH_OK)
        s = ph_loads_create(&out->loads, PH_NEIGHBOURS, at, NULL, err);
    if (s != PH_OK)
        ph_vary_destroy(out);
    return s;
}

void ph_vary_destroy(ph_vary *vary)
{
    ph_loads_destroy(vary->loads);
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        ph_mechanism_destroy(vary->at[k].mech);
        ph_model_free(vary->at[k].model);
    }
    *vary = (ph_vary){0};
}

ph_param ph_vary_param(const ph_vary *vary)
{
    ph_param p = {.name = vary->name, .eps = vary->eps};
    if (vary->loads)
        p.loads = ph_loads_add, p.ctx = vary->loads;
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        p.at[k].sys = &vary->at[k].sys;
        p.at[k].q0 = vary->at[k].q0, p.at[k].v0 = vary->at[k].v0;
    }
    return p;
}
