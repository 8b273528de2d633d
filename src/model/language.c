/* The tables of the model language as others see them. */
#include "polhode/language.h"

#include <string.h>

#include "mech/support.h"
#include "model/keys.h"
#include "model/limits.h"

int ph_language_kind(const char *name)
{
    static const struct {
        const char *name;
        int kind;
    } row[] = {
#define PH_KEY(kind, ...) {#kind, PH_K_##kind},
#include "model/keys.def"
#undef PH_KEY
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        if (!strcmp(row[k].name, name))
            return row[k].kind;
    return -1;
}

const char *ph_language_kind_word(int kind)
{
    return kind >= 0 && kind < PH_KINDS ? ph_kind_word((ph_kind)kind) : NULL;
}

int ph_language_type_get(int kind, int type, ph_language_type *out)
{
    const ph_type *t = kind >= 0 && kind < PH_KINDS ? ph_type_get((ph_kind)kind, type) : NULL;
    if (!t)
        return 0;
    *out = (ph_language_type){.name = t->name, .text = t->text};
    if (kind == PH_K_SENSOR) {
        const ph_sensor_row *row = ph_sensor_row_of(&(ph_sensor_def){.type = type});
        out->size = row->size > 0 ? row->size : 0;
        out->unit = row->unit[0];
    }
    return 1;
}

const char *ph_language_ability(int k)
{
    return k >= 0 && k < PH_ABILITIES ? ph_ability_word(k) : NULL;
}

int ph_language_can(int kind, int type, int ability)
{
    const ph_type *t = kind >= 0 && kind < PH_KINDS ? ph_type_get((ph_kind)kind, type) : NULL;
    unsigned can = !t                    ? 0
                   : kind == PH_K_JOINT  ? ph_joint_can(ph_joint_row_of(&(ph_joint_def){.type = type})->op)
                   : kind == PH_K_FORCE  ? ph_force_can(ph_force_row_of(&(ph_force_def){.type = type})->op)
                   : kind == PH_K_SENSOR ? ph_sensor_can(ph_sensor_row_of(&(ph_sensor_def){.type = type})->op)
                   : kind == PH_K_ACTUATOR ? ph_force_can(&ph_force_actuator)
                                           : ph_other_can(kind == PH_K_BODY ? "body" : t->name);
    return can ? (int)(can >> ability & 1) : -1;
}

int ph_language_key_get(int k, ph_language_key *out)
{
    const ph_key *key = ph_key_get(k);
    if (!key)
        return 0;
    *out = (ph_language_key){.kind = (int)key->kind,
                             .name = key->name,
                             .value = ph_value_text(key->value),
                             .unit = key->unit,
                             .text = key->text,
                             .words = key->words,
                             .required = key->required};
    return 1;
}

int ph_language_key_belongs(int k, int kind, int type)
{
    const ph_key *key = ph_key_get(k);
    return key && ph_key_belongs(key, (ph_kind)kind, type);
}

const char *ph_language_key_default(int k, char *text, size_t size)
{
    return ph_key_default(ph_key_get(k), text, size);
}

const char *ph_shape_text(int k)
{
    static const char *const texts[] = {
#define PH_SHAPE(code, name, sizes, section, text) text,
#include "mech/shapes.def"
#undef PH_SHAPE
    };
    return texts[k];
}

ph_language_limits ph_language_limits_get(void)
{
    return (ph_language_limits){.read_operations = PH_MODEL_READ_OPS,
                                .call_operations = PH_MODEL_CALL_OPS,
                                .read_s = PH_MODEL_READ_S,
                                .element_s = PH_MODEL_EACH_S,
                                .call_s = PH_MODEL_CALL_S,
                                .memory = PH_MODEL_MEMORY,
                                .string = PH_MODEL_STRING,
                                .file = PH_MODEL_FILE,
                                .number = PH_MODEL_NUMBER,
                                .name = PH_MODEL_NAME,
                                .results = PH_MODEL_RESULTS};
}
