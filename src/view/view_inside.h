/* What the files of src/view share. */
#ifndef PH_VIEW_VIEW_INSIDE_H
#define PH_VIEW_VIEW_INSIDE_H

#include "mech/model.h"
#include "mech/tables.h"
#include "view/view.h"

/* Numbers of the run beside the places of bodies: one column for each, in every frame. */
typedef struct ph_view_channel {
    int what, index; /* as ph_run_get takes them */
    int first, n;    /* columns; column 0 is t */
} ph_view_channel;

typedef enum ph_view_kind { PH_VIEW_RUN, PH_VIEW_STATIC, PH_VIEW_MODES } ph_view_kind;

struct ph_view {
    ph_view_kind kind;
    const ph_model *m;
    const ph_run *run;
    int n_bodies;
    int points;     /* 1: so many bodies that frames hold positions alone */
    int per_body;   /* numbers of a body in a frame: 7, or 3 */
    int n_channels; /* of channel */
    int columns;    /* numbers of a frame beside bodies, t included */
    ph_view_channel *channel;
    size_t size;   /* numbers of a frame */
    long capacity; /* frames; an even number */
    long n;
    long stride, skipped; /* calls for one frame; calls since the last one */
    float *data;          /* n x size */
    double *row;          /* of a sensor or a reaction */
    int n_modes;
    double *value; /* n_modes x 2: re and im of eigenvalues */
    float *shape;  /* n_modes x bodies x 12: dx and dtheta, re and im */
};

/* scene.c: the object that describes what moves; JSON that may stand inside of a page. */
void ph_view_scene(const ph_view *view, const ph_view_words *words, FILE *to);

/* frames.c: position and quaternion of a body in a state; NULL: the present one. */
void ph_view_place(const ph_view *view, ph_run *run, const ph_state *s, int body, double *x);

/* page.c: whether a number beside bodies is the same in all frames, and which. */
int ph_view_still(const ph_view *view, int column, double *value);

/* json.c: values of JSON. Characters that end a script in a page are written as codes. */
void ph_view_text(FILE *to, const char *text);
void ph_view_number(FILE *to, double x);
void ph_view_numbers(FILE *to, int n, const double *x);
void ph_view_vector(FILE *to, ph_vec3 v);
void ph_view_base64(FILE *to, const void *bytes, size_t size);

/* shape.c */
typedef struct ph_view_box {
    double edge[3]; /* m */
    ph_quat R;      /* of its axes, to the body */
} ph_view_box;
ph_view_box ph_view_box_of(double mass, ph_mat3 J); /* the homogeneous box with this inertia */
void ph_view_shapes(FILE *to, const ph_shape_list *all,
                    const char *marker); /* those of a frame or of a marker */

/* The page from viewer/, and what live pages and those of several runs have beside; texts that end with 0. */
extern const unsigned char ph_viewer_page[], ph_viewer_live[], ph_viewer_ghosts[];

#endif
