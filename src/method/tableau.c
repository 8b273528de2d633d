/* Runge-Kutta tableaux, and the names by which they are found.
 *
 * A collocation method has nodes c and the weights b of the quadrature through them; with the Lagrange
 * polynomials l_j of the nodes, and since that quadrature is exact for them,
 *
 *   a_ij = int_0^c_i l_j(x) dx = c_i sum_m b_m l_j(c_i c_m)                                           (K5) */
#include "method/tableau.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "polhode/sim.h"

typedef struct row {
    const char *name, *aliases; /* separated by commas */
    ph_stage_kind kind;
    int s, order, embedded;
    double gain;
    const double *A, *b, *c, *second; /* A NULL: collocation, or no entries; second NULL: there are none */
    const char *text, *cite;
} row;

#define LIST(...)                                                                                            \
    (const double[])                                                                                         \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define NONE NULL

static const row rows[] = {
#define PH_TABLEAU(name, aliases, kind, s, order, embedded, gain, A, b, c, second, text, cite)               \
    {name, aliases, PH_STAGES_##kind, s, order, embedded, gain, A, b, c, second, text, cite},
#include "method/tableaux.def"
#undef PH_TABLEAU
};

#define N_ROWS ((int)(sizeof rows / sizeof *rows))

const char *ph_tableau_name(int k)
{
    return k >= 0 && k < N_ROWS ? rows[k].name : NULL;
}

const char *ph_tableau_text(int k)
{
    return k >= 0 && k < N_ROWS ? rows[k].text : NULL;
}

const char *ph_tableau_cite(int k)
{
    return k >= 0 && k < N_ROWS ? rows[k].cite : NULL;
}

/* The next character that counts, in lower case; 0 at the end of the name. */
static int next(const char **at)
{
    while (**at == '-' || **at == '_' || **at == ' ')
        ++*at;
    return **at && **at != ',' ? tolower((unsigned char)*(*at)++) : 0;
}

/* 1 if a name is that before the first comma of a list. */
static int same(const char *name, const char *list)
{
    int a, b;
    if (!*list || strchr(name, ','))
        return 0;
    do
        a = next(&name), b = next(&list);
    while (a && a == b);
    return a == b;
}

int ph_tableau_find(const char *name)
{
    for (int k = 0; name && k < N_ROWS; k++) {
        if (same(name, rows[k].name))
            return k;
        for (const char *list = rows[k].aliases; list; list = strchr(list, ',')) {
            list += *list == ',';
            if (same(name, list))
                return k;
        }
    }
    return -1;
}

/* l_j(x) */
static double lagrange(int s, const double *c, int j, double x)
{
    double l = 1;
    for (int m = 0; m < s; m++)
        if (m != j)
            l *= (x - c[m]) / (c[j] - c[m]);
    return l;
}

/* (K5) */
static void collocate(ph_tableau *t)
{
    for (int i = 0; i < t->s; i++)
        for (int j = 0; j < t->s; j++) {
            double sum = 0;
            for (int m = 0; m < t->s; m++)
                sum += t->b[m] * lagrange(t->s, t->c, j, t->c[i] * t->c[m]);
            t->A[i][j] = t->c[i] * sum;
        }
}

ph_status ph_tableau_get(const char *name, ph_tableau *out, ph_error *err)
{
    int k = ph_tableau_find(name);
    if (k < 0) {
        char names[256] = "";
        for (int i = 0; i < N_ROWS; i++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                     rows[i].name);
        return ph_fail(err, PH_E_INPUT, "no tableau is called '%.64s'; there are: %s", name ? name : "",
                       names);
    }
    const row *r = &rows[k];
    *out = (ph_tableau){r->name, r->kind, r->s, r->order, r->embedded, r->gain, {{0}}, {0}, {0}, {0}};
    memcpy(out->b, r->b, sizeof(double) * (size_t)r->s);
    memcpy(out->c, r->c, sizeof(double) * (size_t)r->s);
    for (int i = 0; i < r->s && r->second; i++)
        out->e[i] = r->b[i] - r->second[i];
    const double *A = r->A;
    for (int i = 0; i < r->s && A; i++) {
        int n = r->kind == PH_STAGES_FULL ? r->s : r->kind == PH_STAGES_DIAGONAL ? i + 1 : i;
        memcpy(out->A[i], A, sizeof(double) * (size_t)n);
        A += n;
    }
    if (!A && r->kind == PH_STAGES_FULL)
        collocate(out);
    return PH_OK;
}
