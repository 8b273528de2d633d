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

/* A system one of whose calls fails, counted from 1 over all callbacks: it is refused, or is not a number. */
typedef struct refusing {
    ph_system sys; /* the copy; its ctx is this */
    const ph_system *of;
    long calls, fail_at; /* 0: none */
    int for_good;        /* and all that follow */
    int with_nan;
} refusing;

static inline ph_status refusing_call(refusing *r, ph_callback f, const ph_state *s, double *out)
{
    r->calls++;
    if (!r->fail_at || (r->for_good ? r->calls < r->fail_at : r->calls != r->fail_at))
        return f(s, out, r->of->ctx);
    if (!r->with_nan)
        return PH_E_CALLBACK;
    ph_status status = f(s, out, r->of->ctx);
    out[0] = NAN;
    return status;
}

#define REFUSING(name)                                                                                       \
    static inline ph_status refusing_##name(const ph_state *s, double *out, void *ctx)                       \
    {                                                                                                        \
        return refusing_call(ctx, ((refusing *)ctx)->of->name, s, out);                                      \
    }
REFUSING(M)
REFUSING(g)
REFUSING(Phi)
REFUSING(B)
REFUSING(C)
REFUSING(K)
REFUSING(Phi_t)
REFUSING(convective)
REFUSING(Z)
REFUSING(g_lambda)

static inline void refusing_make(refusing *r, const ph_system *of)
{
    *r = (refusing){.sys = *of, .of = of};
    ph_system *x = &r->sys;
    x->M = refusing_M, x->g = refusing_g, x->Phi = of->Phi ? refusing_Phi : NULL,
    x->B = of->B ? refusing_B : NULL;
    x->C = of->C ? refusing_C : NULL, x->K = of->K ? refusing_K : NULL, x->Z = of->Z ? refusing_Z : NULL;
    x->Phi_t = of->Phi_t ? refusing_Phi_t : NULL, x->convective = of->convective ? refusing_convective : NULL;
    x->g_lambda = of->g_lambda ? refusing_g_lambda : NULL;
    x->products = NULL, x->tangents = NULL, x->positions = NULL, x->origin = NULL;
    x->ctx = r;
}

/* Every space. */
static const ph_space_code resting_spaces[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3, PH_SPACE_EULER,
                                               PH_SPACE_CARDAN};

#endif
