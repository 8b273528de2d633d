/* Pages on the loopback address, by GNU libmicrohttpd without threads of its own. */
#include "view/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PH_MICROHTTPD_FILE

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "view/microhttpd_calls.h"

#define STREAMS     8       /* pages that listen */
#define CONNECTIONS 24      /* of all kinds */
#define SECONDS     10      /* that a connection may do nothing */
#define MEMORY      16384   /* bytes of one request's head: larger ones are refused */
#define PENDING     4194304 /* bytes that wait for a page before it loses events */
#define TOKEN       32      /* hexadecimal digits */
#define TOO_LARGE   413     /* the name of this status changed between versions */

typedef struct stream {
    ph_server *server;
    struct MHD_Connection *connection;
    char *pending;
    size_t at, n, room; /* pending[at ... n-1] waits */
    int suspended;
} stream;

struct ph_server {
    ph_server_owner owner;
    struct MHD_Daemon *daemon;
    stream *streams[STREAMS];
    int port;
    char token[TOKEN + 1];
    char address[64 + TOKEN];
};

/* A message under way. */
typedef struct upload {
    size_t n;
    int too_long;
    char text[PH_MESSAGE_MAX + 1];
} upload;

/* ---- answers ------------------------------------------------------------------------------------------ */

static void add_headers(struct MHD_Response *r, const char *type)
{
    MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "Cache-Control", "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "X-Frame-Options", "DENY");
    MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(
        r, "Content-Security-Policy",
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "connect-src 'self'; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; "
        "form-action 'none'");
}

static enum MHD_Result answer(struct MHD_Connection *c, unsigned code, struct MHD_Response *r,
                              const char *type)
{
    if (!r)
        return MHD_NO;
    add_headers(r, type);
    enum MHD_Result done = MHD_queue_response(c, code, r);
    MHD_destroy_response(r);
    return done;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned code)
{
    static char none[] = "";
    return answer(c, code, MHD_create_response_from_buffer(0, none, MHD_RESPMEM_PERSISTENT), "text/plain");
}

static enum MHD_Result send_page(ph_server *s, struct MHD_Connection *c)
{
    size_t n = 0;
    char *page = s->owner.page(&n, s->owner.ctx);
    if (!page)
        return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR);
    struct MHD_Response *r = MHD_create_response_from_buffer(n, page, MHD_RESPMEM_MUST_FREE);
    if (!r)
        free(page);
    return answer(c, MHD_HTTP_OK, r, "text/html; charset=utf-8");
}

/* ---- streams ------------------------------------------------------------------------------------------ */

/* 0: the page does not keep up, or memory does not suffice. */
static int append(stream *to, const char *text, int can_do_without)
{
    size_t n = strlen(text), waits = to->n - to->at;
    if (waits + n > (can_do_without ? PENDING : 2 * (size_t)PENDING) && waits > 0)
        return 0;
    if (to->at > 0) {
        memmove(to->pending, to->pending + to->at, waits);
        to->at = 0, to->n = waits;
    }
    if (waits + n > to->room) {
        size_t room = 2 * (waits + n);
        char *more = realloc(to->pending, room);
        if (!more)
            return 0;
        to->pending = more, to->room = room;
    }
    memcpy(to->pending + waits, text, n);
    to->n = waits + n;
    return 1;
}

static ssize_t read_stream(void *ctx, uint64_t position, char *to, size_t most)
{
    stream *from = ctx;
    size_t n = from->n - from->at;
    (void)position;
    if (n == 0) {
        from->suspended = 1;
        MHD_suspend_connection(from->connection);
        return 0;
    }
    n = n < most ? n : most;
    memcpy(to, from->pending + from->at, n);
    from->at += n;
    return (ssize_t)n;
}

static void end_stream(void *ctx)
{
    stream *ended = ctx;
    for (int k = 0; k < STREAMS; k++)
        if (ended->server->streams[k] == ended)
            ended->server->streams[k] = NULL;
    free(ended->pending);
    free(ended);
}

