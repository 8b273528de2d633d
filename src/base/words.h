/* The nearest word to a misspelt one; the word that goes with a number; text that can be shown. */
#ifndef PH_BASE_WORDS_H
#define PH_BASE_WORDS_H

typedef const char *(*ph_word_fn)(int k); /* word k of a list; NULL past the end */

int ph_word_find(const char *word, ph_word_fn list); /* its place, also by its old name; -1: not there */
const char *ph_word_renamed(const char *old);        /* its name today; NULL: it was never renamed */

/* A search: start it with {word}, offer it every word of a list, and ask. */
typedef struct ph_near {
    const char *word;
    const char *best; /* of those offered so far */
    int least;        /* letters between the two */
} ph_near;

void ph_near_offer(ph_near *n, const char *candidate); /* which must live until the answer is used */
const char *ph_near_word(const ph_near *n);            /* NULL: none is near */

/* "1 body", "2 bodies" */
static inline const char *ph_plural(long n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

/* Users' words may hold anything. What is no text, a control character or a byte that is no UTF-8, becomes
 * '?', so that it breaks neither a line nor JSON. Returns how many. */
int ph_text_clean(char *text);

#endif
