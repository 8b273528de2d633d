/* What callbacks of a system remember goes along with its simulations. */
#include "study/follow.h"

#include <stdlib.h>

void ph_follow_begin(const ph_system *sys)
{
    if (sys->memory)
        sys->memory->follow(NULL, sys->memory->ctx);
}

ph_status ph_follow_sim(const ph_sim *sim, void *sys)
{
    const ph_memory *m = ((const ph_system *)sys)->memory;
    if (m) {
        ph_state s = ph_sim_state(sim);
        m->follow(&s, m->ctx);
    }
    return PH_OK;
}

void *ph_follow_keep(const ph_system *sys)
{
    void *kept = malloc(sys->memory ? sys->memory->size : 1);
    if (kept && sys->memory)
        sys->memory->keep(kept, sys->memory->ctx);
    return kept;
}

void ph_follow_take_back(const ph_system *sys, void *kept)
{
    if (kept && sys->memory)
        sys->memory->take_back(kept, sys->memory->ctx);
    free(kept);
}
