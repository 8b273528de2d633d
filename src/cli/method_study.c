/* Studies over step sizes and variants of a method: arguments, runs, failures. */
#include "cli/method_study.h"
#include "cli/deliver.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- step sizes and variants -------------------------------------------------------------------------- */

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Each h is the nearest value that divides t_end, as run has it; the largest comes first. */
static int plan_steps(ph_method_study *q)
{
    ph_numbers h = q->args.list.h;
    double t_end = q->args.t_end;
    if (!(t_end > 0)) {
        ph_complain("the model says no t_end: give --t-end");
        return 0;
    }
    if (h.n == 0 && q->args.list.tol.n == 0) {
        ph_complain("give step sizes, --h H1,H2,..., or tolerances, --tol T1,T2,...");
        return 0;
    }
    qsort(h.x, (size_t)h.n, sizeof *h.x, descending);
    for (int k = 0; k < h.n; k++) {
        double n = t_end / h.x[k];
        if (!(n <= PH_STEPS_MAX)) {
            ph_complain("t_end = %g s in steps of h = %g s takes %.3g steps; the limit is %.0e", t_end,
                        h.x[k], n, PH_STEPS_MAX);
            return 0;
        }
        q->steps[k] = ph_steps_of(t_end, h.x[k]);
        if (k && q->steps[k] == q->steps[k - 1]) {
            ph_complain("--h: %g and %g are both %ld %s until t_end = %g s", h.x[k - 1], h.x[k], q->steps[k],
                        ph_plural(q->steps[k], "step", "steps"), t_end);
            return 0;
        }
    }
    q->def.n_h = h.n, q->def.steps = q->steps, q->def.t_end = q->until = t_end;
    q->tol = q->args.list.tol;
    qsort(q->tol.x, (size_t)q->tol.n, sizeof *q->tol.x, descending);
    q->def.n_tol = q->tol.n, q->def.tol = q->tol.x;
    return 1;
}

#define RANDOM 2 /* steps from h/2 to 2 h */

/* --steps random[:SEED] */
static int plan_random(ph_method_study *q)
{
    static const char word[] = "random";
    const char *text = q->args.random, *seed = text ? strchr(text, ':') : NULL;
    size_t n = seed ? (size_t)(seed - text) : text ? strlen(text) : 0;
    char *end = NULL;
    unsigned long number = seed ? strtoul(seed + 1, &end, 10) : 1;
    if (!text)
        return 1;
    if (n != strlen(word) || strncmp(text, word, n) != 0 ||
        (seed && (!isdigit((unsigned char)seed[1]) || *end || number > UINT_MAX)))
        ph_complain("--steps: '%s' is not random or random:SEED", text);
    else if (q->tol.n)
        ph_complain("--steps random chooses the steps, and so does --tol: give one of them");
    else if (q->args.reference && strcmp(q->args.reference, "exact") != 0)
        ph_complain(
            "--steps random is compared at the ends of its steps: only --reference exact is possible");
    else
        return q->def.random = RANDOM, q->def.seed = (unsigned)number, 1;
    return 0;
}

static int plan_variants(ph_method_study *q)
{
    q->variants = calloc(PH_VARIANTS_MAX, sizeof *q->variants);
    int n = q->variants ? ph_variants_list(&q->args.opt, &q->args.list, q->variants) : 0;
    if (!q->variants)
        ph_complain("not enough memory for the variants");
    else if (n < 0)
        ph_complain("the lists combine to more than %d variants", PH_VARIANTS_MAX);
    if (n > 0)
        ph_note_unread(&q->args.list, n, q->variants);
    if (n > 0 && q->tol.n) {
        n = ph_variants_add_tol(q->variants, n, q->def.n_h == 0);
        if (n == 0)
            ph_complain("--tol: none of the methods has steps by tolerance");
        else if (n < 0)
            ph_complain("the lists combine to more than %d variants", PH_VARIANTS_MAX);
    }
    q->def.n_variants = n, q->def.variants = q->variants;
    return n > 0;
}

static int plan_from(ph_method_study *q)
{
    q->def.from = q->args.from;
    if (q->args.from >= 0 && q->args.from <= q->def.t_end)
        return 1;
    ph_complain("--from: %g s is outside 0 to t_end = %g s", q->args.from, q->def.t_end);
    return 0;
}

/* ---- sensors ------------------------------------------------------------------------------------------ */

