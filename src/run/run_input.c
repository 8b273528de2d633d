/* Inputs of a run: numbers from outside, set between steps or given as tables over time. They belong to the run, whatever
 * becomes of its mechanism, which gets a copy of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "io/csv.h"
#include "mech/mech.h"
#include "run/private.h"
#include "step/sim.h"

/* ---- what the run keeps --------------------------------------------------------------------------------- */

static int count(const ph_run *run)
{
    return run->model ? run->model->n_inputs : 0;
}

static void hand_over(ph_run *run)
{
    for (int k = 0; k < run->n_inputs; k++)
        run->mech->input[k] = run->input[k];
}

/* One that was set in a step of the past, as a line to its end, has come there; a table begins anew. */
static void settle(ph_input *u)
{
    u->from = -HUGE_VAL;
    if (!u->n)
        u->t[0] = u->t[1], u->u[0] = u->u[1];
}

/* Values that are not set are those of the model at hand. */
static void begin_input(ph_run *run, int k)
{
    if (run->input_set[k])
        settle(&run->input[k]);
    else
        run->input[k] = run->mech->input[k];
}

void ph_inputs_free(ph_run *run)
{
    const ph_allocator *alloc = run->config.alloc;
    for (int k = 0; k < run->n_inputs; k++)
        ph_free(alloc, run->input_table[k]);
    ph_free(alloc, run->input);
    ph_free(alloc, run->input_table);
    ph_free(alloc, run->input_set);
    run->input = NULL, run->input_table = NULL, run->input_set = NULL, run->n_inputs = 0;
}

ph_status ph_inputs_adopt(ph_run *run)
{
    const ph_allocator *alloc = run->config.alloc;
    int n = count(run);
    if (n != run->n_inputs) {
        ph_inputs_free(run);
        run->input = ph_alloc(alloc, (size_t)n * sizeof *run->input);
        run->input_table = ph_alloc(alloc, (size_t)n * sizeof *run->input_table);
        run->input_set = ph_alloc(alloc, (size_t)n * sizeof *run->input_set);
        if (!run->input || !run->input_table || !run->input_set) {
            ph_free(alloc, run->input), ph_free(alloc, run->input_table), ph_free(alloc, run->input_set);
            run->input = NULL, run->input_table = NULL, run->input_set = NULL;
            return PH_E_MEMORY;
        }
        memset((void *)run->input_table, 0, (size_t)n * sizeof *run->input_table);
        memset(run->input_set, 0, (size_t)n * sizeof *run->input_set);
        run->n_inputs = n;
    }
    for (int k = 0; k < n; k++)
        begin_input(run, k);
    run->jumped = 0;
    hand_over(run);
    return PH_OK;
}

void ph_inputs_settle(ph_run *run)
{
    for (int k = 0; k < run->n_inputs; k++)
        settle(&run->input[k]);
    run->jumped = 0; /* accelerations are found anew at the start */
    if (run->n_inputs)
        hand_over(run);
}

/* ---- values --------------------------------------------------------------------------------------------- */

double ph_inputs_value(const ph_run *run, int input)
{
    return ph_input_at(&run->mech->input[input], ph_run_time(run));
}

static int started(const ph_run *run)
{
    return ph_sim_stats(run->sim).steps > 0;
}

void ph_inputs_put(ph_run *run, int input, double value)
{
    ph_input *u = &run->input[input];
    u->n = u->own = 0;
    u->t[0] = u->t[1] = ph_run_time(run), u->u[0] = u->u[1] = value;
    hand_over(run);
}

/* Steps by tolerance end at the points of tables. */
static ph_status find_corners(ph_run *run, ph_error *err)
{
    ph_run_def def = run->def;
    ph_times all;
    double *own;
    def.opt.nonsmooth = run->said.opt.nonsmooth;
    if (ph_corners_find(run, run->model, &def, &all, &own) != PH_OK)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for the table of an input");
    ph_free(run->config.alloc, run->corners);
    run->corners = own, run->sim->opt.nonsmooth = run->def.opt.nonsmooth = all;
    return PH_OK;
}

ph_status ph_run_set_input(ph_run *run, int input, double value)
{
    if (!run)
        return ph_refuse_null("run", NULL);
    if (input < 0 || input >= run->n_inputs || !isfinite(value))
        return PH_E_INPUT;
    ph_input *u = &run->input[input];
    double now = ph_run_time(run), before = ph_inputs_value(run, input), h = run->def.opt.h;
    int line = !u->step && started(run) && h > 0;
    int had_table = u->n > 0;
    u->n = u->own = 0; /* its table stays until another one comes */
    u->t[0] = now, u->t[1] = line ? now + h : now;
    u->u[0] = line ? before : value, u->u[1] = value;
    run->jumped |= (!line || ph_sim_has_grid(run->sim)) && value != before; /* steps may have run past it */
    run->input_set[input] = 1;
    hand_over(run);
    return had_table ? find_corners(run, NULL) : PH_OK;
}

