/* The table of problems. */
#include "problem/build.h"

#include <stdlib.h>
#include <string.h>

static const struct row {
    const char *name;
    int (*build)(ph_problem *p, const ph_problem_def *def);
    ph_problem_def def;
    const char *text;
} rows[] = {
#define PH_PROBLEM(name, build, size, x, text) {name, build, {size, x}, text},
#include "problem/problems.def"
#undef PH_PROBLEM
};

#define ROWS ((int)(sizeof rows / sizeof rows[0]))

ph_problem *ph_problem_create(const char *name, const ph_problem_def *def)
{
    for (int k = 0; k < ROWS; k++) {
        if (strcmp(rows[k].name, name) != 0)
            continue;
        ph_problem *p = calloc(1, sizeof *p);
        if (!p)
            return NULL;
        p->name = p->sys.name = rows[k].name;
        if (rows[k].build(p, def ? def : &rows[k].def))
            return p;
        free(p);
    }
    return NULL;
}

void ph_problem_destroy(ph_problem *p)
{
    if (p)
        free(p->data);
    free(p);
}

const char *ph_problem_name(int k)
{
    return k >= 0 && k < ROWS ? rows[k].name : NULL;
}

const char *ph_problem_text(int k)
{
    return k >= 0 && k < ROWS ? rows[k].text : NULL;
}

ph_status ph_callback_zero(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)out, (void)ctx;
    return PH_OK;
}
