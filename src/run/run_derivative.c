/* Derivatives by parameters: those of the state follow the steps, and
 *
 *   d(f(x(p), p))/dp = f_x x' + f_p                                                                  (W10)
 *
 * gives those of all that is read of it: f_x x' of positions and rotations as it is, of other numbers by differences along
 * x', with steps of rotations that are small whatever the parameter does; f_p by differences over the neighbouring models, at
 * the same state. */
#include <string.h>

#include "base/difference.h"
#include "base/quotient.h"
#include "mech/mech.h"
#include "mech/support.h"
#include "run/neighbours.h"
#include "step/sim.h"

struct ph_following {
    int n;
    ph_neighbours *near;
    ph_sens *sens;
    ph_so_far *so_far;   /* objectives x n: derivatives of what is integrated */
    ph_over_slope *over; /* n x numbers of sensors with over_time */
    int jumped;          /* at the start of the step, as it is looked at just after, numbers begin anew: */
    double after;        /* what accelerations do there is known once the step is made */
};

void ph_following_free(ph_run *run)
{
    ph_following *f = run->following;
    if (!f)
        return;
    ph_sens_destroy(f->sens);
    for (int k = 0; k < f->n; k++)
        ph_neighbours_destroy(&f->near[k]);
    ph_free(run->config.alloc, f->near);
    ph_free(run->config.alloc, f->so_far);
    ph_free(run->config.alloc, f->over);
    ph_free(run->config.alloc, f);
    run->following = NULL;
}

ph_status ph_neighbours_explain(const ph_neighbours *near, int n, ph_status s, ph_error *err)
{
    for (int k = 0; k < n && s == PH_E_CALLBACK; k++)
        for (int i = 0; i < PH_NEIGHBOURS; i++) {
            const char *why = ph_model_complaint(near[k].at[i].model);
            if (why[0])
                return ph_fail(err, s, "parameter '%s': %.400s", near[k].name, why);
        }
    return s;
}

ph_status ph_neighbours_of(const ph_run *run, const int *parameters, int n, ph_neighbours **near,
                           ph_param **param, ph_error *err)
{
    const ph_allocator *alloc = run->config.alloc;
    *near = ph_alloc(alloc, (size_t)(n + 1) * sizeof **near);
    *param = ph_alloc(alloc, (size_t)(n + 1) * sizeof **param);
    ph_status s = *near && *param ? PH_OK : ph_fail(err, PH_E_MEMORY, "not enough memory for derivatives");
    int made = 0;
    for (; made < n && s == PH_OK; made++) {
        s = ph_neighbours_create(&(*near)[made], run, parameters[made], 0, err);
        (*param)[made] = ph_neighbours_param(&(*near)[made]);
    }
    if (s == PH_OK)
        return s;
    for (int k = 0; k < made - 1; k++)
        ph_neighbours_destroy(&(*near)[k]);
    ph_free(alloc, *near), ph_free(alloc, *param);
    *near = NULL, *param = NULL;
    return s;
}

static ph_status attach(ph_run *run, const int *parameters, int n, ph_error *err)
{
    const ph_allocator *alloc = run->config.alloc;
    ph_param *param;
    ph_following *f = ph_alloc(alloc, sizeof *f);
    if (!f)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for derivatives");
    *f = (ph_following){.n = n};
    size_t room = (size_t)run->model->n_objectives * (size_t)n + 1, over = (size_t)(run->n_over * n) + 1;
    f->so_far = ph_alloc(alloc, room * sizeof *f->so_far);
    f->over = ph_alloc(alloc, over * sizeof *f->over);
    ph_status s = f->so_far && f->over ? ph_neighbours_of(run, parameters, n, &f->near, &param, err)
                                       : ph_fail(err, PH_E_MEMORY, "not enough memory for derivatives");
    if (s != PH_OK) {
        ph_free(alloc, f->so_far), ph_free(alloc, f->over);
        ph_free(alloc, f);
        return s;
    }
    memset(f->so_far, 0, room * sizeof *f->so_far);
    memset(f->over, 0, over * sizeof *f->over);
    run->following = f;
    s = ph_sens_create(&f->sens, run->sim, n, param, err);
    ph_free(alloc, param);
    if (s != PH_OK) {
        ph_neighbours_explain(f->near, n, s, err);
        ph_following_free(run);
    }
    return s;
}

