/* The scheduler of the pool: who computes what, what is known of it, when it ends. */
#include "study/pool.h"
#include "study/pool_backend.h"
#include "base/words.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 100  /* between looks at signals and at the clock */
#define SHORT   0.02 /* s; workers of shorter cases get the next one ahead of time */
#define AHEAD   8    /* at most with one worker */

/* Cases with one worker, in the order in which it answers. */
typedef struct queue {
    int k[AHEAD], n;
    int gone;     /* died, and none came in its place */
    int quick;    /* its last case was short */
    double since; /* when it began the first of its cases [s] */
} queue;

typedef struct pool {
    const ph_pool_def *def;
    const ph_pool_ops *ops;
    void *backend;
    ph_pool_end *end;
    char *results, *spare; /* n of them or NULL; one */
    char *state;           /* of each case: WAITING, ... */
    queue *worker;
    int workers, cursor, open; /* cursor: no case before it waits; open: cases without a result */
    int terminal;
    double begun, ticked;
    ph_error *err;
} pool;

enum { WAITING, GIVEN, RETRIED, DONE }; /* RETRIED: was killed once, waits or is given again */

ph_pool_def ph_pool_default(void)
{
    return (ph_pool_def){0};
}

int ph_pool_cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > PH_POOL_JOBS_MAX ? PH_POOL_JOBS_MAX : (int)n;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- handing out ------------------------------------------------------------------------------------- */

/* The next case that waits; -1: none. */
static int take(pool *p)
{
    for (; p->cursor < p->def->n; p->cursor++)
        if (p->state[p->cursor] == WAITING) {
            p->state[p->cursor] = GIVEN;
            return p->cursor;
        }
    return -1;
}

/* Who is at long cases gets none ahead: it would wait there while another worker is free. */
static int depth(const pool *p, const queue *w)
{
    int n = 1 + p->ops->ahead;
    return !w->quick ? 1 : n < AHEAD ? n : AHEAD;
}

static void give(pool *p, int worker, int k)
{
    queue *w = &p->worker[worker];
    if (!w->n)
        w->since = seconds();
    w->k[w->n++] = k;
    p->ops->order(p->backend, worker, k);
}

static void hand_out(pool *p)
{
    for (int level = 1; level <= 1 + p->ops->ahead; level++)
        for (int i = 0; i < p->workers; i++) {
            const queue *w = &p->worker[i];
            if (w->gone || w->n >= level || level > depth(p, w))
                continue;
            int k = take(p);
            if (k < 0)
                return;
            give(p, i, k);
        }
}

/* ---- what comes back --------------------------------------------------------------------------------- */

static ph_status store(pool *p, int k, const void *result)
{
    p->state[k] = DONE;
    p->open--;
    p->end->done++;
    if (p->results && result != p->results + (size_t)k * p->def->size)
        memcpy(p->results + (size_t)k * p->def->size, result, p->def->size);
    return p->def->done ? p->def->done(k, result, p->def->ctx) : PH_OK;
}

static void drop_first(queue *w)
{
    double now = seconds();
    w->quick = now - w->since < SHORT;
    w->since = now;
    w->n--;
    memmove(w->k, w->k + 1, (size_t)w->n * sizeof *w->k);
}

static void put_back(pool *p, int k)
{
    p->state[k] = WAITING;
    if (k < p->cursor)
        p->cursor = k;
}

/* The worker was at the first of its cases; the others wait again. SIGKILL comes from outside, as when memory
 * is short, and may have hit any case: it gets a second chance, with the new worker. */
static ph_status bury(pool *p, const ph_pool_event *e)
{
    queue *w = &p->worker[e->worker];
    int n = w->n, first = n ? w->k[0] : -1;
    w->n = 0, w->gone = !e->replaced;
    for (int i = 1; i < n; i++)
        put_back(p, w->k[i]);
    if (first < 0)
        return PH_OK;
    if (e->signal == SIGKILL && p->state[first] == GIVEN && e->replaced) {
        p->state[first] = RETRIED;
        give(p, e->worker, first);
        return PH_OK;
    }
    memset(p->spare, 0, p->def->size);
    p->def->lost(first, e->why, p->spare, p->def->ctx);
    p->end->lost++;
    return store(p, first, p->spare);
}

static ph_status receive(pool *p)
{
    ph_pool_event e = {0};
    queue *w;
    switch (p->ops->next(p->backend, TICK_MS, &e)) {
    case PH_POOL_ANSWER:
        w = &p->worker[e.worker];
        if (!w->n || w->k[0] != e.k)
            return PH_OK; /* of one that was given up */
        drop_first(w);
        return store(p, e.k, e.result);
    case PH_POOL_DIED:
        return bury(p, &e);
    case PH_POOL_NOTHING:
        break;
    }
    return PH_OK;
}

static int all_gone(const pool *p)
{
    for (int i = 0; i < p->workers; i++)
        if (!p->worker[i].gone)
            return 0;
    return 1;
}

/* ---- signals and progress ---------------------------------------------------------------------------- */

/* Signals wait until they are asked for, so that no answer is half stored. Those that are ignored (nohup)
 * must not: a blocked signal is kept even then. */
