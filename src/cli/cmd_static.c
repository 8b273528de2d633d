/* polhode static: the equilibrium of a model under its loads. */
#include "cli/deliver.h"
#include "cli/job_equilibrium.h"
#include "cli/state_file.h"
#include "io/file.h"
#include "study/fail.h"
#include "view/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the equilibrium --------------------------------------------------------------------------------- */

ph_equilibrium *ph_job_equilibrium(ph_job *r)
{
    ph_equilibrium *e = NULL;
    ph_static_options o = ph_default_static();
    if (r->args->steps)
        o.steps = r->args->steps;
    o.solver = r->args->opt.solver, o.stable = r->args->stable;
    r->status = ph_run_equilibrium(&e, r->run, &o, &r->err);
    return e;
}

void ph_job_recall(const ph_job *r, const ph_equilibrium *e)
{
    const ph_memory *m = ph_run_system(r->run)->memory;
    if (e && m)
        m->take_back(ph_equilibrium_memory(e), m->ctx);
}

#define HELD_SHOWN 100 /* joints that friction holds */

/* ---- in words ---------------------------------------------------------------------------------------- */

static void print_line(const char *of, const char *name, int n, const double *value, const char *unit)
{
    printf("  %-12s %-9s", of, name);
    for (int k = 0; k < n && k < 6; k++)
        printf(" %15.9g", value[k]);
    printf("%s%s%s\n", n > 6 ? " ..." : "", unit[0] ? "  " : "", unit);
}

/* Position and rotation; what moves does not at an equilibrium. */
static void print_body(const ph_job *r, int body, const ph_state *s)
{
    char of[PH_LABEL_MAX];
    ph_quantity q[PH_QUANTITIES];
    int n = ph_body_motion(r->bodies, body, s, q);
    ph_body_name(r->bodies, body, of);
    for (int i = 0, shown = 0; i < n; i++)
        if (!strcmp(q[i].name, "position") || !strcmp(q[i].name, "rotation") || !strcmp(q[i].name, "q"))
            print_line(shown++ ? "" : of, q[i].name, q[i].n, q[i].value, q[i].n == 3 ? q[i].unit : "");
}

static void print_joint(const ph_job *r, int joint, const ph_state *s)
{
    char of[PH_LABEL_MAX];
    ph_joint_name(r->bodies, joint, of);
    double value[PH_ROWS];
    if (ph_run_get_of(r->run, s, PH_GET_REACTION, joint, value) != PH_OK) {
        int rows = ph_joint_multipliers(r->bodies, joint, PH_GET_MULTIPLIERS, s, value);
        print_line(of, "lambda", rows, value, "");
        return;
    }
    print_line(of, "force", 3, value, "N");
    print_line("", "torque", 3, value + 3, "N m");
}

static const char *const rest_words[] = {
    [PH_REST_UNDECIDED] = "undecided", [PH_REST_STABLE] = "stable", [PH_REST_UNSTABLE] = "unstable"};

static void print_rest(const ph_job *r, const ph_static_stats *st)
{
    char name[PH_LABEL_MAX];
    printf("  %-12s %s", "stability", rest_words[st->rest.code]);
    if (st->rest.code == PH_REST_UNSTABLE)
        printf(": displacements grow at %.4g 1/s", st->rest.growth);
    if (st->rest.code == PH_REST_UNSTABLE && st->rest.node >= 0)
        printf(", most in %s", ph_node_name(r->bodies, st->rest.node, name));
    if (st->rest.why[0])
        printf(": %s", st->rest.why);
    if (st->left)
        printf("; %d unstable %s left", st->left, ph_plural(st->left, "equilibrium was", "equilibria were"));
    printf("\n\n");
}

static void print_held(const ph_job *r)
{
    ph_stuck held[HELD_SHOWN];
    int n = ph_run_stuck(r->run, held, HELD_SHOWN);
    for (int k = 0; k < n && k < HELD_SHOWN; k++)
        printf("  %-12s %-9s %15.9g  of the friction that it has; it needs %.3g and has %.3g\n",
               held[k].joint, "holds", held[k].ratio, held[k].needs, held[k].friction);
    if (n > HELD_SHOWN)
        printf("  %-12s %-9s %15d  joints\n", "...", "holds", n);
    if (n)
        printf("  %-12s joints stay where friction holds them: this equilibrium is one of a set\n\n",
               "friction");
}

