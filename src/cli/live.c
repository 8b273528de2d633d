/* Live pages: one thread steps the run, at the speed that the page asks for, and answers the page between steps.
 *
 * Events to the page: frames, "RUN BASE64"; "status", the JSON object of status_text; "said", a sentence as JSON.
 * Messages from the page: one JSON object each, members as in the table "words". */
#include "cli/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/signals.h"
#include "view/server.h"
#include "view/view.h"

#define SLICE      0.015 /* s of steps before the page is answered */
#define FRAMES     60    /* in a second, at most */
#define BYTES      8e6   /* of frames in a second, at most */
#define HEARTBEAT  1.0   /* s: a page that has gone is noticed when something is sent */
#define RELOAD     2.0   /* s: a page that comes back in this time was loaded anew */
#define SPEED_MOST 1e9

typedef struct live {
    ph_job *job;
    ph_run *run;
    ph_server *server;
    ph_view_live at;
    int playing, loop, ended; /* ended: at t_end, or failed */
    double t0, clock0;        /* where this pace began: time of the run, clock */
    double sent, beat,
        left; /* clock: last frame, last event, when the last page went (0: one is there, or none ever was) */
    int seen; /* a page has been there */
    int broken; /* there is no view any more */
    ph_status status;
    ph_error err;
} live;

/* ---- events ------------------------------------------------------------------------------------------- */

/* An event with an object, which it takes: text of the page may hold anything, what is sent is on one line. NULL: not enough memory. */
static char *event_text(const char *kind, cJSON *data)
{
    char *json = cJSON_PrintUnformatted(data), *text = NULL;
    size_t n = json ? strlen(json) + strlen(kind) + 32 : 0;
    if (n && (text = malloc(n)))
        snprintf(text, n, "event: %s\ndata: %s\n\n", kind, json);
    cJSON_free(json);
    cJSON_Delete(data);
    return text;
}

static char *status_text(const live *l)
{
    ph_json j = ph_json_create();
    ph_json_count(&j, j.root, "scene", l->at.scene);
    ph_json_count(&j, j.root, "run", l->at.run);
    ph_json_count(&j, j.root, "playing", l->playing);
    ph_json_count(&j, j.root, "loop", l->loop);
    ph_json_count(&j, j.root, "ended", l->ended);
    ph_json_number(&j, j.root, "speed", l->at.speed);
    ph_json_text(&j, j.root, "reason", l->status == PH_OK ? "" : l->err.text);
    if (j.failed) /* a part is none */
        cJSON_Delete(j.root), j.root = NULL;
    return event_text("status", j.root);
}

static void send_text(live *l, char *text, int can_do_without)
{
    if (text)
        ph_server_send(l->server, text, can_do_without);
    free(text);
    l->beat = ph_seconds();
}

static void send_status(live *l)
{
    send_text(l, status_text(l), 0);
}

static void send_sentence(live *l, const char *sentence)
{
    send_text(l, event_text("said", cJSON_CreateString(sentence)), 0);
}

static void send_frame(live *l)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    if (!to)
        return;
    fprintf(to, "data: %ld ", l->at.run);
    ph_status s = ph_view_frame_text(l->job->view, l->run, to);
    fputs("\n\n", to);
    fclose(to);
    l->sent = ph_seconds();
    if (s != PH_OK) {
        free(text);
        return;
    }
    send_text(l, text, 1);
    l->sent += fmax(0, (double)n / BYTES - 1.0 / FRAMES); /* large frames come less often */
}

/* ---- the run ------------------------------------------------------------------------------------------ */

static void pace(live *l)
{
    l->t0 = ph_run_time(l->run), l->clock0 = ph_seconds();
}

static void begin(live *l)
{
    l->status = ph_run_start(l->run, &l->err);
    l->ended = l->status != PH_OK;
    l->at.run++;
    ph_view_forget(l->job->view);
    if (!l->ended)
        ph_view_frame(l->job->view, l->run);
    pace(l);
}

