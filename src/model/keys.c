/* The tables of what a model file may say. */
#include "model/keys.h"

#include <stdio.h>
#include <string.h>

#include "model/limits.h"

static const ph_type bodies[] = {
    {"body", PH_KEY_INERTIA | PH_KEY_BARE | PH_KEY_ROTATION | PH_KEY_OMEGA, "a rigid body"},
    {"particle", 0, "a point with mass"}};

static const ph_type joints[] = {
#define PH_JOINT(code, ops, name, keys, text) {name, keys, text},
#include "mech/joints.def"
#undef PH_JOINT
};

static const ph_type forces[] = {
#define PH_FORCE(code, ops, name, keys, text) {name, keys, text},
#include "mech/forces.def"
#undef PH_FORCE
};

static const ph_type sensors[] = {
#define PH_SENSOR(code, ops, name, size, keys, unit, text) {name, keys, text},
#include "mech/sensors.def"
#undef PH_SENSOR
};

static const ph_type constraints[] = {{"constraint", 0, "functions of time and state that stay 0"}};
static const ph_type objectives[] = {
    {"objective", 0, "one number for a whole run, to differentiate or to minimise"}};
static const ph_type beams[] = {{"beam", PH_KEY_SECTION | PH_KEY_M6, "an elastic beam"}};
static const ph_type flexibles[] = {{"flexible", 0, "an elastic body of a few modes"}};
static const ph_type inputs[] = {{"input", 0, "a number from outside"}};
static const ph_type states[] = {{"state", 0, "numbers with a differential equation of their own"}};
static const ph_type actuators[] = {
    {"actuator", 0, "effort, spring, damper and stops along a coordinate of a joint"}};
static const ph_type couplings[] = {{"coupling", 0, "a ratio between coordinates of two joints"}};
static const ph_type events[] = {{"event", 0, "something that is done where a function changes its sign"}};
static const ph_type grounds[] = {{"ground", 0, "what does not move"}};
static const ph_type runs[] = {{"run", 0, "options of simulations"}};

static const struct {
    const char *word;
    const ph_type *type;
    int n;
} kinds[PH_KINDS] = {
    [PH_K_BODY] = {"", bodies, 2},
    [PH_K_JOINT] = {"joint", joints, PH_JOINT_COUNT},
    [PH_K_FORCE] = {"", forces, PH_FORCE_COUNT},
    [PH_K_SENSOR] = {"sensor", sensors, PH_SENSOR_COUNT},
    [PH_K_CONSTRAINT] = {"", constraints, 1},
    [PH_K_OBJECTIVE] = {"", objectives, 1},
    [PH_K_BEAM] = {"", beams, 1},
    [PH_K_FLEXIBLE] = {"", flexibles, 1},
    [PH_K_INPUT] = {"", inputs, 1},
    [PH_K_STATE] = {"", states, 1},
    [PH_K_ACTUATOR] = {"", actuators, 1},
    [PH_K_COUPLING] = {"", couplings, 1},
    [PH_K_EVENT] = {"", events, 1},
    [PH_K_GROUND] = {"", grounds, 1},
    [PH_K_RUN] = {"", runs, 1},
};

const ph_type *ph_type_get(ph_kind kind, int type)
{
    return type >= 0 && type < kinds[kind].n ? &kinds[kind].type[type] : NULL;
}

int ph_type_find(ph_kind kind, const char *name)
{
    int k = 0;
    while (strcmp(kinds[kind].type[k].name, name))
        k++;
    return k;
}

int ph_type_with(ph_kind kind, ph_keys key)
{
    int k = 0;
    while (!(kinds[kind].type[k].keys & key))
        k++;
    return k;
}

const char *ph_kind_word(ph_kind kind)
{
    return kinds[kind].word;
}

/* ---- words ------------------------------------------------------------------------------------------- */

const char *ph_lock_word(int k)
{
    static const char *const words[] = {"x", "y", "z", "rx", "ry", "rz"};
    return k >= 0 && k < 6 ? words[k] : NULL;
}

