/* Pages of jobs: what a browser shows of a run, an equilibrium or modes. */
#include "cli/job.h"
#include "io/file.h"
#include "view/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int ph_page_name(const char *path)
{
    size_t n = strlen(path);
    if (n > 5 && !strcmp(path + n - 5, ".html")) {
        if (ph_file_possible(path))
            return 1;
        ph_complain_write(path);
        return 0;
    }
    ph_complain("'%s': a page is a file whose name ends in .html", path);
    return 0;
}

int ph_page_folder(const char *path)
{
    struct stat st;
    char *bare = strdup(path); /* without '/' at its end */
    for (size_t n = bare ? strlen(bare) : 0; n > 1 && bare[n - 1] == '/'; n--)
        bare[n - 1] = 0;
    int there = stat(path, &st) == 0, good;
    if (there && !S_ISDIR(st.st_mode))
        good = 0, errno = ENOTDIR;
    else
        good = there ? access(path, W_OK | X_OK) == 0 : bare && ph_file_possible(bare);
    int why = errno;
    free(bare);
    if (!good)
        ph_complain("cannot write the files of '%s': %s", path, strerror(why));
    return good;
}

ph_status ph_page_open(ph_job *r)
{
    return r->args->view || r->args->vtk ? ph_view_create(&r->view, r->run, &r->err) : PH_OK;
}

int ph_page_write(const ph_job *r)
{
    char settings[256];
    ph_file file = {0};
    const char *path = r->args->view;
    int code = PH_EXIT_OK;
    if (!r->view || !ph_view_frames(r->view))
        return code;
    if (r->args->vtk && !ph_view_vtk(r->view, r->args->vtk))
        return ph_complain("cannot write the files of '%s': %s", r->args->vtk, strerror(errno));
    if (!path)
        return code;
    ph_report_options(&r->opt, settings, sizeof settings);
    ph_view_words words = {.file = r->args->word[0],
                           .settings = settings,
                           .status = ph_status_word(r->status),
                           .reason = r->status == PH_OK ? "" : r->err.text};
    if (!ph_file_open(&file, path))
        return ph_complain_write(path);
    if (!ph_view_page(r->view, &words, file.stream))
        code = ph_complain("not enough memory for the page");
    else if (!ph_file_commit(&file))
        code = ph_complain_write(path);
    ph_file_discard(&file);
    return code;
}