static void restart(live *l)
{
    l->status = ph_run_reset(l->run, &l->err);
    if (l->status == PH_OK)
        begin(l);
    else
        l->ended = 1;
    send_status(l);
    send_frame(l);
}

/* Towards the time that the clock asks for, and no longer than a slice. */
static void advance(live *l)
{
    double now = ph_seconds(), until = now + SLICE, target = l->t0 + l->at.speed * (now - l->clock0);
    int arrived = 0;
    while (l->status == PH_OK && !arrived && ph_run_time(l->run) < target && now < until) {
        l->status = ph_run_until_or(l->run, l->job->t_end, 0, &arrived, &l->err); /* one step */
        if (l->status == PH_OK && (l->status = ph_view_frame(l->job->view, l->run)) != PH_OK)
            snprintf(l->err.text, sizeof l->err.text, "a sensor of the model has no number at t = %.9g",
                     ph_run_time(l->run));
        now = ph_seconds();
    }
    if (now >= until && ph_run_time(l->run) < target)
        pace(l); /* it cannot keep up: no debt of steps is kept */
    l->ended = arrived || l->status != PH_OK;
    if (l->ended || now - l->sent > 1.0 / FRAMES)
        send_frame(l);
    if (l->ended && l->status == PH_OK && l->loop)
        restart(l);
    else if (l->ended)
        send_status(l);
}

/* ---- messages ----------------------------------------------------------------------------------------- */

static int set_flag(const cJSON *x, int *flag)
{
    if (!cJSON_IsBool(x))
        return 0;
    *flag = cJSON_IsTrue(x);
    return 1;
}

static int on_play(live *l, const cJSON *x, const cJSON *all)
{
    (void)all;
    if (!set_flag(x, &l->playing))
        return 0;
    pace(l);
    send_status(l);
    return 1;
}

static int on_loop(live *l, const cJSON *x, const cJSON *all)
{
    (void)all;
    if (!set_flag(x, &l->loop))
        return 0;
    send_status(l);
    return 1;
}

static int on_restart(live *l, const cJSON *x, const cJSON *all)
{
    (void)all;
    if (!cJSON_IsTrue(x))
        return 0;
    l->playing = 1;
    restart(l);
    return 1;
}

static int on_speed(live *l, const cJSON *x, const cJSON *all)
{
    (void)all;
    if (!cJSON_IsNumber(x) || !(x->valuedouble > 0 && x->valuedouble < SPEED_MOST))
        return 0;
    l->at.speed = x->valuedouble;
    pace(l);
    send_status(l);
    return 1;
}

static int on_input(live *l, const cJSON *x, const cJSON *all)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(all, "value");
    int k = cJSON_IsString(x) ? ph_run_find(l->run, PH_INPUTS, x->valuestring) : -1;
    return k >= 0 && cJSON_IsNumber(value) && ph_run_set_input(l->run, k, value->valuedouble) == PH_OK;
}

/* A run with other parameters, and its view; what is refused leaves both as they were. */
static void set_parameters(live *l, const ph_setting *set, int n)
{
    ph_error err;
    if (ph_run_set_parameters(l->run, set, n, &err) != PH_OK) {
        send_sentence(l, err.text);
        return;
    }
    ph_view_destroy(l->job->view); /* it reads the model that was */
    l->broken = ph_view_create(&l->job->view, l->run, &l->err) != PH_OK;
    if (l->broken)
        return;
    l->job->t_end = ph_run_end(l->run);
    l->at.scene++;
    l->playing = 1;
    begin(l);
    send_status(l); /* the page loads itself anew */
}

static int on_parameters(live *l, const cJSON *x, const cJSON *all)
{
    ph_setting set[PH_SETTINGS_MAX];
    int n = 0;
    (void)all;
    if (!cJSON_IsObject(x))
        return 0;
    for (const cJSON *p = x->child; p; p = p->next) {
        if (!cJSON_IsNumber(p) || n == PH_SETTINGS_MAX)
            return 0;
        set[n++] = (ph_setting){p->string, p->valuedouble};
    }
    if (n)
        set_parameters(l, set, n);
    return n > 0;
}

