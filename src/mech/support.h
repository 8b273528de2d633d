/* Abilities of elements. A command refuses an element by name if its record lacks a member that the command needs. */
#ifndef PH_MECH_SUPPORT_H
#define PH_MECH_SUPPORT_H

#include "mech/mech.h"

typedef enum ph_ability {
    PH_CAN_COMPILE,   /* compiled models have it */
    PH_CAN_SENS,      /* exact derivatives of runs */
    PH_CAN_LINEARISE, /* tangents, for linearise, modes and stability */
    PH_CAN_STATIC,    /* equilibria */
    PH_CAN_ENERGY,    /* it stores energy */
    PH_ABILITIES
} ph_ability;

/* Bits 1 << ph_ability */
PH_API unsigned ph_joint_can(const ph_joint_ops *op);
PH_API unsigned ph_force_can(const ph_force_ops *op);
PH_API unsigned ph_sensor_can(const ph_sensor_ops *op);
PH_API unsigned
ph_other_can(const char *word); /* elements without records, as "coupling"; 0 for unknown words */

PH_API const char *ph_ability_word(int k); /* "compile"; NULL past the end */

/* Return PH_OK if all elements of a mechanism have an ability, otherwise PH_E_INPUT and a message with the name of one that has not. Systems
 * that are no mechanism (NULL) have all abilities. */
ph_status ph_mechanism_can(const ph_mechanism *m, ph_ability what, ph_error *err);

#endif
