/* polhode freeze: the resolved model as JSON. polhode cite: what to cite for it. */
#include "cli/target.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

static int freeze_to_file(const ph_model *model, const char *path)
{
    ph_file file = {0};
    ph_error err;
    if (!ph_file_open(&file, path))
        return ph_complain_write(path);
    int code = PH_EXIT_OK;
    if (ph_model_freeze(model, file.stream, &err) != PH_OK && !ferror(file.stream))
        code = ph_complain("%s", err.text);
    else if (!ph_file_commit(&file))
        code = ph_complain_write(path);
    ph_file_discard(&file);
    return code;
}

int ph_cmd_freeze(const ph_args *args)
{
    ph_error err;
    ph_model *model = ph_target_read(args);
    int code = PH_EXIT_USAGE;
    if (model && args->output)
        code = freeze_to_file(model, args->output);
    else if (model && (ph_model_freeze(model, stdout, &err) == PH_OK || ferror(stdout)))
        code = PH_EXIT_OK; /* main says what became of stdout */
    else if (model)
        code = ph_complain("%s", err.text);
    ph_model_free(model);
    return code;
}

int ph_cmd_cite(const ph_args *given)
{
    ph_args args = *given;
    ph_target target;
    int code;
    if (ph_target_open(&target, &args, &code)) {
        code = PH_EXIT_OK;
        printf("Polhode %s, time integration of constrained mechanical systems on Lie groups\n",
               ph_version());
        printf("%s\n", ph_method_cite(ph_word_find(args.opt.method, ph_method_name)));
        const char *tableau = ph_tableau_cite(ph_tableau_find(args.opt.tableau));
        if ((ph_method_reads(args.opt.method) & PH_READS_TABLEAU) && tableau && *tableau)
            printf("%s\n", tableau);
    }
    ph_target_close(&target);
    return code;
}
