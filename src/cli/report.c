/* The summary of a run in words. */
#include "cli/exact.h"
#include "cli/options.h"
#include "cli/run.h"

#include <stdio.h>

void ph_report_settings(const ph_run *r, char *text, size_t size)
{
    const ph_options *o = &r->opt;
    char sigma[32] = "opt";
    if (o->sigma != PH_SIGMA_OPT)
        snprintf(sigma, sizeof sigma, "%g", o->sigma);
    snprintf(text, size, "%s, sigma %s, rho %g, %s, %s Newton, %s start, %s solver", o->method, sigma, o->rho,
             ph_formulation_word((int)o->formulation), ph_newton_word((int)o->newton),
             ph_start_word((int)o->start), ph_sim_solver(r->sim));
}

static void print_cost(const ph_run *r)
{
    ph_stats st = ph_sim_stats(r->sim);
    double n = st.steps ? (double)st.steps : 1, wall = st.wall_s - r->watch.own_s;
    printf("  cost       %.3g us per step", 1e6 * wall / n);
    if (r->bodies->n > 1)
        printf(" (%.3g per body)", 1e6 * wall / n / r->bodies->n);
    printf(", %.3g s in all; %.2f Newton iterations per step, at most %d\n", wall, (double)st.iterations / n,
           st.worst_iterations);
}

static void print_quality(const ph_run *r)
{
    const ph_watch *w = &r->watch;
    ph_exact_error e;
    ph_state s = ph_sim_state(r->sim);
    if (r->p->sys.n_constraints)
        printf("  violation  position %.2g, velocity %.2g (largest over the run)\n", w->position,
               w->velocity);
    if (r->p->energy && r->p->power)
        printf("  energy     %.9g J -> %.9g J by work of %.9g J; largest drift %.2g J\n", w->E0, w->E,
               w->work, w->drift);
    else if (r->p->energy)
        printf("  energy     %.9g J -> %.9g J; largest drift %.2g J\n", w->E0, w->E, w->drift);
    if (ph_exact_compare(r->p, &s, &e)) {
        printf("  error      q %.3g, v %.3g", e.q, e.v);
        if (r->p->sys.n_constraints)
            printf(", lambda %.3g", e.lambda);
        printf(" (against the exact solution, at the end)\n");
    }
}

static void print_values(const char *of, const char *name, int n, const double *value, const char *unit)
{
    printf("  %-10s %-13s", of, name);
    for (int k = 0; k < n && k < 6; k++)
        printf(" %17.10g", value[k]);
    printf("%s%s\n", n > 6 ? " ..." : "", unit);
}

static void print_body(const ph_run *r, int body, const ph_state *s)
{
    char of[PH_LABEL_MAX];
    ph_quantity q[PH_QUANTITIES];
    int n = ph_body_motion(r->bodies, body, s, q);
    ph_body_name(r->bodies, body, of);
    for (int i = 0; i < n; i++) {
        char unit[32];
        snprintf(unit, sizeof unit, "  %s", q[i].unit);
        print_values(i ? "" : of, q[i].name, q[i].n, q[i].value, q[i].axes && q[i].n == 3 ? unit : "");
    }
}

static void print_joint(const ph_run *r, int joint, const ph_state *s)
{
    char of[PH_LABEL_MAX];
    int rows, at = ph_joint_lambda(r->bodies, joint, s, &rows);
    print_values(ph_joint_name(r->bodies, joint, of), "lambda", rows, s->lambda + at, "");
}

static void print_sensor(const ph_run *r, int sensor, const ph_state *s)
{
    double value[PH_SENSOR_MAX];
    int n = ph_run_sensor(r, sensor, s, value);
    print_values(ph_model_name(r->subject.model, PH_SENSORS, sensor), "sensor", n, value, "");
}

/* The first and the last of many. */
static void print_some(const ph_run *r, int n, void (*print)(const ph_run *, int, const ph_state *),
                       const char *plural, const ph_state *s)
{
    if (n > 0)
        print(r, 0, s);
    if (n > 2)
        printf("  ... %d more %s: see --json or -o\n", n - 2, plural);
    if (n > 1)
        print(r, n - 1, s);
}

void ph_report_text(const ph_run *r)
{
    char settings[256];
    ph_state s = ph_sim_state(r->sim);
    ph_report_settings(r, settings, sizeof settings);
    printf("%s: %s\n", r->p->name, settings);
    printf("t = %.9g s after %ld steps of h = %.9g s%s\n\n", s.t, ph_sim_stats(r->sim).steps, r->opt.h,
           r->status == PH_OK ? "" : "; the run did not reach its end");
    print_cost(r);
    print_quality(r);
    printf("\n");
    print_some(r, r->bodies->n, print_body, "bodies", &s);
    print_some(r, r->bodies->n_joints, print_joint, "joints", &s);
    for (int i = 0; r->subject.model && i < ph_model_count(r->subject.model, PH_SENSORS); i++)
        print_sensor(r, i, &s);
}
