/* The page in Markdown: the papers figure by figure, the pictures, the table of claims with what was measured.
 *
 * Reference values are rounded to the digits of their tolerance, others one digit beyond it, and round-off to
 * the power of ten above it, so that the page changes only when a claim does. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "claim/claim.h"

/* floor(log10 x) */
static int exponent(double x)
{
    return (int)floor(log10(x));
}

#define COMMAND_MAX 512

/* Tolerances below this are those of reference digits: what goes beyond them is round-off and not shown. */
#define DIGITS 1e-4

static void put_value(FILE *out, const ph_claim *f, int i, double x)
{
    if (!isfinite(x))
        fprintf(out, "none");
    else if (f->kind == PH_WITHIN) {
        int decimals = (f->tol >= DIGITS) - exponent(f->tol);
        fprintf(out, "%.*f", decimals, fabs(x) < 0.5 * pow(10, -decimals) ? 0 : x);
    } else if (f->kind == PH_PERCENT)
        fprintf(out, "%.*g", 2 - exponent(f->tol / 100), x);
    else
        fprintf(out, "%.*g", fabs(f->expected[i]) >= 1 ? 5 : 3, x);
}

/* Round-off: the power of ten above the largest, but not less than a hundredth of the bound. */
static void put_tiny(FILE *out, const ph_claim *f, const double *value)
{
    double max = f->expected[0] / 100;
    for (int i = 0; i < f->n; i++)
        if (!(value[i] <= max) && !isnan(max))
            max = value[i];
    if (isfinite(max))
        fprintf(out, "< %.0e", pow(10, exponent(max * 0.999) + 1));
    else
        fprintf(out, "none");
}

static void put_values(FILE *out, const ph_claim *f, const double *value)
{
    if (f->kind == PH_TINY) {
        put_tiny(out, f, value);
        return;
    }
    for (int i = 0; i < f->n; i++) {
        fputs(i ? ", " : "", out);
        put_value(out, f, i, value[i]);
    }
}

static void put_expected(FILE *out, const ph_claim *f, int i)
{
    if (f->kind == PH_AT_MOST || f->kind == PH_TINY)
        fprintf(out, "at most %g", f->expected[i]);
    else if (f->kind == PH_AT_LEAST)
        fprintf(out, "at least %g", f->expected[i]);
    else
        put_value(out, f, i, f->expected[i]);
}

/* The largest difference and what is allowed. */
static void put_difference(FILE *out, const ph_claim *f, const double *value)
{
    double max = 0;
    if (f->kind != PH_WITHIN && f->kind != PH_PERCENT)
        return;
    for (int i = 0; i < f->n; i++) {
        double e = ph_claim_error(f, i, value[i]);
        if (!(e <= max) && !isnan(max))
            max = e;
    }
    const char *unit = f->kind == PH_PERCENT ? " %" : "";
    if (f->tol < DIGITS && max <= f->tol)
        fprintf(out, "< %.0e", f->tol);
    else if (max <= f->tol / 100)
        fprintf(out, "< %g%s", f->tol / 100, unit);
    else
        fprintf(out, "%.2g%s of %g%s", max, unit, f->tol, unit);
}

/* Whether a row stands. */
static int holds(const ph_claim *f, const double *value)
{
    int ok = 1;
    for (int i = 0; i < f->n; i++)
        ok = ok && ph_claim_error(f, i, value[i]) <= ph_claim_bound(f, i);
    return ok;
}

/* Rows that compare this library with itself say so in the first word of their source. */
static int is_self(const ph_claim *f)
{
    return !strncmp(f->source, "self", 4);
}

static void put_head(FILE *out)
{
    fputs("\n| id | claim | ours | expected | difference | holds | source | command |\n"
          "|---|---|---|---|---|---|---|---|\n",
          out);
}

static void put_row(FILE *out, const ph_claim *f, const double *value, int measured)
{
    char command[COMMAND_MAX];
    int uniform = 1;
    for (int i = 0; i < f->n; i++)
        uniform = uniform && f->expected[i] == f->expected[0];
    fprintf(out, "| %s | %s | ", f->id, f->what);
    if (measured)
        put_values(out, f, value);
    fputs(" | ", out);
    for (int i = 0; i < (uniform ? 1 : f->n); i++) {
        fputs(i ? ", " : "", out);
        put_expected(out, f, i);
    }
    fputs(" | ", out);
    if (measured)
        put_difference(out, f, value);
    ph_claim_command(f, command, sizeof command);
    fprintf(out, " | %s | %s | `%s` |\n",
            !measured         ? "`--all`"
            : holds(f, value) ? "yes"
                              : "**no**",
            f->source, command);
}

