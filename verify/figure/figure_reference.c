/* Measures of the reference solver: its states against digits that were computed elsewhere. */
#include <math.h>
#include <string.h>

#include "figure/figure_run.h"
#include "study/reference.h"

int ph_stand_open(ph_stand *stand, ph_study *study, const ph_figure_run *run)
{
    *stand = (ph_stand){0};
    if (run->model) {
        if (!ph_rig_open(&stand->rig, study, run))
            return 0;
        stand->own = (ph_problem){.name = run->model, .sys = *ph_run_system(stand->rig.run)};
        ph_run_initial(stand->rig.run, &stand->own.q0, &stand->own.v0);
        stand->p = &stand->own;
        return 1;
    }
    stand->p = ph_study_problem(study, run);
    if (stand->p) {
        stand->own = *stand->p;
        stand->own.exact = NULL; /* so that the solver is asked */
    }
    return stand->p != NULL;
}

void ph_stand_close(ph_stand *stand)
{
    ph_rig_close(&stand->rig);
}

/* q, v and lambda of a problem at run->to, as the solver finds them. */
static int solve(ph_study *study, const ph_figure_run *run, double *q, double *v, double *lambda)
{
    ph_stand stand;
    ph_reference *r = NULL;
    if (!ph_stand_open(&stand, study, run))
        return 0;
    int ok = ph_reference_create(&r, &stand.own, run->to, 1, &ph_study_trials(study)->complaint) == PH_OK;
    if (ok) {
        ph_state s = ph_reference_state(r, 1);
        memcpy(q, s.q, sizeof *q * (size_t)ph_system_nq(&stand.own.sys));
        memcpy(v, s.v, sizeof *v * (size_t)ph_system_nv(&stand.own.sys));
        memcpy(lambda, s.lambda, sizeof *v * (size_t)ph_system_nl(&stand.own.sys));
    }
    ph_reference_destroy(r);
    ph_stand_close(&stand);
    return ok;
}

#define REFERENCE(name, n, from)                                                                             \
    int ph_measure_reference_##name(ph_study *study, const ph_figure_run *run, double *value)                \
    {                                                                                                        \
        double q[PH_SURVEY_MAX], v[PH_SURVEY_MAX], lambda[PH_SURVEY_MAX];                                    \
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

int ph_measure_reference_psi(ph_study *study, const ph_figure_run *run, double *value)
{
    double q[PH_SURVEY_MAX], v[PH_SURVEY_MAX], lambda[PH_SURVEY_MAX];
    int ok = solve(study, run, q, v, lambda);
    if (ok)
        ph_group_get(PH_SO3)->log(0, q, value);
    return ok;
}

/* Points between which no body turns by more than pi, so that turns are counted. */
#define POINTS 100

int ph_measure_reference_model(ph_study *study, const ph_figure_run *run, double *value)
{
    ph_stand stand;
    ph_reference *r = NULL;
    if (!ph_stand_open(&stand, study, run))
        return 0;
    int ok =
        ph_reference_create(&r, &stand.own, run->to, POINTS, &ph_study_trials(study)->complaint) == PH_OK;
    for (long k = 1; ok && k <= POINTS; k++) {
        ph_state s = ph_reference_state(r, k);
        ph_run_count_turns(stand.rig.run, &s);
        if (k == POINTS)
            ok = ph_rig_look(&stand.rig, &s, run->of, value) > 0;
    }
    ph_reference_destroy(r);
    ph_stand_close(&stand);
    return ok;
}
