/* Distance of a state from the exact solution, where it is known, or from a reference solution. */
#include "cli/exact.h"
#include "study/fail.h"
#include "study/reference.h"

#include <math.h>
#include <stdlib.h>

static double distance(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* |log(q^-1 q_exact)| over all nodes; work has room for an element and its logarithm of any node */
static double group_distance(const ph_system *sys, const ph_state *s, const double *exact, double *work)
{
    double sum = 0;
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
        int n = sys->nodes[i].n, dim = ph_group_dim(sys->nodes[i].group, n);
        double *x = work + ph_group_size(sys->nodes[i].group, n);
        op->inverse(n, s->q + s->q_at[i], work);
        op->compose(n, work, exact + s->q_at[i], work);
        op->log(n, work, x);
        for (int k = 0; k < dim; k++)
            sum += x[k] * x[k];
    }
    return sqrt(sum);
}

ph_status ph_exact_compare(const ph_problem *p, const ph_state *s, int solve, ph_exact_error *out,
                           ph_error *err)
{
    int nq = ph_system_nq(&p->sys), nv = ph_system_nv(&p->sys), nl = ph_system_nl(&p->sys);
    ph_reference *r = NULL;
    *out = (ph_exact_error){0};
    if ((!p->exact && !solve) || !(s->t > 0))
        return PH_OK;
    double *work = calloc((size_t)(nq + nv + 1), sizeof *work);
    ph_status status = work ? ph_reference_create(&r, p, s->t, 1, err)
                            : ph_study_fail(err, PH_E_MEMORY, "not enough memory for the reference");
    if (status == PH_OK) {
        ph_state exact = ph_reference_state(r, 1);
        out->q = group_distance(&p->sys, s, exact.q, work);
        out->v = distance(nv, s->v, exact.v);
        out->lambda = distance(nl, s->lambda, exact.lambda);
        out->source = ph_reference_source(r);
    }
    ph_reference_destroy(r);
    free(work);
    return status;
}
