/* The summary of a run in words. */
#include "cli/options.h"
#include "cli/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append(char *text, size_t size, const char *format, ...)
{
    size_t at = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + at, size - at, format, list);
    va_end(list);
}

void ph_report_options(const ph_options *o, char *text, size_t size)
{
    unsigned reads = ph_options_reads(o);
    snprintf(text, size, "%s", o->method);
    if ((reads & PH_READS_SIGMA) && o->sigma == PH_SIGMA_OPT)
        append(text, size, ", sigma opt");
    else if (reads & PH_READS_SIGMA)
        append(text, size, ", sigma %g", o->sigma);
    if (reads & PH_READS_ALPHA)
        append(text, size, ", rho %g", o->rho);
    if (reads & PH_READS_ORDER)
        append(text, size, ", order %d, correction %s", o->order, ph_correction_word((int)o->correction));
    if (reads & PH_READS_TABLEAU)
        append(text, size, ", %s", o->tableau);
    if ((reads & PH_READS_TOL) && o->tol > 0)
        append(text, size, ", tol %g", o->tol);
    append(text, size, ", %s", ph_report_formulation(o));
    if (reads & PH_READS_NEWTON)
        append(text, size, ", %s Newton", ph_newton_word((int)o->newton));
    if (reads & PH_READS_START)
        append(text, size, ", %s start", ph_start_word((int)o->start));
}

void ph_report_settings(const ph_job *r, char *text, size_t size)
{
    ph_report_options(&r->opt, text, size);
    append(text, size, ", %s solver", ph_sim_solver(r->sim));
}

const char *ph_report_formulation(const ph_options *o)
{
    return ph_method_reads(o->method) & PH_READS_FORMULATION ? ph_formulation_word((int)o->formulation)
                                                             : "index1";
}

static void print_cost(const ph_job *r)
{
    ph_stats st = ph_run_summarise(r->run).stats;
    double n = (double)(r->opt.tol > 0 ? st.accepted : st.steps), cpu = st.cpu_s;
    int solves = (ph_options_reads(&r->opt) & PH_READS_NEWTON) != 0;
    if (!st.steps) {
        printf("  cost       no step was done");
        if (solves)
            printf("; %ld Newton iterations in the first", st.iterations);
        printf("\n");
        return;
    }
    printf("  cost       %.3g us per step", 1e6 * cpu / n);
    if (r->bodies->n_own > 1)
        printf(" (%.3g per body)", 1e6 * cpu / n / r->bodies->n_own);
    printf(", %.3g s in all", cpu);
    if (solves)
        printf("; %.2f Newton iterations per step, at most %d", (double)st.iterations / n,
               st.worst_iterations);
    printf("\n");
}

static void print_quality(const ph_job *r)
{
    ph_run_summary sum = ph_run_summarise(r->run);
    ph_energies E = ph_job_energies(r);
    if (r->p->sys.n_constraints && isnan(sum.violation_velocity))
        printf("  violation  cannot be found: a function of the model fails\n");
    else if (r->p->sys.n_constraints)
        printf("  violation  position %.2g, velocity %.2g (largest over the run)\n", sum.violation_position,
               sum.violation_velocity);
    if (E.work != 0 || E.dissipated != 0)
        printf("  energy     %.9g J -> %.9g J; work %.9g J, dissipated %.9g J; largest drift %.2g J\n",
               E.first, E.now, E.work, E.dissipated, E.drift);
    else
        printf("  energy     %.9g J -> %.9g J; largest drift %.2g J\n", E.first, E.now, E.drift);
    if (r->error.source) {
        printf("  error      q %.3g, v %.3g", r->error.q, r->error.v);
        if (r->p->sys.n_constraints)
            printf(", lambda %.3g", r->error.lambda);
        printf(" (against the %s, at the end)\n", r->error.source);
    }
}

/* Each event once: how often it came, and when last. */
static void print_events(const ph_job *r)
{
    int n, by = ph_run_ended_by(r->run);
    char action[160];
    const ph_run_event *e = ph_run_events(r->run, &n);
    for (int i = 0; i < ph_run_count(r->run, PH_EVENTS); i++) {
        int count = 0, first = -1, last = -1;
        for (int k = 0; k < n; k++)
            if (e[k].event == i)
                count++, first = first < 0 ? k : first, last = k;
        if (!count)
            continue;
        printf("  event      %s: %s, at t = %.9g s", ph_run_name(r->run, PH_EVENTS, i),
               ph_run_event_action(r->run, i, action, sizeof action), e[first].t);
        if (count > 1)
            printf(" and %d more, the last at %.9g s", count - 1, e[last].t);
        printf("%s\n", i == by ? "; the run ends there" : "");
    }
    if (ph_run_event_count(r->run) > n)
        printf("  event      %ld in all; the first %d are known\n", ph_run_event_count(r->run), n);
}