static enum MHD_Result open_stream(ph_server *s, struct MHD_Connection *c)
{
    int k = 0;
    while (k < STREAMS && s->streams[k])
        k++;
    stream *made = k < STREAMS ? calloc(1, sizeof *made) : NULL;
    struct MHD_Response *r =
        made ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 32768, read_stream, made, end_stream)
             : NULL;
    if (!r) {
        free(made);
        return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE);
    }
    made->server = s, made->connection = c;
    s->streams[k] = made;
    char *welcome = s->owner.welcome(s->owner.ctx);
    append(made, welcome ? welcome : ":\n\n", 0);
    free(welcome);
    return answer(c, MHD_HTTP_OK, r, "text/event-stream");
}

void ph_server_send(ph_server *s, const char *event, int can_do_without)
{
    for (int k = 0; k < STREAMS; k++) {
        stream *to = s->streams[k];
        if (!to || !append(to, event, can_do_without) || !to->suspended)
            continue;
        to->suspended = 0;
        MHD_resume_connection(to->connection);
    }
}

int ph_server_listeners(const ph_server *s)
{
    int n = 0;
    for (int k = 0; k < STREAMS; k++)
        n += s->streams[k] != NULL;
    return n;
}

/* ---- requests ----------------------------------------------------------------------------------------- */

/* What follows the token, or NULL. All digits are looked at, whichever is wrong. */
static const char *behind_token(const ph_server *s, const char *url)
{
    unsigned other = 0;
    if (strlen(url) < TOKEN + 2 || url[0] != '/' || url[TOKEN + 1] != '/')
        return NULL;
    for (int k = 0; k < TOKEN; k++)
        other |= (unsigned)(url[1 + k] ^ s->token[k]);
    return other ? NULL : url + TOKEN + 2;
}

/* A page of another site that found its way to this address, by a name that it had point here, is none of ours. */
static int is_ours(const ph_server *s, struct MHD_Connection *c)
{
    char host[32], origin[40];
    const char *to = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host"),
               *from = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin");
    snprintf(host, sizeof host, "127.0.0.1:%d", s->port);
    snprintf(origin, sizeof origin, "http://%s", host);
    return to && !strcmp(to, host) && (!from || !strcmp(from, origin));
}

static enum MHD_Result take(ph_server *s, struct MHD_Connection *c, upload *u, const char *bytes, size_t *n)
{
    if (*n > 0) {
        u->too_long |= *n > PH_MESSAGE_MAX - u->n;
        if (!u->too_long) {
            memcpy(u->text + u->n, bytes, *n);
            u->n += *n;
        }
        *n = 0;
        return MHD_YES;
    }
    u->text[u->n] = 0;
    if (u->too_long)
        return refuse(c, TOO_LARGE);
    int good = u->n > 0 && strlen(u->text) == u->n && s->owner.message(u->text, s->owner.ctx);
    return refuse(c, good ? MHD_HTTP_NO_CONTENT : MHD_HTTP_BAD_REQUEST);
}

/* The announced length decides before anything is read. */
static int announces_too_much(struct MHD_Connection *c)
{
    const char *length = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Content-Length");
    return length && strtoull(length, NULL, 10) > PH_MESSAGE_MAX;
}

static enum MHD_Result handle(void *ctx, struct MHD_Connection *c, const char *url, const char *method,
                              const char *version, const char *bytes, size_t *n, void **mine)
{
    ph_server *s = ctx;
    const char *what = behind_token(s, url);
    (void)version;
    if (*mine)
        return take(s, c, *mine, bytes, n);
    if (!what || !is_ours(s, c))
        return refuse(c, MHD_HTTP_NOT_FOUND);
    if (!strcmp(method, "GET"))
        return !*what                    ? send_page(s, c)
               : !strcmp(what, "events") ? open_stream(s, c)
                                         : refuse(c, MHD_HTTP_NOT_FOUND);
    if (strcmp(method, "POST") != 0)
        return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED);
    if (strcmp(what, "message") != 0)
        return refuse(c, MHD_HTTP_NOT_FOUND);
    if (announces_too_much(c))
        return refuse(c, TOO_LARGE);
    *mine = calloc(1, sizeof(upload));
    return *mine ? MHD_YES : MHD_NO;
}

