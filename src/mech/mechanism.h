/* A model becomes a system: bodies are nodes, joints are constraints, forces are terms of g. */
#ifndef PH_MECH_MECHANISM_H
#define PH_MECH_MECHANISM_H

#include "mech/model.h"
#include "mech/tables.h"

typedef struct ph_mechanism ph_mechanism;

/* Build for a space. The model must outlive it. Cost is linear in the number of elements. */
PH_API ph_status ph_mechanism_create(ph_mechanism **out, const ph_model_def *model, ph_space_code space,
                                     const ph_allocator *alloc, ph_error *err);
PH_API void ph_mechanism_destroy(ph_mechanism *mech); /* accepts NULL */

PH_API const ph_system *ph_mechanism_system(const ph_mechanism *mech);

/* Initial values in the layout of the system, made consistent as the model says: velocities that are not
 * given are chosen with the least change of kinetic energy; given and inconsistent ones are an error that
 * names the joint unless the model says assemble. q0 and v0 belong to the mechanism. */
PH_API ph_status ph_mechanism_initial(ph_mechanism *mech, const double **q0, const double **v0,
                                      ph_error *err);

/* After ph_mechanism_initial: the largest violations, relative to positions and velocities of size 1 or more,
 * that assembling removed; 0: nothing had to be changed. */
void ph_mechanism_projected(const ph_mechanism *mech, double *position, double *velocity);

/* Why its callbacks refused a point: a sentence in the words of the model, in text; "" if they did not. */
PH_API const char *ph_mechanism_complaint(const ph_mechanism *mech, char *text, size_t size);

/* What a user sees of a state of its system. */
PH_API void ph_mechanism_body(const ph_mechanism *mech, const ph_state *s, int body, ph_body_state *out);
PH_API void ph_mechanism_reaction(const ph_mechanism *mech, const ph_state *s, int joint, ph_vec3 *force,
                                  ph_vec3 *torque);
PH_API int ph_mechanism_lambda(const ph_mechanism *mech, int joint,
                               int *rows); /* where its multipliers start in lambda */
PH_API double ph_mechanism_energy(const ph_mechanism *mech, const ph_state *s);
PH_API double ph_mechanism_kinetic(const ph_mechanism *mech, const ph_state *s);

/* Power [W] of drives and of forces that are no springs, the sources of energy. Not that of dampers, which
 * only take it, and not that of user constraints. */
PH_API double ph_mechanism_power(const ph_mechanism *mech, const ph_state *s);
PH_API ph_status ph_mechanism_sensor(ph_mechanism *mech, const ph_state *s, int sensor, double *out);
PH_API void ph_mechanism_track(ph_mechanism *mech,
                               const ph_state *s); /* after each step: counts turns of revolute joints */
PH_API void ph_mechanism_rewind(ph_mechanism *mech); /* before a further run: no turns */

#endif
