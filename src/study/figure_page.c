/* The page: the table of figures, measured, in Markdown.
 *
 * Values are rounded one digit beyond their tolerance, and round-off to the power of ten above it, so that the page
 * changes only when a figure does. */
#include <math.h>
#include <string.h>

#include "study/figure.h"

/* floor(log10 x) */
static int exponent(double x)
{
    return (int)floor(log10(x));
}

/* x > 0 as the power of ten at or above it */
static void put_tiny(FILE *out, double x)
{
    if (x == 0)
        fprintf(out, "0");
    else
        fprintf(out, "< 1e%d", isfinite(x) ? exponent(x) + 1 : 999);
}

/* How many digits of a figure mean something: decimals where the tolerance is absolute, else all digits. */
static void put_value(FILE *out, const ph_figure *f, int i, double x)
{
    double scale = fmax(fabs(f->expected[i]), 1e-300), unit = pow(10, exponent(f->kind == PH_WITHIN ? f->tol : 1) - 1);
    if (!isfinite(x))
        fprintf(out, "none");
    else if (f->kind == PH_WITHIN)
        fprintf(out, "%.*f", (int)fmax(0, 1 - exponent(f->tol)), fabs(x) < unit / 2 ? 0 : x);
    else if (f->kind == PH_PERCENT)
        fprintf(out, "%.*g", 2 - exponent(f->tol / 100), x);
    else if (f->kind == PH_TINY)
        put_tiny(out, x);
    else
        fprintf(out, "%.*g", scale >= 1 ? 5 : 3, x);
}

static void put_expected(FILE *out, const ph_figure *f, int i)
{
    if (f->kind == PH_AT_MOST || f->kind == PH_TINY)
        fprintf(out, "at most %g", f->expected[i]);
    else if (f->kind == PH_AT_LEAST)
        fprintf(out, "at least %g", f->expected[i]);
    else
        put_value(out, f, i, f->expected[i]);
}

/* The largest difference; below a hundredth of the tolerance it is said to be so. */
static void put_difference(FILE *out, const ph_figure *f, const double *value)
{
    double max = 0;
    if (f->kind != PH_WITHIN && f->kind != PH_PERCENT)
        return;
    for (int i = 0; i < f->n; i++) {
        double e = ph_figure_error(f, i, value[i]);
        if (!(e <= max) && !isnan(max))
            max = e;
    }
    const char *unit = f->kind == PH_PERCENT ? " %" : "";
    if (max <= f->tol / 100)
        fprintf(out, "< %.0e%s", f->tol / 100, unit);
    else
        fprintf(out, "%.1e%s", max, unit);
    fprintf(out, " of %g%s", f->tol, unit);
}

static int put_row(FILE *out, const ph_figure *f, const double *value)
{
    int ok = 1, uniform = 1;
    for (int i = 0; i < f->n; i++) {
        ok = ok && ph_figure_error(f, i, value[i]) <= ph_figure_bound(f, i);
        uniform = uniform && f->expected[i] == f->expected[0];
    }
    fprintf(out, "| %s | %s | ", f->id, f->what);
    for (int i = 0; i < f->n; i++) {
        fputs(i ? ", " : "", out);
        put_value(out, f, i, value[i]);
    }
    fputs(" | ", out);
    for (int i = 0; i < (uniform ? 1 : f->n); i++) {
        fputs(i ? ", " : "", out);
        put_expected(out, f, i);
    }
    fputs(" | ", out);
    put_difference(out, f, value);
    fprintf(out, " | %s | %s |\n", ok ? "yes" : "**no**", f->source);
    return ok;
}

static const char intro[] =
    "# Verification\n"
    "\n"
    "Numbers from the literature and from independent high-precision computations, beside what this library gives.\n"
    "Every row is measured when this page is written and is asserted by the test `test_figures`.\n"
    "\n"
    "    polhode verify -o docs/verification.md\n"
    "\n"
    "writes the page anew. The rows are those of `src/study/figures.def`.\n"
    "\n"
    "Sources: HAG = Holzinger, Arnold, Gerstmayr, sigma-modified Lie group generalized-alpha methods; ABC = Arnold, Bruls,\n"
    "Cardona, Error analysis of generalized-alpha Lie group time integration methods, Numer. Math. 129 (2015); HP = an\n"
    "independent high-precision computation; PR = an independent double-precision prototype of the same method.\n"
    "Three values in one row belong to x, y, z, to the errors of q, v, lambda, or to sigma = 0, 1, opt = gamma/(3 beta),\n"
    "as the row says. Unless said otherwise the heavy top is that of ABC on R^3 x SO(3), with rho = 0.9.\n";

int ph_figures_write(FILE *out)
{
    int failed = 0, total = 0;
    ph_study *study = ph_study_create();
    if (!study)
        return -1;
    fputs(intro, out);
    for (int k = 0; ph_figure_get(k); k++) {
        const ph_figure *f = ph_figure_get(k);
        double value[PH_FIGURE_MAX];
        if (f->section) {
            fprintf(out, "\n## %s\n\n%s\n\n", f->section, f->what);
            fprintf(out, "| id | figure | ours | expected | difference | holds | source |\n|---|---|---|---|---|---|---|\n");
            continue;
        }
        ph_figure_measure(study, f, value);
        failed += !put_row(out, f, value);
        total++;
    }
    fprintf(out, "\n%d of %d figures hold.\n", total - failed, total);
    ph_study_destroy(study);
    return failed;
}
