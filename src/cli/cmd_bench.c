/* polhode bench: microseconds per step through the public API, and the error that they buy. */
#include "cli/deliver.h"
#include "cli/exact.h"
#include "cli/options.h"
#include "io/file.h"
#include "io/json.h"
#include "problem/problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    const char *key, *problem;
    int size;
    ph_formulation formulation;
    double sigma;
    int order;           /* of bliedf; 0: another method */
    const char *tableau; /* of rkmk; NULL: another method */
} bench;

static const bench rows[] = {
#define PH_BENCH(key, problem, size, formulation, sigma) {key, problem, size, formulation, sigma, 0, NULL},
#define PH_BENCH_BDF(key, problem, size, formulation, order)                                                 \
    {key, problem, size, formulation, 0, order, NULL},
#define PH_BENCH_RK(key, problem, size, tableau) {key, problem, size, PH_INDEX3, 0, 0, tableau},
#include "cli/bench.def"
#undef PH_BENCH
#undef PH_BENCH_BDF
#undef PH_BENCH_RK
};

#define N_ROWS ((int)(sizeof rows / sizeof *rows))
#define BUDGET 0.3 /* s for the runs of one row */
#define LEAST  3   /* runs of a row, unless they take */
#define LONG   1.5 /* s */

typedef struct result {
    double us_per_step, newton_per_step, error; /* of the fastest run; error is NAN where none is known */
    double h;
    double ratio; /* of us_per_step to what is stored; NAN: nothing is */
    int runs;
} result;

/* Rows of that key, or of that problem. */
static int is_asked_for(const bench *b, const char *name)
{
    return !name || !strcmp(name, b->key) || !strcmp(name, b->problem);
}

static const char *row_key(int k)
{
    return k < N_ROWS ? rows[k].key : NULL;
}

/* Names that can be asked for: the keys, then the problems that are no key, each once. */
static const char *row_name(int k)
{
    const char *last = "";
    for (int i = 0, n = N_ROWS; k >= N_ROWS && i < N_ROWS; i++)
        if (strcmp(rows[i].problem, last) != 0 && ph_word_find(rows[i].problem, row_key) < 0) {
            last = rows[i].problem;
            if (n++ == k)
                return last;
        }
    return row_key(k);
}

/* ---- one row ------------------------------------------------------------------------------------------ */

/* Best of many: what disturbs a run makes it only slower. The first run, a short one, warms up. */
static ph_status measure(const ph_problem *p, ph_run *run, int repeats, result *out, ph_error *err)
{
    double spent = 0, best = HUGE_VAL;
    ph_stats st = {0};
    ph_status s = PH_OK;
    for (long k = lround(p->t_end / p->h) / 10; k >= 0 && s == PH_OK; k--)
        s = ph_run_step(run, err);
    for (int k = 0; s == PH_OK && (repeats ? k < repeats : spent < BUDGET || (k < LEAST && spent < LONG));
         k++) {
        s = ph_run_reset(run, err);
        if (s == PH_OK)
            s = ph_run_until(run, p->t_end, err);
        st = ph_run_summarise(run).stats;
        spent += st.wall_s;
        best = fmin(best, st.cpu_s);
        out->runs = k + 1;
    }
    ph_exact_error e = {0};
    ph_state at = ph_sim_state(ph_run_sim(run));
    out->us_per_step = 1e6 * best / (double)st.steps;
    out->newton_per_step = (double)st.iterations / (double)st.steps;
    if (s == PH_OK)
        s = ph_exact_compare(p, &at, 0, &e, err);
    out->error = e.source ? e.q : NAN;
    return s;
}

#define TEXT 64

/* What a row says of run{}; their number. */
static int write_options(const bench *b, const ph_problem *p, char text[][TEXT])
{
    int n = 0;
    snprintf(text[n++], TEXT, "h=%.17g", p->h);
    snprintf(text[n++], TEXT, "t_end=%.17g", p->t_end);
    snprintf(text[n++], TEXT, "formulation=%s", ph_formulation_word((int)b->formulation));
    if (b->sigma == PH_SIGMA_OPT)
        snprintf(text[n++], TEXT, "sigma=opt");
    else
        snprintf(text[n++], TEXT, "sigma=%.17g", b->sigma);
    if (b->order) {
        snprintf(text[n++], TEXT, "method=bliedf");
        snprintf(text[n++], TEXT, "order=%d", b->order);
    }
    if (b->tableau) {
        snprintf(text[n++], TEXT, "method=rkmk");
        snprintf(text[n++], TEXT, "tableau=%s", b->tableau);
    }
    return n;
}

