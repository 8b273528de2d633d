/* polhode modes: vibrations about the initial state or the equilibrium of a model, also over a parameter. */
#include "cli/job_equilibrium.h"
#include "cli/options.h"
#include "cli/stability_show.h"
#include "study/branches.h"
#include "study/plan.h"
#include "view/view.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MODES_MAX   3000 /* as many as there are at most: those of 1500 velocities */
#define MODES_USUAL 10
#define TWO_PI      6.283185307179586
#define SHAPES_MOST                                                                                          \
    2.5e8 /* bytes of shapes by which branches are followed; with more, frequencies alone lead */

typedef struct mode {
    double re, im;
    char words[96]; /* what moves */
} mode;

/* What came of one case. No pointers: it travels between processes. */
typedef struct found {
    ph_outcome outcome;
    ph_modes_info info;
    char name[64]; /* of the model */
    int n;         /* modes, of as many as are shown */
    int nv; /* coordinates of the shapes that follow the modes, 2 nv numbers for each; 0: there are none */
    mode mode[];
} found;

typedef struct study {
    const ph_args *args;
    ph_model *model; /* of a file whose parameter is varied */
    ph_plan plan;    /* of one quantity, or none */
    int n;           /* cases */
    int shown;       /* modes of each */
    size_t size;     /* of a case */
    char *found;     /* cases */
    int follow;      /* with --vary: coordinates of the shapes of each case; 0: none are kept */
    int *branch;     /* with --vary: cases x shown, from 1 on; 0: no mode */
    int n_branches;

    /* One case without --vary, for JSON; NULL: not asked for */
    int nv;                  /* coordinates */
    double *shape;           /* modes x 2 nv: re, im */
    char (*coordinate)[128]; /* their names */
} study;

static found *found_at(const study *s, int c)
{
    return (found *)(void *)(s->found + (size_t)c * s->size);
}

/* Shape k of a case: real parts, then imaginary parts. */
static double *shape_at(const study *s, found *f, int k)
{
    return (double *)(void *)&f->mode[s->shown] + (size_t)k * 2 * (size_t)s->follow;
}

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

