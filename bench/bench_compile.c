/* Time of a step of a compiled model: cc -DNAME=heavy_top -I FOLDER bench_compile.c FOLDER/heavy_top.c -lm; steps, repeats.
 * bench_compile.sh uses it. */
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>

#define PASTE(a, b)  a##_##b
#define JOIN(a, b)   PASTE(a, b)
#define TEXT(a)      #a
#define HEADER_OF(a) TEXT(a.h)
#include HEADER_OF(NAME)

int main(int argc, char **argv)
{
    long steps = argc > 1 ? atol(argv[1]) : 1000, repeats = argc > 2 ? atol(argv[2]) : 10;
    static NAME s;
    double best = 1e9;
    for (long r = 0; r < repeats; r++) {
        JOIN(NAME, init)(&s);
        double start = cpu_seconds();
        for (long k = 0; k < steps; k++)
            if (JOIN(NAME, step)(&s))
                return fprintf(stderr, "step %ld failed\n", k), 1;
        double took = cpu_seconds() - start;
        best = took < best ? took : best;
    }
    printf("%.4f\n", best / (double)steps * 1e6);
    return 0;
}
