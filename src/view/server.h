/* A page on the loopback address, for one browser on this machine: the page itself, a stream of events to it, short
 * messages from it. One thread: nothing happens but in ph_server_serve.
 *
 *   GET  /TOKEN/          the page
 *   GET  /TOKEN/events    what ph_server_send sends, as server-sent events
 *   POST /TOKEN/message   at most PH_MESSAGE_MAX bytes, handed to the owner
 *
 * Everything else is refused, without a word about why. TOKEN is random, 128 bits, and is compared in constant time.
 * No path of a request ever becomes a path of a file. */
#ifndef PH_VIEW_SERVER_H
#define PH_VIEW_SERVER_H

#include <stddef.h>

#include "polhode/base.h"

#define PH_MESSAGE_MAX 4096 /* bytes */

typedef struct ph_server ph_server;

typedef struct ph_server_owner {
    /* The page as it is now: memory of malloc, which the server frees. NULL: not enough memory. */
    char *(*page)(size_t *size, void *ctx);
    /* A message has come, a text that ends with 0. Returns 1 if it makes sense; else the page is told that it does not. */
    int (*message)(const char *text, void *ctx);
    /* A page listens: the first event that it should get, memory of malloc, or NULL. */
    char *(*welcome)(void *ctx);
    void *ctx;
} ph_server_owner;

/* Why pages cannot be served here, in words; NULL: they can. */
const char *ph_server_lacks(void);

/* Listen on 127.0.0.1, port 0: a free one. PH_E_INPUT: the port is taken. The owner must outlive the server. */
ph_status ph_server_open(ph_server **out, int port, const ph_server_owner *owner, ph_error *err);
void ph_server_close(ph_server *server);                /* accepts NULL */
const char *ph_server_address(const ph_server *server); /* "http://127.0.0.1:PORT/TOKEN/" */

/* Answer what has come; wait for it at most so long [ms]. */
void ph_server_serve(ph_server *server, int wait);

/* One event to all pages that listen: "event: NAME\ndata: TEXT\n\n". A page that does not keep up loses events that it can
 * do without, and is cut off if it takes nothing for ten seconds. */
void ph_server_send(ph_server *server, const char *event, int can_do_without);
int ph_server_listeners(const ph_server *server); /* pages that listen now */

#endif