static ph_status run_row(const bench *b, int repeats, result *out, ph_error *err)
{
    ph_problem_def def = {.size = b->size};
    ph_problem *p = ph_problem_create(b->problem, b->size ? &def : NULL);
    char text[8][TEXT];
    const char *option[8];
    ph_run_config c = ph_run_defaults();
    ph_run *run = NULL;
    *err = (ph_error){PH_E_MEMORY, "not enough memory for the problem"};
    if (!p)
        return PH_E_MEMORY;
    out->h = p->h;
    c.n_options = write_options(b, p, text), c.options = option, c.watch = 0;
    for (int k = 0; k < c.n_options; k++)
        option[k] = text[k];
    ph_status s = ph_run_create_system(&run, &p->sys, 0, p->q0, p->v0, &c, err);
    if (s == PH_OK)
        s = measure(p, run, repeats, out, err);
    ph_run_close(run);
    ph_problem_destroy(p);
    return s;
}

/* ---- output ------------------------------------------------------------------------------------------- */

static void print_row(const bench *b, const result *r, int compared)
{
    const char *form = ph_formulation_word((int)b->formulation);
    char per_body[32] = "", error[32] = "", ratio[32] = "", method[64];
    if (b->tableau)
        snprintf(method, sizeof method, "rkmk, %s", b->tableau);
    else if (b->order)
        snprintf(method, sizeof method, "%s, bliedf %d", form, b->order);
    else
        snprintf(method, sizeof method, "%s, sigma %g", form, b->sigma);
    if (b->size)
        snprintf(per_body, sizeof per_body, "%.3f", r->us_per_step / b->size);
    if (isfinite(r->error))
        snprintf(error, sizeof error, "%.2e", r->error);
    if (isfinite(r->ratio))
        snprintf(ratio, sizeof ratio, "%.3f", r->ratio);
    printf("%-21s %10.3f", b->key, r->us_per_step);
    if (compared)
        printf(" %10s", ratio);
    printf(" %10s %10.2f %10s   %s, h %g\n", per_body, r->newton_per_step, error, method, r->h);
    fflush(stdout);
}

static void add_row(ph_json *j, const bench *b, const result *r, int compared)
{
    cJSON *o = ph_json_object(j, j->root, b->key);
    ph_json_number(j, o, "us_per_step", r->us_per_step);
    if (b->size)
        ph_json_number(j, o, "us_per_body_step", r->us_per_step / b->size);
    if (compared)
        ph_json_number(j, o, "ratio", r->ratio);
    ph_json_number(j, o, "newton_per_step", r->newton_per_step);
    ph_json_number(j, o, "error", r->error);
    ph_json_count(j, o, "runs", r->runs);
}

/* What 'bench --json' wrote. NULL after one line on stderr. */
static cJSON *read_stored(const char *path)
{
    size_t size;
    char *text = ph_file_read(path, &size);
    cJSON *all = text ? cJSON_ParseWithLength(text, size) : NULL;
    if (!text)
        ph_complain("--compare: cannot read '%s': %s", path, strerror(errno));
    else if (!cJSON_IsObject(all)) {
        ph_complain("--compare: '%s' is not what 'polhode bench --json' writes", path);
        cJSON_Delete(all);
        all = NULL;
    }
    free(text);
    return all;
}

static double ratio_of(const cJSON *stored, const char *key, double us)
{
    const cJSON *x = cJSON_GetObjectItem(cJSON_GetObjectItem(stored, key), "us_per_step");
    return cJSON_IsNumber(x) && x->valuedouble > 0 ? us / x->valuedouble : NAN;
}

int ph_cmd_bench(const ph_args *args)
{
    const char *name = args->n_words ? args->word[0] : NULL;
    int code = PH_EXIT_OK;
    if (name && ph_word_find(name, row_name) < 0)
        return ph_complain_word("there is no benchmark", name, row_name, NULL);
    cJSON *stored = args->stored ? read_stored(args->stored) : NULL;
    if (args->stored && !stored)
        return PH_EXIT_USAGE;
    ph_json j = {0};
    if (args->json)
        j = ph_json_create();
    else
        printf("%-21s %10s%s %10s %10s %10s\n", "best of several runs", "us/step",
               stored ? "      ratio" : "", "us/body", "iterations", "error in q");
    for (int k = 0; k < N_ROWS; k++) {
        result r = {0};
        ph_error err;
        if (!is_asked_for(&rows[k], name))
            continue;
        ph_status s = run_row(&rows[k], args->repeats, &r, &err);
        if (s != PH_OK) {
            ph_complain("%s: %s", rows[k].key, err.text);
            code = ph_status_exit(s);
            continue;
        }
        r.ratio = ratio_of(stored, rows[k].key, r.us_per_step);
        if (args->json)
            add_row(&j, &rows[k], &r, stored != NULL);
        else
            print_row(&rows[k], &r, stored != NULL);
    }
    cJSON_Delete(stored);
    if (args->json && !ph_answer(&j))
        return ph_complain("not enough memory for the report");
    return code;
}
