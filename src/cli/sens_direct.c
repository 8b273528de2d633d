/* What the derivative of the state makes of what is seen of it: with x' from ph_sens_get,
 *
 *   d(f(x(p), p))/dp = f_x x' + f_p                                                                  (W10)
 *
 * f_x x' by differences along x', with steps of rotations that are small whatever the parameter does; f_p by
 * differences over the neighbouring models, at the same state. */
#include "base/quotient.h"
#include "cli/sens.h"

#define STEP 0x1p-9 /* of what moves fastest, in m and rad, or as a part of its speed or of the multipliers */

/* n numbers of a state. */
typedef ph_status (*view_fn)(const ph_sens_study *st, const ph_state *s, void *ctx, double *out);

/* dp that moves the state by STEP. */
static double step_of(const ph_job *r, const ph_sens_study *st, int k)
{
    ph_derivative d = ph_sens_get(st->sens, k);
    ph_state s = ph_sim_state(r->sim);
    int nl = ph_system_nl(&r->p->sys);
    double most = 0, force = 1;
    for (int i = 0; i < ph_system_nv(&r->p->sys); i++)
        most = fmax(most, fmax(fabs(d.W[i]), fabs(d.v[i]) / fmax(1, fabs(s.v[i]))));
    for (int i = 0; i < nl; i++)
        force = fmax(force, fabs(s.lambda[i]));
    for (int i = 0; i < nl; i++)
        most = fmax(most, fabs(d.lambda[i]) / force);
    return most > 0 ? STEP / most : st->vary[k].eps;
}

/* f_x x': the best of some steps, number by number. */
static ph_status along(const ph_job *r, ph_sens_study *st, int k, int n, view_fn view, void *ctx, double *out)
{
    static const int place[PH_NEIGHBOURS] = {-2, -1, 1, 2};
    double e = step_of(r, st, k), *error = st->work[4], *last = st->work[5];
    int good = 0;
    for (int i = 0; i < n; i++)
        out[i] = 0, error[i] = HUGE_VAL, last[i] = NAN;
    for (int tries = 0; tries < PH_QUOTIENT_TRIES && !good; tries++, e /= 8) {
        for (int j = 0; j < PH_NEIGHBOURS; j++) {
            ph_state moved = ph_sens_move(st->sens, k, place[j] * e);
            ph_status s = view(st, &moved, ctx, st->work[j]);
            if (s != PH_OK)
                return s;
        }
        good = 1;
        for (int i = 0; i < n; i++) {
            double f[] = {st->work[0][i], st->work[1][i], st->work[2][i], st->work[3][i]};
            ph_quotient slope = {out[i], error[i], last[i]};
            good &= ph_quotient_try(&slope, f, e);
            out[i] = isnan(f[0] + f[1] + f[2] + f[3]) ? NAN : slope.value;
            error[i] = slope.error, last[i] = slope.last;
        }
    }
    return PH_OK;
}

static ph_status seen_at(const ph_sens_study *st, const ph_state *s, void *ctx, double *out)
{
    ph_seen_values(&st->seen, ctx, s, st->base, out);
    return PH_OK;
}

void ph_sens_derive(const ph_job *r, ph_sens_study *st, int k, double *out)
{
    const ph_vary *vary = &st->vary[k];
    ph_state s = ph_sim_state(r->sim);
    ph_seen_base(&st->seen, r->subject.mech, &s, st->base);
    along(r, st, k, st->seen.width, seen_at, r->subject.mech, out);
    for (int j = 0; j < PH_NEIGHBOURS; j++) {
        ph_mechanism_count_as(vary->at[j].mech, r->subject.mech);
        ph_seen_values(&st->seen, vary->at[j].mech, &s, st->base, st->work[j]);
    }
    for (int i = 0; i < st->seen.width; i++) { /* pair by pair: what is equal cancels */
        double inner = st->work[2][i] - st->work[1][i], outer = st->work[3][i] - st->work[0][i];
        out[i] += (8 * inner - outer) / (12 * vary->eps);
    }
}

typedef struct at_part {
    ph_goal *goal;
    ph_objective_part part;
} at_part;

static ph_status aim_at(const ph_sens_study *st, const ph_state *s, void *ctx, double *out)
{
    const at_part *a = ctx;
    (void)st;
    ph_status status = ph_mechanism_objective(a->goal->mech, s, a->goal->objective, a->part, out, NULL);
    if (status != PH_OK)
        a->goal->refused = a->goal->model, a->goal->t = s->t;
    return status;
}

ph_status ph_sens_derive_aim(const ph_job *r, ph_sens_study *st, ph_aim *aim, ph_objective_part part, int k,
                             double *out)
{
    ph_state s = ph_sim_state(r->sim);
    double by_p = 0;
    ph_status status = along(r, st, k, 1, aim_at, &(at_part){&aim->goal, part}, out);
    if (status == PH_OK)
        status = ph_goal_by_parameter(&aim->goal, &s, part, k, &by_p);
    *out += by_p;
    return status;
}
