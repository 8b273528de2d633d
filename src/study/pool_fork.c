/* Workers that are child processes, each with a pipe for case numbers and one for answers. */
#include "study/pool_backend.h"
#include "io/retry.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* ---- in the child ------------------------------------------------------------------------------------ */

/* Ends when the parent closes its pipe, or is gone. */
static void serve(const ph_pool_child *c, const ph_pool_def *def)
{
    int k;
    while (ph_retry_read(c->to, &k, sizeof k)) {
        memset(c->answer, 0, c->size);
        memcpy(c->answer, &k, sizeof k);
        def->job(k, c->answer + PH_POOL_HEAD, def->ctx);
        if (!ph_retry_write(c->from, c->answer, c->size))
            break;
    }
}

/* A parent that is killed takes its children along, also those in the midst of a long case. */
static void die_with(pid_t parent)
{
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(0);
}

/* Ctrl-C at a terminal reaches the children too; the parent decides what becomes of them. Ignored and not
 * held back: a job may ask whether one waits. */
static void leave_signals_to_parent(void)
{
    static const int list[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        signal(list[i], SIG_IGN);
        sigaddset(&set, list[i]);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* ---- one child, as its parent sees it ---------------------------------------------------------------- */

static void close_pipes(ph_pool_child *c)
{
    close(c->to);
    close(c->from);
    c->pid = 0;
}

static int open_pipes(int order[2], int answer[2])
{
    if (pipe(order) != 0)
        return 0;
    if (pipe(answer) == 0)
        return 1;
    close(order[0]), close(order[1]);
    return 0;
}

int ph_pool_child_start(ph_pool_child *all, int n, int i, const ph_pool_def *def)
{
    ph_pool_child *c = &all[i];
    int order[2], answer[2];
    pid_t parent = getpid();
    c->pid = 0, c->have = 0, c->size = PH_POOL_HEAD + def->size;
    if (!c->answer)
        c->answer = malloc(c->size);
    if (!c->answer || !open_pipes(order, answer))
        return 0;
    fflush(NULL); /* or the child would hold a copy of what waits in the buffers */
    c->pid = fork();
    if (c->pid == 0) {
        die_with(parent);
        leave_signals_to_parent();
        for (int k = 0; k < n; k++)
            if (k != i && all[k].pid > 0)
                close(all[k].to), close(all[k].from);
        close(order[1]), close(answer[0]);
        c->to = order[0], c->from = answer[1];
        serve(c, def);
        _exit(0); /* not exit: buffers and files belong to the parent */
    }
    int failed = c->pid < 0;
    close(order[0]), close(answer[1]);
    c->to = order[1], c->from = answer[0];
    if (failed)
        close_pipes(c);
    return !failed; /* ph_pool_child_end frees the answer */
}

void ph_pool_child_order(ph_pool_child *c, int k)
{
    if (c->pid > 0)
        ph_retry_write(c->to, &k, sizeof k); /* its failure is death, which the other pipe tells */
}

static void collect(ph_pool_child *c, ph_pool_event *event)
{
    pid_t pid = c->pid;
    close_pipes(c);
    int how = ph_retry_wait(pid);
    event->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    if (event->signal)
        snprintf(event->why, sizeof event->why, "killed by signal %d (%s)", event->signal,
                 strsignal(event->signal));
    else
        snprintf(event->why, sizeof event->why, "ended with exit code %d", WEXITSTATUS(how));
}

ph_pool_news ph_pool_child_read(ph_pool_child *c, ph_pool_event *event)
{
    ssize_t n = read(c->from, c->answer + c->have, c->size - c->have);
    if (n < 0 && errno == EINTR)
        return PH_POOL_NOTHING;
    if (n <= 0) {
        collect(c, event);
        return PH_POOL_DIED;
    }
    c->have += (size_t)n;
    if (c->have < c->size)
        return PH_POOL_NOTHING;
    c->have = 0;
    memcpy(&event->k, c->answer, sizeof event->k);
    event->result = c->answer + PH_POOL_HEAD;
    return PH_POOL_ANSWER;
}

void ph_pool_child_end(ph_pool_child *c, int early)
{
    if (c->pid > 0) {
        pid_t pid = c->pid;
        if (early)
            kill(pid, SIGKILL);
        close_pipes(c);
        ph_retry_wait(pid);
    }
    free(c->answer);
    c->answer = NULL;
}

/* ---- the backend ------------------------------------------------------------------------------------- */

typedef struct children {
    const ph_pool_def *def;
    int n, turn; /* children; the one to look at first, so that none is kept waiting */
    struct pollfd *poll;
    ph_pool_child child[];
} children;

static void end(void *backend, int early)
{
    children *b = backend;
    for (int i = 0; i < b->n; i++)
        ph_pool_child_end(&b->child[i], early);
    free(b->poll);
    free(b);
}

static void *start(const ph_pool_def *def, int *workers, ph_error *err)
{
    int n = def->jobs;
    children *b = calloc(1, sizeof *b + (size_t)n * sizeof *b->child);
    struct pollfd *list = calloc((size_t)n + 1, sizeof *list);
    if (!b || !list) {
        free(b), free(list);
        snprintf(err->text, sizeof err->text, "not enough memory for %d workers", n);
        return NULL;
    }
    b->def = def, b->poll = list;
    while (b->n < n && ph_pool_child_start(b->child, b->n, b->n, def))
        b->n++;
    if (b->n < n)
        ph_pool_child_end(&b->child[b->n], 1); /* which did not start */
    if (b->n == 0 && n > 0) {
        snprintf(err->text, sizeof err->text, "cannot start a worker: %s", strerror(errno));
        end(b, 1);
        return NULL;
    }
    *workers = b->n; /* fewer than asked for will do */
    return b;
}

static void order(void *backend, int worker, int k)
{
    children *b = backend;
    ph_pool_child_order(&b->child[worker], k);
}

static ph_pool_news next(void *backend, int timeout_ms, ph_pool_event *event)
{
    children *b = backend;
    for (int i = 0; i < b->n; i++)
        b->poll[i] = (struct pollfd){.fd = b->child[i].pid > 0 ? b->child[i].from : -1, .events = POLLIN};
    if (poll(b->poll, (nfds_t)b->n, timeout_ms) <= 0)
        return PH_POOL_NOTHING;
    for (int j = 0; j < b->n; j++) {
        int i = (b->turn + j) % b->n;
        if (!b->poll[i].revents)
            continue;
        b->turn = i + 1;
        event->worker = i;
        ph_pool_news news = ph_pool_child_read(&b->child[i], event);
        if (news == PH_POOL_DIED)
            event->replaced = ph_pool_child_start(b->child, b->n, i, b->def);
        return news;
    }
    return PH_POOL_NOTHING;
}

const ph_pool_ops ph_pool_fork = {.ahead = 1, .open = start, .order = order, .next = next, .close = end};
