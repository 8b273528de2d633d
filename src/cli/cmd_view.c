/* polhode view: simulate a model and write a page that shows it. */
#include "cli/live.h"
#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "models/top.lua" -> "top.html", in the folder where one is */
static void default_path(const char *model, char *path, size_t size)
{
    const char *name = strrchr(model, '/') ? strrchr(model, '/') + 1 : model, *dot = strrchr(name, '.');
    snprintf(path, size, "%.*s.html", (int)(dot && dot > name ? dot - name : (long)strlen(name)), name);
}

/* A page that shows the run while it goes on. */
static int view_live(ph_job *r)
{
    r->p = r->target.p, r->run = r->target.run;
    return ph_job_plan(r) ? ph_live(r) : PH_EXIT_USAGE;
}

/* A run with a page and without a report. */
int ph_cmd_view(const ph_args *given)
{
    ph_args args = *given;
    char path[300];
    int code;
    ph_job r = {.args = &args};
    default_path(args.word[0], path, sizeof path);
    if (args.live && (args.output || args.vtk))
        return ph_complain("--live writes no file: leave %s out", args.output ? "-o" : "--vtk");
    if (args.port && !args.live)
        return ph_complain("--port needs --live");
    if (args.port > 65535)
        return ph_complain("--port: %d is not a port; the largest is 65535", args.port);
    args.view = args.output ? args.output : path;
    args.output = NULL;
    if (!ph_target_is_file(args.word[0]))
        return ph_complain("a page shows a model file; '%s' is a built-in problem", args.word[0]);
    if (!args.live && (!ph_page_name(args.view) || (args.vtk && !ph_page_folder(args.vtk))))
        return PH_EXIT_USAGE;
    if (ph_target_open(&r.target, &args, &code))
        code = args.live ? view_live(&r) : ph_job_perform(&r);
    ph_view_destroy(r.view);
    free(r.bodies);
    ph_target_close(&r.target);
    return code;
}
