/* Files of a command line that must not be one and the same: what is written would destroy what is read. */
#include "cli/options.h"

#include <string.h>
#include <sys/stat.h>

/* Files that exist are compared by what the names lead to, those to come by name, where both are written. Devices
 * may be named twice. */
static int is_same(const char *a, const char *b, int both_written)
{
    struct stat x, y;
    int have_a = stat(a, &x) == 0, have_b = stat(b, &y) == 0;
    if ((have_a && !S_ISREG(x.st_mode)) || (have_b && !S_ISREG(y.st_mode)))
        return 0;
    if (have_a && have_b)
        return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    return both_written && !strcmp(a, b);
}

int ph_paths_apart(const ph_args *args)
{
    const struct {
        const char *name, *path;
        int written;
    } all[] = {{"-o", args->output, 1},
               {"--plot", args->plot, 1},
               {"--view", args->view, 1},
               {"--log", args->log, 1},
               {"--save", args->save, 1},
               {"--fmu", args->fmu, 1},
               {"the model", args->n_words ? args->word[0] : NULL, 0},
               {"--reference", args->reference, 0}};
    int n = (int)(sizeof all / sizeof *all);
    for (int i = 0; args->output && i < args->input.n; i++) {
        const char *equal = strchr(args->input.text[i], '=');
        if (equal && is_same(args->output, equal + 1, 0)) {
            ph_complain("-o and --input are the same file, '%s'", args->output);
            return 0;
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++)
            if (all[i].written && all[i].path && all[k].path &&
                is_same(all[i].path, all[k].path, all[k].written)) {
                ph_complain("%s and %s are the same file, '%s'", all[i].name, all[k].name, all[i].path);
                return 0;
            }
    return 1;
}
