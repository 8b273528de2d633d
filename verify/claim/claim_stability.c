/* Stability: the spectral radius of one step about steady spin, stability_map.c, and the ball of
 * stability_ball.c.
 *
 * The heavy top hangs below its pivot and spins about its axis, e_y of the body, with Omega = 150 rad/s.
 * (Upright it is unstable in reality: (J_y Omega)^2 < 4 m g l J.) The eigenvalue 1 of turning and spinning
 * faster has a Jordan block, which differences split by some 1e-5. */
#include <math.h>

#include "claim/claim_run.h"
#include "study/stability.h"

int ph_measure_radius(ph_study *study, const ph_claim_run *run, double *value)
{
    const double q[7] = {0, 0, -1, sqrt(0.5), -sqrt(0.5), 0, 0}, v[6] = {0, 0, 0, 0, 150, 0};
    const ph_problem *p = ph_study_problem(study, run);
    ph_options o = ph_claim_options(run);
    ph_spectrum s;
    if (!p || ph_spectrum_create(&s, &p->sys, &o, q, v, NULL) != PH_OK)
        return 0;
    value[0] = cabs(s.value[0]);
    ph_spectrum_destroy(&s);
    return 1;
}

int ph_measure_ball_limit(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_ball_case c = {.zeta = run->x, .amplitude = run->from, .angle = run->to, .steps = 20000};
    ph_options o = ph_default_options();
    (void)study;
    o.method = "rkmk", o.tableau = run->tableau;
    return ph_ball_limit(&value[0], &o, &c, 0, 3.2, 1e-6, NULL) == PH_OK;
}
