/* Nanoseconds of processor time of factor and solve for each backend on mechanisms and small full matrices:
 * bench_la [seconds per row] */
#include "clock.h"

#include "../test/block_cases.h"

#include <stdio.h>

/* Best nanoseconds of many short runs: factor, and factor with solve. */
static void measure(ph_solver *s, const block_case *c, double seconds, double *factor, double *both)
{
    double *b = malloc((size_t)c->total * 2 * sizeof(double)), *x = b + c->total;
    if (!b)
        abort();
    for (int i = 0; i < c->total; i++)
        b[i] = 1 + i % 7;
    int repeat = 1 + 200000 / (c->total * 10);
    *factor = *both = INFINITY;
    for (double start = cpu_seconds(); cpu_seconds() - start < seconds;) {
        double t0 = cpu_seconds();
        for (int i = 0; i < repeat; i++)
            ph_solver_factor(s, c->value);
        double t1 = cpu_seconds();
        for (int i = 0; i < repeat; i++) {
            ph_solver_factor(s, c->value);
            ph_solver_solve(s, b, x);
        }
        double t2 = cpu_seconds();
        *factor = fmin(*factor, (t1 - t0) / repeat * 1e9);
        *both = fmin(*both, (t2 - t1) / repeat * 1e9);
    }
    free(b);
}

static void row(const char *name, block_case c, int bodies, double seconds)
{
    static const char *const backend[PH_SOLVER_COUNT] = {
#define PH_SOLVER(code, ops, word, text) [code] = word,
#include "polhode/solvers.def"
#undef PH_SOLVER
    };
    ph_graph g = case_graph(&c);
    for (int kind = 0; kind < PH_SOLVER_COUNT; kind++) {
        ph_solver *s;
        double factor, both, t0 = cpu_seconds();
        if (kind == PH_DENSE && c.total > 60)
            continue;
        if (ph_solver_analyse(&s, (ph_solver_kind)kind, &g, NULL) != PH_OK)
            abort();
        double analyse = cpu_seconds() - t0;
        if (ph_solver_factor(s, c.value) != PH_OK)
            printf("%-24s %-6s singular at %d\n", name, backend[kind], ph_solver_get_info(s).where);
        else {
            measure(s, &c, seconds, &factor, &both);
            printf("%-24s %-6s %6d unknowns: analyse %9.3f ms, factor %9.1f, factor + solve %9.1f ns%s, fill "
                   "%.1f\n",
                   name, backend[kind], c.total, 1e3 * analyse, factor / bodies, both / bodies,
                   bodies > 1 ? " per body" : "", (double)ph_solver_get_info(s).fill / bodies);
        }
        ph_solver_destroy(s);
    }
    case_free(&c);
}

static block_case ground_joint(int body, int rows)
{
    mechanism m = {.bodies = 1,
                   .joints = 1,
                   .pair = (const int[][2]){{-1, 0}},
                   .parts = 1,
                   .part_size = body,
                   .rows = rows};
    return case_mechanism(&m, 3);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 0.3;
    row("body + joint 3,3,3", case_chain(1, 0), 1, seconds);
    row("body + joint ggl", case_chain(1, 1), 1, seconds);
    row("particle 2,1", ground_joint(2, 1), 1, seconds);
    row("particle 3,1", ground_joint(3, 1), 1, seconds);
    row("body + joint 6,3", ground_joint(6, 3), 1, seconds);
    row("body + joint 6,5", ground_joint(6, 5), 1, seconds);
    static const int ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, threes[4] = {3, 3, 3, 3},
                     other[4] = {2, 1, 3, 2};
    row("full 1", case_full(1, ones), 1, seconds);
    row("full 3 x 1", case_full(3, ones), 1, seconds);
    row("full 4 x 1", case_full(4, ones), 1, seconds);
    row("full 6 x 1", case_full(6, ones), 1, seconds);
    row("full 9 x 1", case_full(9, ones), 1, seconds);
    row("full 12 x 1", case_full(12, ones), 1, seconds);
    row("full 3", case_full(1, threes), 1, seconds);
    row("full 2 x 3", case_full(2, threes), 1, seconds);
    row("full 4 x 3", case_full(4, threes), 1, seconds);
    row("full 2,1,3,2", case_full(4, other), 1, seconds);
    for (int n = 10; n <= 10000; n *= 10) {
        char name[32];
        snprintf(name, sizeof name, "chain %d", n);
        row(name, case_chain(n, 0), n, seconds);
        snprintf(name, sizeof name, "chain %d ggl", n);
        row(name, case_chain(n, 1), n, seconds);
        snprintf(name, sizeof name, "hinges %d", n);
        row(name, case_hinges(n, 0), n, seconds);
        snprintf(name, sizeof name, "hinges %d ggl", n);
        row(name, case_hinges(n, 1), n, seconds);
    }
    row("lattice 20 x 20 of 3", case_lattice(20, 20, 3), 400, seconds);
    row("lattice 20 x 20 of 6", case_lattice(20, 20, 6), 400, seconds);
    row("lattice 60 x 60 of 3", case_lattice(60, 60, 3), 3600, seconds);
    return 0;
}
