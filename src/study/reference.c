/* Reference solutions: the states that a provider gives, kept; and the first provider, problems that know
 * their exact solution. */
#include "study/reference.h"
#include "study/fail.h"
#include "study/follow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const ph_reference_provider *const providers[] = {
#define PH_REFERENCE(provider) &provider,
#include "study/references.def"
#undef PH_REFERENCE
};

struct ph_reference {
    const ph_system *sys;
    const char *source;
    double t_end;
    long points;
    int nq, nv, nl, stride;         /* numbers of a state: q, v, vdot, lambda */
    double *states;                 /* points + 1 of them */
    int *q_at, *v_at, *l_at, *R_at; /* one block, at q_at */
    ph_mat3 *R;                     /* of the state last asked for */
};

const ph_reference_provider *ph_reference_provider_of(const ph_problem *p)
{
    size_t k = 0;
    while (!providers[k]->knows(p))
        k++;
    return providers[k];
}

/* ---- layout ------------------------------------------------------------------------------------------- */

static int lay_out(ph_reference *r)
{
    const ph_system *sys = r->sys;
    size_t nodes = (size_t)sys->n_nodes;
    int q = 0, v = 0, l = 0, R = 0;
    r->nq = ph_system_nq(sys), r->nv = ph_system_nv(sys), r->nl = ph_system_nl(sys);
    r->stride = r->nq + 2 * r->nv + r->nl;
    r->states = calloc((size_t)(r->points + 1) * (size_t)r->stride, sizeof *r->states);
    r->q_at = calloc(3 * nodes + (size_t)sys->n_constraints, sizeof *r->q_at);
    r->R = calloc(nodes, sizeof *r->R);
    if (!r->states || !r->q_at || !r->R)
        return 0;
    r->v_at = r->q_at + nodes, r->R_at = r->v_at + nodes, r->l_at = r->R_at + nodes;
    for (int i = 0; i < sys->n_nodes; i++) {
        r->q_at[i] = q, r->v_at[i] = v;
        r->R_at[i] = ph_group_get(sys->nodes[i].group)->quat >= 0 ? R++ : -1;
        q += ph_group_size(sys->nodes[i].group, sys->nodes[i].n);
        v += ph_group_dim(sys->nodes[i].group, sys->nodes[i].n);
    }
    for (int c = 0; c < sys->n_constraints; c++) {
        r->l_at[c] = l;
        l += sys->constraints[c].rows;
    }
    return 1;
}

static ph_status fill(ph_reference *r, const ph_problem *p, const ph_reference_provider *from, ph_error *err)
{
    void *session = NULL;
    ph_status s = from->open(p, r->t_end, r->points, &session, err);
    for (long k = 0; k <= r->points && s == PH_OK; k++) {
        double *q = r->states + k * r->stride, *v = q + r->nq, *vdot = v + r->nv;
        double t = r->t_end * (double)k / (double)r->points;
        s = from->at(session, t, q, v, vdot, r->nl ? vdot + r->nv : NULL, err);
        for (int i = 0; i < r->stride && s == PH_OK; i++)
            if (!isfinite(q[i]))
                s = ph_study_fail(err, PH_E_NAN, "the reference solution is not finite");
    }
    from->close(session);
    return s;
}

ph_status ph_reference_create(ph_reference **out, const ph_problem *p, double t_end, long points,
                              ph_error *err)
{
    const ph_reference_provider *from = ph_reference_provider_of(p);
    *out = NULL;
    if (!(t_end > 0) || points < 1)
        return ph_study_fail(err, PH_E_INPUT, "a reference solution wants a time and points");
    ph_reference *r = calloc(1, sizeof *r);
    if (!r)
        return ph_study_fail(err, PH_E_MEMORY, "not enough memory for the reference solution");
    *r = (ph_reference){.sys = &p->sys, .source = from->name, .t_end = t_end, .points = points};
    void *kept = ph_follow_keep(&p->sys);
    ph_status s = kept && lay_out(r)
                      ? fill(r, p, from, err)
                      : ph_study_fail(err, PH_E_MEMORY, "not enough memory for the reference solution");
    ph_follow_take_back(&p->sys, kept);
    if (s == PH_OK)
        *out = r;
    else
        ph_reference_destroy(r);
    return s;
}

void ph_reference_destroy(ph_reference *r)
{
    if (!r)
        return;
    free(r->states);
    free(r->q_at);
    free(r->R);
    free(r);
}

const char *ph_reference_source(const ph_reference *r)
{
    return r->source;
}

long ph_reference_points(const ph_reference *r)
{
    return r->points;
}

ph_state ph_reference_state(ph_reference *r, long k)
{
    const double *q = r->states + k * r->stride, *v = q + r->nq;
    for (int i = 0; i < r->sys->n_nodes; i++) {
        const double *u = q + r->q_at[i] + ph_group_get(r->sys->nodes[i].group)->quat;
        if (r->R_at[i] >= 0)
            r->R[r->R_at[i]] = ph_qmat((ph_quat){u[0], u[1], u[2], u[3]});
    }
    return (ph_state){.t = r->t_end * (double)k / (double)r->points,
                      .q = q,
                      .v = v,
                      .vdot = v + r->nv,
                      .lambda = v + 2 * r->nv,
                      .R = r->R,
                      .q_at = r->q_at,
                      .v_at = r->v_at,
                      .l_at = r->l_at,
                      .R_at = r->R_at};
}

/* ---- problems that know their solution ---------------------------------------------------------------- */

static int has_exact(const ph_problem *p)
{
    return p->exact != NULL;
}

static ph_status open_exact(const ph_problem *p, double t_end, long points, void **session, ph_error *err)
{
    (void)t_end, (void)points, (void)err;
    *session = (void *)p;
    return PH_OK;
}

static ph_status exact_at(void *session, double t, double *q, double *v, double *vdot, double *lambda,
                          ph_error *err)
{
    const ph_problem *p = session;
    return p->exact(p, t, q, v, vdot, lambda)
               ? PH_OK
               : ph_study_fail(err, PH_E_NEWTON, "the exact solution of this problem ends before t_end");
}

static void close_exact(void *session)
{
    (void)session;
}

const ph_reference_provider ph_reference_of_problem = {"exact solution", has_exact, open_exact, exact_at,
                                                       close_exact};