ph_status ph_run_follow(ph_run *run, const int *parameters, int n, ph_error *err)
{
    if (!run || (!parameters && n > 0))
        return ph_refuse_null("run, parameters", err);
    if (n < 0)
        return ph_fail(err, PH_E_INPUT, "%d parameters cannot be followed", n);
    if (n == 0) {
        ph_following_free(run);
        return PH_OK;
    }
    if (!run->model)
        return ph_fail(err, PH_E_INPUT, "a system of one's own has no parameters");
    ph_status s = ph_mechanism_can(run->mech, PH_CAN_SENS, err);
    if (s == PH_OK)
        s = ph_run_start(run, err);
    if (s != PH_OK)
        return s;
    if (ph_sim_stats(run->sim).steps > 0)
        return ph_fail(err, PH_E_INPUT, "derivatives begin with the first step: reset the run first");
    if (run->moved)
        return ph_fail(err, PH_E_INPUT,
                       "derivatives begin at the initial values, and the run did not: reset it first");
    for (int k = 0; k < n && s == PH_OK; k++)
        s = ph_corners_stay(run, parameters[k], err);
    if (s != PH_OK)
        return s;
    ph_following *before = run->following, *now;
    run->following = NULL, run->sim->sens = NULL;
    s = attach(run, parameters, n, err);
    now = run->following, run->following = before;
    if (s == PH_OK) {
        ph_following_free(run);
        run->following = now;
    }
    run->sim->sens = run->following ? run->following->sens : NULL;
    if (s == PH_OK)
        ph_following_look(run, 0);
    return s;
}

ph_status ph_run_simplify(ph_run *run, ph_simplification how, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    if (!run->following)
        return ph_fail(err, PH_E_INPUT, "no derivatives follow the run");
    return ph_sens_simplify(run->following->sens, how, err);
}

/* dp that moves what moves fastest by PH_DIFFERENCE_FIRST: in m and rad, or as a part of its speed or of the multipliers. */
static double step_of(const ph_run *run, int k)
{
    ph_derivative d = ph_sens_get(run->following->sens, k);
    ph_state s = ph_sim_state(run->sim);
    int nl = ph_system_nl(run->sys);
    double most = 0, force = 1;
    for (int i = 0; i < ph_system_nv(run->sys); i++)
        most = fmax(most, fmax(fabs(d.W[i]), fabs(d.v[i]) / fmax(1, fabs(s.v[i]))));
    for (int i = 0; i < nl; i++)
        force = fmax(force, fabs(s.lambda[i]));
    for (int i = 0; i < nl; i++)
        most = fmax(most, fabs(d.lambda[i]) / force);
    return most > 0 ? PH_DIFFERENCE_FIRST / most : run->following->near[k].eps;
}

/* A number of the run as something to be differentiated. */
typedef struct view {
    const ph_run *run;
    int what, index, n;
    ph_objective_part part; /* of an objective */
    double base[4];         /* a rotation is a vector from there */
} view;

static ph_status look_at(const view *v, ph_mechanism *mech, const ph_state *s, double *out)
{
    ph_status status;
    if (v->what == PH_GET_OBJECTIVE)
        return ph_mechanism_objective(mech, s, v->index, v->part, out, NULL);
    status = ph_numbers_of(v->run, mech, s, v->what, v->index, out);
    if (status == PH_OK && v->what == PH_GET_ROTATION)
        ph_rotation_between(v->base, out, out);
    return status;
}

static const int place[PH_NEIGHBOURS] = {-2, -1, 1, 2};

