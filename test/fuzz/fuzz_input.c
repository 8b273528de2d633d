/* Inputs of a run, as a program that holds it would set them: any values and tables, between steps of any method, with states
 * that are saved and brought back. The bytes choose what is done. */
#include "fuzz.h"
#include "polhode/polhode.h"

static const char wheel[] =
    "body { name = 'wheel', mass = 1, inertia = {1, 1, 2} }\n"
    "joint { name = 'axle', type = 'revolute', bodies = {'ground', 'wheel'}, at = {0, 0, 0}, axis = {0, 0, "
    "1} }\n"
    "input { name = 'u', value = 3, hold = 'step', unit = 'N m' }\n"
    "input { name = 'v', hold = 'linear' }\n"
    "actuator { name = 'motor', joint = 'axle', effort = 'u' }\n"
    "actuator { name = 'brake', joint = 'axle', effort = function(t, s) return s.inputs.v - "
    "0.1*s.joints.axle.rate end }\n"
    "sensor { name = 'seen', custom = function(t, s) return s.inputs.u + s.inputs.v end }\n"
    "run { h = 0.01, t_end = 1 }\n";
static const char *const ways[][2] = {{"method=genalpha", "formulation=ggl"},
                                      {"method=genalpha", "formulation=index3"},
                                      {"method=bliedf", "order=2"},
                                      {"method=rkmk", "tableau=rk4"},
                                      {"method=rkmk", "tol=1e-4"},
                                      {"method=genalpha", "tol=1e-4"}};
enum { WAYS = 6, DEEDS = 24, TABLE = 6, U = 0, V = 1, INPUTS = 2 };

static double number(fuzz_bytes *b)
{
    static const double few[] = {0,      1,    -1,  INFINITY, -INFINITY, NAN,   1e300, -1e300,
                                 5e-324, 1e-9, 1e9, -0.0,     0.01,      0.005, 2,     1e100};
    int k = fuzz_byte(b);
    return k < 32 ? few[k % 16] : (k - 144) / 32.0 + fuzz_byte(b) / 8192.0;
}

/* What a run shows, before and after. */
typedef struct seen {
    double t, angle, rate, input[INPUTS], sensor;
} seen;

static seen look(ph_run *run)
{
    seen s = {.t = ph_run_time(run)};
    must(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &s.angle) == PH_OK);
    must(ph_run_get(run, PH_GET_JOINT_RATE, 0, &s.rate) == PH_OK);
    for (int k = 0; k < INPUTS; k++)
        must(ph_run_get(run, PH_GET_INPUT, k, &s.input[k]) == PH_OK && isfinite(s.input[k]));
    if (ph_run_get(run, PH_GET_SENSOR, 0, &s.sensor) == PH_OK)
        must(s.sensor == s.input[U] + s.input[V]);
    must(isfinite(s.angle) && isfinite(s.rate));
    return s;
}

static int same_motion(const seen *a, const seen *b)
{
    return a->t == b->t && a->angle == b->angle && a->rate == b->rate;
}

/* A value: refused, or there at once (or, along a line, at the end of the step). */
static void set_value(ph_run *run, fuzz_bytes *b)
{
    int k = fuzz_byte(b) % 4 - 1;
    double x = number(b), now;
    seen before = look(run);
    ph_status s = ph_run_set_input(run, k, x);
    must((s == PH_OK) == (k >= 0 && k < INPUTS && isfinite(x)));
    seen after = look(run);
    must(same_motion(&before, &after));
    if (s == PH_OK && k == U)
        must(ph_run_get(run, PH_GET_INPUT, k, &now) == PH_OK && now == x);
    for (int i = 0; i < INPUTS; i++)
        must(s == PH_OK || before.input[i] == after.input[i]);
}

static void set_table(ph_run *run, fuzz_bytes *b)
{
    double t[TABLE], u[TABLE], at = number(b);
    int k = fuzz_byte(b) % 3, n = fuzz_byte(b) % (TABLE + 1), good = n > 0 && k < INPUTS, odd = fuzz_byte(b);
    ph_error err = {.text = ""};
    for (int i = 0; i < n; i++) {
        t[i] = odd & 1 ? number(b) : at + 0.013 * i * (1 + fuzz_byte(b)), u[i] = number(b);
        good = good && isfinite(t[i]) && isfinite(u[i]) && (!i || t[i] > t[i - 1]);
    }
    seen before = look(run);
    ph_status s = ph_run_set_input_table(run, k, n, t, u, &err);
    must((s == PH_OK) == good && (good || err.text[0]));
    seen after = look(run);
    must(same_motion(&before, &after));
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n && good; i++)
        low = fmin(low, u[i]), high = fmax(high, u[i]);
    must(!good || (after.input[k] >= low && after.input[k] <= high));
}

static void set_text(ph_run *run, fuzz_bytes *b)
{
    static const char *const words[] = {"u",     "v",   "w", "=",     "1",     "-2.5",
                                        "1e400", "nan", "",  "x.csv", "0x1p3", " "};
    char text[64] = "";
    ph_error err = {.text = ""};
    for (int k = fuzz_byte(b) % 5; k > 0; k--)
        strcat(text, words[fuzz_byte(b) % 12]);
    if (ph_run_input_text(run, text, &err) != PH_OK)
        must(err.text[0]);
    look(run);
}

/* A step that fails leaves the state as it was; one that blew up is seen as it is. */
static int step(ph_run *run)
{
    ph_error err = {.text = ""};
    seen before = look(run);
    int well = ph_run_step(run, &err) == PH_OK;
    seen after = look(run);
    int made = well || ph_run_failure(run).explodes;
    must(made ? after.t > before.t : same_motion(&before, &after));
    must(well || err.text[0]);
    return well;
}

/* Going on from a saved state gives the same bits. */
static void go_twice(ph_run *run)
{
    ph_error err = {.text = ""};
    size_t size = ph_run_save_size(run);
    void *saved = malloc(size ? size : 1);
    must(saved && ph_run_save(run, saved, size) == PH_OK);
    int well = step(run);
    seen once = look(run);
    must(ph_run_restore(run, saved, size, &err) == PH_OK);
    must(step(run) == well);
    seen twice = look(run);
    must(!memcmp(&once, &twice, sizeof once));
    free(saved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ph_run *run[WAYS];
    ph_error err;
    fuzz_bytes b = {data, size, 0};
    if (!run[0]) {
        ph_model *model;
        must(ph_model_read_text(&model, "a.lua", wheel, sizeof wheel - 1, NULL, 0, NULL, &err) == PH_OK);
        for (int k = 0; k < WAYS; k++) {
            ph_run_config config = ph_run_defaults();
            config.options = ways[k], config.n_options = 2;
            must(ph_run_create(&run[k], model, &config, &err) == PH_OK);
        }
        ph_model_free(model);
    }
    ph_run *at = run[fuzz_byte(&b) % WAYS];
    must(ph_run_set_input_table(at, U, 1, &(double){0}, &(double){3}, &err) == PH_OK);
    must(ph_run_set_input_table(at, V, 1, &(double){0}, &(double){0}, &err) == PH_OK);
    must(ph_run_reset(at, &err) == PH_OK);
    for (int k = 0; k < DEEDS && b.at < b.size; k++)
        switch (fuzz_byte(&b) % 8) {
        case 0:
            set_table(at, &b);
            break;
        case 1:
            set_text(at, &b);
            break;
        case 2:
            go_twice(at);
            break;
        case 3:
        case 4:
            set_value(at, &b);
            break;
        default:
            step(at);
        }
    return 0;
}
