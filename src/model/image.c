/* Lua states that are ready to run a file.
 *
 * All blocks of such a state stand in one place, and with the lists of free ones this is all that there is of it. Its copy in the same place
 * is the same state again. Blocks for which the place has no room any more are kept in a list. */
#include "model/image.h"

#include <string.h>

#define IDLE    8           /* images that wait, of one text */
#define PLACE   (512 << 10) /* bytes */
#define GRAIN   16          /* of sizes, */
#define CLASSES 64          /* of which so many have a list of free blocks */

typedef struct outside {
    struct outside *next, *last;
} outside;

struct ph_image {
    const ph_allocator *alloc;
    lua_State *L;
    outside *more; /* blocks elsewhere */
    size_t used;
    void *free[CLASSES];
    char *copy; /* of the place, and what belongs to it; NULL: none was taken */
    size_t copy_used;
    void *copy_free[CLASSES];
    ph_places at;
    size_t memory;
    double work, looked;
    _Alignas(GRAIN) char place[PLACE];
};

struct ph_images {
    const ph_allocator *alloc;
    atomic_int holders;
    _Atomic(ph_image *) idle[IDLE];
};

/* ---- blocks ---------------------------------------------------------------------------------------------- */

static size_t grains(size_t size)
{
    return (size + GRAIN - 1) / GRAIN;
}

static void *alloc_outside(ph_image *m, size_t size)
{
    _Static_assert(sizeof(outside) % GRAIN == 0, "what follows is aligned");
    outside *o = ph_alloc(m->alloc, sizeof *o + size);
    if (!o)
        return NULL;
    *o = (outside){m->more, NULL};
    if (m->more)
        m->more->last = o;
    m->more = o;
    return o + 1;
}

static void free_outside(ph_image *m, outside *o)
{
    if (o->next)
        o->next->last = o->last;
    *(o->last ? &o->last->next : &m->more) = o->next;
    ph_free(m->alloc, o);
}

void *ph_image_alloc(ph_image *m, size_t size)
{
    size_t n = grains(size);
    void *p = n < CLASSES ? m->free[n] : NULL;
    if (p) {
        memcpy(&m->free[n], p, sizeof p);
        return p;
    }
    if (size > PLACE || n * GRAIN > PLACE - m->used)
        return alloc_outside(m, size);
    p = m->place + m->used;
    m->used += n * GRAIN;
    return p;
}

void ph_image_free(ph_image *m, void *p, size_t size)
{
    size_t n = grains(size);
    char *at = p;
    if (!p)
        return;
    if (at < m->place || at >= m->place + PLACE) {
        free_outside(m, (outside *)p - 1);
    } else if (at + n * GRAIN == m->place + m->used) {
        m->used -= n * GRAIN;
    } else if (n < CLASSES) {
        memcpy(p, &m->free[n], sizeof p);
        m->free[n] = p;
    }
}

/* ---- images ---------------------------------------------------------------------------------------------- */

static void clear(ph_image *m)
{
    while (m->more)
        free_outside(m, m->more);
}

static void destroy(ph_image *m)
{
    clear(m);
    ph_free(m->alloc, m->copy);
    ph_free(m->alloc, m);
}

ph_images *ph_images_create(const ph_allocator *alloc)
{
    ph_images *all = ph_alloc(alloc, sizeof *all);
    if (!all)
        return NULL;
    *all = (ph_images){.alloc = alloc, .holders = 1};
    return all;
}

ph_images *ph_images_keep(ph_images *all)
{
    if (all)
        atomic_fetch_add(&all->holders, 1);
    return all;
}

void ph_images_drop(ph_images *all)
{
    if (!all || atomic_fetch_sub(&all->holders, 1) > 1)
        return;
    for (int k = 0; k < IDLE; k++) {
        ph_image *m = atomic_load(&all->idle[k]);
        if (m)
            destroy(m);
    }
    ph_free(all->alloc, all);
}

int ph_image_enter(ph_reader *r)
{
    ph_image *m = NULL;
    for (int k = 0; r->images && !m && k < IDLE; k++)
        m = atomic_exchange(&r->images->idle[k], NULL);
    if (!m)
        return 0;
    memcpy(m->place, m->copy, m->copy_used);
    memcpy(m->free, m->copy_free, sizeof m->free);
    m->used = m->copy_used;
    lua_setallocf(m->L, ph_sandbox_alloc, r);
    r->image = m, r->L = m->L, r->at = m->at, r->memory = m->memory;
    ph_sandbox_start(r, PH_MODEL_READ_S, PH_MODEL_READ_OPS);
    r->work = m->work, r->looked = m->looked;
    return 1;
}

void ph_image_prepare(ph_reader *r)
{
    if (!r->images || r->images->alloc != r->alloc)
        return;
    ph_image *m = r->image = ph_alloc(r->alloc, sizeof *m);
    if (m)
        memset(m, 0, offsetof(ph_image, place)), m->alloc = r->alloc;
}

void ph_image_take(ph_reader *r)
{
    ph_image *m = r->image;
    if (!m || m->more)
        return;
    m->copy = ph_alloc(m->alloc, m->used);
    if (!m->copy)
        return;
    memcpy(m->copy, m->place, m->used);
    memcpy(m->copy_free, m->free, sizeof m->free);
    m->copy_used = m->used, m->L = r->L, m->at = r->at;
    m->memory = r->memory, m->work = r->work, m->looked = r->looked;
}

void ph_image_leave(ph_reader *r)
{
    ph_image *m = r->image;
    r->image = NULL, r->L = NULL;
    clear(m);
    for (int k = 0; m->copy && k < IDLE; k++) {
        ph_image *none = NULL;
        if (atomic_compare_exchange_strong(&r->images->idle[k], &none, m))
            return;
    }
    destroy(m);
}