/* Text in lines of at most WIDTH characters. */
static void put_text(FILE *out, const char *text)
{
    enum { WIDTH = 110 };
    for (int column = 0; *text;) {
        int n = (int)strcspn(text, " ");
        if (column > 0 && column + 1 + n > WIDTH)
            column = 0, fputc('\n', out);
        column += fprintf(out, "%s%.*s", column ? " " : "", n, text);
        text += n + (text[n] == ' ');
    }
    fputc('\n', out);
}

static const char intro[] =
    "# Verification\n"
    "\n"
    "Numbers from the literature and from independent high-precision computations, beside what this library\n"
    "gives. Every row is measured when this page is written and is asserted by the test `test_claims`.\n"
    "\n"
    "    polhode-verify -o docs/verification.md\n"
    "\n"
    "writes the page and its pictures anew. The rows are those of `verify/claim/claims.def`; a few that "
    "take "
    "long are\n"
    "measured with `--all` alone, as are pictures that show CPU times.\n"
    "\n"
    "Each row ends with a command that shows its number, or the numbers that it is computed from; where no "
    "other\n"
    "command does, `polhode-verify --row ID` measures the row. Errors are the largest ones between `--from`, "
    "or 0,\n"
    "and `--t-end` of the command: a row with `--from 0.09 --t-end 0.1` is about the window [0.09, 0.1] s. "
    "Rows\n"
    "whose source begins with `self` compare this library with itself: with its own differences, with the "
    "same\n"
    "system written in another way, with its own reference solver, or with a bound that we measured. They "
    "guard\n"
    "what is there and prove nothing to others. All other rows have a source that is not this library.\n"
    "\n"
    "Sources: HAG = Holzinger, Arnold, Gerstmayr, sigma-modified Lie group generalized-alpha methods for\n"
    "constrained multibody systems; ABC = Arnold, Bruls, Cardona, Error analysis of generalized-alpha Lie "
    "group\n"
    "time integration methods for constrained mechanical systems, Numer. Math. 129 (2015); BE = Bruls, "
    "Eberhard,\n"
    "Sensitivity analysis for dynamic mechanical systems with finite rotations; TST = the paper that\n"
    "proposes a ball with a torsional spring as test problem for the stability of Lie group integrators; WA "
    "= Wieloch,\n"
    "Arnold, BDF integrators for constrained mechanical systems on Lie groups, and the abstract that "
    "announces them;\n"
    "HP = an independent\n"
    "high-precision computation; PR = an independent double-precision prototype of the same method.\n"
    "Three values in one row belong to x, y, z, to the errors of q, v, lambda, or to sigma = 0, 1,\n"
    "opt = gamma/(3 beta), as the row says. Unless said otherwise the heavy top is that of ABC on R^3 x "
    "SO(3),\n"
    "with rho = 0.9.\n";

/* ---- paper by paper ----------------------------------------------------------------------------------- */

/* Each of the words, with blanks between them: its length, and the next one. */
static size_t word_at(const char **text)
{
    *text += strspn(*text, " ");
    return strcspn(*text, " ");
}

static int row_of(const char *id, size_t length)
{
    for (int k = 0; k < ph_claim_count(); k++) {
        const char *name = ph_claim_get(k)->id;
        if (name && strlen(name) == length && !memcmp(name, id, length))
            return k;
    }
    return -1;
}

/* "id: values", line by line in the cell. */
static void put_ours(FILE *out, const char *rows, const double (*value)[PH_CLAIM_MAX])
{
    int first = 1;
    for (size_t n; (n = word_at(&rows)) > 0; rows += n, first = 0) {
        int k = row_of(rows, n);
        fprintf(out, "%s%.*s: ", first ? "" : "<br>", (int)n, rows);
        if (k >= 0)
            put_values(out, ph_claim_get(k), value[k]);
    }
}

static void put_links(FILE *out, const char *see, const char *pictures)
{
    int first = 1;
    for (size_t n; (n = word_at(&see)) > 0; see += n, first = 0)
        fprintf(out, "%s[%.*s](%s/%.*s.svg)", first ? "" : ", ", (int)n, see, pictures, (int)n, see);
}

