/* Objectives and sensors whose functions were traced: values, and derivatives (P4) brought to the coordinates of the space. */
#include "mech/argument.h"

/* States are velocities of their nodes, or positions in statics: see state.c. */
static void add_states(const ph_formula *k, const ph_covector *g)
{
    const ph_mechanism *m = k->at->m;
    for (int i = 0; i < k->p->n_args; i++) {
        const ph_argument *a = &k->p->arg[i];
        if (a->kind == PH_ARG_STATE)
            (m->still ? g->W : g->v)[m->own[a->index].v + a->component] += k->g[i];
    }
}

static int add_bodies(ph_formula *k, const ph_traced *t, const ph_covector *g)
{
    const ph_mechanism *m = k->at->m;
    for (int i = 0; i < t->n_bodies; i++)
        if (m->body[t->body[i]].flex >= 0)
            return 0;
    for (int i = 0; i < t->n_bodies; i++) {
        double by[PH_BY][6] = {{0}};
        for (int what = 0; what < PH_BY; what++)
            ph_formula_by_body(k, k->g, t->body[i], what, by[what]);
        ph_space_covector(m, k->at->s, t->body[i], by[PH_BY_PLACE], by[PH_BY_SPEED], by[PH_BY_ACCELERATION],
                          g);
    }
    return 1;
}

int ph_function_exact(const ph_mechanism *m, const ph_state *s, const ph_function *f, int n, int number,
                      double *value, const ph_covector *g)
{
    ph_scene at = {.m = m, .s = s, .t = s->t, .accelerations = 1};
    ph_formula k;
    double x[PH_SENSOR_MAX];
    int known = ph_formula_open(&k, &at, f, n, x);
    *value = known ? x[number] : 0;
    if (known && g) {
        ph_formula_partials(&k, 1);
        known = ph_formula_gradient(&k, number) && add_bodies(&k, f->traced, g);
    }
    if (known && g)
        add_states(&k, g);
    ph_formula_close(&k);
    return known;
}
