/* polhode verify: measure every figure and write the page docs/verification.md. */
#define _XOPEN_SOURCE 700 /* open_memstream */

#include "cli/cli.h"
#include "io/file.h"
#include "study/figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MODELS "models" /* where the figures find their model files */

/* The page is measured first and written at once: nothing is left behind when it is interrupted. */
static int write_page(const char *path, const char *page, size_t size)
{
    ph_file file;
    if (ph_file_open(&file, path)) {
        fwrite(page, 1, size, file.stream);
        if (ph_file_commit(&file))
            return PH_EXIT_OK;
    }
    return ph_complain("cannot write '%s': %s", path, strerror(errno));
}

static int measure_to_file(const char *path, int *failed)
{
    char *page = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&page, &size);
    *failed = memory ? ph_figures_write(memory, MODELS) : -1;
    if (memory && fclose(memory) != 0)
        *failed = -1;
    int code = *failed >= 0 ? write_page(path, page, size) : PH_EXIT_OK;
    free(page);
    return code;
}

static int has_models(void)
{
    FILE *f = fopen(MODELS "/heavy_top.lua", "r");
    if (f)
        fclose(f);
    return f != NULL;
}

int ph_cmd_verify(const ph_args *args)
{
    int failed, code = PH_EXIT_OK;
    if (!has_models())
        return ph_complain("verify measures the model files of the source tree, and there is no '" MODELS
                           "/heavy_top.lua' here: run it in the root of that tree");
    if (args->output)
        code = measure_to_file(args->output, &failed);
    else
        failed = ph_figures_write(stdout, MODELS);
    if (failed < 0)
        return ph_complain("not enough memory for the studies");
    if (failed && !code)
        ph_complain("%d figures do not hold", failed);
    return code ? code : failed ? PH_EXIT_FAILED : PH_EXIT_OK;
}
