/* Error lines, and the nearest word to a misspelt one. */
#include "cli/cli.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Users' words may hold anything; a control character must not break the line. */
int ph_complain(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
    fprintf(stderr, "polhode: %s\n", text);
    return PH_EXIT_USAGE;
}

int ph_word_find(const char *word, ph_word_fn list)
{
    for (int k = 0; list(k); k++)
        if (!strcmp(word, list(k)))
            return k;
    return -1;
}

#define LENGTH_MAX 32 /* longer words have no neighbours */

static int min(int a, int b)
{
    return a < b ? a : b;
}

/* Letters to insert, delete, replace, or swap with their neighbour:
 *   d_ij = min(d_i-1,j + 1, d_i,j-1 + 1, d_i-1,j-1 + [a_i != b_j],
 *              d_i-2,j-2 + 1 where a_i-1 a_i = b_j b_j-1) */
static int distance(const char *a, const char *b)
{
    int na = (int)strlen(a), nb = (int)strlen(b), d[LENGTH_MAX + 1][LENGTH_MAX + 1];
    for (int i = 0; i <= na; i++)
        for (int j = 0; j <= nb; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            d[i][j] = min(min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + !same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[na][nb];
}

/* The nearest word, if more than half of its letters are right; else NULL. A beginning counts as near. */
static const char *nearest(const char *word, ph_word_fn list)
{
    const char *best = NULL;
    size_t n = strlen(word);
    int least = 1 + (int)n / 3;
    for (int k = 0; list(k) && n > 0 && n <= LENGTH_MAX; k++) {
        if (strlen(list(k)) > LENGTH_MAX)
            continue;
        int d = distance(word, list(k));
        if (n >= 3 && !strncmp(word, list(k), n))
            d = min(d, 1);
        if (d < least || (d == least && !best))
            least = d, best = list(k);
    }
    return best && 2 * least < (int)strlen(best) ? best : NULL;
}

int ph_complain_word(const char *what, const char *word, ph_word_fn list, const char *else_see)
{
    const char *near = nearest(word, list);
    if (near)
        return ph_complain("%s '%s'; did you mean '%s'?", what, word, near);
    if (else_see)
        return ph_complain("%s '%s'; see '%s'", what, word, else_see);
    char all[512] = "";
    for (int k = 0; list(k); k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", list(k));
    return ph_complain("%s '%.64s'; there are: %s", what, word, all);
}
