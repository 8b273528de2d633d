/* Sources, built in a folder of their own. */
#include "io/workshop.h"
#include "io/retry.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

static int fail(ph_error *err, const char *format, ...) PH_PRINTF(2, 3);

static int fail(ph_error *err, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    err->status = PH_E_INPUT;
    vsnprintf(err->text, sizeof err->text, format, ap);
    va_end(ap);
    return 0;
}

static const char *const endings[] = {PH_WORKSHOP_FILES};

void ph_workshop_path(const ph_workshop *w, const char *ending, char path[PH_WORKSHOP_PATH])
{
    snprintf(path, PH_WORKSHOP_PATH, "%.400s/%.80s%s", w->folder, w->name, ending);
}

int ph_workshop_open(ph_workshop *w, const char *name, ph_error *err)
{
    const char *tmp = getenv("TMPDIR");
    w->name = name;
    snprintf(w->folder, sizeof w->folder, "%.300s/polhode_XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(w->folder))
        return 1;
    return fail(err, "cannot make a folder '%s': %s", w->folder, strerror(errno));
}

void ph_workshop_close(const ph_workshop *w)
{
    char path[PH_WORKSHOP_PATH];
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        ph_workshop_path(w, endings[k], path);
        remove(path);
    }
    rmdir(w->folder);
}

int ph_workshop_write(const ph_workshop *w, int n, const char *const *ending, FILE **file, ph_error *err)
{
    for (int k = 0; k < n; k++) {
        char path[PH_WORKSHOP_PATH];
        ph_workshop_path(w, ending[k], path);
        file[k] = fopen(path, "w");
        if (file[k])
            continue;
        fail(err, "cannot write '%s': %s", path, strerror(errno));
        while (k-- > 0)
            fclose(file[k]);
        return 0;
    }
    return 1;
}

int ph_workshop_written(const ph_workshop *w, int n, FILE **file, ph_error *err)
{
    int ok = 1;
    for (int k = 0; k < n; k++)
        ok &= fclose(file[k]) == 0;
    return ok ? ok : fail(err, "cannot write to '%s': %s", w->folder, strerror(errno));
}

const char *ph_workshop_compiler(void)
{
    const char *cc = getenv("CC");
    return cc && *cc ? cc : "cc";
}

const char *ph_workshop_device_compiler(void)
{
    const char *nvcc = getenv("NVCC");
    return nvcc && *nvcc ? nvcc : "nvcc";
}

const char *ph_workshop_processor(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return "-march=x86-64-v3";
#endif
    return NULL;
}

/* The command to its end: 0, its exit status, 127 where it is not there, -1 where it was killed. */
static int run_command(const char *const *word)
{
    pid_t child = fork();
    if (child == 0) {
        execvp(word[0], (char *const *)word);
        _exit(127);
    }
    int status = child > 0 ? ph_retry_wait(child) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int ph_workshop_build(const ph_workshop *w, const char *ending, int hidden, const char *processor,
                      ph_error *err)
{
    const char *cc = ph_workshop_compiler();
    char source[PH_WORKSHOP_PATH], library[PH_WORKSHOP_PATH];
    ph_workshop_path(w, ending, source), ph_workshop_path(w, ".so", library);
    int code = run_command((const char *const[]){
        cc, "-std=c17", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-fno-math-errno",
        "-fno-tree-vectorize", hidden ? "-fvisibility=hidden" : "-fvisibility=default", "-o", library, source,
        "-lm", processor, NULL});
    return !code || fail(err, "the C compiler '%s' %s", cc, code == 127 ? "is not there" : "fails");
}

int ph_workshop_build_device(const ph_workshop *w, ph_error *err)
{
    const char *const nvcc[] = {ph_workshop_device_compiler(), "/usr/local/cuda/bin/nvcc"};
    char source[PH_WORKSHOP_PATH], library[PH_WORKSHOP_PATH];
    int code = 127, given = strcmp(nvcc[0], "nvcc") != 0;
    ph_workshop_path(w, ".cu", source), ph_workshop_path(w, ".so", library);
    for (int k = 0; k < (given ? 1 : 2) && code == 127; k++)
        code = run_command((const char *const[]){nvcc[k], "-std=c++20", "-O3", "-fmad=false", "-arch=native",
                                                 "-w", "-DPH_LIBRARY", "-shared", "-Xcompiler", "-fPIC", "-o",
                                                 library, source, NULL});
    return !code ||
           fail(err, "the compiler of devices, '%s', %s", nvcc[0], code == 127 ? "is not there" : "fails");
}