static void print_text(const ph_job *r, const ph_equilibrium *e)
{
    ph_state s = ph_equilibrium_state(e);
    ph_static_stats st = ph_equilibrium_stats(e);
    printf("%s: equilibrium after %d load %s and %d %s", r->p->name, st.load_steps,
           ph_plural(st.load_steps, "step", "steps"), st.iterations,
           ph_plural(st.iterations, "iteration", "iterations"));
    if (st.cuts)
        printf("; load steps were halved %d %s", st.cuts, ph_plural(st.cuts, "time", "times"));
    if (st.relaxed)
        printf("; reached by relaxation in %d %s", st.relaxed, ph_plural(st.relaxed, "step", "steps"));
    printf("\n\n");
    print_rest(r, &st);
    print_held(r);
    for (int k = 0; k < r->bodies->n; k++)
        print_body(r, k, &s);
    for (int k = 0; k < r->bodies->n_joints; k++)
        print_joint(r, k, &s);
    for (int k = 0; k < ph_run_count(r->run, PH_SENSORS); k++) {
        double value[PH_SENSOR_MAX];
        int n = ph_job_sensor(r, k, &s, value);
        print_line(ph_run_name(r->run, PH_SENSORS, k), "sensor", n, value,
                   ph_model_sensor_unit(ph_run_model(r->run), k));
    }
    for (const ph_told_list *l = ph_told_lists; l->group; l++)
        for (int k = 0; k < ph_run_count(r->run, l->list); k++) {
            double value[PH_SENSOR_MAX];
            int n = ph_job_told(r, l, k, &s, value);
            print_line(ph_run_name(r->run, l->list, k), l->one, n, value, ph_run_unit(r->run, l->what, k, 0));
        }
}

/* ---- as JSON ----------------------------------------------------------------------------------------- */

static void add_held(ph_json *j, const ph_job *r)
{
    ph_stuck held[HELD_SHOWN];
    int n = ph_run_stuck(r->run, held, HELD_SHOWN);
    cJSON *list = n ? ph_json_array(j, j->root, "held") : NULL;
    for (int k = 0; k < n && k < HELD_SHOWN; k++) {
        cJSON *row = ph_json_element(j, list);
        ph_json_text(j, row, "joint", held[k].joint);
        ph_json_number(j, row, "ratio", held[k].ratio);
        ph_json_number(j, row, "force", held[k].force);
        ph_json_number(j, row, "needs", held[k].needs);
    }
}

static void add_rest(ph_json *j, const ph_job *r, const ph_static_stats *st)
{
    char name[PH_LABEL_MAX];
    ph_json_text(j, j->root, "stability", rest_words[st->rest.code]);
    if (st->rest.code == PH_REST_UNSTABLE)
        ph_json_number(j, j->root, "growth", st->rest.growth);
    if (st->rest.node >= 0)
        ph_json_text(j, j->root, "grows_in", ph_node_name(r->bodies, st->rest.node, name));
    if (st->rest.why[0])
        ph_json_text(j, j->root, "undecided", st->rest.why);
    if (r->args->stable)
        ph_json_count(j, j->root, "left", st->left);
    add_held(j, r);
}

/* An equilibrium, or NULL, and the warnings of its state: --save moves the run on. */
typedef struct found {
    ph_equilibrium *e;
    int n;
    ph_warning warning[PH_WARNINGS];
} found;

static int print_json(const ph_job *r, const found *f, FILE *to)
{
    const ph_equilibrium *e = f->e;
    ph_json j = ph_json_create();
    ph_json_text(&j, j.root, "polhode", ph_version());
    ph_json_text(&j, j.root, "model", r->p->name);
    ph_json_text(&j, j.root, "status", ph_status_word(r->status));
    ph_json_text(&j, j.root, "space", ph_bodies_space(r->bodies));
    if (r->status != PH_OK)
        ph_json_text(&j, j.root, "reason", r->err.text);
    if (!e)
        return to == stdout ? ph_answer(&j) : ph_json_print(&j, to);
    ph_state s = ph_equilibrium_state(e);
    ph_static_stats st = ph_equilibrium_stats(e);
    ph_json_count(&j, j.root, "load_steps", st.load_steps);
    ph_json_count(&j, j.root, "cuts", st.cuts);
    ph_json_count(&j, j.root, "iterations", st.iterations);
    ph_json_count(&j, j.root, "relaxation", st.relaxed);
    add_rest(&j, r, &st);
    ph_report_json_warnings(&j, f->n, f->warning);
    ph_report_json_state(&j, r, &s);
    return to == stdout ? ph_answer(&j) : ph_json_print(&j, to);
}