/* f_x x': the best of some steps, number by number. */
static ph_status along(const view *v, int k, double *out)
{
    const ph_run *run = v->run;
    double f[PH_NEIGHBOURS][PH_SENSOR_MAX], error[PH_SENSOR_MAX], last[PH_SENSOR_MAX], e = step_of(run, k);
    int good = 0;
    for (int i = 0; i < v->n; i++)
        out[i] = 0, error[i] = HUGE_VAL, last[i] = NAN;
    for (int tries = 0; tries < PH_QUOTIENT_TRIES && !good; tries++, e /= 8) {
        for (int j = 0; j < PH_NEIGHBOURS; j++) {
            ph_state moved = ph_sens_move(run->following->sens, k, place[j] * e);
            ph_status s = look_at(v, run->mech, &moved, f[j]);
            if (s != PH_OK)
                return s;
        }
        good = 1;
        for (int i = 0; i < v->n; i++) {
            double four[] = {f[0][i], f[1][i], f[2][i], f[3][i]};
            ph_quotient slope = {out[i], error[i], last[i]};
            good &= ph_quotient_try(&slope, four, e);
            out[i] = isnan(four[0] + four[1] + four[2] + four[3]) ? NAN : slope.value;
            error[i] = slope.error, last[i] = slope.last;
        }
    }
    return PH_OK;
}

/* f_p, pair by pair: what is equal cancels. */
static ph_status by_parameter(const view *v, int k, double *out)
{
    const ph_neighbours *near = &v->run->following->near[k];
    ph_state s = ph_sim_state(v->run->sim);
    double f[PH_NEIGHBOURS][PH_SENSOR_MAX];
    for (int j = 0; j < PH_NEIGHBOURS; j++) {
        ph_mechanism_copy_turns(near->at[j].mech, v->run->mech);
        ph_status status = look_at(v, near->at[j].mech, &s, f[j]);
        if (status != PH_OK)
            return status;
    }
    for (int i = 0; i < v->n; i++)
        out[i] += ph_neighbours_difference((double[]){f[0][i], f[1][i], f[2][i], f[3][i]}, near->eps);
    return PH_OK;
}

/* Sums over the run are not. */
static int is_followed(const ph_sensor_def *d)
{
    return ph_sensor_can(ph_sensor_row_of(d)->op) >> PH_CAN_SENS & 1;
}

static ph_status derive(const view *v, int k, double *out)
{
    ph_status status = along(v, k, out);
    return status == PH_OK ? by_parameter(v, k, out) : status;
}

/* What sensors come to over time, number by number. */
static void look_over(ph_run *run, const ph_following *f)
{
    const ph_over *o = run->over;
    ph_state s = ph_sim_state(run->sim);
    for (int i = 0; run->n_over && i < run->model->n_sensors; i++) {
        const ph_sensor_def *d = &run->model->sensor[i];
        view v = {.run = run, .what = PH_GET_SENSOR, .index = i, .n = d->size};
        double x[PH_SENSOR_MAX], slope[PH_SENSOR_MAX];
        if (!d->over)
            continue;
        int known = is_followed(d) && ph_mechanism_sensor(run->mech, &s, i, x) == PH_OK;
        for (int k = 0; k < f->n; k++) {
            int all = known && derive(&v, k, slope) == PH_OK;
            for (int j = 0; j < d->size; j++)
                ph_over_follow(o + j, d->over, s.t, all ? x[j] : NAN, all ? slope[j] : NAN,
                               &f->over[k * run->n_over + (int)(o - run->over) + j]);
        }
        o += d->size;
    }
}

/* The integrals by the trapezoidal rule, as those of the objectives themselves; NaN where a function fails. */
static void look(ph_run *run, double dt)
{
    const ph_following *f = run->following;
    look_over(run, f);
    for (int i = 0; i < run->model->n_objectives; i++) {
        view v = {.run = run, .what = PH_GET_OBJECTIVE, .index = i, .n = 1, .part = PH_ON_THE_WAY};
        for (int k = 0; k < f->n && ph_objective_has(run->model, i, PH_ON_THE_WAY); k++) {
            ph_so_far *o = &f->so_far[i * f->n + k];
            double slope;
            if (derive(&v, k, &slope) != PH_OK)
                slope = NAN;
            o->sum += dt > 0 ? dt / 2 * (slope + o->last) : 0;
            o->last = slope;
        }
    }
}

