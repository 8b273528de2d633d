/* Simulations of a system whose callbacks remember the motion (ph_memory), such as turns of its joints: what they remember goes along with
 * the steps. Where they remember nothing, nothing is done. */
#ifndef PH_STUDY_FOLLOW_H
#define PH_STUDY_FOLLOW_H

#include "polhode/sim.h"

/* Before a simulation is created that begins a motion: of what was before, nothing is remembered. */
void ph_follow_begin(const ph_system *sys);

/* Output of ph_sim_run and ph_sim_run_until, whose ctx is the system: before the first and after each step. Returns PH_OK. */
ph_status ph_follow_sim(const ph_sim *sim, void *sys);

/* Around motions of a study: what belongs to a motion that goes on afterwards. NULL: not enough memory. */
void *ph_follow_keep(const ph_system *sys);
void ph_follow_take_back(const ph_system *sys, void *kept); /* and frees it; accepts NULL */

#endif