static ph_status check_table(const ph_run *run, int input, int n, const double *t, const double *u,
                             ph_error *err)
{
    if (input < 0 || input >= run->n_inputs)
        return ph_fail(err, PH_E_INPUT, "there is no input %d", input);
    const char *name = run->model->input[input].name;
    if (n < 1)
        return ph_fail(err, PH_E_INPUT, "input '%s': its table is empty", name);
    for (int i = 0; i < n; i++) {
        if (!isfinite(t[i]) || !isfinite(u[i]))
            return ph_fail(err, PH_E_INPUT, "input '%s': row %d of its table is not a number", name, i + 1);
        if (i && !(t[i] > t[i - 1]))
            return ph_fail(err, PH_E_INPUT,
                           "input '%s': times of its table must increase: row %d has %.9g after %.9g", name,
                           i + 1, t[i], t[i - 1]);
    }
    return PH_OK;
}

ph_status ph_run_set_input_table(ph_run *run, int input, int n, const double *t, const double *u,
                                 ph_error *err)
{
    if (!run || (!t && n > 0) || (!u && n > 0))
        return ph_refuse_null("run, t, u", err);
    ph_status s = check_table(run, input, n, t, u, err);
    double *table = s == PH_OK ? ph_alloc(run->config.alloc, 2 * (size_t)n * sizeof *table) : NULL;
    if (s != PH_OK)
        return s;
    if (!table)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for the table of an input");
    double before = ph_inputs_value(run, input);
    memcpy(table, t, (size_t)n * sizeof *t);
    memcpy(table + n, u, (size_t)n * sizeof *u);
    ph_free(run->config.alloc, run->input_table[input]);
    run->input_table[input] = table;
    ph_input *x = &run->input[input];
    x->n = n, x->at = table, x->value = table + n, x->own = 0;
    run->input_set[input] = 1;
    hand_over(run);
    run->jumped |= ph_inputs_value(run, input) != before;
    return find_corners(run, err);
}

double ph_inputs_bend(const ph_run *run)
{
    double now = ph_run_time(run), t = HUGE_VAL;
    for (int k = 0; k < run->n_inputs; k++)
        if (!run->input[k].n && run->input[k].t[1] > now)
            t = fmin(t, run->input[k].t[1]);
    return t;
}

double ph_inputs_part(const ph_run *run)
{
    double now = ph_run_time(run), to = ph_sim_next_of_grid(run->sim), t = HUGE_VAL;
    for (int k = 0; k < run->n_inputs; k++)
        t = fmin(t, ph_input_jump(&run->input[k], now, to));
    return t;
}

