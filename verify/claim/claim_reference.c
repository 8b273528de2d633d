/* Measures of the reference solver: its states against digits that were computed elsewhere. */
#include <math.h>
#include <string.h>

#include "claim/claim_run.h"
#include "study/reference.h"

int ph_reference_case_open(ph_reference_case *given, ph_study *study, const ph_claim_run *run)
{
    *given = (ph_reference_case){0};
    if (run->model) {
        if (!ph_model_runner_open(&given->runner, study, run))
            return 0;
        given->own = (ph_problem){.name = run->model, .sys = *ph_run_system(given->runner.run)};
        ph_run_initial(given->runner.run, &given->own.q0, &given->own.v0);
        given->p = &given->own;
        return 1;
    }
    given->p = ph_study_problem(study, run);
    if (given->p) {
        given->own = *given->p;
        given->own.exact = NULL; /* so that the solver is asked */
    }
    return given->p != NULL;
}

void ph_reference_case_close(ph_reference_case *given)
{
    ph_model_runner_close(&given->runner);
}

/* q, v and lambda of a problem at run->to, as the solver finds them. */
static int solve(ph_study *study, const ph_claim_run *run, double *q, double *v, double *lambda)
{
    ph_reference_case given;
    ph_reference *r = NULL;
    if (!ph_reference_case_open(&given, study, run))
        return 0;
    int ok =
        ph_reference_create(&r, &given.own, run->to, 1, &ph_study_model_results(study)->complaint) == PH_OK;
    if (ok) {
        ph_state s = ph_reference_state(r, 1);
        memcpy(q, s.q, sizeof *q * (size_t)ph_system_nq(&given.own.sys));
        memcpy(v, s.v, sizeof *v * (size_t)ph_system_nv(&given.own.sys));
        memcpy(lambda, s.lambda, sizeof *v * (size_t)ph_system_nl(&given.own.sys));
    }
    ph_reference_destroy(r);
    ph_reference_case_close(&given);
    return ok;
}

#define REFERENCE(name, n, from)                                                                             \
    int ph_measure_reference_##name(ph_study *study, const ph_claim_run *run, double *value)                 \
    {                                                                                                        \
        double q[PH_RESULT_MAX], v[PH_RESULT_MAX], lambda[PH_RESULT_MAX];                                    \
        int ok = solve(study, run, q, v, lambda);                                                            \
        if (ok)                                                                                              \
            memcpy(value, from, n * sizeof(double));                                                         \
        return ok;                                                                                           \
    }
REFERENCE(q, 4, q)
REFERENCE(turn, 4, q + 3)
REFERENCE(v, 3, v)
REFERENCE(Omega, 3, v + 3)
REFERENCE(lambda, 3, lambda)
#undef REFERENCE

int ph_measure_reference_psi(ph_study *study, const ph_claim_run *run, double *value)
{
    double q[PH_RESULT_MAX], v[PH_RESULT_MAX], lambda[PH_RESULT_MAX];
    int ok = solve(study, run, q, v, lambda);
    if (ok)
        ph_group_get(PH_SO3)->log(0, q, value);
    return ok;
}

/* Points between which no body turns by more than pi, so that turns are counted. */
#define POINTS 100

int ph_measure_reference_model(ph_study *study, const ph_claim_run *run, double *value)
{
    ph_reference_case given;
    ph_reference *r = NULL;
    if (!ph_reference_case_open(&given, study, run))
        return 0;
    int ok = ph_reference_create(&r, &given.own, run->to, POINTS,
                                 &ph_study_model_results(study)->complaint) == PH_OK;
    for (long k = 1; ok && k <= POINTS; k++) {
        ph_state s = ph_reference_state(r, k);
        ph_run_count_turns(given.runner.run, &s);
        if (k == POINTS)
            ok = ph_model_runner_look(&given.runner, &s, run->of, value) > 0;
    }
    ph_reference_destroy(r);
    ph_reference_case_close(&given);
    return ok;
}