static void begin_anew(ph_run *run)
{
    ph_following *f = run->following;
    for (int i = 0; i < run->n_over * f->n; i++)
        ph_integral_jump(&f->over[i].sum);
    look(run, 0);
    f->jumped = 0;
}

/* Where the step begins without memory, so do derivatives. */
static void begin_step(ph_run *run)
{
    const ph_following *f = run->following;
    double *t = &run->sim->now.t;
    ph_sens_turn(f->sens);
    double begun = *t;
    *t = f->after;
    begin_anew(run);
    *t = begun;
    ph_sens_turn(f->sens);
}

void ph_following_look(ph_run *run, double dt)
{
    if (run->following && run->following->jumped)
        begin_step(run);
    if (run->following)
        look(run, dt);
}

void ph_following_jump(ph_run *run)
{
    ph_following *f = run->following;
    f->after = f->jumped ? f->after : ph_run_time(run), f->jumped = 1;
    if (!ph_sim_paced(run->sim))
        begin_anew(run);
}

static ph_status objective(const ph_run *run, int index, int k, double *out)
{
    view v = {.run = run, .what = PH_GET_OBJECTIVE, .index = index, .n = 1, .part = PH_AT_THE_END};
    double final = 0;
    ph_status status = PH_OK;
    if (ph_objective_has(run->model, index, PH_AT_THE_END))
        status = derive(&v, k, &final);
    *out = run->following->so_far[index * run->following->n + k].sum + final;
    return status != PH_OK || isnan(*out) ? PH_E_CALLBACK : PH_OK;
}

static ph_status over(const ph_run *run, int sensor, int k, double *out)
{
    const ph_sensor_def *d = &run->model->sensor[sensor];
    const ph_over *o = ph_over_of(run, run->over, sensor);
    const ph_over_slope *slope = run->following->over + k * run->n_over + (o - run->over);
    ph_status status = PH_OK;
    for (int i = 0; i < d->size; i++) {
        out[i] = ph_over_slope_of(run, o + i, d->over, slope + i);
        status = isnan(out[i]) ? PH_E_CALLBACK : status;
    }
    return status;
}

/* f_x x' of a position or rotation is the velocity that W is, in any space. */
static void motion(const view *v, int k, double *out)
{
    ph_state s = ph_sim_state(v->run->sim);
    ph_body_state b;
    s.v = ph_sens_get(v->run->following->sens, k).W;
    ph_mechanism_body(v->run->mech, &s, v->index, &b);
    ph_store3(out, v->what == PH_GET_POSITION ? b.v : b.omega);
}

ph_status ph_run_get_derivative(ph_run *run, int what, int index, int k, double *out)
{
    if (!run || !out)
        return ph_refuse_null("run, out", NULL);
    ph_state s = ph_sim_state(run->sim);
    view v = {.run = run, .what = what, .index = index, .n = ph_run_size(run, what, index)};
    int sensor = what == PH_GET_SENSOR || what == PH_GET_OVER;
    int seen = what <= PH_GET_SENSOR || sensor || what == PH_GET_STATE || what == PH_GET_OBJECTIVE;
    if (sensor && v.n > 0)
        seen = is_followed(&run->model->sensor[index]);
    if (!run->following || k < 0 || k >= run->following->n || v.n < 1 || v.n > PH_SENSOR_MAX || !seen)
        return PH_E_INPUT;
    if (what == PH_GET_OBJECTIVE)
        return objective(run, index, k, out);
    if (what == PH_GET_OVER)
        return over(run, index, k, out);
    if (what == PH_GET_ROTATION) {
        ph_numbers_of(run, run->mech, &s, what, index, v.base);
        v.n = 3;
    }
    if (what == PH_GET_POSITION || what == PH_GET_ROTATION) {
        motion(&v, k, out);
        return by_parameter(&v, k, out);
    }
    return derive(&v, k, out);
}
