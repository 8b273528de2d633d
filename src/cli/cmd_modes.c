/* polhode modes: vibrations about the initial state or the equilibrium of a model, also over a parameter. */
#include "cli/hold.h"
#include "cli/options.h"
#include "cli/stability.h"
#include "study/plan.h"

#include <stdlib.h>
#include <string.h>

#define MODES_MAX   64
#define MODES_USUAL 10
#define TWO_PI      6.283185307179586

/* What came of one case. No pointers: it travels between processes. */
typedef struct found {
    ph_outcome outcome;
    ph_modes_info info;
    char name[64]; /* of the model */
    int n;         /* modes that follow */
    double re[MODES_MAX], im[MODES_MAX];
    char words[MODES_MAX][96]; /* what moves */
} found;

typedef struct study {
    const ph_args *args;
    ph_plan plan; /* of one quantity, or none */
    int n;        /* cases */
    int shown;    /* modes of each */
    found *found;
} study;

/* ---- one case ---------------------------------------------------------------------------------------- */

/* Coordinate i of a node turns its body: by its group, or since the node before is of the same body. */
static int turns(const ph_system *sys, int node, int i)
{
    const ph_group_ops *op = ph_group_get(sys->nodes[node].group);
    const char *name = sys->nodes[node].name, *before = node ? sys->nodes[node - 1].name : NULL;
    return op->rot >= 0 ? i >= op->rot : name && before && !strcmp(name, before);
}

static int is_modes(const ph_system *sys, int node)
{
    return node < sys->n_nodes && sys->nodes[node].name && !strncmp(sys->nodes[node].name, "modes of ", 9);
}

static int same_name(const ph_system *sys, int i, int j)
{
    const char *a = sys->nodes[i].name, *b = sys->nodes[j].name;
    return a && b && !strcmp(a, b);
}

/* The first node of the flexible body that a node belongs to; -1: it belongs to none. Its mass couples its
 * frame with its modes: only all of them together have a part of the energy. */
static int flexible_home(const ph_system *sys, int node)
{
    int last = node;
    while (last < sys->n_nodes && !is_modes(sys, last) && same_name(sys, last, node))
        last++;
    if (!is_modes(sys, last))
        return -1;
    int first = last - 1;
    while (first > 0 && same_name(sys, first - 1, first))
        first--;
    return first;
}

/* "rod2 turns 71%, rod1 turns 27%": where the kinetic energy is, three at most. */
static void describe(const ph_run *r, const double *share, char *text, size_t size)
{
    const ph_system *sys = &r->p->sys;
    int nodes = sys->n_nodes;
    double *part = calloc((size_t)nodes, 2 * sizeof *part); /* moves, turns */
    text[0] = 0;
    for (int k = 0, at = 0; part && k < nodes; k++)
        for (int i = 0, home = flexible_home(sys, k); i < ph_group_dim(sys->nodes[k].group, sys->nodes[k].n);
             i++)
            part[home >= 0 ? 2 * home : 2 * k + turns(sys, k, i)] += share[at++];
    for (int count = 0; part && count < 3; count++) {
        int best = 0;
        char name[PH_LABEL_MAX];
        size_t used = strlen(text);
        for (int k = 1; k < 2 * nodes; k++)
            best = part[k] > part[best] ? k : best;
        if (!(part[best] >= 0.03))
            break;
        snprintf(text + used, size - used, "%s%.40s %s %.0f%%", used ? ", " : "",
                 ph_node_name(r->bodies, best / 2, name), best % 2 ? "turns" : "moves", 100 * part[best]);
        part[best] = 0;
    }
    free(part);
}

static void read_modes(const ph_run *r, ph_modes *m, int shown, found *f)
{
    double *share = calloc((size_t)ph_system_nv(&r->p->sys) + 1, sizeof *share);
    snprintf(f->name, sizeof f->name, "%s", r->p->name);
    f->info = ph_modes_ask(m);
    f->n = f->info.count < shown ? f->info.count : shown;
    for (int k = 0; k < f->n; k++) {
        ph_modes_value(m, k, &f->re[k], &f->im[k]);
        if (share && ph_modes_shape(m, k, NULL, NULL, share) == PH_OK)
            describe(r, share, f->words[k], sizeof f->words[k]);
    }
    free(share);
}

