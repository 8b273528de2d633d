/* The summary of a run as JSON, one object for each run. */
#include "io/json.h"
#include "cli/options.h"
#include "cli/job.h"

#include <string.h>

static void add_method(ph_json *j, const ph_job *r)
{
    ph_options resolved = ph_run_options(r->run), *o = &resolved;
    unsigned reads = ph_options_reads(o);
    cJSON *m = ph_json_object(j, j->root, "method");
    ph_json_text(j, m, "name", o->method);
    if (reads & PH_READS_SIGMA)
        ph_json_number(j, m, "sigma", o->sigma);
    if (reads & PH_READS_ALPHA)
        ph_json_number(j, m, "rho", o->rho);
    if (reads & PH_READS_ORDER) {
        ph_json_count(j, m, "order", o->order);
        ph_json_text(j, m, "correction", ph_correction_word((int)o->correction));
    }
    if (reads & PH_READS_TABLEAU)
        ph_json_text(j, m, "tableau", o->tableau);
    if ((reads & PH_READS_TOL) && o->tol > 0)
        ph_json_number(j, m, "tol", o->tol);
    ph_json_text(j, m, "formulation", ph_report_formulation(o));
    ph_json_text(j, m, "space", ph_bodies_space(r->bodies));
    if (reads & PH_READS_NEWTON) {
        ph_json_text(j, m, "newton", ph_newton_word((int)o->newton));
        ph_json_number(j, m, "atol", o->atol);
        ph_json_number(j, m, "rtol", o->rtol);
    }
    if (reads & PH_READS_START)
        ph_json_text(j, m, "start", ph_start_word((int)o->start));
    if (r->sim)
        ph_json_text(j, m, "solver", ph_sim_solver(r->sim));
}

/* Steps that failed and were made in parts. */
static void add_divided(ph_json *j, const ph_stats *st)
{
    cJSON *c = ph_json_object(j, j->root, "divided");
    ph_json_count(j, c, "steps", st->divided);
    ph_json_number(j, c, "smallest", st->smallest);
    ph_json_number(j, c, "first_t", st->first_divided);
}

/* How many; by tolerance, those of the method, which are not the points of the output. */
static void add_steps(ph_json *j, const ph_job *r)
{
    ph_stats st = {0};
    if (r->sim)
        st = ph_sim_stats(r->sim);
    if (!(r->opt.tol > 0)) {
        ph_json_count(j, j->root, "steps", st.steps);
        if (st.divided)
            add_divided(j, &st);
        return;
    }
    cJSON *c = ph_json_object(j, j->root, "steps");
    ph_json_count(j, c, "accepted", st.accepted);
    ph_json_count(j, c, "rejected", st.rejected);
    ph_json_number(j, c, "h_min", st.h_least);
    ph_json_number(j, c, "h_max", st.h_most);
}

static void add_newton(ph_json *j, const ph_job *r)
{
    ph_stats st = ph_run_summarise(r->run).stats;
    cJSON *n = ph_json_object(j, j->root, "newton");
    ph_json_count(j, n, "iterations", st.iterations);
    ph_json_count(j, n, "jacobians", st.jacobians);
    ph_json_count(j, n, "factorizations", st.factorizations);
    ph_json_count(j, n, "max_per_step", st.worst_iterations);
    ph_json_number(j, j->root, "wall_s", st.wall_s);
}

static void add_bodies(ph_json *j, const ph_job *r, const ph_state *s)
{
    cJSON *bodies = ph_json_object(j, j->root, "bodies");
    for (int i = 0; i < r->bodies->n; i++) {
        char name[PH_LABEL_MAX];
        ph_quantity q[PH_QUANTITIES];
        int n = ph_body_motion(r->bodies, i, s, q);
        cJSON *b = ph_json_object(j, bodies, ph_body_name(r->bodies, i, name));
        for (int k = 0; k < n; k++)
            ph_json_numbers(j, b, q[k].name, q[k].n, q[k].value);
    }
}

static void add_reaction(ph_json *j, cJSON *joint, const ph_job *r, int k, const ph_state *s)
{
    double value[6];
    if (ph_run_get_of(r->run, s, PH_GET_REACTION, k, value) != PH_OK)
        return;
    ph_json_numbers(j, joint, "force", 3, value);
    ph_json_numbers(j, joint, "torque", 3, value + 3);
}

