/* polhode stability: how far steps are stable, of the ball with a torsional spring, of the linear oscillator,
 * or about the steady spin of a model. */
#include "cli/stability_show.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

void ph_numbers_default(ph_numbers *list, double from, double to, int count, int log)
{
    if (list->n)
        return;
    for (int k = 0; k < count; k++) {
        double s = count > 1 ? (double)k / (count - 1) : 0;
        list->x[list->n++] = log ? from * pow(to / from, s) : from + (to - from) * s;
    }
}

ph_variant *ph_stability_variants(const ph_args *args, int *n)
{
    ph_variant *v = calloc(PH_VARIANTS_MAX, sizeof *v);
    *n = v ? ph_variants_list(&args->opt, &args->list, v) : 0;
    for (int k = 0; k < *n; k++) /* what nothing tells apart still has its numbers */
        if (!strcmp(v[k].label, v[k].opt.method))
            ph_method_describe(&v[k].opt, 0, v[k].label, sizeof v[k].label);
    if (*n > 0) {
        ph_note_unread(&args->list, *n, v);
        return v;
    }
    if (v)
        ph_complain("more than %d combinations of methods and their numbers", PH_VARIANTS_MAX);
    else
        ph_complain("not enough memory for the study");
    free(v);
    return NULL;
}

/* ---- maps over rho ----------------------------------------------------------------------------------- */

#define CURVES_MAX 8

int ph_stability_maps(const ph_args *args, int n, const ph_variant *variant)
{
    const ph_numbers *rho = &args->list.rho;
    if (rho->n <= CURVES_MAX || n % rho->n != 0)
        return 0;
    for (int k = 0; k < n; k++) /* rho is the fastest list, and ascends */
        if (!(ph_method_reads(variant[k].opt.method) & PH_READS_ALPHA) ||
            variant[k].opt.rho != rho->x[k % rho->n] ||
            (k % rho->n && rho->x[k % rho->n - 1] > rho->x[k % rho->n]))
            return 0;
    return n / rho->n;
}

static const char *map_name(const ph_variant *variant, char text[PH_VARIANT_LABEL])
{
    snprintf(text, PH_VARIANT_LABEL, "%s", variant->label);
    char *rho = strstr(text, ", rho ");
    if (rho)
        *rho = 0;
    else
        snprintf(text, PH_VARIANT_LABEL, "%s", variant->opt.method);
    return text;
}

int ph_maps_open(ph_maps *m, const ph_args *args, int maps, int each, const ph_variant *variant,
                 const ph_numbers *x)
{
    const ph_numbers *rho = &args->list.rho;
    m->n = maps * each;
    m->panel = calloc((size_t)m->n, sizeof *m->panel);
    m->name = calloc((size_t)maps, sizeof *m->name);
    if (!m->panel || !m->name)
        return 0;
    for (int k = 0; k < m->n; k++) {
        m->panel[k] = (ph_panel){.title = map_name(&variant[k / each * rho->n], m->name[k / each]),
                                 .y = {.label = "ρ"},
                                 .legend = PH_LEGEND_NONE};
        m->panel[k].heat = (ph_heat){.nx = x->n, .ny = rho->n, .x = x->x, .y = rho->x};
    }
    return 1;
}

int ph_maps_deliver(ph_maps *m, const ph_delivery *d, const ph_args *args, int columns)
{
    const ph_plot plot = {.title = d->title, .n_panels = m->n, .panels = m->panel, .columns = columns};
    int code =
        m->panel && m->name ? ph_deliver(d, args, &plot) : ph_complain("not enough memory for the picture");
    free(m->panel), free(m->name);
    return code;
}

/* ---- cases ------------------------------------------------------------------------------------------- */

static void lose(int k, const char *why, void *result, void *ctx)
{
    ph_outcome *o = result;
    (void)k, (void)ctx;
    o->status = PH_E_STOPPED;
    snprintf(o->err.text, sizeof o->err.text, "a case was lost: its process was %s", why);
}

void *ph_stability_run(const ph_args *args, const char *title, int n, size_t size,
                       void (*job)(int, void *, void *), void *ctx, int *code)
{
    ph_pool_def def = ph_pool_default();
    ph_pool_end end;
    ph_error err = {0};
    void *results = calloc((size_t)n, size);
    if (!results) {
        *code = ph_complain("not enough memory for %d cases", n);
        return NULL;
    }
    def.n = n, def.size = size, def.title = title, def.jobs = args->jobs;
    def.job = job, def.lost = lose, def.ctx = ctx;
    ph_status s = ph_pool_run(&def, results, &end, &err);
    if (s == PH_OK)
        return results;
    free(results);
    ph_complain("%s", err.text[0] ? err.text : "the study was interrupted");
    if (end.signal)
        raise(end.signal);
    *code = ph_status_exit(s);
    return NULL;
}

