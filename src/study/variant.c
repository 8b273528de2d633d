/* Variants of a method. */
#include "study/variant.h"

#include <stdio.h>
#include <string.h>

/* One option that may be listed: how many values, and value k into opt or into words. Rows stand in the order of
 * a label. */
typedef struct dimension {
    unsigned reads; /* bits of ph_method_reads: who uses it; 0: everyone */
    int (*count)(const ph_lists *l);
    void (*set)(ph_options *o, const ph_lists *l, int k);
    void (*copy)(ph_options *o, const ph_options *from);
    void (*say)(const ph_options *o, char *text, size_t size);
} dimension;

#define DIMENSION(name, list, take, member, format, value)                                                   \
    static int name##_count(const ph_lists *l)                                                               \
    {                                                                                                        \
        return l->list.n;                                                                                    \
    }                                                                                                        \
    static void name##_set(ph_options *o, const ph_lists *l, int k)                                          \
    {                                                                                                        \
        o->member = take;                                                                                    \
    }                                                                                                        \
    static void name##_copy(ph_options *o, const ph_options *from)                                           \
    {                                                                                                        \
        o->member = from->member;                                                                            \
    }                                                                                                        \
    static void name##_say(const ph_options *o, char *text, size_t size)                                     \
    {                                                                                                        \
        snprintf(text, size, format, value);                                                                 \
    }

DIMENSION(method, method, l->method.text[k], method, "%s", o->method)
DIMENSION(tableau, tableau, l->tableau.text[k], tableau, "%s", o->tableau)
DIMENSION(order, order, l->order.k[k], order, "order %d", o->order)
DIMENSION(correction, correction, (ph_correction)l->correction.k[k], correction, "correction %s",
          ph_correction_word((int)o->correction))
DIMENSION(formulation, formulation, (ph_formulation)l->formulation.k[k], formulation, "%s",
          ph_formulation_word((int)o->formulation))
DIMENSION(rho, rho, l->rho.x[k], rho, "rho %g", o->rho)
DIMENSION(start, start, (ph_start)l->start.k[k], start, "%s", ph_start_word((int)o->start))
DIMENSION(newton, newton, (ph_newton)l->newton.k[k], newton, "newton %s", ph_newton_word((int)o->newton))

static int sigma_count(const ph_lists *l)
{
    return l->sigma.n;
}

static void sigma_set(ph_options *o, const ph_lists *l, int k)
{
    o->sigma = l->sigma.x[k];
}

static void sigma_copy(ph_options *o, const ph_options *from)
{
    o->sigma = from->sigma;
}

static void sigma_say(const ph_options *o, char *text, size_t size)
{
    if (o->sigma == PH_SIGMA_OPT)
        snprintf(text, size, "sigma opt");
    else
        snprintf(text, size, "sigma %g", o->sigma);
}

static const dimension dimensions[] = {
    {0, method_count, method_set, method_copy, method_say},
    {PH_READS_TABLEAU, tableau_count, tableau_set, tableau_copy, tableau_say},
    {PH_READS_ORDER, order_count, order_set, order_copy, order_say},
    {PH_READS_ORDER, correction_count, correction_set, correction_copy, correction_say},
    {PH_READS_FORMULATION, formulation_count, formulation_set, formulation_copy, formulation_say},
    {PH_READS_ALPHA, sigma_count, sigma_set, sigma_copy, sigma_say},
    {PH_READS_ALPHA, rho_count, rho_set, rho_copy, rho_say},
    {PH_READS_START, start_count, start_set, start_copy, start_say},
    {PH_READS_NEWTON, newton_count, newton_set, newton_copy, newton_say},
};

#define N ((int)(sizeof dimensions / sizeof *dimensions))

/* Combination i, the last option fastest; used[d]: the value of each. What the method does not read keeps its
 * base. 0: it is a repetition, as an unread option has not its first value. */
static int combine(const ph_options *base, const ph_lists *l, long i, ph_options *out)
{
    int k[N];
    *out = *base;
    for (int d = N - 1; d >= 0; d--) {
        int n = dimensions[d].count(l);
        k[d] = n > 0 ? (int)(i % n) : 0;
        i /= n > 0 ? n : 1;
        if (n > 0)
            dimensions[d].set(out, l, k[d]);
    }
    unsigned reads = ph_method_reads(out->method);
    for (int d = 0; d < N; d++)
        if (dimensions[d].reads && !(reads & dimensions[d].reads)) {
            if (k[d] > 0)
                return 0;
            dimensions[d].copy(out, base);
        }
    return 1;
}

static void label(ph_variant *v, const ph_lists *l)
{
    unsigned reads = ph_method_reads(v->opt.method);
    char part[64];
    v->label[0] = 0;
    for (int d = 0; d < N; d++) {
        if (dimensions[d].count(l) < 2 || (dimensions[d].reads && !(reads & dimensions[d].reads)))
            continue;
        dimensions[d].say(&v->opt, part, sizeof part);
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
        int count = dimensions[d].count(lists);
        all *= count > 0 ? count : 1;
        if (all > 1000000)
            return -1;
    }
    for (long i = 0; i < all; i++) {
        ph_options o;
        if (!combine(base, lists, i, &o))
            continue;
        if (n == PH_VARIANTS_MAX)
            return -1;
        out[n].opt = o;
        label(&out[n++], lists);
    }
    return n;
}