static void add_joints(ph_json *j, const ph_job *r, const ph_state *s)
{
    cJSON *joints = ph_json_object(j, j->root, "joints");
    for (int k = 0; k < r->bodies->n_joints; k++) {
        char name[PH_LABEL_MAX];
        double lambda[PH_ROWS];
        int rows = ph_joint_multipliers(r->bodies, k, PH_GET_MULTIPLIERS, s, lambda);
        cJSON *joint = ph_json_object(j, joints, ph_joint_name(r->bodies, k, name));
        ph_json_numbers(j, joint, "lambda", rows, lambda);
        add_reaction(j, joint, r, k, s);
    }
}

/* constraint{} has multipliers only; they belong to the numbers that its function returns. */
static void add_constraints(ph_json *j, const ph_job *r, const ph_state *s)
{
    cJSON *constraints = ph_json_object(j, j->root, "constraints");
    for (int k = r->bodies->n_joints; k < r->bodies->n_ties; k++) {
        char name[PH_LABEL_MAX];
        double lambda[PH_ROWS];
        int rows = ph_joint_multipliers(r->bodies, k, PH_GET_MULTIPLIERS, s, lambda);
        ph_json_numbers(j, ph_json_object(j, constraints, ph_joint_name(r->bodies, k, name)), "lambda", rows,
                        lambda);
    }
}

static void add_sensors(ph_json *j, const ph_job *r, const ph_state *s)
{
    cJSON *sensors = ph_json_object(j, j->root, "sensors");
    for (int i = 0; i < ph_run_count(r->run, PH_SENSORS); i++) {
        double value[PH_SENSOR_MAX];
        int n = ph_job_result(r, i, s, value);
        ph_json_numbers(j, sensors, ph_run_name(r->run, PH_SENSORS, i), n, value);
    }
}

static void add_told(ph_json *j, const ph_job *r, const ph_told_list *list, const ph_state *s)
{
    int count = ph_run_count(r->run, list->list);
    cJSON *all = count ? ph_json_object(j, j->root, list->group) : NULL;
    for (int i = 0; i < count; i++) {
        double value[PH_SENSOR_MAX];
        int n = ph_job_told(r, list, i, s, value);
        ph_json_numbers(j, all, ph_run_name(r->run, list->list, i), n, value);
    }
}

void ph_report_json_state(ph_json *j, const ph_job *r, const ph_state *s)
{
    add_bodies(j, r, s);
    add_joints(j, r, s);
    if (r->bodies->n_ties > r->bodies->n_joints)
        add_constraints(j, r, s);
    if (r->target.model)
        add_sensors(j, r, s);
    for (const ph_told_list *l = ph_told_lists; l->group; l++)
        add_told(j, r, l, s);
}

/* In the shape that sens has, which adds its own. */
static void add_objectives(ph_json *j, const ph_job *r)
{
    int n = r->args->command == PH_CMD_RUN ? ph_run_count(r->run, PH_OBJECTIVES) : 0;
    cJSON *all = n ? ph_json_object(j, j->root, "objectives") : NULL;
    for (int i = 0; i < n; i++)
        ph_json_number(j, ph_json_object(j, all, ph_run_name(r->run, PH_OBJECTIVES, i)), "value",
                       ph_job_objective(r, i));
}

static void add_quality(ph_json *j, const ph_job *r)
{
    ph_run_summary sum = ph_run_summarise(r->run);
    ph_energies E = ph_job_energies(r);
    cJSON *v = ph_json_object(j, j->root, "violation");
    ph_json_number(j, v, "position", sum.violation_position);
    ph_json_number(j, v, "velocity", sum.violation_velocity);
    ph_target_add_assembled(&r->target, r->args, j);
    cJSON *energy = ph_json_object(j, j->root, "energy");
    ph_json_number(j, energy, "initial", E.first);
    ph_json_number(j, energy, "final", E.now);
    ph_json_number(j, energy, "work", E.work);
    ph_json_number(j, energy, "dissipated", E.dissipated);
    ph_json_number(j, energy, "residual", E.drift);
    ph_json_number(j, energy, "max_drift", E.drift);
    if (r->error.source) {
        cJSON *error = ph_json_object(j, j->root, "error");
        ph_json_number(j, error, "q", r->error.q);
        ph_json_number(j, error, "v", r->error.v);
        if (r->p->sys.n_constraints)
            ph_json_number(j, error, "lambda", r->error.lambda);
    }
}

