/* Save and restore: all that changes in a run, but for its table, on one tape. */
#include <string.h>

#include "base/hash.h"
#include "mech/mech.h"
#include "run/private.h"
#include "step/sim.h"

/* The part beside the simulation. */
static void tape_rest(ph_run *run, ph_tape *t)
{
    ph_tape_bytes(t, &run->watched, sizeof run->watched);
    ph_tape_int(t, &run->moved);
    if (!run->model)
        return;
    ph_inputs_tape(run, t);
    ph_events_tape(run, t);
    ph_tape_bytes(t, run->pairs.last, (size_t)(run->pairs.given + run->pairs.lost) * sizeof *run->pairs.last);
    ph_tape_numbers(t, run->pairs.seen, run->pairs.given + run->pairs.lost);
    ph_tape_bytes(t, run->tally.part, sizeof run->tally.part);
    ph_tape_int(t, &run->tally.known);
    ph_tape_numbers(t, &run->tally.t, 1);
    ph_tape_bytes(t, run->tally.first, sizeof run->tally.first);
    ph_tape_bytes(t, run->over, (size_t)run->n_over * sizeof *run->over);
    ph_tape_bytes(t, run->so_far, (size_t)run->model->n_objectives * sizeof *run->so_far);
    ph_tape_bytes(t, run->mech->turns, (size_t)run->mech->n_turns * sizeof *run->mech->turns);
}

static size_t rest_size(const ph_run *run)
{
    ph_tape t = {.mode = PH_TAPE_COUNT};
    tape_rest((ph_run *)run, &t); /* counting changes nothing */
    return t.used;
}

/* Before it all: what it belongs to, and a sum of the bytes that follow. */
typedef struct head {
    uint64_t key, sum;
} head;

size_t ph_run_save_size(const ph_run *run)
{
    return sizeof(head) + rest_size(run) + ph_sim_save_size(run->sim);
}

ph_status ph_run_save(const ph_run *run, void *to, size_t size)
{
    if (!run || !to)
        return ph_refuse_null("run, to", NULL);
    unsigned char *at = to;
    size_t rest = sizeof(head) + rest_size(run);
    if (size != ph_run_save_size(run) || !run->started || (run->model && run->model->changing))
        return PH_E_INPUT;
    ph_tape t = {.mode = PH_TAPE_WRITE, .at = at + sizeof(head)};
    tape_rest((ph_run *)run, &t); /* and so does writing */
    ph_status s = ph_sim_save(run->sim, at + rest, size - rest);
    head h = {ph_inputs_key(run, run->key), ph_hash_bytes(PH_HASH_START, at + sizeof h, size - sizeof h)};
    memcpy(at, &h, sizeof h);
    return s;
}

ph_status ph_run_restore(ph_run *run, const void *from, size_t size, ph_error *err)
{
    if (!run || !from)
        return ph_refuse_null("run, from", err);
    const unsigned char *at = from;
    size_t rest = sizeof(head) + rest_size(run);
    head h = {0};
    if (size >= sizeof h)
        memcpy(&h, from, sizeof h);
    if (size != ph_run_save_size(run) || h.key != ph_inputs_key(run, run->key))
        return ph_fail(
            err, PH_E_INPUT,
            "the state is that of another model, or of other parameters, options or tables of inputs");
    if (h.sum != ph_hash_bytes(PH_HASH_START, at + sizeof h, size - sizeof h))
        return ph_fail(err, PH_E_INPUT, "the state is damaged");
    ph_status s = ph_sim_restore(run->sim, at + rest, size - rest, err);
    if (s != PH_OK)
        return s;
    ph_tape t = {.mode = PH_TAPE_READ, .at = (unsigned char *)from + sizeof h}; /* only read */
    tape_rest(run, &t);
    run->table.rows = 0, run->started = 1, run->undo.kept = PH_UNDO_NOTHING;
    return PH_OK;
}

/* ---- a step that begins anew and fails ------------------------------------------------------------------------- */

ph_status ph_undo_make(ph_run *run)
{
    ph_undo *u = &run->undo;
    ph_tape count = {.mode = PH_TAPE_COUNT};
    int all = run->n_inputs || run->events;
    u->kept = PH_UNDO_NOTHING, u->all = all;
    if (!all && !run->sim->whole)
        return PH_OK;
    tape_rest(run, &count);
    if (all)
        ph_sim_tape(run->sim, &count);
    if (u->tape && count.used <= u->room)
        return PH_OK;
    ph_undo_free(run);
    u->tape = ph_alloc(run->config.alloc, count.used);
    u->room = u->tape ? count.used : 0, u->all = all;
    return u->tape ? PH_OK : PH_E_MEMORY;
}

static void keep(ph_run *run, ph_undo_kept what)
{
    ph_undo *u = &run->undo;
    if (!u->tape)
        return;
    ph_tape t = {.mode = PH_TAPE_WRITE, .at = u->tape};
    tape_rest(run, &t);
    if (what == PH_UNDO_ALL)
        ph_sim_tape(run->sim, &t);
    u->kept = what, u->shown = run->shown, u->within = run->sim->within;
}

void ph_undo_keep(ph_run *run)
{
    if (run->undo.all)
        keep(run, PH_UNDO_ALL);
}

void ph_undo_keep_rest(ph_run *run)
{
    if (!run->undo.kept)
        keep(run, PH_UNDO_REST);
}

void ph_undo_return(ph_run *run)
{
    ph_undo *u = &run->undo;
    if (!u->kept)
        return;
    ph_tape t = {.mode = PH_TAPE_READ, .at = u->tape};
    tape_rest(run, &t);
    if (u->kept == PH_UNDO_ALL)
        ph_sim_tape(run->sim, &t);
    u->kept = PH_UNDO_NOTHING, run->shown = u->shown, run->sim->within = u->within;
}

void ph_undo_free(ph_run *run)
{
    ph_free(run->config.alloc, run->undo.tape);
    run->undo = (ph_undo){0};
}