static int find_sensor(const ph_method_study *q, const char *name)
{
    const ph_run *run = q->target.run;
    ph_near search = {.word = name};
    int found = ph_run_find(run, PH_SENSORS, name);
    if (found >= 0)
        return found;
    for (int k = 0; k < ph_run_count(run, PH_SENSORS); k++)
        ph_near_offer(&search, ph_run_name(run, PH_SENSORS, k));
    const char *near = ph_near_word(&search);
    if (near)
        ph_complain("--sensor: the model has no sensor '%s'; did you mean '%s'?", name, near);
    else
        ph_complain("--sensor: the model has no sensor '%s'", name);
    return -1;
}

static int plan_sensors(ph_method_study *q, int *n)
{
    char name[PH_LABEL_MAX];
    int k, i;
    *n = 0;
    if (q->args.sensors && !q->target.model) {
        ph_complain("--sensor: the built-in problem '%s' has no sensors", q->target.p->name);
        return 0;
    }
    for (const char *text = q->args.sensors, *end; text; text = end ? end + 1 : NULL) {
        end = strchr(text, ',');
        snprintf(name, sizeof name, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
        if (*n == PH_PROBE_SENSORS) {
            ph_complain("--sensor: more than %d of them", PH_PROBE_SENSORS);
            return 0;
        }
        k = find_sensor(q, name);
        if (k < 0)
            return 0;
        for (i = 0; i < *n && q->sensors[i] != k; i++)
            ;
        if (i == *n) /* not said twice */
            q->sensors[(*n)++] = k;
    }
    return 1;
}

/* ---- the reference ------------------------------------------------------------------------------------ */

/* A file is read with the layout of the model. */
static int read_reference(ph_method_study *q, const char *path)
{
    double h = q->def.t_end / (double)(q->def.n_h ? q->steps[0] : 1);
    ph_state layout = ph_sim_state(ph_run_sim(q->target.run));
    int ok = ph_reference_file(&q->track, path, q->bodies, q->probe, &layout);
    if (ok)
        ph_reference_note(path, &q->target);
    if (ok && q->track.t[q->track.n - 1] < q->def.t_end - 1e-6 * h) {
        q->until = q->track.t[q->track.n - 1];
        ph_note("'%s' ends at t = %g s: errors are those until then", path, q->until);
    }
    q->def.against = PH_AGAINST_TRACK, q->def.track = &q->track;
    snprintf(q->reference, sizeof q->reference, "%.200s", path);
    for (int m = PH_OF_V; ok && m < q->probe->n_measures; m++)
        if (q->track.missing & 1u << m && (m != PH_OF_LAMBDA || q->probe->nl))
            ph_note("'%s' does not have all columns of %s: it is not compared", path,
                    ph_method_study_measure(q, m));
    return ok;
}

static int plan_reference(ph_method_study *q)
{
    const char *word = q->args.reference ? q->args.reference : "exact";
    if (!strcmp(word, "exact")) {
        if (!ph_target_comparable(&q->target, "--reference exact"))
            return 0;
        q->def.against = PH_AGAINST_EXACT;
        snprintf(q->reference, sizeof q->reference, "%s",
                 q->def.random > 1 ? "a solution of order 8 and tol 1e-12" : "the ");
        if (!(q->def.random > 1))
            snprintf(q->reference + 4, sizeof q->reference - 4, "%s",
                     ph_reference_provider_of(q->target.p)->name);
        return 1;
    }
    if (!strcmp(word, "finest")) {
        q->def.against = PH_AGAINST_FINEST;
        snprintf(q->reference, sizeof q->reference,
                 "a run of the same method with a quarter of the smallest h, or less%s",
                 q->tol.n ? ", or a sixteenth of the smallest tol" : "");
        return 1;
    }
    return read_reference(q, word);
}

/* ---- open, run, close --------------------------------------------------------------------------------- */

static int make_probe(ph_method_study *q)
{
    int n;
    if (!plan_sensors(q, &n))
        return 0;
    q->bodies = ph_bodies_create(&q->target);
    q->probe = ph_probe_create(&q->target.p->sys, q->target.model ? q->target.run : NULL, n, q->sensors);
    if (q->bodies && q->probe)
        return 1;
    ph_complain("not enough memory for the model '%s'", q->target.p->name);
    return 0;
}

/* The model in the second and further spaces, and the site of each variant. 0 after one line on stderr. */
static int make_sites(ph_method_study *q, int *code)
{
    const ph_counts *spaces = &q->args.list.space;
    if (spaces->n < 2)
        return 1;
    for (int k = 1; k < spaces->n && k <= PH_SPACES_MAX; k++) {
        int i = q->n_more++;
        ph_args other = q->args;
        ph_more more = {.model = q->target.model};
        other.list.space = (ph_counts){1, {spaces->k[k]}};
        q->more[i].space = spaces->k[k];
        if (!ph_target_open_case(&q->more[i].target, &other, &more, code))
            return 0;
        q->more[i].probe = ph_probe_create(&q->more[i].target.p->sys, q->more[i].target.run,
                                           q->probe->n_sensors, q->sensors);
    }
    q->sites = calloc((size_t)q->def.n_variants, sizeof *q->sites);
    for (int v = 0; q->sites && v < q->def.n_variants; v++) {
        q->sites[v] = (ph_case_site){q->target.run, q->probe};
        for (int i = 0; i < q->n_more; i++)
            if (q->more[i].space == q->variants[v].space)
                q->sites[v] = (ph_case_site){q->more[i].target.run, q->more[i].probe};
        if (!q->sites[v].probe)
            free(q->sites), q->sites = NULL;
    }
    q->def.sites = q->sites;
    if (!q->sites)
        ph_complain("not enough memory for the model '%s'", q->target.p->name);
    return q->sites != NULL;
}

/* Those of the first case; the others are built as their turn comes. */
static void build_steps(ph_method_study *q)
{
    ph_options o = q->variants[0].opt;
    ph_error err = {0};
    o.h = q->def.n_h ? q->def.t_end / (double)q->steps[0] : o.h;
    if (q->def.n_tol)
        ph_complain("--compiled: compiled steps are of one size; the study goes on without");
    else if (ph_run_set_method(q->target.run, &o, &err) == PH_OK)
        ph_target_build(&q->target, NULL, 0);
}

int ph_method_study_open(ph_method_study *q, const ph_args *given, int *code)
{
    *q = (ph_method_study){.args = *given};
    *code = PH_EXIT_USAGE;
    if (!ph_delivery_ready(given) || !ph_target_open(&q->target, &q->args, code))
        return 0;
    *code = PH_EXIT_USAGE;
    if (!plan_steps(q) || !plan_random(q) || !plan_variants(q) || !plan_from(q) || !make_probe(q) ||
        !make_sites(q, code) || !plan_reference(q))
        return 0;
    q->def.p = q->target.p, q->def.run = q->target.run, q->def.probe = q->probe;
    q->def.extrapolate = q->args.extrapolate;
    q->def.jobs = q->args.jobs, q->def.repeats = q->args.repeats;
    q->def.title = q->args.quiet ? NULL : "runs";
    q->cases = calloc((size_t)ph_cases_first(&q->def, q->def.n_variants), sizeof *q->cases);
    if (!q->cases)
        ph_complain("not enough memory for the results");
    if (q->cases && q->args.compiled)
        build_steps(q);
    return q->cases != NULL;
}

/* A line for each run that failed. Bad options of one variant are bad input, of which the first is enough. */
static int report_failures(const ph_method_study *q)
{
    int code = PH_EXIT_OK;
    char size[PH_SIZE_MAX];
    for (int k = 0; k < ph_cases_first(&q->def, q->def.n_variants); k++) {
        const ph_case *c = &q->cases[k];
        if (c->status == PH_OK)
            continue;
        int one = ph_status_exit(c->status);
        if (one != PH_EXIT_USAGE || code != PH_EXIT_USAGE)
            ph_complain("%s, %s: %s", q->variants[ph_cases_variant(&q->def, k)].label,
                        ph_method_study_size(q, k, size), c->why);
        if (one == PH_EXIT_USAGE || code == PH_EXIT_OK)
            code = one;
    }
    return code;
}

int ph_method_study_run(ph_method_study *q, int *code)
{
    ph_error err = {0};
    int signal_seen;
    ph_status s = ph_cases_run(&q->def, q->cases, &signal_seen, &err);
    if (signal_seen) {
        signal(signal_seen, SIG_DFL);
        raise(signal_seen);
    }
    if (s == PH_OK) {
        *code = report_failures(q);
        return *code != PH_EXIT_USAGE;
    }
    ph_complain("%s%s", err.text,
                q->def.against == PH_AGAINST_EXACT && s != PH_E_CALLBACK && s != PH_E_MEMORY
                    ? "; --reference finest compares with a finer run instead"
                    : "");
    *code = ph_status_exit(s);
    return 0;
}

void ph_method_study_close(ph_method_study *q)
{
    free(q->cases);
    free(q->variants);
    ph_track_clear(&q->track);
    ph_probe_destroy(q->probe);
    free(q->bodies);
    ph_target_close(&q->target);
    for (int i = 0; i < q->n_more; i++) {
        ph_probe_destroy(q->more[i].probe);
        ph_target_close(&q->more[i].target);
    }
    free(q->sites);
}
