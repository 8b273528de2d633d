/* JSON inside of a page: text that cannot end the script it stands in, short numbers, bytes as base64. */
#include "view/view_inside.h"

#include <math.h>

/* "</script>" and "<!--" must not appear, whatever a name is. */
void ph_view_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *c = (const unsigned char *)(text ? text : ""); *c; c++)
        if (*c < ' ' || *c == '<' || *c == '>' || *c == '&' || *c == '"' || *c == '\\' || *c == 127)
            fprintf(to, "\\u%04x", *c);
        else
            fputc(*c, to);
    fputc('"', to);
}

/* Pictures need no more digits than a float has. */
void ph_view_number(FILE *to, double x)
{
    if (isfinite(x))
        fprintf(to, "%.7g", x);
    else
        fputs("null", to);
}

void ph_view_numbers(FILE *to, int n, const double *x)
{
    for (int i = 0; i < n; i++) {
        fputc(i ? ',' : '[', to);
        ph_view_number(to, x[i]);
    }
    fputs(n ? "]" : "[]", to);
}

void ph_view_vector(FILE *to, ph_vec3 v)
{
    ph_view_numbers(to, 3, (double[]){v.x, v.y, v.z});
}

void ph_view_base64(FILE *to, const void *bytes, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = bytes;
    char out[4 * 256];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned x =
            (unsigned)b[i] << 16 | (left > 1 ? (unsigned)b[i + 1] << 8 : 0) | (left > 2 ? b[i + 2] : 0u);
        out[used++] = digit[x >> 18];
        out[used++] = digit[x >> 12 & 63];
        out[used++] = left > 1 ? digit[x >> 6 & 63] : '=';
        out[used++] = left > 2 ? digit[x & 63] : '=';
        if (used == sizeof out)
            fwrite(out, 1, used, to), used = 0;
    }
    fwrite(out, 1, used, to);
}
