/* polhode compile: a model and its run as C source. */
#include "cli/fmu_pack.h"
#include "cli/options.h"
#include "io/file.h"
#include "polhode/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the run ---------------------------------------------------------------------------------------- */

#define TEXTS_MAX 32

/* What was typed, as keys of run{} have it: "--t-end 2" is "t_end=2". */
typedef struct told {
    int n, n_set, newton; /* newton: it is told */
    char text[TEXTS_MAX][200];
    const char *option[TEXTS_MAX];
    char name[PH_SETTINGS_MAX][80];
    ph_setting set[PH_SETTINGS_MAX];
} told;

static const char *const keys[] = {"h",    "t-end", "method",     "formulation", "sigma",
                                   "rho",  "order", "correction", "start",       "newton",
                                   "atol", "rtol",  "space",      "tableau",     "solver"};

static void tell(told *t, const char *key, const char *value, size_t length)
{
    t->newton |= !strcmp(key, "newton");
    snprintf(t->text[t->n], sizeof t->text[0], "%s=%s", key, value);
    for (char *p = t->text[t->n]; p < t->text[t->n] + length; p++)
        *p = *p == '-' ? '_' : *p;
    t->option[t->n] = t->text[t->n];
    t->n++;
}

static void read_options(const ph_args *args, told *t)
{
    for (int i = 0; i < args->argc && t->n < TEXTS_MAX; i++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            size_t n = strlen(keys[k]);
            const char *word = args->argv[i];
            if (strncmp(word, "--", 2) || strncmp(word + 2, keys[k], n))
                continue;
            if (word[2 + n] == '=')
                tell(t, keys[k], word + 3 + n, n);
            else if (!word[2 + n] && i + 1 < args->argc)
                tell(t, keys[k], args->argv[i + 1], n);
        }
    if (args->assemble && t->n < TEXTS_MAX)
        tell(t, "assemble", "true", 8);
    if (args->cuda && !t->newton &&
        t->n < TEXTS_MAX) /* a Jacobian that is kept leaves the registers of a thread */
        tell(t, "newton", "full", 6);
}

static int read_settings(const ph_args *args, told *t)
{
    for (int i = 0; i < args->set.n; i++) {
        const char *text = args->set.text[i], *equal = strchr(text, '=');
        char *end;
        if (!equal || equal == text || (size_t)(equal - text) >= sizeof t->name[0])
            return ph_complain("--set %s: it must be NAME=VALUE", text), 0;
        snprintf(t->name[i], sizeof t->name[0], "%.*s", (int)(equal - text), text);
        t->set[t->n_set++] = (ph_setting){.name = t->name[i], .value = strtod(equal + 1, &end)};
        if (end == equal + 1 || *end)
            return ph_complain("--set %s: '%s' is not a number", text, equal + 1), 0;
    }
    return 1;
}

static ph_run *open_run(const ph_args *args)
{
    static told t; /* one command in a process */
    ph_run_config c = ph_run_defaults();
    ph_run *run = NULL;
    ph_error err;
    t = (told){0};
    read_options(args, &t);
    if (!read_settings(args, &t))
        return NULL;
    c.parameters = t.set, c.n_parameters = t.n_set;
    c.options = t.option, c.n_options = t.n;
    if (ph_run_open(&run, args->word[0], &c, &err) != PH_OK)
        ph_complain("%s", err.text);
    return run;
}

/* ---- the files -------------------------------------------------------------------------------------- */

typedef struct output {
    char path[4096];
    ph_file file;
} output;

static int open_output(output *o, const char *folder, const char *name, const char *ending)
{
    int n = snprintf(o->path, sizeof o->path, "%s/%s.%s", folder, name, ending);
    if (n < 0 || (size_t)n >= sizeof o->path)
        return ph_complain("the name of the folder is too long"), 0;
    if (ph_file_open(&o->file, o->path))
        return 1;
    ph_complain_write(o->path);
    return 0;
}

enum { HEADER, SOURCE, DRIVER, OUTPUTS };

static int commit(output *o)
{
    if (!o->file.stream || ph_file_commit(&o->file))
        return 1;
    ph_complain_write(o->path);
    return 0;
}

static int write_files(const ph_args *args, const ph_run *run, const ph_compile_config *config,
                       const char *name)
{
    static const char *const ending[OUTPUTS] = {"h", "c", "cu"};
    const char *folder = args->output ? args->output : ".";
    output out[OUTPUTS] = {0};
    ph_error err;
    int n = args->cuda ? OUTPUTS : DRIVER, ok = mkdir(folder, 0777) == 0 || errno == EEXIST;
    if (!ok)
        ph_complain("cannot make the folder '%s': %s", folder, strerror(errno));
    for (int k = 0; k < n && ok; k++)
        ok = open_output(&out[k], folder, name, ending[k]);
    if (ok && (ph_run_compile(run, config, out[HEADER].file.stream, out[SOURCE].file.stream, &err) != PH_OK ||
               (args->cuda && ph_run_compile_cuda(run, config, out[DRIVER].file.stream, &err) != PH_OK))) {
        ph_complain("%s", err.text);
        ok = 0;
    }
    for (int k = 0; k < n && ok; k++)
        ok = commit(&out[k]);
    for (int k = 0; k < n; k++) {
        ph_file_discard(&out[k].file);
        if (ok)
            printf("%s\n", out[k].path);
    }
    return ok ? PH_EXIT_OK : PH_EXIT_USAGE;
}

/* "m,k" as a list of names, in a text of its own. */
#define OPEN_MAX 64

static int read_open(const char *text, char *own, size_t size, const char *name[OPEN_MAX])
{
    int n = 0;
    if (!text)
        return 0;
    if (strlen(text) >= size)
        return ph_complain("--open: too many names"), -1;
    snprintf(own, size, "%s", text);
    for (char *p = own; p && n < OPEN_MAX; n++) {
        char *end = strchr(p, ',');
        name[n] = p;
        if (end)
            *end++ = 0;
        if (!*name[n])
            return ph_complain("--open '%s': a name is empty", text), -1;
        p = end;
    }
    return n;
}

int ph_cmd_compile(const ph_args *args)
{
    ph_compile_config config = ph_compile_defaults();
    char name[80], own[1024];
    const char *open[OPEN_MAX];
    ph_error err;
    int code = PH_EXIT_USAGE;
    if (args->output && !strcmp(args->output, PH_STDOUT))
        return ph_complain("-o: compile writes several files: give a folder, not standard output");
    config.open = open, config.n_open = read_open(args->open, own, sizeof own, open);
    ph_run *run = config.n_open < 0 ? NULL : open_run(args);
    config.name = args->name, config.max_iterations = args->max_iterations;
    config.lanes = args->lanes ? args->lanes : 1;
    if (run && ph_compile_name_of(run, &config, name, sizeof name, &err) != PH_OK)
        ph_complain("%s", err.text);
    else if (run && args->fmu)
        code = ph_fmu_write(run, &config, name, args->fmi ? args->fmi : 2, args->fmu) ? PH_EXIT_OK
                                                                                      : PH_EXIT_USAGE;
    else if (run)
        code = write_files(args, run, &config, name);
    ph_run_close(run);
    return code;
}
