/* The program counts what it does: how often the line is parsed, files are read, layouts and patterns are analysed, energies
 * and violations evaluated. The linker sends these calls here, --wrap; test_counts.sh reads the sums from the file $PH_COUNTS.
 * Processes of a pool count together. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/regular.h"
#include "cli/options.h"
#include "la/backend.h"
#include "mech/mech.h"
#include "step/layout.h"
#include "step/sim.h"

typedef struct counts {
    atomic_long parses, files, mechanisms, layouts, plans, energies, violations, starts;
} counts;

static counts *n;
static pid_t first;

__attribute__((constructor)) static void begin(void)
{
    void *shared = mmap(NULL, sizeof *n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    n = shared, first = getpid();
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("PH_COUNTS");
    FILE *to = path && getpid() == first ? fopen(path, "w") : NULL;
    if (!to)
        return;
    fprintf(to, "parses %ld\nfiles %ld\nmechanisms %ld\nlayouts %ld\nplans %ld\n", n->parses, n->files,
            n->mechanisms, n->layouts, n->plans);
    fprintf(to, "energies %ld\nviolations %ld\nstarts %ld\n", n->energies, n->violations, n->starts);
    fclose(to);
}

int __real_ph_args_parse(ph_args *args, int argc, char **argv);
int __wrap_ph_args_parse(ph_args *args, int argc, char **argv);
int __wrap_ph_args_parse(ph_args *args, int argc, char **argv)
{
    n->parses++;
    return __real_ph_args_parse(args, argc, argv);
}

FILE *__real_ph_regular_open(const char *path, double limit, size_t *size, const char **why);
FILE *__wrap_ph_regular_open(const char *path, double limit, size_t *size, const char **why);
FILE *__wrap_ph_regular_open(const char *path, double limit, size_t *size, const char **why)
{
    n->files++;
    return __real_ph_regular_open(path, limit, size, why);
}

ph_status __real_ph_mechanism_create(ph_mechanism **out, const ph_model *m, ph_space_code space,
                                     const ph_allocator *alloc, ph_error *err);
ph_status __wrap_ph_mechanism_create(ph_mechanism **out, const ph_model *m, ph_space_code space,
                                     const ph_allocator *alloc, ph_error *err);
ph_status __wrap_ph_mechanism_create(ph_mechanism **out, const ph_model *m, ph_space_code space,
                                     const ph_allocator *alloc, ph_error *err)
{
    n->mechanisms++;
    return __real_ph_mechanism_create(out, m, space, alloc, err);
}

ph_status __real_ph_skeleton_create(ph_skeleton **out, const ph_system *sys, const ph_allocator *alloc,
                                    ph_error *err);
ph_status __wrap_ph_skeleton_create(ph_skeleton **out, const ph_system *sys, const ph_allocator *alloc,
                                    ph_error *err);
ph_status __wrap_ph_skeleton_create(ph_skeleton **out, const ph_system *sys, const ph_allocator *alloc,
                                    ph_error *err)
{
    n->layouts++;
    return __real_ph_skeleton_create(out, sys, alloc, err);
}

void __real_ph_mechanism_energies(const ph_mechanism *m, const ph_state *s, double *T, double *V);
void __wrap_ph_mechanism_energies(const ph_mechanism *m, const ph_state *s, double *T, double *V);
void __wrap_ph_mechanism_energies(const ph_mechanism *m, const ph_state *s, double *T, double *V)
{
    n->energies++;
    __real_ph_mechanism_energies(m, s, T, V);
}

ph_status __real_ph_sim_violation(ph_sim *sim, double *position, double *velocity);
ph_status __wrap_ph_sim_violation(ph_sim *sim, double *position, double *velocity);
ph_status __wrap_ph_sim_violation(ph_sim *sim, double *position, double *velocity)
{
    n->violations++;
    return __real_ph_sim_violation(sim, position, velocity);
}

ph_status __real_ph_start_consistent(ph_sim *sim, ph_error *err);
ph_status __wrap_ph_start_consistent(ph_sim *sim, ph_error *err);
ph_status __wrap_ph_start_consistent(ph_sim *sim, ph_error *err)
{
    n->starts++;
    return __real_ph_start_consistent(sim, err);
}

void __real_ph_analysis_begin(ph_analysis *a, const ph_solver_ops *ops, const ph_allocator *alloc,
                              const ph_arena *arena);
void __wrap_ph_analysis_begin(ph_analysis *a, const ph_solver_ops *ops, const ph_allocator *alloc,
                              const ph_arena *arena);
void __wrap_ph_analysis_begin(ph_analysis *a, const ph_solver_ops *ops, const ph_allocator *alloc,
                              const ph_arena *arena)
{
    n->plans++;
    __real_ph_analysis_begin(a, ops, alloc, arena);
}
