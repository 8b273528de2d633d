/* Signals that end the program, held back while there is something to finish. */
#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDS (sizeof ends / sizeof *ends)

/* Those that are ignored (nohup) must not be blocked: a blocked signal is kept even then. */
static void mask(int how)
{
    struct sigaction now;
    sigset_t set;
    sigemptyset(&set);
    for (size_t k = 0; k < ENDS; k++)
        if (sigaction(ends[k], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, ends[k]);
    sigprocmask(how, &set, NULL);
}

void ph_signals_hold(void)
{
    mask(SIG_BLOCK);
}

void ph_signals_release(void)
{
    mask(SIG_UNBLOCK);
}

int ph_signals_waiting(void)
{
    sigset_t set;
    for (size_t k = 0; k < ENDS && sigpending(&set) == 0; k++)
        if (sigismember(&set, ends[k]) == 1)
            return ends[k];
    return 0;
}

/* To ignore a signal is to forget one that waits. */
void ph_signals_drop(void)
{
    for (size_t k = 0; k < ENDS; k++) {
        struct sigaction kept, none = {.sa_handler = SIG_IGN};
        if (sigaction(ends[k], &none, &kept) == 0)
            sigaction(ends[k], &kept, NULL);
    }
}
