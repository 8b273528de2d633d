/* Saved states: bytes of any kind are refused or give a run that goes on. The first byte chooses the method. */
#include "fuzz.h"
#include "polhode/polhode.h"

static const char pendulum[] =
    "gravity {0, 0, -9.81}\n"
    "body { name = 'a', mass = 1, inertia = {1, 1, 1}, position = {1, 0, 0} }\n"
    "joint { name = 'j', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
    "run { h = 1e-3, t_end = 1 }\n";
static const char *const methods[] = {"method=genalpha", "method=bliedf", "method=rkmk"};
enum { METHODS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ph_model *model;
    static ph_run *run[METHODS];
    ph_error err;
    for (int k = 0; k < METHODS && !run[k]; k++) {
        ph_run_config config = ph_run_defaults();
        config.options = &methods[k], config.n_options = 1;
        if (!model)
            must(ph_model_read_text(&model, "a.lua", pendulum, sizeof pendulum - 1, NULL, 0, NULL, &err) ==
                 PH_OK);
        must(ph_run_create(&run[k], model, &config, &err) == PH_OK);
    }
    if (!size)
        return 0;
    ph_run *at = run[data[0] % METHODS];
    size_t whole = ph_run_save_size(at);
    uint8_t *bytes = malloc(whole);
    must(bytes && ph_run_reset(at, &err) == PH_OK && ph_run_step(at, &err) == PH_OK);
    must(ph_run_save(at, bytes, whole) == PH_OK);
    /* pairs of a place and a byte, over what was saved: so that more than the checksum is met */
    for (size_t i = 1; i + 2 < size; i += 3)
        bytes[(data[i] + 256u * data[i + 1]) % whole] ^= data[i + 2];
    if (ph_run_restore(at, bytes, whole, &err) == PH_OK)
        (void)ph_run_step(at, &err);
    else
        must(err.text[0]);
    (void)ph_run_restore(at, data, size, &err);
    free(bytes);
    return 0;
}
