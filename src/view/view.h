/* Pictures of a run: frames gathered on the way, and one HTML page that shows them, or files for ParaView.
 *
 *   ph_view_create(&view, run, &err);
 *   ph_view_frame(view, run);                     at the start and after each step; frames are thinned
 *   ph_view_end(view, run);
 *   ph_view_page(view, &words, stream);           the page: scene, frames, viewer
 *
 * Numbers come from the run; what the scene needs beside them (joints, forces, shapes) from its model, which is only
 * read. */
#ifndef PH_VIEW_VIEW_H
#define PH_VIEW_VIEW_H

#include <stdio.h>

#include "polhode/run.h"

typedef struct ph_view ph_view;

/* What a page shows that is served while the run goes on, and how fast that goes. */
typedef struct ph_view_live {
    long scene;   /* changes with parameters: bodies may have other shapes, and there may be others */
    long run;     /* changes when the run starts anew */
    double speed; /* s of the run for each s */
} ph_view_live;

/* What a page says of a run beside its numbers. */
typedef struct ph_view_words {
    const char *file;         /* of the model */
    const char *settings;     /* method and options in one line */
    const char *status;       /* "ok", "newton_failed", ... */
    const char *reason;       /* why it ended early; "": it did not */
    const ph_view_live *live; /* NULL: the run is over */
    const char *label;        /* what tells the run apart from its ghosts; NULL: there are none */
    int n_ghosts;
    const struct ph_view_ghost *ghosts; /* other runs of the model, shown behind it */
} ph_view_words;

typedef struct ph_view_ghost {
    const ph_view *view; /* its run may be gone */
    const char *label, *reason;
} ph_view_ghost;

/* PH_E_INPUT: the run has no model. */
ph_status ph_view_create(ph_view **out, ph_run *run, ph_error *err);
void ph_view_destroy(ph_view *view); /* accepts NULL */

/* The present state as one more frame. Where there are more than a page should hold, every second one goes, and from
 * then on every second call is none. The second is for the last state, which is always a frame. PH_E_CALLBACK: a sensor
 * failed. */
ph_status ph_view_frame(ph_view *view, ph_run *run);
ph_status ph_view_end(ph_view *view, ph_run *run);
long ph_view_frames(const ph_view *view);

/* Before the first frame: so few that a page of this many runs is not larger than that of one. */
void ph_view_share(ph_view *view, int runs);
int ph_view_alike(const ph_view *a, const ph_view *b); /* 1: bodies and numbers are the same in both */

/* The present state as the text of a frame that a live page adds to those it has; it is no frame of the view. */
ph_status ph_view_frame_text(const ph_view *view, ph_run *run, FILE *to);
void ph_view_forget(ph_view *view); /* no frames: the run starts anew */

/* In place of a run: a frame of another state in the layout of the system, such as an equilibrium; the shapes of the
 * first n modes about a state, which the page animates. PH_E_INPUT: there is no room, or flexible bodies have too many
 * modes. */
ph_status ph_view_state(ph_view *view, ph_run *run, const ph_state *s, double t);
ph_status ph_view_modes(ph_view *view, ph_run *run, const ph_state *s, ph_modes *modes, int n);

/* 0: not enough memory. Whether the stream took all of it, the caller sees from the stream. */
int ph_view_page(const ph_view *view, const ph_view_words *words, FILE *to);

/* The frames for ParaView, in a folder, which is made where there is none: motion.pvd and frame_00000.vtp, ... 0: errno
 * says why. */
int ph_view_vtk(const ph_view *view, const char *folder);

#endif
