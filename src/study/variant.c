/* Variants of a method. */
#include "study/variant.h"
#include "polhode/model.h"

#include <stdio.h>
#include <string.h>

/* Options that may be listed, in the order of a label. */
typedef enum dimension {
    SPACE,
    METHOD,
    TABLEAU,
    ORDER,
    CORRECTION,
    FORMULATION,
    SIGMA,
    RHO,
    START,
    NEWTON,
    N
} dimension;

/* Who uses it: bits of ph_options_reads; 0: everyone. */
static const unsigned readers[N] = {[TABLEAU] = PH_READS_TABLEAU,  [ORDER] = PH_READS_ORDER,
                                    [CORRECTION] = PH_READS_ORDER, [FORMULATION] = PH_READS_FORMULATION,
                                    [SIGMA] = PH_READS_SIGMA,      [RHO] = PH_READS_ALPHA,
                                    [START] = PH_READS_START,      [NEWTON] = PH_READS_NEWTON};

static int count_of(const ph_lists *l, int d)
{
    const int n[N] = {[SPACE] = l->space.n,           [METHOD] = l->method.n,
                      [TABLEAU] = l->tableau.n,       [ORDER] = l->order.n,
                      [CORRECTION] = l->correction.n, [FORMULATION] = l->formulation.n,
                      [SIGMA] = l->sigma.n,           [RHO] = l->rho.n,
                      [START] = l->start.n,           [NEWTON] = l->newton.n};
    return n[d];
}

/* Value k of a list into v. */
static void set(ph_variant *v, const ph_lists *l, int d, int k)
{
    ph_options *o = &v->opt;
    switch ((dimension)d) {
    case SPACE:
        v->space = l->space.k[k];
        break;
    case METHOD:
        o->method = l->method.text[k];
        break;
    case TABLEAU:
        o->tableau = l->tableau.text[k];
        break;
    case ORDER:
        o->order = l->order.k[k];
        break;
    case CORRECTION:
        o->correction = (ph_correction)l->correction.k[k];
        break;
    case FORMULATION:
        o->formulation = (ph_formulation)l->formulation.k[k];
        break;
    case SIGMA:
        o->sigma = l->sigma.x[k];
        break;
    case RHO:
        o->rho = l->rho.x[k];
        break;
    case START:
        o->start = (ph_start)l->start.k[k];
        break;
    case NEWTON:
        o->newton = (ph_newton)l->newton.k[k];
        break;
    case N:
        break;
    }
}

static void say(const ph_variant *v, int d, char *text, size_t size)
{
    const ph_options *o = &v->opt;
    text[0] = 0;
    switch ((dimension)d) {
    case SPACE:
        snprintf(text, size, "%s", ph_space_word(v->space));
        break;
    case METHOD:
        snprintf(text, size, "%s", o->method);
        break;
    case TABLEAU:
        snprintf(text, size, "%s", o->tableau);
        break;
    case ORDER:
        snprintf(text, size, "order %d", o->order);
        break;
    case CORRECTION:
        snprintf(text, size, "correction %s", ph_correction_word((int)o->correction));
        break;
    case FORMULATION:
        snprintf(text, size, "%s", ph_formulation_word((int)o->formulation));
        break;
    case SIGMA:
        if (o->sigma == PH_SIGMA_OPT)
            snprintf(text, size, "sigma opt");
        else
            snprintf(text, size, "sigma %g", o->sigma);
        break;
    case RHO:
        snprintf(text, size, "rho %g", o->rho);
        break;
    case START:
        snprintf(text, size, "%s", ph_start_word((int)o->start));
        break;
    case NEWTON:
        snprintf(text, size, "newton %s", ph_newton_word((int)o->newton));
        break;
    case N:
        break;
    }
}