int ph_inputs_jump(const ph_run *run)
{
    for (int k = 0; k < run->n_inputs; k++) {
        const ph_input *u = &run->input[k];
        for (int i = 1; i < u->n && u->step; i++)
            if (u->at[i] >= run->t0 && u->at[i] <= run->def.t_end && u->value[i] != u->value[i - 1])
                return k;
    }
    return -1;
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

/* Whether a table has another value from now on than up to now. */
static int steps_at(const ph_input *u, double now)
{
    ph_input on = *u;
    on.from = now;
    return u->n && u->step && ph_input_at(&on, now) != ph_input_at(u, now);
}

/* A step of a table, or of a value that was set, changes accelerations at once: the method starts anew from where it is. */
ph_status ph_inputs_before_step(ph_run *run, ph_error *err)
{
    double now = ph_run_time(run);
    int jumps = run->jumped;
    for (int k = 0; k < run->n_inputs; k++)
        jumps |= steps_at(&run->mech->input[k], now);
    if (jumps)
        ph_undo_keep(run);
    ph_inputs_begin(run, 1);
    if (!jumps)
        return PH_OK;
    ph_status s = ph_sim_restart(run->sim, err);
    run->jumped = s != PH_OK;
    if (s == PH_OK)
        ph_run_jump(run);
    else
        ph_undo_return(run);
    return s;
}

void ph_inputs_begin(ph_run *run, int keep)
{
    for (int k = 0; k < run->n_inputs; k++)
        if (run->input[k].n && run->input[k].step) {
            run->mech->input[k].from = ph_run_time(run);
            if (keep)
                run->input[k].from = ph_run_time(run);
        }
}

void ph_inputs_return(ph_run *run)
{
    for (int k = 0; k < run->n_inputs; k++)
        run->mech->input[k].from = run->input[k].from;
}

/* ---- save and restore ------------------------------------------------------------------------------------ */

void ph_inputs_tape(ph_run *run, ph_tape *t)
{
    for (int k = 0; k < run->n_inputs; k++) {
        ph_input *u = &run->input[k];
        ph_tape_numbers(t, u->t, 2);
        ph_tape_numbers(t, u->u, 2);
        ph_tape_numbers(t, &u->from, 1);
        ph_tape_int(t, &u->n);
        ph_tape_int(t, &u->own);
        ph_tape_int(t, &run->input_set[k]);
    }
    ph_tape_int(t, &run->jumped);
    if (t->mode == PH_TAPE_READ && run->n_inputs)
        hand_over(run);
}

/* Tables are not saved, but must be the same. */
uint64_t ph_inputs_key(const ph_run *run, uint64_t key)
{
    for (int k = 0; k < run->n_inputs; k++) {
        const ph_input *u = &run->input[k];
        if (u->n)
            key = ph_hash_bytes(key, run->input_table[k], 2 * (size_t)u->n * sizeof(double));
    }
    return key;
}

/* ---- from words ------------------------------------------------------------------------------------------ */

/* Columns t and that of the input, or the second one of two. */
static ph_status from_file(ph_run *run, int input, const char *path, ph_error *err)
{
    const char *name = run->model->input[input].name;
    char why[400];
    ph_csv_data d;
    if (!ph_csv_read(&d, path, why, sizeof why))
        return ph_fail(err, PH_E_INPUT, "input '%s': %s", name, why);
    int t = ph_csv_find(&d, "t"), u = ph_csv_find(&d, name);
    u = u < 0 ? ph_csv_find(&d, "u") : u;
    ph_status s = PH_OK;
    if (t < 0 || u < 0)
        s = ph_fail(err, PH_E_INPUT, "input '%s': '%.200s' has no column '%s'", name, path,
                    t < 0 ? "t" : name);
    else if (ph_csv_twice(&d, t) || ph_csv_twice(&d, u))
        s = ph_fail(err, PH_E_INPUT, "input '%s': '%.200s' has several columns '%s'", name, path,
                    d.names[ph_csv_twice(&d, t) ? t : u]);
    int n = (int)d.n_rows;
    double *x = s == PH_OK ? ph_alloc(run->config.alloc, (2 * (size_t)n + 1) * sizeof *x) : NULL;
    if (s == PH_OK && !x)
        s = ph_fail(err, PH_E_MEMORY, "not enough memory for the table of an input");
    for (int i = 0; i < n && s == PH_OK; i++) {
        x[i] = d.x[(size_t)i * (size_t)d.n_columns + (size_t)t];
        x[n + i] = d.x[(size_t)i * (size_t)d.n_columns + (size_t)u];
    }
    if (s == PH_OK) {
        ph_error own = {0};
        s = ph_run_set_input_table(run, input, n, x, x + n, &own);
        if (s != PH_OK)
            ph_fail(err, s, "%.300s, in '%.150s'", own.text, path);
    }
    ph_free(run->config.alloc, x);
    ph_csv_clear(&d);
    return s;
}

ph_status ph_run_input_text(ph_run *run, const char *text, ph_error *err)
{
    if (!run || !text)
        return ph_refuse_null("run, text", err);
    const char *is = strchr(text, '=');
    int n = is ? (int)(is - text) : (int)strlen(text), input = -1;
    char *end;
    for (int k = 0; k < run->n_inputs; k++)
        if (strlen(run->model->input[k].name) == (size_t)n &&
            !strncmp(text, run->model->input[k].name, (size_t)n))
            input = k;
    if (!is || !is[1])
        return ph_fail(err, PH_E_INPUT, "an input is set by NAME=NUMBER or NAME=FILE.csv, not by '%.64s'",
                       text);
    if (input < 0) {
        char all[200] = "";
        for (int k = 0, at = 0; k < run->n_inputs && at < 120; k++)
            at +=
                snprintf(all + at, sizeof all - (size_t)at, "%s%s", k ? ", " : "", run->model->input[k].name);
        return ph_fail(err, PH_E_INPUT, "the model has no input '%.*s'%s%s", n > 64 ? 64 : n, text,
                       all[0] ? "; there are: " : "", all);
    }
    double value = strtod(is + 1, &end);
    if (*end)
        return from_file(run, input, is + 1, err);
    if (!isfinite(value))
        return ph_fail(err, PH_E_INPUT, "input '%s': %s is not a number", run->model->input[input].name,
                       is + 1);
    double t = run->t0;
    return ph_run_set_input_table(run, input, 1, &t, &value, err);
}
