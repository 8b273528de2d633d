/* Numbers from outside, over time. */
#include "mech/mech.h"

#define NEAR 1e-9 /* of an interval of a table: times that are the same but for rounding */

/* The last point of the table that is not after t; -1: t is before all of them. */
static int point_before(const ph_input *u, double t)
{
    int low = -1, high = u->n;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (u->at[mid] <= t)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* Times of the table that are less apart are the same. */
static double resolution(const ph_input *u)
{
    return u->n > 1 ? NEAR * (u->at[u->n - 1] - u->at[0]) / (u->n - 1) : 0;
}

/* Steps are taken at the begin of a step of time: what its end reaches is still the value before. Earlier times are those of others
 * than the run, such as reference solutions. */
static double step_at(const ph_input *u, double t)
{
    double near = resolution(u), end = t - near;
    int i = point_before(u, end < u->from - 2 * near ? end : fmax(u->from + near, end));
    return u->value[i < 0 ? 0 : i];
}

double ph_input_jump(const ph_input *u, double t, double before)
{
    double near = resolution(u);
    if (!u->step || u->n < 2)
        return HUGE_VAL;
    int i = point_before(u, t + near) + 1;
    while (i < u->n && (i < 1 || u->value[i] == u->value[i - 1]))
        i++;
    return i < u->n && u->at[i] < before - near ? u->at[i] : HUGE_VAL;
}

static double line_at(const ph_input *u, double t)
{
    int i = point_before(u, t);
    if (i < 0 || i == u->n - 1)
        return u->value[i < 0 ? 0 : i];
    double part = (t - u->at[i]) / (u->at[i + 1] - u->at[i]);
    return u->value[i] + part * (u->value[i + 1] - u->value[i]);
}

double ph_mechanism_input(const ph_mechanism *m, int input, double t)
{
    const ph_input *u = &m->input[input];
    return u->own ? m->model->input[input].value : ph_input_at(u, t);
}

double ph_input_at(const ph_input *u, double t)
{
    if (u->n)
        return u->step ? step_at(u, t) : line_at(u, t);
    if (!(t < u->t[1]))
        return u->u[1];
    return t <= u->t[0] ? u->u[0] : u->u[0] + (t - u->t[0]) / (u->t[1] - u->t[0]) * (u->u[1] - u->u[0]);
}