static const struct {
    const char *name;
    int (*act)(live *l, const cJSON *x, const cJSON *all); /* 0: it makes no sense */
} words[] = {
    {"play", on_play},   {"loop", on_loop},   {"restart", on_restart},
    {"speed", on_speed}, {"input", on_input}, {"parameters", on_parameters},
};

static int take_message(const char *text, void *ctx)
{
    cJSON *all = cJSON_ParseWithOpts(text, NULL, 1);
    int done = 0;
    for (size_t k = 0; !done && cJSON_IsObject(all) && k < sizeof words / sizeof *words; k++) {
        const cJSON *x = cJSON_GetObjectItemCaseSensitive(all, words[k].name);
        done = x && words[k].act(ctx, x, all);
    }
    cJSON_Delete(all);
    return done;
}

/* ---- the page ----------------------------------------------------------------------------------------- */

static char *make_page(size_t *size, void *ctx)
{
    live *l = ctx;
    char settings[256], *text = NULL;
    ph_report_options(&l->job->opt, settings, sizeof settings);
    ph_view_words about = {.file = l->job->args->word[0],
                           .settings = settings,
                           .status = ph_status_word(l->status),
                           .reason = l->status == PH_OK ? "" : l->err.text,
                           .live = &l->at};
    FILE *to = l->broken ? NULL : open_memstream(&text, size);
    int good = to && ph_view_page(l->job->view, &about, to);
    if (to)
        good &= fclose(to) == 0;
    if (!good)
        free(text), text = NULL;
    return text;
}

static char *greet(void *ctx)
{
    return status_text(ctx);
}

/* ---- until it ends ------------------------------------------------------------------------------------ */

/* 1: the page was there and has gone for good. */
static int has_gone(live *l, double now)
{
    int n = ph_server_listeners(l->server);
    l->seen |= n > 0;
    if (n > 0 || !l->seen)
        l->left = 0;
    else if (l->left == 0)
        l->left = now;
    return l->left > 0 && now - l->left > RELOAD;
}

static int serve(live *l)
{
    for (;;) {
        int waits = ph_signals_waiting(),
            busy = l->playing && !l->ended && ph_server_listeners(l->server) > 0;
        double now = ph_seconds();
        if (waits || l->broken || has_gone(l, now))
            return waits;
        if (!busy)
            pace(l);
        else
            advance(l);
        if (now - l->beat > HEARTBEAT) {
            ph_server_send(l->server, ":\n\n", 1);
            l->beat = now;
        }
        int behind = busy && ph_run_time(l->run) < l->t0 + l->at.speed * (ph_seconds() - l->clock0);
        ph_server_serve(l->server, behind ? 0 : busy ? 4 : 50);
    }
}

int ph_live(ph_job *r)
{
    live l = {.job = r, .run = r->run, .playing = 1, .loop = 0};
    ph_server_owner owner = {make_page, take_message, greet, &l};
    if (ph_view_create(&r->view, r->run, &l.err) != PH_OK ||
        ph_server_open(&l.server, r->args->port, &owner, &l.err) != PH_OK)
        return ph_complain("%s", l.err.text);
    l.at = (ph_view_live){.scene = 1, .run = 0, .speed = 1};
    begin(&l);
    int code = PH_EXIT_OK;
    if (l.status != PH_OK) {
        code = ph_complain("%s", l.err.text);
    } else {
        ph_signals_hold();
        printf("%s\n", ph_server_address(l.server));
        fflush(stdout);
        if (!r->args->quiet)
            ph_note("open this address in a browser on this machine; closing the page or Ctrl-C ends it");
        if (serve(&l))
            ph_signals_drop();
        ph_signals_release();
        if (l.broken)
            code = ph_complain("%s", l.err.text);
    }
    ph_server_close(l.server);
    return code;
}