static void hold_signals(sigset_t *ends, sigset_t *before)
{
    static const int list[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now;
    sigemptyset(ends);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (sigaction(list[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(ends, list[i]);
    sigprocmask(SIG_BLOCK, ends, before);
}

static int signal_waits(const sigset_t *ends)
{
    struct timespec now = {0};
    int s = sigtimedwait(ends, NULL, &now);
    return s > 0 ? s : 0;
}

static void show_progress(pool *p)
{
    double now = seconds(), left = 0;
    int n = p->end->done + p->open;
    if (!p->terminal || fabs(now - p->ticked) < 1e-3 * TICK_MS)
        return;
    p->ticked = now;
    fprintf(stderr, "\r%s: %d of %d %s", p->def->title, p->end->done, n, ph_plural(n, "case", "cases"));
    if (p->end->done) {
        left = fmax(0, now - p->begun) * p->open / p->end->done;
        fprintf(stderr, ", %.0f s left", left);
    }
    fprintf(stderr, " \033[K");
    fflush(stderr);
}

/* ---- the study --------------------------------------------------------------------------------------- */

static ph_status fail(pool *p, ph_status status, const char *text)
{
    snprintf(p->err->text, sizeof p->err->text, "%s", text);
    return p->err->status = status;
}

static ph_status work(pool *p, const sigset_t *ends)
{
    ph_status status = PH_OK;
    while (p->open && status == PH_OK) {
        hand_out(p);
        status = receive(p);
        p->end->signal = signal_waits(ends);
        if (p->end->signal)
            return fail(p, PH_E_STOPPED, "interrupted");
        if (p->open && all_gone(p))
            return fail(p, PH_E_MEMORY, "all workers died and no new one can be started");
        show_progress(p);
    }
    return status;
}

static void note_under_way(pool *p)
{
    int room = (int)(sizeof p->end->at_work / sizeof *p->end->at_work);
    for (int i = 0; i < p->workers; i++)
        if (p->worker[i].n) {
            if (p->end->under_way < room)
                p->end->at_work[p->end->under_way] = p->worker[i].k[0];
            p->end->under_way++;
        }
}

static ph_status employ(pool *p, const ph_pool_def *def, const sigset_t *ends)
{
    p->backend = p->ops->open(def, &p->workers, p->err);
    if (!p->backend)
        return p->err->status = p->err->status ? p->err->status : PH_E_MEMORY;
    p->end->helper = !p->workers;
    if (p->end->helper) {
        p->ops->close(p->backend, 0);
        return PH_OK;
    }
    ph_status status = PH_OK;
    p->worker = calloc((size_t)p->workers + 1, sizeof *p->worker);
    if (p->worker) {
        p->begun = seconds();
        status = work(p, ends);
        if (p->ticked > 0)
            fprintf(stderr, "\r\033[K");
        note_under_way(p);
    } else {
        status = fail(p, PH_E_MEMORY, "not enough memory for the workers");
    }
    p->ops->close(p->backend, status != PH_OK);
    return status;
}

/* Cases to compute; they are few enough to need no more workers than themselves. */
static void count(pool *p, ph_pool_def *def)
{
    for (int k = 0; k < def->n; k++) {
        p->state[k] = def->skip && def->skip[k] ? DONE : WAITING;
        p->open += p->state[k] == WAITING;
    }
    if (def->jobs < 1)
        def->jobs = ph_pool_cores();
    if (def->jobs > PH_POOL_JOBS_MAX)
        def->jobs = PH_POOL_JOBS_MAX;
    if (def->jobs > p->open)
        def->jobs = p->open;
}

ph_status ph_pool_run(const ph_pool_def *given, void *results, ph_pool_end *end, ph_error *err)
{
    ph_pool_def def = *given;
    ph_pool_end own_end;
    ph_error own_err;
    sigset_t ends, before;
    struct sigaction quiet = {.sa_handler = SIG_IGN}, pipe_before;
    pool p = {.def = &def, .ops = &ph_pool_fork, .end = end ? end : &own_end, .err = err ? err : &own_err};
    int launched = 0, rank;
    *p.end = (ph_pool_end){0}, *p.err = (ph_error){0};
    ph_status status = def.ranks ? ph_pool_launched(&launched, &rank, p.err) : PH_OK;
    if (status != PH_OK)
        return status;
    if (launched)
        p.ops = &ph_pool_mpi;
    p.results = results;
    p.terminal = def.title && isatty(2);
    p.state = calloc((size_t)def.n + 1, 1), p.spare = malloc(def.size + 1);
    if (p.state && p.spare) {
        count(&p, &def);
        hold_signals(&ends, &before);
        sigaction(SIGPIPE, &quiet, &pipe_before); /* a dead worker is seen at its other pipe */
        if (p.open || p.ops != &ph_pool_fork)     /* ranks wait to be told that there is nothing to do */
            status = employ(&p, &def, &ends);
        sigaction(SIGPIPE, &pipe_before, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
    } else {
        status = fail(&p, PH_E_MEMORY, "not enough memory for the cases");
    }
    free(p.state), free(p.spare), free(p.worker);
    return status;
}
