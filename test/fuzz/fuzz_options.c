/* Options of a run, a line each, set one after the other; then a step. */
#include "fuzz.h"
#include "polhode/polhode.h"

static const char pendulum[] =
    "gravity {0, 0, -9.81}\n"
    "body { name = 'a', mass = 1, inertia = {1, 1, 1}, position = {1, 0, 0} }\n"
    "joint { name = 'j', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
    "run { h = 1e-3, t_end = 1 }\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ph_model *model;
    ph_run *run;
    ph_error err;
    if (!model)
        must(ph_model_read_text(&model, "a.lua", pendulum, sizeof pendulum - 1, NULL, 0, NULL, &err) ==
             PH_OK);
    must(ph_run_create(&run, model, NULL, &err) == PH_OK);
    char *text = malloc(size + 1), *rest = text;
    must(text);
    memcpy(text, data, size), text[size] = 0;
    for (int k = 0; rest && k < 16; k++) {
        const char *line = rest;
        if ((rest = strchr(rest, '\n')))
            *rest++ = 0;
        if (ph_run_set_options(run, &line, 1, &err) != PH_OK)
            must(err.text[0]);
    }
    free(text);
    double x[3];
    if (ph_run_step(run, &err) == PH_OK) {
        must(ph_run_get(run, PH_GET_POSITION, 0, x) == PH_OK);
        must(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]));
    } else {
        must(err.text[0]);
    }
    ph_run_close(run);
    return 0;
}