int ph_stability_check(int n, size_t size, const void *results)
{
    for (int k = 0; k < n; k++) {
        const ph_outcome *o = (const void *)((const char *)results + (size_t)k * size);
        int code = ph_status_exit(o->status);
        if (code == PH_EXIT_USAGE || o->status == PH_E_STOPPED) {
            ph_complain("%s", o->err.text[0] ? o->err.text : "not enough memory for the study");
            return code;
        }
    }
    return PH_EXIT_OK;
}

/* ---- the arguments ----------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort(ph_numbers *list)
{
    qsort(list->x, (size_t)list->n, sizeof *list->x, ascending);
}

typedef enum kind { BALL, SPIN, OSCILLATOR } kind;

static const char *const kinds[] = {"the ball", "--about-spin", "--oscillator"};

/* 0 after one line on stderr: an option that this kind does not read. */
static int check_kind(const ph_args *a, kind of)
{
    const struct {
        const char *name;
        int given;
        unsigned kinds; /* bits that read it */
    } all[] = {{"--z", a->z.n, 1u << BALL},
               {"--amplitude", a->amplitude.n, 1u << BALL},
               {"--steps", a->steps, 1u << BALL},
               {"--angle", a->angle.n, 1u << BALL},
               {"--zeta", a->zeta.n, 1u << BALL | 1u << OSCILLATOR},
               {"--hw", a->hw.n, 1u << SPIN},
               {"--ht", a->ht.n, 1u << OSCILLATOR},
               {"--formulation", a->list.formulation.n, 1u << SPIN},
               {"--sigma", a->list.sigma.n, 1u << SPIN | 1u << BALL},
               {"--correction", a->list.correction.n, 1u << SPIN | 1u << BALL},
               {"--set", a->set.n, 1u << SPIN},
               {"--size", a->size, 1u << SPIN},
               {"--space", a->space >= 0, 1u << SPIN},
               {"--assemble", a->assemble, 1u << SPIN}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].given && !(all[k].kinds & 1u << of)) {
            ph_complain("%s: %s does not read it", all[k].name, kinds[of]);
            return 0;
        }
    return 1;
}

static int check_numbers(const ph_args *a)
{
    for (int k = 0; k < a->list.rho.n; k++)
        if (!(a->list.rho.x[k] >= 0 && a->list.rho.x[k] <= 1)) {
            ph_complain("--rho: %g is outside [0, 1]", a->list.rho.x[k]);
            return 0;
        }
    for (int k = 0; k < a->list.order.n; k++)
        if (a->list.order.k[k] > 6) {
            ph_complain("--order: %d is outside 1 to 6", a->list.order.k[k]);
            return 0;
        }
    for (int k = 0; k < a->zeta.n; k++)
        if (!(a->zeta.x[k] >= 0)) {
            ph_complain("--zeta: %g is below 0", a->zeta.x[k]);
            return 0;
        }
    if (a->oscillator && a->zeta.n > 1) {
        ph_complain("--zeta: --oscillator has one damping ratio");
        return 0;
    }
    return 1;
}

int ph_cmd_stability(const ph_args *given)
{
    ph_args args = *given;
    if (args.about_spin && args.oscillator)
        return ph_complain("--about-spin and --oscillator are two studies: give one of them");
    if (args.about_spin && !args.n_words)
        return ph_complain("--about-spin needs a MODEL that spins steadily");
    if (args.n_words && !args.about_spin)
        return ph_complain("stability reads the model '%s' with --about-spin only", args.word[0]);
    kind of = args.about_spin ? SPIN : args.oscillator ? OSCILLATOR : BALL;
    if (!check_kind(&args, of) || !check_numbers(&args) || !ph_delivery_ready(&args))
        return PH_EXIT_USAGE;
    sort(&args.z), sort(&args.amplitude), sort(&args.hw), sort(&args.ht);
    sort(&args.angle), sort(&args.zeta);
    return of == SPIN         ? ph_stability_spin(&args)
           : of == OSCILLATOR ? ph_stability_oscillator(&args)
                              : ph_stability_ball(&args);
}