const char *ph_space_word(int k)
{
    static const char *const words[] = {
#define PH_SPACE(code, name, text) name,
#include "polhode/spaces.def"
#undef PH_SPACE
    };
    return k >= 0 && k < PH_SPACE_COUNT ? words[k] : NULL;
}

const char *ph_shape_word(int k)
{
    static const char *const words[] = {
#define PH_SHAPE(code, name, sizes, section, text) name,
#include "mech/shapes.def"
#undef PH_SHAPE
    };
    return k >= 0 && k < PH_SHAPE_COUNT ? words[k] : NULL;
}

/* By ph_force_def.in_body. */
static const char *mass_model_word(int k)
{
    static const char *const words[] = {"lumped", "linear", "helicoidal"}; /* ph_mass_code */
    return k >= 0 && k < 3 ? words[k] : NULL;
}

static const char *frame_word(int k)
{
    return k == 0 ? "world" : k == 1 ? "body" : NULL;
}

static const char *hold_word(int k)
{
    static const char *const words[] = {"linear", "step"}; /* ph_hold_code */
    return k >= 0 && k < 2 ? words[k] : NULL;
}

static const char *direction_word(int k)
{
    static const char *const words[] = {"both", "up", "down"}; /* ph_direction_code */
    return k >= 0 && k < 3 ? words[k] : NULL;
}

static const char *over_word(int k)
{
    static const char *const words[] = {"last", "max",  "min",     "max_abs",
                                        "rms",  "mean", "integral"}; /* ph_over_code */
    return k >= 0 && k < 7 ? words[k] : NULL;
}

/* ---- keys -------------------------------------------------------------------------------------------- */

typedef ph_body_def BODY;
typedef ph_joint_def JOINT;
typedef ph_force_def FORCE;
typedef ph_sensor_def SENSOR;
typedef ph_user_constraint_def CONSTRAINT;
typedef ph_objective_def OBJECTIVE;
typedef ph_beam_def BEAM;
typedef ph_flexible_def FLEXIBLE;
typedef ph_input_def INPUT;
typedef ph_state_def STATE;
typedef ph_actuator_def ACTUATOR;
typedef ph_coupling_def COUPLING;
typedef ph_event_def EVENT;
typedef ph_ground_def GROUND;
typedef ph_run_def RUN;

static const ph_key keys[] = {
#define REQUIRED      .required = 1
#define DEFAULT(text) .initial = text
#define WORDS(list)   .words = list
#define TEXT_(x)      #x
#define TEXT(x)       TEXT_(x)
#define PH_KEY(k, b, n, v, member, u, ...)                                                                   \
    {.kind = PH_K_##k,                                                                                       \
     .bit = b,                                                                                               \
     .name = n,                                                                                              \
     .value = PH_V_##v,                                                                                      \
     .at = offsetof(k, member),                                                                              \
     .unit = u,                                                                                              \
     .text = __VA_ARGS__},
#include "model/keys.def"
#undef PH_KEY
};

const ph_key *ph_key_get(int k)
{
    return k >= 0 && k < (int)(sizeof keys / sizeof *keys) ? &keys[k] : NULL;
}

const ph_key *ph_keys_of(ph_kind kind, int *n)
{
    const ph_key *first = keys, *end = keys + sizeof keys / sizeof *keys, *k;
    while (first->kind != kind)
        first++;
    for (k = first; k < end && k->kind == kind; k++)
        ;
    *n = (int)(k - first);
    return first;
}

int ph_key_belongs(const ph_key *k, ph_kind kind, int type)
{
    return k->kind == kind && (!k->bit || (k->bit & ph_type_get(kind, type)->keys) != 0);
}

