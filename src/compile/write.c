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
