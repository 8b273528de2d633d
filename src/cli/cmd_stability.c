/* polhode stability: how far steps are stable, of the ball with a torsional spring, of the linear oscillator, or
 * about the steady spin of a model. */
#include "cli/stability.h"

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

int ph_stability_pool(const ph_args *args, const char *title, int n, size_t size,
                      void (*job)(int, void *, void *), void (*lost)(int, const char *, void *, void *),
                      void *ctx, void *results)
{
    ph_pool_def def = ph_pool_default();
    ph_pool_end end;
    ph_error err = {0};
    def.n = n, def.size = size, def.title = title, def.jobs = args->jobs;
    def.job = job, def.lost = lost, def.ctx = ctx;
    ph_status s = ph_pool_run(&def, results, &end, &err);
    if (s == PH_OK)
        return PH_EXIT_OK;
    ph_complain("%s", err.text[0] ? err.text : "the study was interrupted");
    if (end.signal)
        raise(end.signal);
    return ph_status_exit(s);
}

int ph_series_count(const ph_args *args)
{
    int sigma = args->list.sigma.n, rho = args->list.rho.n;
    return (sigma ? sigma : 1) * (rho ? rho : 1);
}

ph_options ph_series_options(const ph_args *args, int k)
{
    const ph_numbers *sigma = &args->list.sigma, *rho = &args->list.rho;
    ph_options o = args->opt;
    int n = sigma->n ? sigma->n : 1;
    if (sigma->n)
        o.sigma = sigma->x[k % n];
    if (rho->n)
        o.rho = rho->x[k / n];
    return o;
}

void ph_series_label(const ph_args *args, int k, char *text, size_t size)
{
    ph_options o = ph_series_options(args, k);
    char sigma[32], part[48] = "";
    int several = args->list.sigma.n > 1;
    if (several)
        snprintf(part, sizeof part, "σ = %s", ph_sigma_word(o.sigma, sigma));
    if (args->list.rho.n > 1)
        snprintf(text, size, "%s%sρ = %g", part, several ? ", " : "", o.rho);
    else if (several)
        snprintf(text, size, "%s", part);
    else
        ph_method_describe(&o, 0, text, size);
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
    } all[] = {
        {"--z", a->list.z.n, 1u << BALL},       {"--amplitude", a->list.amplitude.n, 1u << BALL},
        {"--steps", a->steps, 1u << BALL},      {"--zeta", a->zeta != 0, 1u << BALL | 1u << OSCILLATOR},
        {"--hw", a->list.hw.n, 1u << SPIN},     {"--ht", a->list.ht.n, 1u << OSCILLATOR},
        {"--set", a->set.n, 1u << SPIN},        {"--size", a->size, 1u << SPIN},
        {"--space", a->space >= 0, 1u << SPIN}, {"--assemble", a->assemble, 1u << SPIN}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].given && !(all[k].kinds & 1u << of)) {
            ph_complain("%s: %s does not read it", all[k].name, kinds[of]);
            return 0;
        }
    return 1;
}

static int check_method(const ph_args *a)
{
    unsigned reads = ph_method_reads(a->opt.method);
    if (!(reads & PH_READS_ALPHA) && (a->list.rho.n || a->list.sigma.n)) {
        ph_complain("%s: the method '%s' does not read it", a->list.rho.n ? "--rho" : "--sigma",
                    a->opt.method);
        return 0;
    }
    for (int k = 0; k < a->list.rho.n; k++)
        if (!(a->list.rho.x[k] >= 0 && a->list.rho.x[k] <= 1)) {
            ph_complain("--rho: %g is outside [0, 1]", a->list.rho.x[k]);
            return 0;
        }
    if (!(a->zeta >= 0)) {
        ph_complain("--zeta: %g is below 0", a->zeta);
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
    if (!check_kind(&args, of) || !check_method(&args) || !ph_delivery_ready(&args))
        return PH_EXIT_USAGE;
    sort(&args.list.z), sort(&args.list.amplitude), sort(&args.list.hw), sort(&args.list.ht);
    return of == SPIN         ? ph_stability_spin(&args)
           : of == OSCILLATOR ? ph_stability_oscillator(&args)
                              : ph_stability_ball(&args);
}
