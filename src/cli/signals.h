/* Signals that end the program wait while there is something to finish: they are blocked, and asked for between steps. */
#ifndef PH_CLI_SIGNALS_H
#define PH_CLI_SIGNALS_H

void ph_signals_hold(void); /* SIGINT, SIGTERM and SIGHUP wait from now on; those that are ignored stay so */
int ph_signals_waiting(void);  /* the one that waits; 0: none */
void ph_signals_drop(void);    /* forget those that wait */
void ph_signals_release(void); /* and let them come again */

#endif