static void forget(void *ctx, struct MHD_Connection *c, void **mine, enum MHD_RequestTerminationCode why)
{
    (void)ctx, (void)c, (void)why;
    free(*mine);
    *mine = NULL;
}

/* ---- open and close ----------------------------------------------------------------------------------- */

const char *ph_server_lacks(void)
{
    return load_microhttpd() ? NULL : "libmicrohttpd (" PH_MICROHTTPD_FILE "), which is not on this machine";
}

static int draw_token(char *token)
{
    unsigned char bytes[TOKEN / 2];
    FILE *from = fopen("/dev/urandom", "rb");
    int good = from && fread(bytes, 1, sizeof bytes, from) == sizeof bytes;
    if (from)
        fclose(from);
    for (int k = 0; good && k < TOKEN / 2; k++)
        snprintf(token + 2 * k, 3, "%02x", bytes[k]);
    return good;
}

static ph_status fail(ph_error *err, ph_status s, const char *text)
{
    err->status = s;
    snprintf(err->text, sizeof err->text, "%s", text);
    return s;
}

static void start(ph_server *s, int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->daemon =
        MHD_start_daemon(MHD_ALLOW_SUSPEND_RESUME, (uint16_t)port, NULL, NULL, handle, s,
                         MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                         (size_t)MEMORY, MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END);
}

ph_status ph_server_open(ph_server **out, int port, const ph_server_owner *owner, ph_error *err)
{
    const char *lacks = ph_server_lacks();
    char text[128];
    *out = NULL;
    if (lacks) {
        snprintf(text, sizeof text, "a live page needs %s", lacks);
        return fail(err, PH_E_INPUT, text);
    }
    ph_server *s = calloc(1, sizeof *s);
    if (!s)
        return fail(err, PH_E_MEMORY, "not enough memory for the server");
    s->owner = *owner;
    if (!draw_token(s->token)) {
        free(s);
        return fail(err, PH_E_INPUT, "there are no random numbers: /dev/urandom cannot be read");
    }
    errno = 0;
    start(s, port);
    const union MHD_DaemonInfo *bound =
        s->daemon ? MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!bound) {
        snprintf(text, sizeof text, "cannot listen on 127.0.0.1, port %d: %s", port,
                 errno ? strerror(errno) : "the server did not start");
        ph_server_close(s);
        return fail(err, PH_E_INPUT, text);
    }
    s->port = bound->port;
    snprintf(s->address, sizeof s->address, "http://127.0.0.1:%d/%s/", s->port, s->token);
    *out = s;
    return PH_OK;
}

void ph_server_close(ph_server *s)
{
    if (!s)
        return;
    for (int k = 0; k < STREAMS; k++)
        if (s->streams[k] && s->streams[k]->suspended)
            MHD_resume_connection(s->streams[k]->connection);
    if (s->daemon)
        MHD_stop_daemon(s->daemon);
    free(s);
}

void ph_server_serve(ph_server *s, int wait)
{
    MHD_run_wait(s->daemon, wait);
}

const char *ph_server_address(const ph_server *s)
{
    return s->address;
}

#else

const char *ph_server_lacks(void)
{
    return "libmicrohttpd (libmicrohttpd-dev), without which this program was built";
}

ph_status ph_server_open(ph_server **out, int port, const ph_server_owner *owner, ph_error *err)
{
    (void)port, (void)owner;
    *out = NULL;
    err->status = PH_E_INPUT;
    snprintf(err->text, sizeof err->text, "a live page needs %s", ph_server_lacks());
    return PH_E_INPUT;
}

void ph_server_close(ph_server *server)
{
    (void)server;
}

const char *ph_server_address(const ph_server *server)
{
    (void)server;
    return "";
}

void ph_server_serve(ph_server *server, int wait)
{
    (void)server, (void)wait;
}

void ph_server_send(ph_server *server, const char *event, int can_do_without)
{
    (void)server, (void)event, (void)can_do_without;
}

int ph_server_listeners(const ph_server *server)
{
    (void)server;
    return 0;
}

#endif
