/* Workers that are ranks of MPI, the only file that knows of it. Each rank has a child that computes, as
 * pool_fork.c starts them: a case that brings its process down does not take the rank along, and with it all
 * others. The first rank hands out cases, to its own child too, so that one rank is enough.
 *
 * The child is started before MPI_Init: what MPI maps and registers is not for it. Only where one has died
 * its successor is forked later. Waiting is polling with naps: blocking calls of MPI would keep a processor
 * busy that children could use. */
#include "study/pool_backend.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PH_MPI_FILE
#include "study/mpi_calls.h"

static const char *missing(void) /* NULL: it is loaded */
{
    return load_mpi() ? NULL : "MPI (" PH_MPI_FILE ") is not on this machine";
}
#else
static const char *missing(void)
{
    return "this program was built without MPI";
}
#endif

/* ---- who started this process ------------------------------------------------------------------------ */

/* Names that Open MPI, PMIx and the launchers of MPICH and its relatives give to rank and number of ranks. */
static const char *const launchers[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"PMIX_RANK", "SLURM_NTASKS"}};

ph_status ph_pool_launched(int *launched, int *rank, ph_error *err)
{
    *launched = *rank = 0;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers && !*launched; i++) {
        const char *own = getenv(launchers[i][0]), *all = getenv(launchers[i][1]);
        int size = all ? atoi(all) : 1;
        *launched = own != NULL;
        *rank = own ? atoi(own) : 0;
        if (own && missing()) {
            *launched = 0;
            if (size <= 1 && *rank <= 0)
                return PH_OK;
            snprintf(err->text, sizeof err->text, "started as rank %d of several, but %s", *rank, missing());
            return err->status = PH_E_INPUT;
        }
    }
    return PH_OK;
}

#ifdef PH_MPI_FILE

#define NAP_MS 1

#define THE_END (-1) /* an order that is no case */

enum { ORDER = 1, ANSWER, DIED }; /* tags */

/* An order that was under way when the child died is not for the next one: the first rank, once it hears of
 * the death, gives all cases anew. */
typedef struct an_order {
    int k;
    int deaths; /* of the children of the rank, as far as the first rank knew */
} an_order;

typedef struct ranks {
    const ph_pool_def *def;
    int rank, size;
    int turn;    /* 1: look at messages before the own child */
    int *deaths; /* that are known here, of the children of each rank */
    ph_pool_child child;
    char *answer; /* of another rank */
} ranks;

static int child_speaks(const ranks *b, int timeout_ms)
{
    struct pollfd p = {.fd = b->child.pid > 0 ? b->child.from : -1, .events = POLLIN};
    return poll(&p, 1, timeout_ms) > 0;
}

/* A child that died is replaced. */
static ph_pool_news ask_child(ranks *b, ph_pool_event *event)
{
    ph_pool_news news = ph_pool_child_read(&b->child, event);
    event->worker = b->rank;
    if (news == PH_POOL_DIED) {
        b->deaths[b->rank]++;
        event->replaced = ph_pool_child_start(&b->child, 1, 0, b->def);
    }
    return news;
}

/* ---- the other ranks --------------------------------------------------------------------------------- */

/* Orders that have arrived go to the child. 0: it was the last. */
static int take_orders(ranks *b)
{
    an_order o;
    for (int there = 1; there;) {
        MPI_Iprobe(0, ORDER, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (!there)
            break;
        MPI_Recv(&o, (int)sizeof o, MPI_BYTE, 0, ORDER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (o.k == THE_END)
            return 0;
        if (o.deaths == b->deaths[b->rank])
            ph_pool_child_order(&b->child, o.k);
    }
    return 1;
}

/* Between the first rank and the child. mpirun ends this process with SIGTERM, so that is let through. */
static void help(ranks *b)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT), sigaddset(&ends, SIGTERM), sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_UNBLOCK, &ends, NULL);
    while (take_orders(b)) {
        ph_pool_event event = {0};
        if (!child_speaks(b, NAP_MS))
            continue;
        ph_pool_news news = ask_child(b, &event);
        if (news == PH_POOL_ANSWER)
            MPI_Send(b->child.answer, (int)b->child.size, MPI_BYTE, 0, ANSWER, MPI_COMM_WORLD);
        else if (news == PH_POOL_DIED)
            MPI_Send(&event, (int)sizeof event, MPI_BYTE, 0, DIED, MPI_COMM_WORLD);
    }
}

/* ---- the first rank ---------------------------------------------------------------------------------- */