/* What a variant reads: sigma weighs the tangent operator, which is I in R^n. */
static unsigned reads_of(const ph_variant *v)
{
    int chart = v->space == PH_SPACE_EULER || v->space == PH_SPACE_CARDAN;
    return ph_options_reads(&v->opt) & ~(chart ? (unsigned)PH_READS_SIGMA : 0u);
}

static int is_read(int d, unsigned reads)
{
    return !readers[d] || (reads & readers[d]);
}

/* Combination i, the last option fastest. What the method does not read keeps its base. 0: it is a repetition,
 * as an option that is not read has not its first value. */
static int combine(const ph_options *base, const ph_lists *l, long i, ph_variant *out)
{
    int k[N];
    for (int d = N - 1; d >= 0; d--) {
        int n = count_of(l, d) > 0 ? count_of(l, d) : 1;
        k[d] = (int)(i % n);
        i /= n;
    }
    *out = (ph_variant){.opt = *base, .space = -1};
    out->opt.halvings = 0;                 /* errors by powers of h need steps of one size */
    for (int d = SPACE; d <= TABLEAU; d++) /* what the others are read by */
        if (count_of(l, d) > 0)
            set(out, l, d, k[d]);
    unsigned reads = reads_of(out);
    for (int d = 0; d < N; d++)
        if (!is_read(d, reads) && k[d] > 0)
            return 0;
        else if (is_read(d, reads) && count_of(l, d) > 0)
            set(out, l, d, k[d]);
    return 1;
}

static void label(ph_variant *v, const ph_lists *l)
{
    unsigned reads = reads_of(v);
    char part[64];
    v->label[0] = 0;
    for (int d = 0; d < N; d++) {
        if (count_of(l, d) < 2 || !is_read(d, reads))
            continue;
        say(v, d, part, sizeof part);
        size_t at = strlen(v->label);
        snprintf(v->label + at, sizeof v->label - at, "%s%s", at ? ", " : "", part);
    }
    if (!v->label[0])
        snprintf(v->label, sizeof v->label, "%s", v->opt.method);
}

int ph_variants_list(const ph_options *base, const ph_lists *lists, ph_variant out[PH_VARIANTS_MAX])
{
    long all = 1;
    int n = 0;
    for (int d = 0; d < N; d++) {
        int count = count_of(lists, d);
        all *= count > 0 ? count : 1;
        if (all > 1000000)
            return -1;
    }
    for (long i = 0; i < all; i++) {
        ph_variant v;
        if (!combine(base, lists, i, &v))
            continue;
        if (n == PH_VARIANTS_MAX)
            return -1;
        out[n] = v;
        label(&out[n++], lists);
    }
    return n;
}

int ph_variants_add_tol(ph_variant variants[PH_VARIANTS_MAX], int n, int alone)
{
    int all = alone ? 0 : n;
    for (int k = 0; k < n; k++) {
        ph_variant v = variants[k];
        if (!(ph_method_reads(v.opt.method) & PH_READS_TOL))
            continue;
        if (all == PH_VARIANTS_MAX)
            return -1;
        size_t at = strlen(v.label);
        if (!alone)
            snprintf(v.label + at, sizeof v.label - at, ", by tol");
        v.by_tol = 1;
        variants[all++] = v;
    }
    return all;
}

const char *ph_variants_unread(const ph_lists *lists, int n, const ph_variant *variants)
{
    static const char *const names[N] = {[SPACE] = "--space",           [METHOD] = "--method",
                                         [TABLEAU] = "--tableau",       [ORDER] = "--order",
                                         [CORRECTION] = "--correction", [FORMULATION] = "--formulation",
                                         [SIGMA] = "--sigma",           [RHO] = "--rho",
                                         [START] = "--start",           [NEWTON] = "--newton"};
    for (int d = 0; d < N; d++) {
        int read = count_of(lists, d) < 2;
        for (int k = 0; k < n && !read; k++)
            read = is_read(d, reads_of(&variants[k]));
        if (!read)
            return names[d];
    }
    return NULL;
}