static void print_values(const char *of, const char *name, int n, const double *value, const char *unit)
{
    printf("  %-10s %-13s", of, name);
    for (int k = 0; k < n && k < 6; k++)
        printf(" %17.10g", value[k]);
    printf("%s%s%s\n", n > 6 ? " ..." : "", *unit ? "  " : "", unit);
}

static void print_body(const ph_job *r, int body, const ph_state *s)
{
    char of[PH_LABEL_MAX];
    ph_quantity q[PH_QUANTITIES];
    int n = ph_body_motion(r->bodies, body, s, q);
    ph_body_name(r->bodies, body, of);
    for (int i = 0; i < n; i++)
        print_values(i ? "" : of, q[i].name, q[i].n, q[i].value, q[i].axes && q[i].n == 3 ? q[i].unit : "");
}

static void print_joint(const ph_job *r, int joint, const ph_state *s)
{
    char of[PH_LABEL_MAX];
    double lambda[PH_ROWS];
    int rows = ph_joint_multipliers(r->bodies, joint, PH_GET_MULTIPLIERS, s, lambda);
    print_values(ph_joint_name(r->bodies, joint, of), "lambda", rows, lambda, "");
}

static void print_sensor(const ph_job *r, int sensor, const ph_state *s)
{
    double value[PH_SENSOR_MAX];
    int n = ph_job_result(r, sensor, s, value);
    const char *unit = ph_model_sensor_unit(ph_run_model(r->run), sensor);
    if (ph_run_size(r->run, PH_GET_OVER, sensor) > 0)
        unit = ""; /* an integral has another one */
    print_values(ph_run_name(r->run, PH_SENSORS, sensor), "sensor", n, value, unit);
}

static void print_told(const ph_job *r, const ph_told_list *list, const ph_state *s)
{
    for (int i = 0; i < ph_run_count(r->run, list->list); i++) {
        double value[PH_SENSOR_MAX];
        int n = ph_job_told(r, list, i, s, value);
        print_values(ph_run_name(r->run, list->list, i), list->one, n, value,
                     ph_run_unit(r->run, list->what, i, 0));
    }
}

/* sens has them among its derivatives. */
static void print_objectives(const ph_job *r)
{
    for (int i = 0; r->args->command == PH_CMD_RUN && i < ph_run_count(r->run, PH_OBJECTIVES); i++) {
        double value = ph_job_objective(r, i);
        print_values(ph_run_name(r->run, PH_OBJECTIVES, i), "objective", 1, &value, "");
    }
}

/* The first and the last of many. */
static void print_some(const ph_job *r, int n, void (*print)(const ph_job *, int, const ph_state *),
                       const char *plural, const ph_state *s)
{
    if (n > 0)
        print(r, 0, s);
    if (n > 2)
        printf("  ... %d more %s: see --json or -o\n", n - 2, plural);
    if (n > 1)
        print(r, n - 1, s);
}

static void print_steps(const ph_job *r, double t)
{
    ph_stats st = ph_sim_stats(r->sim);
    if (r->opt.tol > 0)
        printf("t = %.9g s after %ld %s of %.3g to %.3g s, %ld rejected", t, st.accepted,
               ph_plural(st.accepted, "step", "steps"), st.h_least, st.h_most, st.rejected);
    else
        printf("t = %.9g s after %ld %s of h = %.9g s", t, st.steps, ph_plural(st.steps, "step", "steps"),
               r->opt.h);
    printf("%s\n", r->status == PH_OK ? "" : "; the run did not reach its end");
    if (st.divided)
        printf("  divided    %ld %s divided, the smallest %.3g s, first at t = %.9g s\n", st.divided,
               ph_plural(st.divided, "step was", "steps were"), st.smallest, st.first_divided);
    printf("\n");
}

void ph_report_text(const ph_job *r)
{
    char settings[256];
    ph_state s = ph_run_state(r->run);
    ph_report_settings(r, settings, sizeof settings);
    printf("%s: %s\n", r->p->name, settings);
    print_steps(r, s.t);
    print_cost(r);
    print_quality(r);
    print_events(r);
    printf("\n");
    print_some(r, r->bodies->n, print_body, "bodies", &s);
    print_some(r, r->bodies->n_ties, print_joint, "joints", &s);
    for (int i = 0; i < ph_run_count(r->run, PH_SENSORS); i++)
        print_sensor(r, i, &s);
    for (const ph_told_list *l = ph_told_lists; l->group; l++)
        print_told(r, l, &s);
    print_objectives(r);
    if (r->extension && r->status == PH_OK)
        r->extension->text(r);
}