const char *ph_value_text(ph_value v)
{
    static const char *const texts[PH_VALUES] = {
        [PH_V_NAME] = "name",
        [PH_V_TYPE] = "word",
        [PH_V_BODY] = "name of a body",
        [PH_V_MOVING] = "name of a body",
        [PH_V_BODIES] = "names of two bodies",
        [PH_V_JOINT] = "name of a joint",
        [PH_V_SENSOR] = "name of a sensor",
        [PH_V_FILE] = "name of a file",
        [PH_V_POSITIVE] = "number > 0",
        [PH_V_NOT_NEGATIVE] = "number >= 0",
        [PH_V_FRACTION] = "number from 0 to 1",
        [PH_V_SIGMA] = "number or \"opt\"",
        [PH_V_COUNT] = "whole number >= 1",
        [PH_V_WHOLE] = "whole number >= 0",
        [PH_V_FLAG] = "true or false",
        [PH_V_WORD] = "word",
        [PH_V_METHOD] = "word",
        [PH_V_TABLEAU] = "word",
        [PH_V_VECTOR] = "3 numbers",
        [PH_V_NOT_NEGATIVES] = "3 numbers >= 0",
        [PH_V_UNIT] = "3 numbers, not all 0",
        [PH_V_WORLD] = "3 numbers",
        [PH_V_INERTIA] = "3, 6 or 3x3 numbers",
        [PH_V_ROTATION] = "rotation",
        [PH_V_FRAME] = "rotation",
        [PH_V_LOCK] = "list of words",
        [PH_V_FUNCTION] = "function(t, s)",
        [PH_V_DRIVE] = "function(t)",
        [PH_V_FINAL] = "function(s)",
        [PH_V_LOAD] = "3 numbers or function(t, s)",
        [PH_V_ELEMENT] = "name of a beam element",
        [PH_V_STIFFNESS] = "6 or 6x6 numbers",
        [PH_V_DAMPING] = "6 or 6x6 numbers",
        [PH_V_SECTION_MASS] = "6 or 6x6 numbers",
        [PH_V_SECTION] = "table",
        [PH_V_LINE_MASS] = "table",
        [PH_V_POINTS] = "list of points",
        [PH_V_ROTATIONS] = "list of rotations",
        [PH_V_ENDS] = "two words",
        [PH_V_DOFS] = "3 or 6",
        [PH_V_NODE] = "number of a node, or name of an interface",
        [PH_V_MEMBER] = "table",
        [PH_V_MEMBERS] = "list of tables",
        [PH_V_CORNERS] = "list of points",
        [PH_V_INTERFACES] = "table of lists of nodes",
        [PH_V_MODES] = "table, or name of a file",
        [PH_V_RATIOS] = "table",
        [PH_V_STRESS] = "true, false, name of a file, or table of names",
        [PH_V_REDUCED] = "table",
        [PH_V_NUMBER] = "number",
        [PH_V_TEXT] = "text",
        [PH_V_COORDINATE] = "word",
        [PH_V_COORDINATES] = "two words",
        [PH_V_JOINTS] = "names of two joints",
        [PH_V_STOPS] = "2 numbers",
        [PH_V_EFFORT] = "number, name of an input or function(t, s)",
        [PH_V_START] = "number or list of numbers",
        [PH_V_OF] = "name of an actuator, a coupling or a driven joint",
        [PH_V_SHAPES] = "shape, or list of shapes",
        [PH_V_TIMES] = "list of numbers",
        [PH_V_ACTION] = "action, or list of actions",
    };
    return texts[v];
}

const char *ph_key_default(const ph_key *k, char *text, size_t size)
{
    ph_model model = ph_default_model();
    const char *at = (const char *)&model.run + k->at, *word;
    double x;
    int n;
    snprintf(text, size, "%s", k->initial ? k->initial : "");
    if (k->kind != PH_K_RUN || k->initial)
        return text;
    switch (k->value) {
    case PH_V_POSITIVE:
    case PH_V_NOT_NEGATIVE:
    case PH_V_FRACTION:
    case PH_V_SIGMA:
        memcpy(&x, at, sizeof x);
        if (x > 0 || k->value != PH_V_POSITIVE)
            snprintf(text, size, "%g", x);
        break;
    case PH_V_METHOD:
    case PH_V_TABLEAU:
        memcpy(&word, at, sizeof word);
        snprintf(text, size, "%s", word);
        break;
    default:
        memcpy(&n, at, sizeof n);
        if (k->value == PH_V_WORD)
            snprintf(text, size, "%s", k->words(n));
        else if (k->value == PH_V_FLAG)
            snprintf(text, size, "%s", n ? "true" : "false");
        else
            snprintf(text, size, "%d", n);
    }
    return text;
}