static int write_file(const ph_job *r, const found *f)
{
    const char *path = r->args->output;
    ph_file file = {0};
    int code = PH_EXIT_OK;
    if (!ph_file_open(&file, path))
        return ph_complain_write(path);
    if (!print_json(r, f, file.stream))
        code = ph_complain("not enough memory for the report");
    else if (!ph_file_commit(&file))
        code = ph_complain_write(path);
    ph_file_discard(&file);
    return code;
}

static void read_sensors(ph_job *r, const ph_equilibrium *e)
{
    ph_state s = ph_equilibrium_state(e);
    ph_job_recall(r, e);
    ph_watch_sensors(r, &s);
    if (r->watch.blind[0])
        r->status = ph_study_fail(&r->err, PH_E_CALLBACK, "%s", r->watch.blind);
}

/* From the initial state to the equilibrium. */
static int show(ph_job *r, const ph_equilibrium *e)
{
    ph_state s = ph_equilibrium_state(e);
    ph_status status = ph_page_open(r);
    if (r->view && ph_run_start(r->run, NULL) == PH_OK)
        status = ph_view_frame(r->view, r->run);
    ph_job_recall(r, e);
    if (r->view && status == PH_OK)
        status = ph_view_state(r->view, r->run, &s, 1);
    int code = status == PH_OK ? ph_page_write(r) : ph_complain("--view: %s", r->err.text);
    ph_view_destroy(r->view);
    return code;
}

/* The equilibrium as a state file, from which a run goes on. */
static int save(ph_job *r, const ph_equilibrium *e)
{
    ph_state s = ph_equilibrium_state(e);
    if (ph_run_go_on_at(r->run, s.t, s.q, s.v, ph_equilibrium_memory(e), 1, &r->err) != PH_OK)
        return ph_complain("--save: %s", r->err.text);
    return ph_state_write_rest(r) ? PH_EXIT_OK : PH_EXIT_USAGE;
}

/* Files first: what is printed is the whole result. */
static int report(ph_job *r, const found *f, int code)
{
    const ph_equilibrium *e = f->e;
    int known = e || ph_job_is_numerical(r->status);
    if (r->status != PH_OK)
        ph_complain("%s", r->err.text);
    if (code == PH_EXIT_OK && known && r->args->output)
        code = write_file(r, f);
    if (code == PH_EXIT_OK && r->status == PH_OK && r->args->save)
        code = save(r, e);
    if (code != PH_EXIT_OK)
        return code;
    if (known && r->args->json) {
        if (!print_json(r, f, stdout))
            return ph_complain("not enough memory for the report");
    } else if (e) {
        print_text(r, e);
    }
    return ph_status_exit(r->status);
}

static void note_warnings(const ph_job *r, found *f)
{
    f->n = ph_job_warnings(r, f->warning);
    for (int k = 0; k < f->n && !r->args->quiet; k++)
        ph_note("%s", f->warning[k].text);
}

static int find_and_report(ph_job *r)
{
    found f = {0};
    r->t_end = HUGE_VAL; /* a state of any time will do */
    if (r->args->state && ph_state_read(r) != PH_OK)
        return ph_complain("%s", r->err.text);
    f.e = ph_job_equilibrium(r);
    int code = f.e && r->args->view ? show(r, f.e) : PH_EXIT_OK; /* first: the run is still where it was */
    if (f.e)
        read_sensors(r, f.e), note_warnings(r, &f);
    code = report(r, &f, code);
    ph_equilibrium_destroy(f.e);
    return code;
}

int ph_cmd_static(const ph_args *given)
{
    ph_args args = *given;
    ph_job r = {.args = &args};
    int code;
    if (args.view && !ph_page_name(args.view))
        return PH_EXIT_USAGE;
    if (ph_target_open(&r.target, &args, &code)) {
        r.p = r.target.p, r.run = r.target.run;
        r.bodies = ph_bodies_create(&r.target);
        if (!r.bodies)
            code = ph_complain("not enough memory for the model '%s'", r.p->name);
        else if (args.output && !ph_file_possible(args.output))
            code = ph_complain_write(args.output);
        else
            code = find_and_report(&r);
    }
    free(r.bodies);
    ph_target_close(&r.target);
    return code;
}