/* Whether an earlier row of the list has the same command. */
static int is_said(const char *rows, const char *until, const char *command)
{
    char other[COMMAND_MAX];
    for (size_t n; rows < until && (n = word_at(&rows)) > 0 && rows < until; rows += n) {
        int k = row_of(rows, n);
        if (k >= 0 && ph_claim_command(ph_claim_get(k), other, sizeof other) && !strcmp(other, command))
            return 1;
    }
    return 0;
}

/* Each command once, then the rows that have none of their own in one command, then those of pictures. */
static void put_commands(FILE *out, const ph_paper *p)
{
    char command[COMMAND_MAX], rest[COMMAND_MAX] = "";
    const char *rows = p->rows, *between = "";
    for (size_t n; (n = word_at(&rows)) > 0; rows += n) {
        int k = row_of(rows, n);
        size_t used = strlen(rest);
        if (k < 0)
            continue;
        if (!ph_claim_command(ph_claim_get(k), command, sizeof command))
            snprintf(rest + used, sizeof rest - used, "%s%.*s", used ? "," : "", (int)n, rows);
        else if (!is_said(p->rows, rows, command))
            fprintf(out, "%s`%s`", between, command), between = "<br>";
    }
    if (rest[0])
        fprintf(out, "%s`polhode-verify --row %s`", between, rest), between = "<br>";
    const char *see = p->see;
    for (size_t n; (n = word_at(&see)) > 0; see += n)
        for (int k = 0; ph_picture_get(k); k++)
            if (strlen(ph_picture_get(k)->name) == n && !memcmp(ph_picture_get(k)->name, see, n))
                fprintf(out, "%s`polhode %s --plot %.*s.svg`", between, ph_picture_get(k)->command, (int)n,
                        see),
                    between = "<br>";
}

static void put_papers(FILE *out, const double (*value)[PH_CLAIM_MAX], const char *pictures)
{
    fputs("\n## Paper by paper\n\nWhat the papers print, with the rows below that measure it, the pictures "
          "that show "
          "it and the\ncommands that reproduce both. Curves that a paper draws without printing numbers are "
          "compared by\n"
          "what its text says of them.\n",
          out);
    for (int k = 0; ph_paper_get(k); k++) {
        const ph_paper *p = ph_paper_get(k);
        if (p->title) {
            fprintf(out, "\n### %s\n\n", p->title);
            put_text(out, p->remark);
            fputs("\n| place | printed | ours | picture | commands | remark |\n|---|---|---|---|---|---|\n",
                  out);
            continue;
        }
        fprintf(out, "| %s | %s | ", p->place, p->printed);
        put_ours(out, p->rows, value);
        fputs(" | ", out);
        put_links(out, p->see, pictures);
        fputs(" | ", out);
        put_commands(out, p);
        fprintf(out, " | %s |\n", p->remark);
    }
}

static void put_pictures(FILE *out, const char *pictures)
{
    fputs("\n## Pictures\n", out);
    for (int k = 0; ph_picture_get(k); k++) {
        const ph_picture *p = ph_picture_get(k);
        fprintf(out, "\n![%s](%s/%s.svg)\n\n", p->name, pictures, p->name);
        put_text(out, p->caption);
        fprintf(out, "\n    polhode %s --plot %s.svg\n", p->command, p->name);
    }
}

/* ---- the page ----------------------------------------------------------------------------------------- */

int ph_claims_page(FILE *out, ph_effort effort, const double (*value)[PH_CLAIM_MAX], const char *pictures)
{
    int failed = 0, total = 0, self = 0;
    fputs(intro, out);
    put_papers(out, value, pictures);
    put_pictures(out, pictures);
    for (int k = 0; ph_claim_get(k); k++) {
        const ph_claim *f = ph_claim_get(k);
        if (f->section) {
            fprintf(out, "\n## %s\n\n", f->section);
            put_text(out, f->what);
            put_head(out);
            continue;
        }
        put_row(out, f, value[k], f->effort <= effort);
        if (f->effort <= effort) {
            failed += !holds(f, value[k]);
            total++;
            self += is_self(f);
        }
    }
    fprintf(out, "\n%d of %d claims hold; %d of them compare this library with itself.\n", total - failed,
            total, self);
    return failed;
}

int ph_claims_table(FILE *out, int n, const int *rows, const double (*value)[PH_CLAIM_MAX])
{
    int failed = 0;
    put_head(out);
    for (int i = 0; i < n; i++) {
        put_row(out, ph_claim_get(rows[i]), value[i], 1);
        failed += !holds(ph_claim_get(rows[i]), value[i]);
    }
    return failed;
}
