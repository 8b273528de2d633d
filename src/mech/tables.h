/* The tables of elements: their codes and what a model file may say of them. */
#ifndef PH_MECH_TABLES_H
#define PH_MECH_TABLES_H

#include "polhode/base.h"

/* Keys of elements; a row of a table is their sum. name, type and bodies (of joints) are always there. */
typedef enum ph_key_code {
    PH_KEY_AT = 1 << 0,
    PH_KEY_AXIS = 1 << 1,
    PH_KEY_AXIS_A = 1 << 2,
    PH_KEY_AXIS_B = 1 << 3,
    PH_KEY_NORMAL = 1 << 4,
    PH_KEY_AT_A = 1 << 5,
    PH_KEY_AT_B = 1 << 6,
    PH_KEY_LENGTH = 1 << 7,
    PH_KEY_RADIUS = 1 << 8,
    PH_KEY_LOCK = 1 << 9,
    PH_KEY_FRAME = 1 << 10,
    PH_KEY_BODIES = 1 << 11,
    PH_KEY_BODY = 1 << 12,
    PH_KEY_K = 1 << 13,
    PH_KEY_D = 1 << 14,
    PH_KEY_K3 = 1 << 15,
    PH_KEY_D3 = 1 << 16,
    PH_KEY_KR3 = 1 << 17,
    PH_KEY_DR3 = 1 << 18,
    PH_KEY_VALUE = 1 << 19,
    PH_KEY_IN_FRAME = 1 << 20,
    PH_KEY_JOINT = 1 << 21,
    PH_KEY_FUNCTION = 1 << 22,
    PH_KEY_SECTION = 1 << 23,
    PH_KEY_D6 = 1 << 24,
    PH_KEY_ELEMENT = 1 << 25,
    PH_KEY_M6 = 1 << 26,
    PH_KEY_MASS_MODEL = 1 << 27,
    PH_KEY_SHAPE = 1 << 28,
    PH_KEY_COORDINATE = 1 << 29,
    PH_KEY_OF = 1 << 30
} ph_key_code;

typedef enum ph_joint_code {
#define PH_JOINT(code, name, keys, driven, text) code,
#include "mech/joints.def"
#undef PH_JOINT
    PH_JOINT_COUNT
} ph_joint_code;

typedef enum ph_force_code {
#define PH_FORCE(code, name, keys, text) code,
#include "mech/forces.def"
#undef PH_FORCE
    PH_FORCE_COUNT
} ph_force_code;

typedef enum ph_sensor_code {
#define PH_SENSOR(code, name, size, keys, unit, text) code,
#include "mech/sensors.def"
#undef PH_SENSOR
    PH_SENSOR_COUNT
} ph_sensor_code;

#endif
