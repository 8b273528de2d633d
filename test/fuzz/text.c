/* Text of a model, from the first byte to the state after some steps. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"
#include "polhode/polhode.h"

/* Every method and form with its own way through Newton's method */
static const char *const ways[][3] = {
    {"method=genalpha", "formulation=ggl", "space=R3xSO3"},
    {"method=genalpha", "formulation=index3", "space=SE3"},
    {"method=genalpha", "formulation=index2", "newton=modified"},
    {"method=genalpha", "formulation=index3", "newton=simplified"},
    {"method=bliedf", "order=3", "start=plain"},
    {"method=bliedf", "formulation=index2", "start=plain"},
    {"method=rkmk", "tableau=dopri5", "space=R3xSO3"},
    {"method=rkmk", "tableau=rk4", "space=SE3"},
};
enum { WAYS = sizeof ways / sizeof ways[0], STEPS = 3 };

static uint64_t sum_of(const uint8_t *data, size_t size)
{
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ data[i]) * 1099511628211u;
    return h;
}

static void must_be_finite(ph_run *run)
{
    double x[PH_SENSOR_MAX + 16];
    for (int k = 0; k < ph_run_count(run, PH_BODIES); k++)
        for (int what = PH_GET_POSITION; what <= PH_GET_OMEGA_DOT; what++) {
            int n = ph_run_size(run, what, k);
            must(n <= PH_SENSOR_MAX);
            must(!n || ph_run_get(run, what, k, x) == PH_OK); /* a particle does not turn */
            for (int i = 0; i < n; i++)
                must(isfinite(x[i]));
        }
    for (int k = 0; k < ph_run_count(run, PH_SENSORS); k++)
        (void)ph_run_get(run, PH_GET_SENSOR, k, x);
}

/* Steps, and the same bits after going back */
static void go(ph_run *run)
{
    ph_error err;
    size_t size = ph_run_save_size(run);
    void *saved = malloc(size ? size : 1);
    must(saved);
    int kept = ph_run_save(run, saved, size) == PH_OK;
    double end[2][3] = {{0}};
    for (int again = 0; again < 2; again++) {
        for (int k = 0; k < STEPS; k++) {
            if (ph_run_step(run, &err) != PH_OK) {
                must(err.text[0]);
                kept = 0;
                break;
            }
            must_be_finite(run);
        }
        if (!kept)
            break;
        if (ph_run_count(run, PH_BODIES))
            ph_run_get(run, PH_GET_POSITION, 0, end[again]);
        if (!again)
            must(ph_run_restore(run, saved, size, &err) == PH_OK);
        else
            must(!memcmp(end[0], end[1], sizeof end[0]));
    }
    free(saved);
}

/* What is frozen reads as the same model. */
static void freeze(const ph_model *model)
{
    char *text[2] = {NULL, NULL};
    size_t size[2];
    ph_error err;
    const ph_model *from = model;
    ph_model *back = NULL;
    for (int k = 0; k < 2; k++) {
        FILE *f = open_memstream(&text[k], &size[k]);
        must(f);
        ph_status s = ph_model_freeze(from, f, &err);
        must(!fclose(f));
        if (s != PH_OK)
            break;
        if (k == 0) {
            must(ph_model_read_text(&back, "frozen.json", text[0], size[0], NULL, 0, NULL, &err) == PH_OK);
            from = back;
        } else {
            must(size[0] == size[1] && !memcmp(text[0], text[1], size[0]));
        }
    }
    ph_model_free(back);
    free(text[0]), free(text[1]);
}

void fuzz_text(const char *folder, const uint8_t *data, size_t size)
{
    ph_model *model;
    ph_error err;
    ph_run *run;
    char path[96];
    snprintf(path, sizeof path, "%sfuzz.lua", folder);
    if (ph_model_read_text(&model, path, (const char *)data, size, NULL, 0, NULL, &err) != PH_OK) {
        must(!model && err.text[0]);
        return;
    }
    const char *const *way = ways[sum_of(data, size) % WAYS];
    const char *options[] = {way[0], way[1], way[2], "h=1e-3"};
    ph_run_config config = ph_run_defaults();
    config.options = options, config.n_options = 4;
    freeze(model);
    if (ph_run_create(&run, model, &config, &err) == PH_OK) {
        go(run);
        ph_run_close(run);
    } else {
        must(err.text[0]);
    }
    ph_model_free(model);
}
