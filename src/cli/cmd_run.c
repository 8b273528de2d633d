/* polhode run: simulate a model, watch it on the way, report. */
#include "cli/bars.h"
#include "cli/history.h"
#include "polhode/compile.h"
#include "view/view.h"

#include <stdlib.h>

int ph_cmd_run(const ph_args *given)
{
    ph_args args = *given;
    ph_job r = {.args = &args, .plot = given->plot};
    int code;
    if ((args.view && !ph_page_name(args.view)) || (args.vtk && !ph_page_folder(args.vtk)))
        return PH_EXIT_USAGE;
    if (ph_target_open(&r.target, &args, &code)) {
        int compiled = args.compiled && ph_target_build(&r.target, NULL, 0);
        code = ph_bars_open(&r) ? ph_job_perform(&r) : PH_EXIT_USAGE;
        if (compiled && !ph_run_is_compiled(r.target.run))
            fprintf(stderr, "polhode: note: --compiled: the first steps differ from those of the library, "
                            "which made the run\n");
    }
    ph_bars_close(&r);
    ph_history_destroy(r.history);
    ph_view_destroy(r.view);
    free(r.bodies);
    ph_target_close(&r.target);
    return code;
}
