/* What a command simulates. So far a model is the name of a built-in problem. */
#include "cli/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ph_problem_def defaults[] = {
#define PH_PROBLEM(name, build, size, x, text) {size, x},
#include "problem/problems.def"
#undef PH_PROBLEM
};

static int looks_like_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return strchr(name, '/') || (dot && (!strcmp(dot, ".lua") || !strcmp(dot, ".json")));
}

/* "x=16". A row whose x is 0 has no parameter, as one whose size is 0 has no size. */
static int apply_setting(const char *name, const char *text, int has_x, double *to)
{
    char *end = NULL;
    const char *equal = strchr(text, '=');
    int length = equal ? (int)(equal - text) : 0;
    double x = length ? strtod(equal + 1, &end) : 0;
    if (!length)
        ph_complain("--set: '%s' is not of the form P=V", text);
    else if (end == equal + 1 || *end || !isfinite(x))
        ph_complain("--set: '%s' is not a number", equal + 1);
    else if (!has_x)
        ph_complain("--set: the model '%s' has no parameters", name);
    else if (length != 1 || text[0] != 'x')
        ph_complain("--set: the model '%s' has no parameter '%.*s'; there are: x", name, length, text);
    else {
        *to = x;
        return 1;
    }
    return 0;
}

static ph_problem *build(const ph_args *args, const char *name, ph_problem_def def)
{
    if (args->size && !def.size) {
        ph_complain("--size: the model '%s' has no size", name);
        return NULL;
    }
    if (args->size)
        def.size = args->size;
    int has_x = def.x != 0;
    for (int i = 0; i < args->set.n; i++)
        if (!apply_setting(name, args->set.text[i], has_x, &def.x))
            return NULL;
    ph_problem *p = ph_problem_create(name, &def);
    if (!p && args->size)
        ph_complain("--size: the model '%s' cannot have %d bodies, or memory does not suffice", name,
                    args->size);
    else if (!p && args->set.n)
        ph_complain("--set: the model '%s' cannot have x = %g", name, def.x);
    else if (!p)
        ph_complain("not enough memory for the model '%s'", name);
    return p;
}

ph_problem *ph_model_open(const ph_args *args)
{
    const char *name = args->word[0];
    int k = ph_word_find(name, ph_problem_name);
    if (k < 0 && looks_like_file(name)) {
        ph_complain("'%s': this version runs built-in problems, not files; see 'polhode list problems'",
                    name);
        return NULL;
    }
    if (k < 0) {
        ph_complain_word("there is no model", name, ph_problem_name, "polhode list problems");
        return NULL;
    }
    return build(args, name, defaults[k]);
}
