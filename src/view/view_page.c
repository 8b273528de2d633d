/* The page: the viewer, which is part of the program, with the scene and the frames in its middle.
 *
 * Frames are one block of floats: places of bodies frame by frame, then the numbers beside them column by column. Columns
 * that do not change are not there; the scene has their value. Last the shapes of modes. */
#include "view/view_inside.h"

#include <stdlib.h>
#include <string.h>

static const char mark[] = "<!--SCENE-->", more[] = "/*MORE*/\n"; /* where data go, and further modules */

int ph_view_still(const ph_view *v, int column, double *value)
{
    const float *x = v->data + (v->size - (size_t)v->columns) + column;
    *value = (double)x[0];
    for (long k = 1; k < v->n; k++)
        if (memcmp(x, x + (size_t)k * v->size, sizeof *x) != 0)
            return 0;
    return 1;
}

/* The block, and how many floats it has; NULL: not enough memory. */
static float *arrange(const ph_view *v, size_t *count)
{
    size_t places = v->size - (size_t)v->columns, n = 0;
    size_t shapes = 12 * (size_t)v->n_modes * (size_t)v->n_bodies;
    float *out = malloc(((size_t)v->n * v->size + shapes + 1) * sizeof *out);
    double value;
    for (long k = 0; out && k < v->n; k++, n += places)
        memcpy(out + n, v->data + (size_t)k * v->size, places * sizeof *out);
    for (int c = 0; out && c < v->columns; c++)
        if (!ph_view_still(v, c, &value))
            for (long k = 0; k < v->n; k++)
                out[n++] = v->data[(size_t)k * v->size + places + (size_t)c];
    if (out && shapes)
        memcpy(out + n, v->shape, shapes * sizeof *out);
    *count = n + shapes;
    return out;
}

/* 0: not enough memory. */
static int put_frames(const ph_view *v, const char *id, int number, FILE *to)
{
    size_t count;
    float *block = arrange(v, &count);
    if (!block)
        return 0;
    fprintf(to, "<script type=\"text/plain\" id=\"%s", id);
    if (number >= 0)
        fprintf(to, "%d", number);
    fputs("\">", to);
    ph_view_base64(to, block, count * sizeof *block);
    fputs("</script>\n", to);
    free(block);
    return 1;
}

int ph_view_page(const ph_view *view, const ph_view_words *words, FILE *to)
{
    const char *page = (const char *)ph_viewer_page, *at = strstr(page, mark);
    fwrite(page, 1, (size_t)(at - page), to);
    fputs("<script type=\"application/json\" id=\"scene\">", to);
    ph_view_scene(view, words, to);
    fputs("</script>\n", to);
    int good = put_frames(view, "frames", -1, to);
    for (int k = 0; good && k < words->n_ghosts; k++)
        good = put_frames(words->ghosts[k].view, "ghost", k, to);
    const char *rest = at + strlen(mark), *end = strstr(rest, more);
    fwrite(rest, 1, (size_t)(end - rest), to);
    if (words->live)
        fputs((const char *)ph_viewer_live, to);
    if (words->n_ghosts)
        fputs((const char *)ph_viewer_ghosts, to);
    fputs(end + strlen(more), to);
    return good;
}
