/* Pages of several runs: one is shown, the others are its ghosts. */
#include "cli/overlay.h"
#include "io/file.h"

#include <string.h>

int ph_overlay_runs(int n)
{
    return n < PH_OVERLAY_MAX ? n : PH_OVERLAY_MAX;
}

int ph_overlay_case(int k, int n)
{
    int runs = ph_overlay_runs(n);
    return runs < 2 ? 0 : (int)((long)k * (n - 1) / (runs - 1));
}

ph_view *ph_overlay_add(ph_overlay *o, ph_run *run, const char *label, ph_error *err)
{
    ph_view *view;
    if (ph_view_create(&view, run, err) != PH_OK)
        return NULL;
    if (o->n && !ph_view_alike(view, o->view[o->n - 1])) {
        ph_view_destroy(view);
        snprintf(err->text, sizeof err->text,
                 "runs with other bodies, joints or sensors cannot be laid over each other");
        return NULL;
    }
    ph_view_share(view, o->runs);
    snprintf(o->label[o->n], sizeof o->label[o->n], "%s", label);
    o->reason[o->n][0] = 0;
    return o->view[o->n++] = view;
}

void ph_overlay_failed(ph_overlay *o, const char *reason)
{
    snprintf(o->reason[o->n - 1], sizeof o->reason[0], "%.255s", reason);
}

int ph_overlay_write(const ph_overlay *o, const ph_args *args, const char *settings)
{
    ph_view_ghost ghosts[PH_OVERLAY_MAX];
    ph_file file = {0};
    int last = o->n - 1, code = PH_EXIT_OK, n = 0;
    if (last < 0)
        return ph_complain("--view: no run can be shown");
    for (int k = 0; k < last; k++)
        if (ph_view_frames(o->view[k]))
            ghosts[n++] = (ph_view_ghost){o->view[k], o->label[k], o->reason[k]};
    ph_view_words words = {.file = args->word[0],
                           .settings = settings,
                           .status = o->reason[last][0] ? "failed" : "ok",
                           .reason = o->reason[last],
                           .label = o->label[last],
                           .n_ghosts = n,
                           .ghosts = ghosts};
    if (!ph_file_open(&file, args->view))
        return ph_complain_write(args->view);
    if (!ph_view_page(o->view[last], &words, file.stream))
        code = ph_complain("not enough memory for the page");
    else if (!ph_file_commit(&file))
        code = ph_complain_write(args->view);
    ph_file_discard(&file);
    return code;
}

void ph_overlay_clear(ph_overlay *o)
{
    for (int k = 0; k < o->n; k++)
        ph_view_destroy(o->view[k]);
    o->n = 0;
}
