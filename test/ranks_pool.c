/* The pool under mpirun: started with several ranks by test_ranks.sh. Every fifth case brings its process down,
 * often while orders that would do so too are under way to it; rank 0 compares all results with its own. */
#include "study/pool.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N 300

typedef struct result {
    double value;
    int lost, k;
} result;

static void compute(int k, void *to, void *ctx)
{
    result *r = to;
    (void)ctx;
    r->k = k;
    for (int i = 0; i < 2000 + 37 * (k % 11); i++)
        r->value = sin(r->value + k);
}

static void compute_or_die(int k, void *to, void *ctx)
{
    compute(k, to, ctx);
    if (k % 5 == 2)
        abort();
}

static void lose(int k, const char *why, void *to, void *ctx)
{
    result *r = to;
    (void)ctx;
    memset(r, 0, sizeof *r);
    r->k = k, r->lost = strstr(why, "killed by signal 6") != NULL;
}

/* One argument: this rank and its key disagree with the others. */
int main(int argc, char **argv)
{
    static result all[N];
    ph_pool_def def = ph_pool_default();
    ph_pool_end end;
    ph_error err = {0};
    int launched, rank;
    if (ph_pool_launched(&launched, &rank, &err) != PH_OK || !launched)
        return fprintf(stderr, "not started by mpirun\n"), 2;
    def.n = N, def.size = sizeof(result), def.ranks = 1, def.key = 5;
    if (argc > 1 && atoi(argv[1]) == rank)
        def.key = 6;
    def.job = compute_or_die, def.lost = lose;
    if (ph_pool_run(&def, all, &end, &err) != PH_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    if (end.helper != (rank > 0))
        return fprintf(stderr, "rank %d: helper %d\n", rank, end.helper), 1;
    for (int k = 0; rank == 0 && k < N; k++) {
        result mine = {0};
        if (k % 5 == 2)
            lose(k, "killed by signal 6", &mine, NULL);
        else
            compute(k, &mine, NULL);
        if (memcmp(&mine, &all[k], sizeof mine) != 0) /* exact */
            return fprintf(stderr, "case %d: %.17g and %.17g\n", k, mine.value, all[k].value), 1;
    }
    if (rank == 0)
        printf("%d cases, %d lost\n", end.done, end.lost);
    return 0;
}
