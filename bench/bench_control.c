/* What steps by tolerance cost, relative to as many steps of one size:
 *   bench_control PROBLEM SIZE FORM TOL T [METHOD] [MODE]
 * MODE equal or tol makes that run alone, for a profiler; MODE compare, the default, makes both in turn and prints the
 * best processor times. PROBLEM is one in C, SIZE 0 if it has none, T the time to simulate; METHOD may end in an order: bliedf3. */
#include "clock.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "polhode/polhode.h"
#include "problem/problem.h"

#define PAIRS 200 /* of runs at most, */
#define SPENT 10  /* or this time [s] */

static void must(ph_status s, const ph_error *err)
{
    if (s == PH_OK)
        return;
    fprintf(stderr, "bench_control: %s\n", err->text);
    exit(1);
}

/* Seconds of a run; its numbers of steps and of iterations. */
static double run(const ph_problem *p, const ph_options *o, ph_stats *st)
{
    ph_error err = {0};
    ph_sim *sim;
    must(ph_sim_create(&sim, &p->sys, o, 0, p->q0, p->v0, &err), &err);
    double begin = cpu_seconds();
    must(ph_sim_run_until(sim, p->t_end, NULL, NULL, &err), &err);
    double seconds = cpu_seconds() - begin;
    *st = ph_sim_stats(sim);
    ph_sim_destroy(sim);
    return seconds;
}

static ph_options options_of(int argc, char **argv)
{
    static char method[32] = "genalpha";
    ph_options o = ph_default_options();
    if (argc > 6)
        snprintf(method, sizeof method, "%s", argv[6]);
    size_t end = strlen(method);
    if (end && isdigit((unsigned char)method[end - 1]))
        o.order = method[end - 1] - '0', method[end - 1] = 0;
    o.method = method, o.formulation = PH_INDEX3, o.tol = atof(argv[4]);
    for (int k = 0; ph_formulation_word(k); k++)
        if (!strcmp(argv[3], ph_formulation_word(k)))
            o.formulation = (ph_formulation)k;
    return o;
}

static void print_row(const char *what, long steps, const ph_stats *st, double seconds)
{
    printf("  %-6s %8ld %8ld %9.3f %9.3f %9.3f\n", what, steps, st->rejected,
           (double)st->iterations / (double)steps, (double)st->factorizations / (double)steps,
           1e6 * seconds / (double)steps);
}

static void print_pair(char **argv, const ph_stats *tol, const ph_stats *equal, const double *best)
{
    printf("%s %s %s, tol %s: %.3f\n  %-6s %8s %8s %9s %9s %9s\n", argv[1], argv[2], argv[3], argv[4],
           best[0] / best[1], "", "steps", "rejected", "Newton", "factored", "us/step");
    print_row("tol", tol->accepted, tol, best[0]);
    print_row("equal", equal->steps, equal, best[1]);
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return fputs("usage: bench_control PROBLEM SIZE FORM TOL T [METHOD] [equal|tol|compare]\n", stderr),
               2;
    const char *mode = argc > 7 ? argv[7] : "compare";
    ph_problem_def def = {.size = atoi(argv[2])};
    ph_problem *p = ph_problem_create(argv[1], def.size ? &def : NULL);
    if (!p)
        return fprintf(stderr, "bench_control: there is no problem '%s'\n", argv[1]), 2;
    p->t_end = atof(argv[5]);
    ph_options tol = options_of(argc, argv), equal = tol;
    ph_stats a, b = {0};
    double best[2] = {run(p, &tol, &a), INFINITY}, begin = cpu_seconds();
    equal.tol = 0, equal.h = p->t_end / (double)a.accepted;
    if (!strcmp(mode, "equal"))
        run(p, &equal, &b);
    for (int k = 0; !strcmp(mode, "compare") && k < PAIRS && (k < 3 || cpu_seconds() - begin < SPENT); k++) {
        best[0] = fmin(best[0], run(p, &tol, &a));
        best[1] = fmin(best[1], run(p, &equal, &b));
    }
    if (!strcmp(mode, "compare"))
        print_pair(argv, &a, &b, best);
    ph_problem_destroy(p);
    return 0;
}
