/* Compiled models in tests: built, loaded, and compared with the library. */
#ifndef PH_TEST_COMPILED_H
#define PH_TEST_COMPILED_H

#include "model_file.h"

#include <float.h>
#include <dlfcn.h>

#include "compile/compile.h"
#include "polhode/compile.h"
#include "polhode/run.h"
#include "step/sim.h"

#define MODELS PH_TEST_DIR "/../models/"
#define WARN   " -std=c17 -Wall -Wextra -Wpedantic -Werror "
#define QUICK  "-O0 -Dalways_inline=unused" /* calls: a tenth of the time of the compiler */

/* ---- a compiled model, loaded --------------------------------------------------------------------------- */

typedef struct built {
    scratch dir;
    void *library;
    void (*init)(double *s);
    unsigned (*restart)(double *s), (*step)(double *s);
    int lanes;
    ph_struct_places place;
    double *state; /* t, steps, q, v, vdot, lambda, ...: lanes numbers each */
} built;

static inline int run_shell(const char *format, ...) PH_PRINTF(1, 2);

static inline int run_shell(const char *format, ...)
{
    char text[600];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return system(text);
}

static inline ph_run *open_run(const char *path, const char *const *options)
{
    ph_run *run;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    c.options = options, c.watch = 0;
    while (options && options[c.n_options])
        c.n_options++;
    if (ph_run_open(&run, path, &c, &err) != PH_OK)
        fail_msg("%s: %s", path, err.text);
    return run;
}

