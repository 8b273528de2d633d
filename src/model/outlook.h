/* Joints, inputs and states as functions of a model file see them. */
#ifndef PH_MODEL_OUTLOOK_H
#define PH_MODEL_OUTLOOK_H

#include "model/trace.h"

void ph_outlook_open(ph_reader *r, lua_State *L);
int ph_outlook_push(ph_reader *r, lua_State *L,
                    const char *name); /* s.joints and so on; 0: it is none of them */
/* s.sensors.NAME in functions that are no objectives: a number, or a list; fails where the sensor needs accelerations or
 * depends on itself. */
int ph_outlook_sensor(ph_reader *r, lua_State *L, int sensor);
unsigned ph_outlook_frees(ph_reader *r, int joint);            /* bits: its free coordinates */
ph_scene *ph_outlook_look(const ph_function *f, ph_scene *at); /* look of ph_function */

#endif