static ph_pool_news read_message(ranks *b, ph_pool_event *event)
{
    MPI_Status from;
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &from);
    if (!there)
        return PH_POOL_NOTHING;
    if (from.MPI_TAG == DIED) {
        MPI_Recv(event, (int)sizeof *event, MPI_BYTE, from.MPI_SOURCE, DIED, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        b->deaths[from.MPI_SOURCE]++;
        return PH_POOL_DIED;
    }
    MPI_Recv(b->answer, (int)b->child.size, MPI_BYTE, from.MPI_SOURCE, ANSWER, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    event->worker = from.MPI_SOURCE;
    memcpy(&event->k, b->answer, sizeof event->k);
    event->result = b->answer + PH_POOL_HEAD;
    return PH_POOL_ANSWER;
}

static ph_pool_news next(void *backend, int timeout_ms, ph_pool_event *event)
{
    ranks *b = backend;
    for (int waited = 0; waited <= timeout_ms; waited += NAP_MS) {
        b->turn = !b->turn;
        ph_pool_news news = b->turn ? read_message(b, event) : PH_POOL_NOTHING;
        if (news == PH_POOL_NOTHING && child_speaks(b, 0))
            return ask_child(b, event);
        if (news == PH_POOL_NOTHING && !b->turn)
            news = read_message(b, event);
        if (news != PH_POOL_NOTHING)
            return news;
        if (child_speaks(b, NAP_MS))
            return ask_child(b, event);
    }
    return PH_POOL_NOTHING;
}

static void order(void *backend, int worker, int k)
{
    ranks *b = backend;
    an_order o = {k, b->deaths[worker]};
    if (worker == b->rank)
        ph_pool_child_order(&b->child, k);
    else
        MPI_Send(&o, (int)sizeof o, MPI_BYTE, worker, ORDER, MPI_COMM_WORLD);
}

/* ---- beginning and end ------------------------------------------------------------------------------- */

/* Something for each rank. A rank without memory ends all: the others wait for it. */
static void *for_each(const ranks *b, size_t size)
{
    void *all = calloc((size_t)b->size, size);
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, PH_E_MEMORY);
    return all;
}

/* A model file may differ between machines, or a program be of another version. */
static int agree(const ranks *b, ph_error *err)
{
    uint64_t mine[2] = {b->def->key, b->def->size};
    uint64_t *all = for_each(b, sizeof mine);
    int stranger = 0;
    MPI_Gather(mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 1; b->rank == 0 && i < b->size && !stranger; i++)
        if (memcmp(all + 2 * i, mine, sizeof mine) != 0)
            stranger = i;
    MPI_Bcast(&stranger, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(all);
    if (stranger) {
        snprintf(err->text, sizeof err->text,
                 "rank %d sees another model, or has other arguments, than rank 0", stranger);
        err->status = PH_E_INPUT;
    }
    return !stranger;
}

static void release(ranks *b, int early)
{
    ph_pool_child_end(&b->child, early);
    free(b->answer), free(b->deaths);
    free(b);
}

/* Early: others may be gone, and a message to them, or a farewell, would wait for ever. This process is about
 * to end, and mpirun then ends those that are left. */
static void end(void *backend, int early)
{
    ranks *b = backend;
    for (int i = 1; !early && b->rank == 0 && i < b->size; i++)
        order(b, i, THE_END);
    release(b, early);
    if (!early)
        MPI_Finalize();
}

static void *start(const ph_pool_def *def, int *workers, ph_error *err)
{
    ranks *b = calloc(1, sizeof *b);
    *workers = 0;
    if (b) {
        b->def = def;
        b->answer = malloc(PH_POOL_HEAD + def->size);
    }
    if (!b || !b->answer || !ph_pool_child_start(&b->child, 1, 0, def)) {
        snprintf(err->text, sizeof err->text, "cannot start a worker: %s", strerror(errno));
        if (b)
            release(b, 1);
        return NULL;
    }
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b->size);
    b->deaths = for_each(b, sizeof *b->deaths);
    if (!agree(b, err)) {
        release(b, 1);
        MPI_Finalize();
        return NULL;
    }
    if (b->rank == 0)
        *workers = b->size;
    else
        help(b);
    return b;
}

const ph_pool_ops ph_pool_mpi = {.ahead = 4, .open = start, .order = order, .next = next, .close = end};

#else

const ph_pool_ops ph_pool_mpi = {0}; /* never chosen: ph_pool_launched */

#endif
