/* The nearest word to a misspelt one; text that can be shown. */
#include "base/words.h"

#include <ctype.h>
#include <string.h>

#define LENGTH_MAX 32 /* longer words have no neighbours */

/* Other names: of options and their words in earlier versions, and of commands as America spells them. */
static const char *const renamed[][2] = {{"--tolerance", "--x-tol"},
                                         {"--steps", "--load-steps"},
                                         {"perturbed", "exponent"},
                                         {"linearize", "linearise"},
                                         {"optimize", "optimise"}};

/* Names of other programs for our options, without the dashes at their beginning. */
static const char *const elsewhere[][2] = {{"dt", "h"},
                                           {"step", "h"},
                                           {"timestep", "h"},
                                           {"time-step", "h"},
                                           {"step-size", "h"},
                                           {"stepsize", "h"},
                                           {"time", "t-end"},
                                           {"tmax", "t-end"},
                                           {"t-stop", "t-end"},
                                           {"tstop", "t-end"},
                                           {"duration", "t-end"},
                                           {"end-time", "t-end"},
                                           {"stop-time", "t-end"},
                                           {"output", "o"}};

const char *ph_word_renamed(const char *old)
{
    for (size_t k = 0; k < sizeof renamed / sizeof *renamed; k++)
        if (!strcmp(old, renamed[k][0]))
            return renamed[k][1];
    return NULL;
}

static int find(const char *word, ph_word_fn list)
{
    for (int k = 0; list(k); k++)
        if (!strcmp(word, list(k)))
            return k;
    return -1;
}

int ph_word_find(const char *word, ph_word_fn list)
{
    int k = find(word, list);
    return k < 0 && ph_word_renamed(word) ? find(ph_word_renamed(word), list) : k;
}

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

/* Without dashes at the beginning; _ and - are the same. */
static int is_option(const char *word, const char *name)
{
    word += strspn(word, "-"), name += strspn(name, "-");
    while (*word && (*word == '_' ? '-' : *word) == (*name == '_' ? '-' : *name))
        word++, name++;
    return !*word && !*name;
}

static int means(const char *word, const char *candidate)
{
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++)
        if (is_option(word, elsewhere[k][0]) && is_option(candidate, elsewhere[k][1]))
            return 1;
    return 0;
}

/* A beginning counts as near, and another program's name as the same. */
void ph_near_offer(ph_near *n, const char *candidate)
{
    size_t length = strlen(n->word);
    if (!n->best)
        n->least = 1 + (int)length / 3;
    if (means(n->word, candidate)) {
        n->least = 0, n->best = candidate;
        return;
    }
    if (length == 0 || length > LENGTH_MAX || strlen(candidate) > LENGTH_MAX)
        return;
    int d = distance(n->word, candidate);
    if (length >= 3 && !strncmp(n->word, candidate, length))
        d = min(d, 1);
    if (d < n->least || (d == n->least && !n->best))
        n->least = d, n->best = candidate;
}

/* More than half of its letters must be right. */
const char *ph_near_word(const ph_near *n)
{
    return n->best && 2 * n->least < (int)strlen(n->best) ? n->best : NULL;
}

/* Bytes of the UTF-8 character at s, or 0 where it is none: too long for its code, half of a pair, or past the
 * last. */
static int utf8_length(const unsigned char *s)
{
    int n = s[0] < 0x80                    ? 1
            : s[0] >= 0xc2 && s[0] < 0xe0  ? 2
            : (s[0] & 0xf0) == 0xe0        ? 3
            : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                           : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] >= 0x90))
        return 0;
    return n;
}

int ph_text_clean(char *text)
{
    int found = 0;
    for (unsigned char *s = (unsigned char *)text; *s;) {
        int n = utf8_length(s);
        if (n == 0 || *s < ' ' || *s == 127)
            *s = '?', n = 1, found++;
        s += n;
    }
    return found;
}
