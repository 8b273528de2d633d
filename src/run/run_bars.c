/* Error bars of a run: the global error follows its steps (VS11), and what is read of the state less its error is compared
 * with what is read of the state. */
#include <stdio.h>
#include <string.h>

#include "mech/mech.h"
#include "mech/support.h"
#include "run/private.h"
#include "step/sim.h"

struct ph_bars {
    ph_sens *sens;
    int extrapolate; /* numbers of the run are those of the better state */
    ph_over *over;   /* and objectives, of the better states */
    ph_so_far *so_far;
    ph_integral
        *integral;   /* of objectives: of order 4, since the trapezoidal rule of the run has an error, too */
    ph_state better; /* NULL pointers: not found yet at the present step */
    ph_status status;
};

void ph_bars_free(ph_run *run)
{
    struct ph_bars *b = run->bars;
    if (!b)
        return;
    ph_sens_destroy(b->sens);
    ph_free(run->config.alloc, b->over), ph_free(run->config.alloc, b->so_far);
    ph_free(run->config.alloc, b->integral);
    ph_free(run->config.alloc, b);
    run->bars = NULL;
}

static ph_status take(ph_run *run, ph_error *err)
{
    const ph_allocator *alloc = run->config.alloc;
    size_t n = (size_t)run->n_over + 1, m = run->model ? (size_t)run->model->n_objectives + 1 : 1;
    struct ph_bars *b = run->bars = ph_alloc(alloc, sizeof *b);
    if (b) {
        *b = (struct ph_bars){0};
        b->over = ph_alloc(alloc, n * sizeof *b->over);
        b->so_far = ph_alloc(alloc, m * sizeof *b->so_far);
        b->integral = ph_alloc(alloc, m * sizeof *b->integral);
    }
    if (!b || !b->over || !b->so_far || !b->integral)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for error bars");
    memset(b->over, 0, n * sizeof *b->over), memset(b->so_far, 0, m * sizeof *b->so_far);
    memset(b->integral, 0, m * sizeof *b->integral);
    return ph_sens_create_error(&b->sens, run->sim, err);
}

ph_status ph_run_error_bars(ph_run *run, int on, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    ph_bars_free(run);
    if (!on)
        return PH_OK;
    ph_status s = ph_events_refuse(run, PH_NO_BARS, err);
    if (s == PH_OK)
        s = ph_mechanism_can(run->mech, PH_CAN_SENS, err);
    if (s == PH_OK)
        s = ph_run_start(run, err);
    if (s == PH_OK && ph_sim_stats(run->sim).steps > 0)
        s = ph_fail(err, PH_E_INPUT, "error bars begin with the first step: reset the run first");
    if (s == PH_OK)
        s = take(run, err);
    if (s != PH_OK) {
        ph_bars_free(run);
        return s;
    }
    ph_bars_look(run);
    return s;
}

ph_status ph_run_extrapolate(ph_run *run, int on)
{
    if (!run)
        return ph_refuse_null("run", NULL);
    if (!run->bars)
        return PH_E_INPUT;
    run->bars->extrapolate = on;
    return PH_OK;
}

int ph_run_extrapolates(const ph_run *run)
{
    return run->bars && run->bars->extrapolate;
}

/* ---- states ---------------------------------------------------------------------------------------------- */

/* Once for each step. */
static const ph_state *better(ph_run *run)
{
    struct ph_bars *b = run->bars;
    if (b->better.q)
        return &b->better;
    b->status = ph_sens_better(b->sens, &b->better);
    b->better.eta = ph_sim_state(run->sim).eta;
    if (b->status != PH_OK)
        b->better = ph_sim_state(run->sim);
    return &b->better;
}

ph_state ph_run_state(ph_run *run)
{
    return ph_run_extrapolates(run) ? *better(run) : ph_sim_state(run->sim);
}

const ph_over *ph_bars_over(const ph_run *run)
{
    return ph_run_extrapolates(run) ? run->bars->over : run->over;
}

const ph_so_far *ph_bars_so_far(const ph_run *run)
{
    return ph_run_extrapolates(run) ? run->bars->so_far : run->so_far;
}

static void integrate(ph_run *run, struct ph_bars *b, const ph_state *s)
{
    for (int k = 0; run->model && k < run->model->n_objectives; k++) {
        double x;
        if (!ph_objective_has(run->model, k, PH_ON_THE_WAY))
            continue;
        if (ph_mechanism_objective(run->mech, s, k, PH_ON_THE_WAY, &x, NULL) != PH_OK)
            x = NAN;
        ph_integral_take(run, &b->integral[k], s->t, x);
        b->so_far[k].sum = ph_integral_value(&b->integral[k]);
    }
}

void ph_bars_look(ph_run *run)
{
    struct ph_bars *b = run->bars;
    if (!b)
        return;
    b->better = (ph_state){0};
    if (!run->n_over && !(run->model && run->model->n_objectives))
        return;
    const ph_state *s = better(run);
    ph_over_add(run, b->over, s);
    ph_over_peaks(run, b->over); /* what the points of the run miss is an error of its extreme values */
    integrate(run, b, s);
}

void ph_bars_jump(ph_run *run)
{
    struct ph_bars *b = run->bars;
    for (int i = 0; i < run->n_over; i++)
        ph_integral_jump(&b->over[i].sum);
    for (int k = 0; run->model && k < run->model->n_objectives; k++)
        ph_integral_jump(&b->integral[k]);
    ph_bars_look(run);
}