static void add_events(ph_json *j, const ph_job *r)
{
    int n;
    char action[160];
    const ph_run_event *e = ph_run_events(r->run, &n);
    cJSON *list = ph_run_count(r->run, PH_EVENTS) ? ph_json_array(j, j->root, "events") : NULL;
    for (int k = 0; list && k < n; k++) {
        cJSON *row = ph_json_element(j, list);
        ph_json_text(j, row, "name", ph_run_name(r->run, PH_EVENTS, e[k].event));
        ph_json_number(j, row, "t", e[k].t);
        ph_json_text(j, row, "action", ph_run_event_action(r->run, e[k].event, action, sizeof action));
    }
    if (list && ph_run_event_count(r->run) > n)
        ph_json_count(j, j->root, "events_in_all", ph_run_event_count(r->run));
}

void ph_report_json_warnings(ph_json *j, int n, const ph_warning *w)
{
    cJSON *list = n ? ph_json_array(j, j->root, "warnings") : NULL;
    for (int k = 0; k < n; k++) {
        cJSON *row = ph_json_element(j, list);
        ph_json_text(j, row, "what", w[k].what);
        if (!isnan(w[k].t))
            ph_json_number(j, row, "t", w[k].t);
        ph_json_text(j, row, "text", w[k].text);
    }
}

static void add_warnings(ph_json *j, const ph_job *r)
{
    ph_warning w[PH_WARNINGS];
    int n = ph_job_warnings(r, w);
    ph_report_json_warnings(j, n, w);
}

/* What a culprit is, and its name. */
static const char *culprit_of(const ph_job *r, const ph_failure *f, int k, char name[PH_LABEL_MAX])
{
    if (f->culprit[k].is_constraint) {
        ph_constraint_name(r->bodies, f->culprit[k].index, name);
        return "joint";
    }
    ph_node_name(r->bodies, f->culprit[k].index, name);
    return ph_run_find(r->run, PH_BODIES, name) < 0 && ph_run_find(r->run, PH_STATES, name) >= 0 ? "state"
                                                                                                 : "body";
}

/* Each once: a body may have two nodes, of which the worse comes first. */
static void add_failure(ph_json *j, const ph_job *r)
{
    const ph_failure *f = r->sim ? ph_sim_failure(r->sim) : NULL;
    char name[PH_CULPRITS][PH_LABEL_MAX];
    const char *what[PH_CULPRITS];
    ph_json_text(j, j->root, "reason", r->err.text);
    cJSON *culprits = ph_json_array(j, j->root, "culprits");
    for (int k = 0; f && k < f->n_culprits; k++) {
        int told = 0;
        what[k] = culprit_of(r, f, k, name[k]);
        for (int i = 0; i < k; i++)
            told |= !strcmp(what[i], what[k]) && !strcmp(name[i], name[k]);
        if (told)
            continue;
        cJSON *c = ph_json_element(j, culprits);
        ph_json_text(j, c, what[k], name[k]);
        ph_json_number(j, c, "residual", f->culprit[k].value);
    }
}

static double mean_step(const ph_job *r)
{
    long n = r->sim ? ph_sim_stats(r->sim).steps : 0;
    return n > 0 ? ph_sim_state(r->sim).t / (double)n : 0;
}

int ph_report_json(const ph_job *r)
{
    ph_json j = ph_json_create();
    ph_state s = {0};
    if (r->sim)
        s = ph_run_state(r->run);
    ph_json_text(&j, j.root, "polhode", ph_version());
    ph_json_text(&j, j.root, "model", r->p->name);
    ph_json_text(&j, j.root, "status", ph_status_word(r->status));
    /* n h may be off t_end by round-off */
    ph_json_number(&j, j.root, "t",
                   r->steps && r->status == PH_OK && ph_run_ended_by(r->run) < 0 ? r->t_end : s.t);
    add_steps(&j, r);
    ph_json_number(&j, j.root, "h", r->opt.h > 0 ? r->opt.h : mean_step(r));
    add_method(&j, r);
    ph_target_json(&r->target, &j);
    if (r->status != PH_OK)
        add_failure(&j, r);
    if (r->sim) {
        add_newton(&j, r);
        ph_report_json_state(&j, r, &s);
        add_objectives(&j, r);
        add_quality(&j, r);
        add_events(&j, r);
        add_warnings(&j, r);
        if (r->extension && r->status == PH_OK)
            r->extension->json(r, &j);
    }
    return ph_answer(&j);
}
