/* Error lines. */
#include "cli/cli.h"
#include "io/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The one thing here that is not an argument: every function that reads arguments or models complains. A
 * process of the program has one thread. */
static struct {
    char *text;
    size_t size;
    char first[1024]; /* complaint on stderr */
    int answered;     /* JSON is on stdout */
} kept;

void ph_complain_into(char *text, size_t size)
{
    kept.text = text, kept.size = size;
    if (text && size)
        text[0] = 0;
}

#define LINE 1024

/* One line, whatever users' words in it hold. */
static void compose(char text[LINE], const char *format, va_list list)
{
    vsnprintf(text, LINE, format, list);
    ph_text_clean(text);
}

int ph_complain(const char *format, ...)
{
    char text[LINE];
    va_list list;
    va_start(list, format);
    compose(text, format, list);
    va_end(list);
    if (!kept.text && !kept.first[0])
        snprintf(kept.first, sizeof kept.first, "%s", text);
    if (!kept.text)
        fprintf(stderr, "polhode: %s\n", text);
    else if (!kept.text[0])
        snprintf(kept.text, kept.size, "%s", text);
    return PH_EXIT_USAGE;
}

int ph_complain_write(const char *path)
{
    int why = errno;
    if (why == EPIPE && !strcmp(path, PH_STDOUT)) /* head, less */
        return PH_EXIT_USAGE;
    return ph_complain("cannot write '%s': %s", path, why ? strerror(why) : "output error");
}

int ph_answer(ph_json *j)
{
    kept.answered = 1;
    return ph_json_print(j, stdout);
}

void ph_answer_refusal(void)
{
    int memory = strstr(kept.first, "not enough memory") || strstr(kept.first, strerror(ENOMEM));
    if (kept.answered || memory) /* which is no input */
        return;
    ph_json j = ph_json_create();
    ph_json_text(&j, j.root, "polhode", ph_version());
    ph_json_text(&j, j.root, "status", ph_status_word(PH_E_INPUT));
    ph_json_text(&j, j.root, "reason", kept.first);
    ph_answer(&j);
}

void ph_note(const char *format, ...)
{
    char text[LINE];
    va_list list;
    va_start(list, format);
    compose(text, format, list);
    va_end(list);
    fprintf(stderr, "polhode: note: %s\n", text);
}

void ph_note_unread(const ph_lists *lists, int n, const ph_variant *variants)
{
    const char *name = ph_variants_unread(lists, n, variants);
    if (name)
        ph_note("%s: no method of this study reads it", name);
}

int ph_complain_word(const char *what, const char *word, ph_word_fn list, const char *else_see)
{
    ph_near search = {.word = word};
    for (int k = 0; list(k); k++)
        ph_near_offer(&search, list(k));
    const char *near = ph_near_word(&search);
    if (near)
        return ph_complain("%s '%s'; did you mean '%s'?", what, word, near);
    if (else_see)
        return ph_complain("%s '%s'; see '%s'", what, word, else_see);
    char all[512] = "";
    for (int k = 0; list(k); k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", list(k));
    return ph_complain("%s '%.64s'; there are: %s", what, word, all);
}