static void linearise(ph_run *r, int shown, found *f)
{
    ph_modes *m = NULL;
    ph_equilibrium *e = NULL;
    const double *q = r->p->q0, *v = r->p->v0;
    if (r->args->about && (e = ph_hold(r)) != NULL) {
        ph_state s = ph_equilibrium_state(e);
        q = s.q, v = s.v;
    }
    if (r->status == PH_OK)
        r->status = ph_modes_create(&m, &r->p->sys, 0, q, v, NULL, &r->err);
    if (r->status == PH_OK)
        read_modes(r, m, shown, f);
    else
        ph_complain("%s", r->err.text);
    f->outcome.status = r->status;
    ph_modes_destroy(m);
    ph_equilibrium_destroy(e);
}

/* The command line with --set=P=V behind it; complaints are results. */
static void run_case(int k, void *result, void *ctx)
{
    const study *s = ctx;
    found *f = result;
    ph_args args = ph_args_default(s->args->command);
    ph_run r = {.args = &args};
    int n = s->args->argc, code;
    char word[PH_VARY_NAME + 48], **argv = malloc((size_t)(n + 1) * sizeof *argv);
    f->outcome.status = argv ? PH_E_INPUT : PH_E_MEMORY;
    if (!argv)
        return;
    memcpy(argv, s->args->argv, (size_t)n * sizeof *argv);
    if (s->plan.n_vary) {
        snprintf(word, sizeof word, "--set=%s=%.17g", s->plan.vary[0].name, ph_plan_value(&s->plan, 0, k));
        argv[n++] = word;
    }
    ph_complain_into(f->outcome.err.text, sizeof f->outcome.err.text);
    if (ph_args_parse(&args, n, argv) && ph_subject_open(&r.subject, &args, &code)) {
        r.p = r.subject.p;
        r.bodies = ph_bodies_create(&r.subject);
        if (r.bodies)
            linearise(&r, s->shown, f);
        else
            f->outcome.status = PH_E_MEMORY;
    } else if (r.subject.status != PH_OK) {
        f->outcome.status = r.subject.status;
    }
    ph_complain_into(NULL, 0);
    free(r.bodies);
    ph_subject_close(&r.subject);
    free(argv);
}

/* ---- what is varied ---------------------------------------------------------------------------------- */

static int has_parameter(const ph_args *args, const char *name)
{
    if (!ph_subject_is_file(args->word[0]))
        return !strcmp(name, "x") && ph_subject_has_x(args->word[0]);
    ph_model *model = ph_subject_read(args);
    int there = model && ph_subject_settable(model) ? ph_model_find(model, PH_PARAMETERS, name) >= 0 : -1;
    ph_model_free(model);
    return there;
}

static int make_plan(study *s)
{
    const ph_args *args = s->args;
    ph_error err = {0};
    s->n = 1;
    if (!args->vary.n)
        return 1;
    if (args->vary.n > 1) {
        ph_complain("--vary: modes goes through the values of one parameter");
        return 0;
    }
    if (ph_plan_add(&s->plan, args->vary.text[0], &err) != PH_OK || ph_plan_build(&s->plan, &err) != PH_OK) {
        ph_complain("--vary: %s", err.text);
        return 0;
    }
    int there = has_parameter(args, s->plan.vary[0].name);
    if (!there)
        ph_complain("--vary: '%s' is no parameter of the model", s->plan.vary[0].name);
    s->n = s->plan.n;
    return there > 0;
}

/* ---- what comes out ---------------------------------------------------------------------------------- */

static const ph_column columns[] = {{"", NULL, PH_SHORT}, /* what is varied */
                                    {"mode", NULL, PH_WHOLE},      {"omega", "rad/s", PH_SHORT},
                                    {"frequency", "Hz", PH_SHORT}, {"damping", NULL, PH_SHORT},
                                    {"real", "1/s", PH_SHORT},     {"participation", NULL, PH_WORDS}};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

static void add_notes(const study *s, ph_delivery *d, const found *f)
{
    double worst = 0;
    for (int k = 0; k < f->n; k++)
        worst = fmax(worst, f->re[k]);
    if (f->info.count > f->n)
        ph_delivery_line(d, "%d further %s: -n %d shows %s", f->info.count - f->n,
                         ph_plural(f->info.count - f->n, "mode", "modes"), f->info.count,
                         ph_plural(f->info.count - f->n, "it", "them"));
    if (f->info.turning)
        ph_delivery_line(d, "seen from axes that turn with the bodies");
    if (!s->args->about && f->info.speed == 0 && f->info.acceleration > 1e-6)
        ph_delivery_line(
            d, "note: the initial state is no equilibrium, accelerations are up to %.3g; --about static",
            f->info.acceleration);
    if (worst > 1e-9)
        ph_delivery_line(d, "unstable: grows by exp(%.4g t)", worst);
}

