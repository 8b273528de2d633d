/* Models as text that are held still: a mechanism, its equilibrium, loads with a factor. */
#ifndef PH_TEST_EQUILIBRIUM_CASES_H
#define PH_TEST_EQUILIBRIUM_CASES_H

#include "model_file.h"
#include "polhode/equilibrium.h"

typedef struct held {
    ph_model *model;
    ph_mechanism *mech;
    const double *q0, *v0;
    ph_equilibrium *e;
    ph_state s;
    ph_status status;
    ph_error err;
} resting;

static inline ph_status resting_load(double factor, void *mech)
{
    ph_mechanism_set_load_factor(mech, factor);
    return PH_OK;
}

static inline resting resting_open(const char *text, ph_space_code space)
{
    resting h = {.model = read_text(text)};
    if (ph_mechanism_create(&h.mech, h.model, space, NULL, &h.err) != PH_OK ||
        ph_mechanism_initial(h.mech, 0, &h.q0, &h.v0, &h.err) != PH_OK ||
        ph_mechanism_rank(h.mech, &h.err) != PH_OK)
        fail_msg("%s", h.err.text);
    return h;
}

/* Its equilibrium, or status and err. */
static inline void resting_settle(resting *h, int steps)
{
    ph_static_options o = ph_default_static();
    o.load = resting_load, o.ctx = h->mech, o.steps = steps;
    h->status = ph_equilibrium_create(&h->e, ph_mechanism_system(h->mech), &o, 0, h->q0, &h->err);
    if (h->status == PH_OK)
        h->s = ph_equilibrium_state(h->e);
}

static inline resting resting_of(const char *text, ph_space_code space)
{
    resting h = resting_open(text, space);
    resting_settle(&h, 1);
    if (h.status != PH_OK)
        fail_msg("%s", h.err.text);
    return h;
}

static inline ph_body_state resting_body(const resting *h, const char *name)
{
    ph_body_state b;
    ph_mechanism_body(h->mech, &h->s, ph_model_find(h->model, PH_BODIES, name), &b);
    return b;
}

static inline void resting_close(resting *h)
{
    ph_equilibrium_destroy(h->e);
    ph_mechanism_destroy(h->mech);
    ph_model_free(h->model);
}

/* Every space. */
static const ph_space_code resting_spaces[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3, PH_SPACE_EULER,
                                               PH_SPACE_CARDAN};

#endif