static inline void write_source(const ph_run *run, const ph_compile_config *config, const scratch *s)
{
    char path[200];
    ph_error err = {0};
    snprintf(path, sizeof path, "%s/m.h", s->dir);
    FILE *h = fopen(path, "w"), *c = fopen(s->path, "w");
    assert_non_null(h), assert_non_null(c);
    if (ph_run_compile(run, config, h, c, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(fclose(h), 0), assert_int_equal(fclose(c), 0);
}

/* open: names of parameters that stay variable, NULL after the last. */
static inline built build_open(const ph_run *run, const char *const *open, int lanes, int max_iterations,
                               const char *flags)
{
    built b = {.dir = scratch_create("m.c"), .lanes = lanes};
    ph_compile_config config = ph_compile_defaults();
    char path[200];
    ph_open *o;
    ph_error err = {0};
    config.name = "m", config.lanes = lanes, config.max_iterations = max_iterations, config.open = open;
    while (open && open[config.n_open])
        config.n_open++;
    write_source(run, &config, &b.dir);
    assert_int_equal(run_shell("cc" WARN "%s -ffp-contract=off -fPIC -shared %s -o %s/m.so -lm", flags,
                               b.dir.path, b.dir.dir),
                     0);
    if (run_shell("command -v clang >/dev/null") == 0) /* no warning of another compiler either */
        assert_int_equal(run_shell("clang" WARN "-fsyntax-only %s %s", lanes > 1 ? "-mavx2" : "", b.dir.path),
                         0);
    snprintf(path, sizeof path, "%s/m.so", b.dir.dir);
    b.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(b.library);
    *(void **)&b.init = dlsym(b.library, "m_init");
    *(void **)&b.restart = dlsym(b.library, "m_restart");
    *(void **)&b.step = dlsym(b.library, "m_step");
    assert_int_equal(ph_open_create(&o, run, open, config.n_open, 1, &err), PH_OK);
    b.place = ph_compile_struct(run, o);
    ph_open_destroy(o);
    size_t numbers = (size_t)b.place.numbers * (size_t)lanes;
    b.state = aligned_alloc(64, (numbers * sizeof(double) / 64 + 1) * 64);
    assert_non_null(b.state);
    b.init(b.state);
    return b;
}

static inline built build(const ph_run *run, int lanes, int max_iterations, const char *flags)
{
    return build_open(run, NULL, lanes, max_iterations, flags);
}

static inline void drop(built *b)
{
    run_shell("rm -r %s", b->dir.dir);
    dlclose(b->library);
    free(b->state);
}

/* Number k of member i. */
static inline double at(const built *b, int k, int i)
{
    return b->state[k * b->lanes + i];
}

/* Largest differences from the library. */
typedef struct apart {
    double motion, lambda; /* of q and v; of multipliers, relative */
} apart;

static inline apart compare_states(const ph_run *run, const built *b)
{
    const ph_sim *sim = ph_run_sim(run);
    const ph_layout *lay = &sim->lay;
    const double *q = b->state + 2, *v = q + lay->nq, *lambda = v + 2 * lay->nv;
    double big_v = 1, big_l = 1;
    for (int i = 0; i < lay->nv; i++)
        big_v = fmax(big_v, fabs(sim->now.v[i]));
    for (int i = 0; i < lay->nl; i++)
        big_l = fmax(big_l, fabs(sim->now.lambda[i]));
    return (apart){fmax(max_diff(q, sim->now.q, lay->nq), max_diff(v, sim->now.v, lay->nv) / big_v),
                   sim->matrix.redundant ? 0 : max_diff(lambda, sim->now.lambda, lay->nl) / big_l};
}

static inline int has_avx2(void)
{
    return run_shell("grep -qw avx2 /proc/cpuinfo 2>/dev/null") == 0;
}

/* ---- agreement -------------------------------------------------------------------------------------------- */

/* Newton's tolerance is 1e-8 of accelerations, so of multipliers; of q and v it is h^2 and h times that. Round-off of positions is
 * in multipliers divided by h^2, with a sign that alternates from step to step (at h = 1e-4 the heavy top has 2e-7 of them, in the
 * library too): so at an instant they may differ by that, and their means over the last steps by Newton's tolerance. */
#define MOTION 1e-9
#define LAMBDA 1e-7 /* at an instant */
#define MEAN   100  /* steps */

static inline void compare_built(ph_run *run, built *b, int steps)
{
    ph_error err = {0};
    const ph_sim *sim = ph_run_sim(run);
    int nl = sim->lay.nl, of = steps < MEAN ? steps : MEAN;
    double *apart_by = calloc((size_t)nl + 1, sizeof(double)), big = 1;
    apart x = compare_states(run, b);
    assert_non_null(apart_by);
    check_le(x.motion, 0), check_le(x.lambda, 0); /* exact: initial values are constants of the file */
    assert_int_equal(b->restart(b->state), 0);
    x = compare_states(run, b);
    check_le(x.motion, MOTION), check_le(x.lambda, LAMBDA);
    b->init(b->state);
    for (int k = 0; k < steps; k++) {
        assert_int_equal(b->step(b->state), 0);
        if (ph_run_step(run, &err) != PH_OK)
            fail_msg("%s", err.text);
        for (int i = 0; i < nl && k >= steps - of; i++) {
            apart_by[i] += (at(b, b->place.lambda + i, 0) - sim->now.lambda[i]) / of;
            big = fmax(big, fabs(sim->now.lambda[i]));
        }
    }
    check_near(at(b, 0, 0), ph_run_time(run), 1e-12); /* round-off */
    x = compare_states(run, b);
    check_le(x.motion, MOTION);
    check_le(x.lambda, fmax(LAMBDA, 40 * DBL_EPSILON / (sim->h * sim->h)));
    for (int i = 0; i < nl && !sim->matrix.redundant; i++)
        check_le(fabs(apart_by[i]) / big, 1e-8); /* Newton's tolerance; 5e-10 is reached */
    free(apart_by);
}

static inline void compare(const char *path, const char *const *options, int steps)
{
    ph_run *run = open_run(path, options);
    built b = build(run, 1, 0, QUICK);
    compare_built(run, &b, steps);
    drop(&b);
    ph_run_close(run);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline void compare_sensors(ph_run *run, const built *b)
{
    for (int k = 0; k < ph_run_count(run, PH_SENSORS); k++) {
        double ours[8], theirs[8], size = 1;
        char name[100];
        void (*sensor)(const double *state, double *out);
        int n = ph_run_size(run, PH_GET_SENSOR, k);
        snprintf(name, sizeof name, "m_%s", ph_run_name(run, PH_SENSORS, k));
        *(void **)&sensor = dlsym(b->library, name);
        assert_non_null(sensor);
        sensor(b->state, theirs);
        assert_int_equal(ph_run_get(run, PH_GET_SENSOR, k, ours), PH_OK);
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(ours[i]));
        check_le(max_diff(ours, theirs, n) / size, LAMBDA);
    }
}

static inline void check_sensors(const char *path, const char *const *options, int steps)
{
    ph_run *run = open_run(path, options);
    ph_error err = {0};
    built b = build(run, 1, 0, QUICK);
    for (int k = 0; k < steps; k++) {
        assert_int_equal(b.step(b.state), 0);
        assert_int_equal(ph_run_step(run, &err), PH_OK);
    }
    compare_sensors(run, &b);
    drop(&b);
    ph_run_close(run);
}

static inline void refuse_with(const char *text, const char *const *options, const ph_compile_config *config,
                               const char *words)
{
    scratch s = scratch_create("model.lua");
    ph_error err = {0};
    FILE *out = tmpfile();
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, options);
    assert_int_equal(ph_run_compile(run, config, out, out, &err), PH_E_INPUT);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not contain '%s'", err.text, words);
    fclose(out);
    ph_run_close(run);
    scratch_remove(&s);
}

static inline void refuse(const char *text, const char *const *options, const char *name, int lanes,
                          const char *words)
{
    ph_compile_config config = ph_compile_defaults();
    config.name = name, config.lanes = lanes;
    refuse_with(text, options, &config, words);
}

#endif
