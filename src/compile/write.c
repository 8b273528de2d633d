/* Numbers and sums as C has them. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "compile/compile.h"

const char *ph_c_number(double a, char text[40])
{
    snprintf(text, 36, "%.17g", a);
    if (isinf(a))
        snprintf(text, 36, a > 0 ? "HUGE_VAL" : "-HUGE_VAL");
    else if (!strpbrk(text, ".en"))
        strcat(text, ".0");
    return text;
}

const char *ph_c_constant(const ph_compiler *c, int i, double value, char text[48])
{
    if (c->open->datum[i] < 0)
        return ph_c_number(value, text);
    snprintf(text, 48, "s->data[%d]", c->open->datum[i]);
    return text;
}

const char *ph_c_term(const ph_compiler *c, int i, double value, char text[48])
{
    char number[40];
    if (c->open->datum[i] >= 0)
        return ph_c_constant(c, i, value, text);
    snprintf(text, 48, "ph_k(%s)", ph_c_number(value, number));
    return text;
}

/* ---- numbers of elements ---------------------------------------------------------------------------------- */

const char *ph_c_component(ph_number_type type, int i)
{
    static const char *const names[][9] = {
        [PH_NUMBER_ONE] = {""},
        [PH_NUMBER_ARRAY] = {"[0]", "[1]"},
        [PH_NUMBER_VECTOR] = {".x", ".y", ".z"},
        [PH_NUMBER_QUATERNION] = {".w", ".x", ".y", ".z"},
        [PH_NUMBER_MATRIX] = {".xx", ".xy", ".xz", ".yx", ".yy", ".yz", ".zx", ".zy", ".zz"}};
    return names[type][i];
}

/* Numbers that are not given are left out. */
void ph_c_numbers(FILE *out, ph_number_list of, const void *record)
{
    char text[40];
    PH_EACH_NUMBER (row, of) {
        const double *a = ph_number_at(row, record);
        if (!(row->use & PH_NUMBER_TEXT) || isnan(a[0]))
            continue;
        fprintf(out, ".%s = ", row->name);
        for (int k = 0; k < row->n; k++)
            fprintf(out, "%sPH_K(%s)", k ? ", " : row->n > 1 ? "{" : "", ph_c_number(a[k], text));
        fprintf(out, row->n > 1 ? "}, " : ", ");
    }
}

void ph_c_members(FILE *out, const char *name, ph_number_list of)
{
    static const char *const types[] = {[PH_NUMBER_ONE] = "ph_real",
                                        [PH_NUMBER_ARRAY] = "ph_real",
                                        [PH_NUMBER_VECTOR] = "ph_vec3",
                                        [PH_NUMBER_QUATERNION] = "ph_quat",
                                        [PH_NUMBER_MATRIX] = "ph_mat3"};
    fprintf(out, "#define %s", name);
    PH_EACH_NUMBER (row, of) {
        if (!(row->use & PH_NUMBER_TEXT))
            continue;
        fprintf(out, " %s %s", types[row->type], row->name);
        fprintf(out, row->type == PH_NUMBER_ARRAY ? "[%d];" : ";", row->n);
    }
    fprintf(out, "\n");
}

/* ---- sums --------------------------------------------------------------------------------------------------- */

void ph_sum_begin(ph_sum *s, FILE *out)
{
    *s = (ph_sum){.out = out};
}

void ph_sum_constant(ph_sum *s, double a)
{
    char text[40];
    if (a == 0)
        return;
    if (s->terms++)
        fprintf(s->out, " %c %s", a < 0 ? '-' : '+', ph_c_number(fabs(a), text));
    else
        fprintf(s->out, "%s", ph_c_number(a, text));
}

void ph_sum_term(ph_sum *s, double factor, const char *format, ...)
{
    char text[40];
    va_list ap;
    if (factor == 0)
        return;
    if (s->terms++)
        fprintf(s->out, factor < 0 ? " - " : " + ");
    else if (factor < 0)
        fprintf(s->out, "-");
    if (fabs(factor) != 1)
        fprintf(s->out, "%s * ", ph_c_number(fabs(factor), text));
    va_start(ap, format);
    vfprintf(s->out, format, ap);
    va_end(ap);
}

void ph_sum_end(ph_sum *s)
{
    if (!s->terms)
        fprintf(s->out, "ph_k(0)");
}