void ph_bars_before(ph_run *run, double t)
{
    run->bars->better = (ph_state){0};
    better(run);
    run->bars->better.t = t;
}

/* ---- errors ------------------------------------------------------------------------------------------------ */

/* log(R^T R_better), body components */
static void turn(const double *from, const double *to, double *out)
{
    const ph_group_ops *so3 = ph_group_get(PH_SO3);
    double a[4];
    so3->inverse(3, from, a);
    so3->compose(3, a, to, a);
    so3->log(3, a, out);
}

static ph_status over_error(ph_run *run, int sensor, int n, double *out)
{
    double x[PH_SENSOR_MAX];
    if (!ph_over_numbers(run, run->over, sensor, x) || !ph_over_numbers(run, run->bars->over, sensor, out))
        return PH_E_INPUT;
    for (int i = 0; i < n; i++)
        out[i] -= x[i];
    return PH_OK;
}

static ph_status objective_error(ph_run *run, int k, double *out)
{
    ph_state s = ph_sim_state(run->sim);
    double x = 0;
    ph_status status = ph_objective_value(run, run->so_far, &s, k, &x);
    if (status == PH_OK)
        status = ph_objective_value(run, run->bars->so_far, better(run), k, out);
    *out -= x;
    return status;
}

/* Sums over the run, whose error is not followed. */
static int is_sum(const ph_run *run, int what, int index)
{
    return what == PH_GET_SENSOR && ph_sensor_row_of(&run->model->sensor[index])->op->depth == PH_NOT_SEEN;
}

ph_status ph_run_get_error(ph_run *run, int what, int index, double *out)
{
    if (!run || !out)
        return ph_refuse_null("run, out", NULL);
    int n = run->bars ? ph_run_size(run, what, index) : 0;
    double x[PH_SENSOR_MAX];
    if (n < 1 || n > PH_SENSOR_MAX || what == PH_GET_ETA)
        return PH_E_INPUT;
    if (what == PH_GET_OVER)
        return over_error(run, index, n, out);
    if (what == PH_GET_OBJECTIVE)
        return objective_error(run, index, out);
    if (!(what <= PH_GET_SENSOR || what == PH_GET_STATE) || is_sum(run, what, index))
        return PH_E_INPUT;
    double y[PH_SENSOR_MAX]; /* a rotation has one number more than its error */
    ph_state s = ph_sim_state(run->sim);
    ph_status status = ph_numbers_of(run, run->mech, &s, what, index, x);
    const ph_state *b = better(run);
    if (status == PH_OK)
        status =
            run->bars->status == PH_OK ? ph_numbers_of(run, run->mech, b, what, index, y) : PH_E_CALLBACK;
    if (status != PH_OK)
        return status;
    if (what == PH_GET_ROTATION)
        turn(x, y, out);
    for (int i = 0; i < n && what != PH_GET_ROTATION; i++)
        out[i] = y[i] - x[i];
    return status;
}

/* ---- a tolerance for an objective ------------------------------------------------------------------------------ */

#define FIRST_TOL 1e-3
#define LEAST_TOL 1e-12
#define MARGIN    0.7 /* of a tol that would just do, errors being proportional to it */

static ph_status error_with(ph_run *run, int objective, double tol, double *error, ph_error *err)
{
    char text[48];
    const char *const option = text;
    snprintf(text, sizeof text, "tol=%.17g", tol);
    ph_status s = ph_run_set_options(run, &option, 1, err);
    if (s == PH_OK)
        s = ph_run_error_bars(run, 1, err);
    if (s == PH_OK)
        s = ph_run_until(run, run->def.t_end, err);
    if (s == PH_OK && ph_run_get_error(run, PH_GET_OBJECTIVE, objective, error) != PH_OK)
        s = ph_fail(err, PH_E_CALLBACK, "objective '%s' has no error: its function fails",
                    ph_run_name(run, PH_OBJECTIVES, objective));
    return s;
}

ph_status ph_run_tol_for(ph_run *run, int objective, double wanted, double *tol, ph_error *err)
{
    if (!run || !tol)
        return ph_refuse_null("run, tol", err);
    double x = run->def.opt.tol > 0 ? run->def.opt.tol : FIRST_TOL, error;
    if (!run->model || objective < 0 || objective >= run->model->n_objectives)
        return ph_fail(err, PH_E_INPUT, "there is no objective %d", objective);
    if (!(wanted > 0) || !(run->def.t_end > run->t0))
        return ph_fail(err, PH_E_INPUT, "an error above 0 and a time t_end are needed");
    for (;;) {
        ph_status s = error_with(run, objective, x, &error, err);
        if (s != PH_OK)
            return s;
        if (fabs(error) <= wanted)
            break;
        x *= fmin(0.5, fmax(1e-3, MARGIN * wanted / fabs(error)));
        if (!(x >= LEAST_TOL))
            return ph_fail(err, PH_E_STEP,
                           "objective '%s': its error is %.3g, and no tol down to %g makes it %g",
                           ph_run_name(run, PH_OBJECTIVES, objective), error, LEAST_TOL, wanted);
    }
    *tol = x;
    return ph_run_reset(run, err);
}
