/* Measures of model files: what is looked at in the end of a run, its limit, order and error. */
#include <math.h>

#include "claim/claim_run.h"

/* How many numbers all words give; 0: they could not be had. */
static int look(ph_study *study, const ph_claim_run *run, double value[PH_CLAIM_MAX])
{
    int n[PH_CLAIM_MAX], words = ph_model_result_look(study, run, value, n), total = 0;
    for (int i = 0; i < words; i++)
        total += n[i];
    return total;
}

/* Values with h, h/2, h/4; how many there are of each. */
static int by_h(ph_study *study, const ph_claim_run *run, double y[3][PH_CLAIM_MAX])
{
    int n = 0;
    for (int k = 0; k < 3; k++) {
        ph_claim_run r = *run;
        r.h = ldexp(run->h, -k);
        n = look(study, &r, y[k]);
        if (n == 0)
            return 0;
    }
    return n;
}

int ph_measure_model(ph_study *study, const ph_claim_run *run, double *value)
{
    return look(study, run, value) > 0;
}

/* y(h) = y + c2 h^2 + c3 h^3 + ... */
int ph_measure_model_limit(ph_study *study, const ph_claim_run *run, double *value)
{
    double y[3][PH_CLAIM_MAX];
    int n = by_h(study, run, y);
    for (int i = 0; i < n; i++) {
        double a = y[1][i] + (y[1][i] - y[0][i]) / 3, b = y[2][i] + (y[2][i] - y[1][i]) / 3;
        value[i] = b + (b - a) / 7;
    }
    return n > 0;
}

static double distance(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(s);
}

/* The length of the error. */
int ph_measure_model_order(ph_study *study, const ph_claim_run *run, double *value)
{
    double y[3][PH_CLAIM_MAX], look_again[PH_CLAIM_MAX];
    int n[PH_CLAIM_MAX], words = by_h(study, run, y) ? ph_model_result_look(study, run, look_again, n) : 0,
                         at = 0;
    for (int w = 0; w < words; at += n[w++]) {
        double e[3];
        for (int k = 0; k < 3; k++)
            e[k] = distance(n[w], y[k] + at, run->exact + at);
        value[w] = ph_claim_order(run, e);
    }
    return words > 0;
}

int ph_measure_model_distance(ph_study *study, const ph_claim_run *run, double *value)
{
    double y[PH_CLAIM_MAX];
    int n = look(study, run, y);
    value[0] = distance(n, y, run->exact);
    return n > 0;
}

int ph_measure_model_error(ph_study *study, const ph_claim_run *run, double *value)
{
    const double sigma[3] = {0, 1, PH_SIGMA_OPT};
    int ok = 1;
    for (int i = 0; ok && i < 3; i++) {
        ph_claim_run r = *run;
        r.sigma = sigma[i];
        ok = ph_measure_model_distance(study, &r, &value[i]);
    }
    return ok;
}
