/* What a model file may use, and the default values of what it does not say. */
#ifndef PH_MODEL_LIMITS_H
#define PH_MODEL_LIMITS_H

#include "fe/reduced.h"
#include "mech/model.h"

#define PH_MODEL_MB       (1024.0 * 1024.0)
#define PH_MODEL_MEMORY   (256 * PH_MODEL_MB)  /* bytes of Lua: thousands of times what shipped models need */
#define PH_MODEL_STRING   (1 * PH_MODEL_MB)    /* bytes of one string: no name or key comes near */
#define PH_MODEL_FILE     (16 * PH_MODEL_MB)   /* bytes of a Lua file */
#define PH_MODEL_JSON     (1024 * PH_MODEL_MB) /* bytes of a frozen model: one kilobyte for each element */
#define PH_MODEL_READ_OPS 2e8                  /* operations, of about 5 ns, to read a model */
#define PH_MODEL_CALL_OPS 1e8                  /* operations of one call of a function of the file */
#define PH_MODEL_READ_S   6.0 /* s of CPU to read a model: a second limit, for slow operations; */
#define PH_MODEL_EACH_S                                                                                      \
    5e-5 /* more for each element: five times what it takes, so that large models never meet the clock */
#define PH_MODEL_CALL_S   3.0                /* s of CPU for one call of a function, likewise */
#define PH_MODEL_ELEMENTS 1000000            /* of one kind */
#define PH_MODEL_FLEXIBLE 1000               /* flexible bodies, each of which may take seconds to reduce */
#define PH_MODEL_SHAPES   1000               /* of one body */
#define PH_MODEL_MESH     (64 * PH_MODEL_MB) /* bytes of a file of triangles, */
#define PH_MODEL_CORNERS  600000             /* of which there are 3 in each: a page of 5 MB */
#define PH_MODEL_NUMBER   PH_REDUCED_NUMBER  /* of a file of any kind */
#define PH_MODEL_NAME     63                 /* characters of a name */
#define PH_MODEL_NESTING  32                 /* levels of a frozen model */
#define PH_MODEL_COUNT    10000 /* largest parameter that is a whole number in Lua: products of 4 do not wrap */
#define PH_MODEL_RESULTS  PH_SENSOR_MAX /* numbers of a custom sensor or a constraint */
#define PH_MODEL_UNIT     1e-6          /* how far a rotation may be from one: six printed digits */
#define PH_MODEL_SYMMETRY 1e-9          /* relative, of an inertia and its triangle inequality */
#define PH_FRICTION_SPEED 1e-3          /* m/s, rad/s: creep that nobody sees */
#define PH_STOP_WIDTH     1e-3          /* m, rad: a soft stop that looks hard */
#define PH_DEFAULT_EVERY  1             /* every step is a row of the output */

/* Not given: NaN, filled in or left out once the model is complete. */
ph_body_def ph_default_body(void);
ph_joint_def ph_default_joint(void);
ph_force_def ph_default_force(void);
ph_sensor_def ph_default_sensor(void);
ph_beam_def ph_default_beam(void);
ph_flexible_def ph_default_flexible(void);
ph_actuator_def ph_default_actuator(void);
ph_coupling_def ph_default_coupling(void);
ph_model ph_default_model(void);

#endif