/* "rod2 turns 71%, rod1 turns 27%": where the kinetic energy is, three at most. part: 2 for each node, moves and turns. */
static void describe(const ph_job *r, const double *share, double *part, char *text, size_t size)
{
    const ph_system *sys = &r->p->sys;
    int nodes = sys->n_nodes;
    memset(part, 0, 2 * (size_t)nodes * sizeof *part);
    text[0] = 0;
    for (int k = 0, at = 0; k < nodes; k++)
        for (int i = 0, home = flexible_home(sys, k); i < ph_group_dim(sys->nodes[k].group, sys->nodes[k].n);
             i++)
            part[home >= 0 ? 2 * home : 2 * k + turns(sys, k, i)] += share[at++];
    for (int count = 0; count < 3; count++) {
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
}

/* "rotor.x" where a node moves, "rotor.rx" where it turns; in coordinates that are none of the two by number. */
static void name_coordinates(const ph_job *r, char (*to)[128])
{
    const ph_system *sys = &r->p->sys;
    char name[PH_LABEL_MAX];
    for (int k = 0, at = 0; k < sys->n_nodes; k++) {
        int rot = ph_group_get(sys->nodes[k].group)->rot,
            dim = ph_group_dim(sys->nodes[k].group, sys->nodes[k].n);
        for (int i = 0; i < dim; i++, at++) {
            const char *body = ph_node_name(r->bodies, is_modes(sys, k) ? k - 1 : k, name);
            if (is_modes(sys, k) || (rot < 0 && dim != 3))
                snprintf(to[at], sizeof to[at], "%.80s.%s%d", body, is_modes(sys, k) ? "mode" : "", i + 1);
            else
                snprintf(to[at], sizeof to[at], "%.80s.%s%c", body, turns(sys, k, i) ? "r" : "",
                         "xyz"[i % 3]);
        }
    }
}

/* Room for shapes and names of coordinates; 0: there is none. */
static int take_shapes(study *s, const ph_job *r, int count)
{
    if (s->plan.n_vary || !s->args->json)
        return 1;
    size_t nv = (size_t)ph_system_nv(&r->p->sys);
    s->nv = (int)nv;
    s->shape = calloc((size_t)count * 2 * nv + 1, sizeof *s->shape);
    s->coordinate = calloc(nv + 1, sizeof *s->coordinate);
    if (s->coordinate)
        name_coordinates(r, s->coordinate);
    return s->shape && s->coordinate;
}

static ph_status read_modes(study *s, const ph_job *r, ph_modes *m, found *f)
{
    int nv = ph_system_nv(&r->p->sys);
    double *share = calloc((size_t)nv + 2 * (size_t)r->p->sys.n_nodes + 1, sizeof *share);
    ph_status status = PH_OK;
    snprintf(f->name, sizeof f->name, "%s", r->p->name);
    f->info = ph_modes_get_info(m);
    f->n = f->info.count < s->shown ? f->info.count : s->shown;
    if (!share || !take_shapes(s, r, f->n))
        status = PH_E_MEMORY;
    f->nv = s->follow == nv ? nv : 0;
    for (int k = 0; k < f->n && status != PH_E_MEMORY; k++) {
        double *re = s->shape ? s->shape + (size_t)k * 2 * (size_t)nv : f->nv ? shape_at(s, f, k) : NULL;
        double *im = re ? re + nv : NULL;
        ph_modes_value(m, k, &f->mode[k].re, &f->mode[k].im);
        status = ph_modes_shape(m, k, re, im, share);
        if (status == PH_OK)
            describe(r, share, share + nv, f->mode[k].words, sizeof f->mode[k].words);
    }
    free(share);
    return status == PH_E_MEMORY ? status : PH_OK; /* a mode without a shape has its frequency */
}

/* The modes in motion about a state. */
static void show(const study *s, ph_job *r, ph_modes *m, const ph_state *about)
{
    if (!r->args->view || s->plan.n_vary)
        return;
    ph_status status = ph_page_open(r);
    if (r->view)
        status = ph_view_modes(r->view, r->run, about, m, s->shown);
    if (status != PH_OK)
        ph_complain("--view: %s", r->err.text[0] ? r->err.text : ph_status_text(status));
    else if (ph_page_write(r) != PH_EXIT_OK)
        status = PH_E_INPUT;
    r->status = status;
    ph_view_destroy(r->view);
}

static void linearise(study *s, ph_job *r, found *f)
{
    ph_modes *m = NULL;
    ph_equilibrium *e = NULL;
    if (r->args->about)
        e = ph_job_equilibrium(r);
    ph_job_recall(r, e);
    if (e) {
        ph_state rest = ph_equilibrium_state(e);
        r->status = ph_modes_create(&m, &r->p->sys, 0, rest.q, rest.v, NULL, &r->err);
    } else if (r->status == PH_OK) {
        r->status = ph_run_modes(&m, r->run, &r->err);
    }
    if (r->status == PH_OK)
        r->status = read_modes(s, r, m, f);
    else
        ph_complain("%s", r->err.text);
    if (r->status == PH_OK) {
        ph_state about = e ? ph_equilibrium_state(e) : ph_sim_state(ph_run_sim(r->run));
        show(s, r, m, &about);
    }
    f->outcome.status = r->status;
    ph_modes_destroy(m);
    ph_equilibrium_destroy(e);
}

/* Complaints are results. */
static void run_case(int k, void *result, void *ctx)
{
    study *s = ctx;
    found *f = result;
    ph_args args = *s->args;
    ph_job r = {.args = &args};
    ph_setting set = {.name = s->plan.vary[0].name};
    ph_more more = {.model = s->model, .n_sets = s->plan.n_vary, .set = &set};
    int code;
    if (s->plan.n_vary)
        set.value = ph_plan_value(&s->plan, 0, k);
    ph_complain_into(f->outcome.err.text, sizeof f->outcome.err.text);
    if (ph_target_open_case(&r.target, &args, &more, &code)) {
        r.p = r.target.p, r.run = r.target.run;
        r.bodies = ph_bodies_create(&r.target);
        if (r.bodies)
            linearise(s, &r, f);
        else
            f->outcome.status = PH_E_MEMORY;
    } else {
        f->outcome.status = r.target.status != PH_OK ? r.target.status : PH_E_INPUT;
    }
    ph_complain_into(NULL, 0);
    free(r.bodies);
    ph_target_close(&r.target);
}

/* ---- what is varied ---------------------------------------------------------------------------------- */

/* The file is read here, once for all cases. */
static int has_parameter(study *s, const char *name)
{
    const char *file = s->args->word[0];
    if (!ph_target_is_file(file))
        return !strcmp(name, "x") && ph_target_has_x(file);
    s->model = ph_target_read(s->args);
    return s->model && ph_target_settable(s->model, file) ? ph_model_find(s->model, PH_PARAMETERS, name) >= 0
                                                          : -1;
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
    ph_status status = ph_plan_add(&s->plan, args->vary.text[0], &err);
    const ph_vary *v = &s->plan.vary[0];
    if (status == PH_OK && !v->is_list && v->n == 0) {
        ph_complain("--vary: %s: in how many values? Say %s:N", v->name, args->vary.text[0]);
        return 0;
    }
    if (status != PH_OK || ph_plan_build(&s->plan, &err) != PH_OK) {
        ph_complain("--vary: %s", err.text);
        return 0;
    }
    int there = has_parameter(s, s->plan.vary[0].name);
    if (!there)
        ph_complain("--vary: '%s' is not a parameter of the model", s->plan.vary[0].name);
    s->n = s->plan.n;
    return there > 0;
}

/* The number of coordinates, from the first value; 0: it has none, or there would be too many; -1: not enough memory. */
static int count_coordinates(const study *s)
{
    ph_args args = *s->args;
    ph_target target;
    char none[256];
    ph_setting set = {.name = s->plan.vary[0].name, .value = ph_plan_value(&s->plan, 0, 0)};
    ph_more more = {.model = s->model, .n_sets = 1, .set = &set};
    int code, nv = 0;
    ph_complain_into(none, sizeof none);
    if (ph_target_open_case(&target, &args, &more, &code))
        nv = ph_system_nv(&target.p->sys);
    ph_complain_into(NULL, 0);
    ph_target_close(&target);
    if (target.status == PH_E_MEMORY)
        return -1;
    return 16.0 * nv * s->shown * s->n <= SHAPES_MOST ? nv : 0;
}

/* Branches over what is varied. 0: not enough memory. */
static int follow(study *s)
{
    size_t n = (size_t)s->n * (size_t)s->shown;
    ph_branch_mode *all = calloc(n, sizeof *all);
    int *count = calloc((size_t)s->n, sizeof *count);
    s->branch = calloc(n, sizeof *s->branch);
    int good = all && count && s->branch;
    for (int c = 0; good && c < s->n; c++) {
        found *f = found_at(s, c);
        count[c] = f->n;
        for (int k = 0; k < f->n; k++)
            all[c * s->shown + k] =
                (ph_branch_mode){f->mode[k].re, f->mode[k].im, f->nv ? shape_at(s, f, k) : NULL};
    }
    if (good)
        s->n_branches = ph_branches_follow(s->n, s->shown, s->follow, count, all, s->branch);
    free(all), free(count);
    return good && s->n_branches >= 0;
}

/* ---- what comes out ---------------------------------------------------------------------------------- */

/* With --vary the first is what is varied; without, that and the branch are not there. */
static const ph_column columns[] = {{"", NULL, PH_SHORT},         {"mode", NULL, PH_WHOLE},
                                    {"omega", "rad/s", PH_SHORT}, {"frequency", "Hz", PH_SHORT},
                                    {"damping", NULL, PH_SHORT},  {"real", "1/s", PH_SHORT},
                                    {"branch", NULL, PH_WHOLE},   {"participation", NULL, PH_WORDS}};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

static void add_notes(const study *s, ph_delivery *d, const found *f)
{
    double worst = 0;
    for (int k = 0; k < f->n; k++)
        worst = fmax(worst, f->mode[k].re);
    if (f->info.count > f->n)
        ph_delivery_line(d, "%d further %s: -n %d shows %s", f->info.count - f->n,
                         ph_plural(f->info.count - f->n, "mode", "modes"), f->info.count,
                         ph_plural(f->info.count - f->n, "it", "them"));
    if (f->info.turning)
        ph_delivery_line(d, "seen from axes that turn with the bodies");
    if (!s->args->about && f->info.speed == 0 && f->info.acceleration > 1e-6)
        ph_delivery_line(
            d, "note: the initial state is not an equilibrium, accelerations are up to %.3g; --about static",
            f->info.acceleration);
    if (worst > 1e-9)
        ph_delivery_line(d, "unstable: grows by exp(%.4g t)", worst);
}

static void add_case(const study *s, int c, ph_table *t)
{
    const found *f = found_at(s, c);
    for (int k = 0; k < f->n; k++) {
        const mode *m = &f->mode[k];
        double size = hypot(m->re, m->im);
        if (s->plan.n_vary)
            ph_table_number(t, ph_plan_value(&s->plan, 0, c));
        ph_table_number(t, k + 1), ph_table_number(t, m->im), ph_table_number(t, m->im / TWO_PI);
        ph_table_number(t, size > 0 ? 0 - m->re / size : NAN), ph_table_number(t, m->re);
        if (s->plan.n_vary)
            ph_table_number(t, s->branch[c * s->shown + k]);
        ph_table_word(t, m->words);
    }
}

#define TOLD 3 /* failures in words; JSON has them all */

/* A value of the parameter that has no modes, and why. */
static void add_failure(const study *s, int c, int count, ph_delivery *d)
{
    const ph_outcome *o = &found_at(s, c)->outcome;
    const char *why = o->err.text[0] ? o->err.text : ph_status_text(o->status);
    ph_table_number(d->summary, ph_plan_value(&s->plan, 0, c));
    ph_table_word(d->summary, ph_status_word(o->status)), ph_table_word(d->summary, why);
    if (count <= TOLD)
        ph_delivery_line(d, "%s = %g: %s", s->plan.vary[0].name, ph_plan_value(&s->plan, 0, c), why);
}

/* How many eigenvalues are shown, and are there: where values of a parameter differ, the largest numbers. */
static void add_count(const study *s, ph_delivery *d)
{
    int least[2] = {INT_MAX, INT_MAX}, most[2] = {0, 0};
    for (int c = 0; c < s->n; c++) {
        const found *f = found_at(s, c);
        int n[2] = {f->n, f->info.count};
        for (int k = 0; k < 2 && f->outcome.status == PH_OK; k++) {
            least[k] = n[k] < least[k] ? n[k] : least[k];
            most[k] = n[k] > most[k] ? n[k] : most[k];
        }
    }
    snprintf(d->settings, sizeof d->settings, "%s%d of %s%d eigenvalues with im >= 0",
             least[0] < most[0] ? "at most " : "", most[0], least[1] < most[1] ? "at most " : "", most[1]);
}

static int fill(const study *s, ph_delivery *d)
{
    ph_column own[N_COLUMNS];
    ph_column fails[] = {{"", NULL, PH_SHORT}, {"status", NULL, PH_WORDS}, {"reason", NULL, PH_WORDS}};
    const found *f = found_at(s, 0);
    int failed = 0, varies = s->plan.n_vary > 0;
    memcpy(own, columns, sizeof columns);
    own[0].name = varies ? s->plan.vary[0].name : "";
    if (!varies)
        own[N_COLUMNS - 2] = own[N_COLUMNS - 1];
    d->table = ph_table_create(varies ? N_COLUMNS : N_COLUMNS - 2, varies ? own : own + 1);
    if (s->plan.n_vary) {
        fails[0].name = own[0].name;
        d->summary_name = "failed", d->summary = ph_table_create(3, fails);
    }
    snprintf(d->title, sizeof d->title, "%s: modes about the %s", f->name[0] ? f->name : s->args->word[0],
             s->args->about ? "equilibrium" : "initial state");
    add_count(s, d);
    for (int c = 0; c < s->n; c++) {
        add_case(s, c, d->table);
        if (found_at(s, c)->outcome.status != PH_OK)
            add_failure(s, c, ++failed, d);
    }
    if (failed > TOLD)
        ph_delivery_line(d, "no modes for %d of %d values of %s", failed, s->n, own[0].name);
    if (s->n == 1)
        add_notes(s, d, f);
    return failed;
}

/* What a Campbell diagram consists of: branches as lines, and orders of the speed, k x/(2 pi). */
typedef struct campbell {
    double *x, *y, *damping; /* of all values; branches x values */
    double *order;           /* orders x 4: x and frequency at both ends of a line */
    ph_series *frequencies, *dampings;
    char (*name)[16]; /* "1P" */
    double most;      /* of the frequencies */
    int damped;       /* something is */
} campbell;

static void add_points(const study *s, int c, campbell *d)
{
    const found *f = found_at(s, c);
    for (int k = 0; k < f->n; k++) {
        size_t at = (size_t)(s->branch[c * s->shown + k] - 1) * (size_t)s->n + (size_t)c;
        if (!(f->mode[k].im > 0))
            continue; /* what does not vibrate */
        d->y[at] = f->mode[k].im / TWO_PI;
        d->damping[at] = -100 * f->mode[k].re / hypot(f->mode[k].re, f->mode[k].im);
        d->most = fmax(d->most, d->y[at]);
        d->damped |= fabs(d->damping[at]) > 1e-6;
    }
}

static int make_campbell(const study *s, campbell *d)
{
    size_t n = (size_t)s->n, b = (size_t)s->n_branches, orders = (size_t)s->args->harmonics;
    d->x = calloc(n, sizeof *d->x), d->y = calloc(n * b + 1, sizeof *d->y);
    d->damping = calloc(n * b + 1, sizeof *d->damping), d->order = calloc(4 * orders + 1, sizeof *d->order);
    d->frequencies = calloc(b + orders + 1, sizeof *d->frequencies);
    d->dampings = calloc(b + 1, sizeof *d->dampings), d->name = calloc(orders + 1, sizeof *d->name);
    if (!d->x || !d->y || !d->damping || !d->order || !d->frequencies || !d->dampings || !d->name)
        return 0;
    for (size_t i = 0; i < n * b; i++)
        d->y[i] = d->damping[i] = NAN;
    for (int c = 0; c < s->n; c++) {
        d->x[c] = ph_plan_value(&s->plan, 0, c);
        add_points(s, c, d);
    }
    for (size_t k = 0; k < b; k++) {
        ph_series line = {.look = (int)k + 1, .n = s->n, .x = d->x, .y = d->y + k * n};
        d->frequencies[k] = line, line.y = d->damping + k * n, d->dampings[k] = line;
    }
    for (size_t k = 0; k < orders; k++) {
        double *line = d->order + 4 * k, slope = (double)(k + 1) / TWO_PI, top = 1.05 * d->most / slope;
        snprintf(d->name[k], sizeof d->name[k], "%dP", (int)k + 1);
        for (int end = 0; end < 2; end++) {
            line[end] = fmin(fmax(d->x[end ? s->n - 1 : 0], -top), top);
            line[2 + end] = slope * fabs(line[end]);
        }
        d->frequencies[b + k] =
            (ph_series){.label = d->name[k], .style = PH_LINES, .n = 2, .x = line, .y = line + 2};
    }
    return 1;
}

/* Frequencies and damping ratios over what is varied. */
static int draw(const study *s, const ph_delivery *d)
{
    campbell c = {0};
    int code;
    if (!s->plan.n_vary) {
        code = ph_deliver(d, s->args, NULL);
    } else if (make_campbell(s, &c)) {
        ph_axis x = {.label = s->plan.vary[0].name};
        ph_panel panel[] = {{.x = x,
                             .y = {.label = "frequency", .unit = "Hz"},
                             .legend = s->args->harmonics ? PH_LEGEND_BELOW : PH_LEGEND_NONE,
                             .n_series = s->n_branches + s->args->harmonics,
                             .series = c.frequencies},
                            {.x = x,
                             .y = {.label = "damping ratio", .unit = "%"},
                             .legend = PH_LEGEND_NONE,
                             .n_series = s->n_branches,
                             .series = c.dampings}};
        const ph_plot plot = {.title = d->title, .n_panels = 1 + c.damped, .panels = panel};
        code = ph_deliver(d, s->args, &plot);
    } else {
        code = ph_complain("not enough memory for the picture");
    }
    free(c.x), free(c.y), free(c.damping), free(c.order);
    free(c.frequencies), free(c.dampings), free(c.name);
    return code;
}

/* Shapes as vectors of the increments of all coordinates, whose names stand once. */
static void add_shapes(ph_json *j, const void *ctx)
{
    const study *s = ctx;
    if (!s->shape)
        return;
    cJSON *names = ph_json_array(j, j->root, "coordinates"), *all = ph_json_array(j, j->root, "shapes");
    for (int i = 0; i < s->nv; i++)
        ph_json_text(j, names, NULL, s->coordinate[i]);
    for (int k = 0; k < found_at(s, 0)->n; k++) {
        const double *re = s->shape + (size_t)k * 2 * (size_t)s->nv;
        cJSON *one = ph_json_element(j, all);
        ph_json_count(j, one, "mode", k + 1);
        ph_json_numbers(j, one, "re", s->nv, re), ph_json_numbers(j, one, "im", s->nv, re + s->nv);
    }
}

static int report(study *s)
{
    const ph_outcome *o = &found_at(s, 0)->outcome;
    if (s->n == 1 && o->status != PH_OK) {
        ph_complain("%s", o->err.text[0] ? o->err.text : "not enough memory for the model");
        return ph_status_exit(o->status);
    }
    if (s->plan.n_vary && !follow(s))
        return ph_complain("not enough memory for the study");
    ph_delivery d = {.more = add_shapes, .ctx = s};
    int failed = fill(s, &d), code = draw(s, &d);
    ph_delivery_end(&d);
    return code == PH_EXIT_OK && failed == s->n ? PH_EXIT_FAILED : code;
}

/* What came of all cases; NULL: there is a complaint. */
static char *run_cases(study *s, int *code)
{
    int several = s->plan.n_vary > 0, nv = several ? count_coordinates(s) : 0;
    s->follow = nv;
    s->size = sizeof(found) + (size_t)s->shown * (sizeof(mode) + 2 * (size_t)nv * sizeof(double));
    if (several && nv >= 0)
        return ph_stability_run(s->args, "modes", s->n, s->size, run_case, s, code);
    char *one = nv < 0 ? NULL : calloc(1, s->size);
    if (one)
        run_case(0, one, s);
    else
        *code = ph_complain("not enough memory for the study");
    return one;
}

int ph_cmd_modes(const ph_args *args)
{
    study s = {.args = args, .shown = args->modes ? args->modes : MODES_USUAL};
    int code = PH_EXIT_USAGE;
    if (s.shown > MODES_MAX)
        return ph_complain("-n: %d is more than %d modes", s.shown, MODES_MAX);
    if (args->plot && !args->vary.n)
        return ph_complain("--plot draws frequencies over a parameter: say which with --vary");
    if (args->harmonics && !args->plot)
        return ph_complain("--harmonics: lines of a picture; give --plot too");
    if (args->view && args->vary.n)
        return ph_complain("--view shows the modes about one state, and --vary asks for many");
    if (args->view && !ph_page_name(args->view))
        return code;
    if (ph_delivery_ready(args) && make_plan(&s)) {
        s.found = run_cases(&s, &code);
        if (s.found)
            code = report(&s);
    }
    free(s.found), free(s.shape), free(s.coordinate), free(s.branch);
    ph_plan_clear(&s.plan);
    ph_model_free(s.model);
    return code;
}