static void add_case(const study *s, int c, ph_table *t)
{
    const found *f = &s->found[c];
    for (int k = 0; k < f->n; k++) {
        double size = hypot(f->re[k], f->im[k]);
        if (s->plan.n_vary)
            ph_table_number(t, ph_plan_value(&s->plan, 0, c));
        ph_table_number(t, k + 1), ph_table_number(t, f->im[k]), ph_table_number(t, f->im[k] / TWO_PI);
        ph_table_number(t, size > 0 ? 0 - f->re[k] / size : NAN), ph_table_number(t, f->re[k]);
        ph_table_word(t, f->words[k]);
    }
}

static int fill(const study *s, ph_delivery *d)
{
    ph_column own[N_COLUMNS];
    int failed = 0, first = !s->plan.n_vary;
    memcpy(own, columns, sizeof columns);
    own[0].name = s->plan.n_vary ? s->plan.vary[0].name : "";
    d->table = ph_table_create(N_COLUMNS - first, own + first);
    snprintf(d->title, sizeof d->title, "%s: modes about the %s",
             s->found[0].name[0] ? s->found[0].name : s->args->word[0],
             s->args->about ? "equilibrium" : "initial state");
    snprintf(d->settings, sizeof d->settings, "%d of %d eigenvalues with im >= 0", s->found[0].n,
             s->found[0].info.count);
    for (int c = 0; c < s->n; c++) {
        const ph_outcome *o = &s->found[c].outcome;
        add_case(s, c, d->table);
        failed += o->status != PH_OK;
        if (o->status != PH_OK && failed <= 3)
            ph_delivery_line(d, "%s = %g: %s", own[0].name, ph_plan_value(&s->plan, 0, c), o->err.text);
    }
    if (s->n == 1)
        add_notes(s, d, &s->found[0]);
    return failed;
}

/* A Campbell diagram: mode by mode, the frequencies that vibrate. */
static int draw(const study *s, const ph_delivery *d)
{
    size_t n = (size_t)s->n, m = (size_t)s->shown;
    double *x = calloc(n, sizeof *x), *y = calloc(n * m, sizeof *y);
    ph_series *all = calloc(m, sizeof *all);
    int code;
    if (x && y && all) {
        for (int c = 0; c < s->n; c++) {
            const found *f = &s->found[c];
            x[c] = s->plan.n_vary ? ph_plan_value(&s->plan, 0, c) : 0;
            for (int k = 0; k < s->shown; k++)
                y[(size_t)k * n + (size_t)c] = k < f->n && f->im[k] > 0 ? f->im[k] / TWO_PI : NAN;
        }
        for (int k = 0; k < s->shown; k++)
            all[k] = (ph_series){.style = PH_POINTS, .look = 1, .n = s->n, .x = x, .y = y + (size_t)k * n};
        ph_panel panel = {.x = {.label = s->plan.n_vary ? s->plan.vary[0].name : ""},
                          .y = {.label = "frequency", .unit = "Hz"},
                          .legend = PH_LEGEND_NONE,
                          .n_series = s->shown,
                          .series = all};
        const ph_plot plot = {.title = d->title, .n_panels = 1, .panels = &panel};
        code = ph_deliver(d, s->args, &plot);
    } else {
        code = ph_complain("not enough memory for the picture");
    }
    free(x), free(y), free(all);
    return code;
}

static int report(const study *s)
{
    const ph_outcome *o = &s->found[0].outcome;
    if (s->n == 1 && o->status != PH_OK) {
        ph_complain("%s", o->err.text[0] ? o->err.text : "not enough memory for the model");
        return ph_status_exit(o->status);
    }
    ph_delivery d = {0};
    int failed = fill(s, &d), code = draw(s, &d);
    ph_delivery_end(&d);
    return code == PH_EXIT_OK && failed == s->n ? PH_EXIT_FAILED : code;
}

int ph_cmd_modes(const ph_args *args)
{
    study s = {.args = args, .shown = args->modes ? args->modes : MODES_USUAL};
    int code = PH_EXIT_USAGE;
    if (s.shown > MODES_MAX)
        return ph_complain("-n: %d is more than %d modes", s.shown, MODES_MAX);
    if (args->plot && !args->vary.n)
        return ph_complain("--plot draws frequencies over a parameter: say which with --vary");
    if (ph_delivery_ready(args) && make_plan(&s)) {
        if (s.plan.n_vary)
            s.found = ph_stability_run(args, "modes", s.n, sizeof *s.found, run_case, &s, &code);
        else if ((s.found = calloc(1, sizeof *s.found)) != NULL)
            run_case(0, s.found, &s);
        if (s.found)
            code = report(&s);
    }
    free(s.found);
    ph_plan_clear(&s.plan);
    return code;
}
