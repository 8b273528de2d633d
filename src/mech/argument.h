/* Functions of a model file at one instant: their arguments, their values, and their derivatives by the states of bodies.
 *
 * A function f(a_1, a_2, ...) that was traced is an expression of arguments, each of which is a number that bodies have:
 * with u the increments (x, phi) of a body in physical coordinates, and likewise its velocities and accelerations,
 *
 *   df/du_i = sum_a f_a da/du_i                                                                       (P4)
 *   d(df/du_i)/du_j = sum_ab f_ab da/du_i db/du_j + sum_a f_a d(da/du_i)/du_j                         (P5)
 *
 * Increments of rotations are those of the body, q o exp(phi), and so the last term is not symmetric in i and j:
 * dq/dphi_i = q o e_i/2, d(dq/dphi_i)/dphi_j = q o e_j/2 o e_i/2. */
#ifndef PH_MECH_ARGUMENT_H
#define PH_MECH_ARGUMENT_H

#include "expr/expr.h"
#include "mech/mech.h"

typedef enum ph_argument_code {
#define PH_ARGUMENT(code, name, ops, components) code,
#include "mech/arguments.def"
#undef PH_ARGUMENT
    PH_ARGUMENTS
} ph_argument_code;

/* Where arguments are looked up. Bodies that are asked for are kept: two of them serve most functions. */
#define PH_SCENE_BODIES 2

typedef struct ph_scene {
    const ph_mechanism *m; /* NULL: there is the time alone */
    const ph_state *s;
    double t;
    int accelerations;           /* they are asked for */
    const ph_body_state *bodies; /* all of them, which count instead of s where it is not NULL */
    int moved;                   /* 1 + the state of the model of which */
    int moved_number;            /* one number */
    double moved_by;             /* counts as moved by so much; moved 0: none */
    int whole; /* functions themselves and not their tangents (P8): second derivatives are asked for */
    int kept[PH_SCENE_BODIES]; /* 1 + body; 0: none */
    int next;
    ph_body_state body[PH_SCENE_BODIES];
    int joint,
        coordinate; /* 1 + the joint whose coordinate was asked for last, 0: none; not where bodies are given */
    double position, rate; /* of it */
} ph_scene;

ph_scene ph_scene_of(const ph_mechanism *m, const ph_state *s, const ph_body_state *bodies);
const ph_body_state *ph_scene_body(ph_scene *at, int body);

/* By the coordinates of one body, (x, phi), by its velocities (v, omega), and by its accelerations. */
enum { PH_BY_PLACE, PH_BY_SPEED, PH_BY_ACCELERATION, PH_BY };

typedef struct ph_argument_ops {
    double (*value)(ph_scene *at, const ph_argument *a);
    int (*bodies)(const ph_model *model, const ph_argument *a,
                  int body[2]); /* that it depends on; how many. NULL: 0 */
    int depth;                  /* PH_SEEN_PLACE and so on, of them */
    /* adds w da/d(what) of its body number side */
    void (*slope)(ph_scene *at, const ph_argument *a, int side, int what, double w, double d[6]);
    /* adds w d(da/du_i)/du_j to H, 12 x 12, both its bodies side by side; NULL: it is 0 */
    void (*second)(ph_scene *at, const ph_argument *a, double w, double *H);
} ph_argument_ops;

typedef struct ph_argument_row {
    const char *name;
    const ph_argument_ops *op;
    int components;
} ph_argument_row;

const ph_argument_row *ph_argument_get(int kind); /* NULL past the end */
int ph_argument_bodies(const ph_model *model, const ph_argument *a, int body[2]);

/* A program that is evaluated at one instant, small ones on the stack. */
#define PH_FORMULA_SMALL 4096 /* doubles */

typedef struct ph_formula {
    ph_scene *at;
    const ph_program *p;
    double *x, *g, *room; /* arguments, a gradient, room of the program */
    int tangent;          /* 1 + the argument that is the parameter of (P8); 0: the function itself */
    double by;            /* p - p0 of it */
    double *unit, *cross; /* of each argument: 0, and second derivatives by it and the parameter */
    int large;            /* room is the mechanism's */
    double small[PH_FORMULA_SMALL];
} ph_formula;

size_t ph_formula_room(const ph_program *p); /* doubles */

/* n numbers of a function, traced or not. */
ph_status ph_function_values(ph_scene *at, const ph_function *f, int n, double *out);

/* Lua alone, which finds joints, inputs and states in the scene. */
ph_status ph_function_ask(ph_scene *at, const ph_function *f, const ph_body_state *bodies, int n,
                          double *out);

/* 1: it is traced, its expression is known and finite here, and out has its values: derivatives can be asked for. Close it
 * in any case. */
int ph_formula_open(ph_formula *k, ph_scene *at, const ph_function *f, int n, double *out);
void ph_formula_close(ph_formula *k);
int ph_formula_partials(ph_formula *k, int order); /* before derivatives: of order 1 or 2; returns 1 */
/* Derivatives of result i by the arguments, in k->g; 0: one is not finite. */
int ph_formula_gradient(ph_formula *k, int i);
/* By one body, from the derivatives by arguments in g (P4): adds to d. */
void ph_formula_by_body(ph_formula *k, const double *g, int body, int what, double d[6]);

/* The bodies that a program depends on, each once: how many. body: room for two of each argument. depth: PH_SEEN_..., of
 * all. */
int ph_program_reach(const ph_model *model, const ph_program *p, int *body, int *depth);

extern const ph_argument_ops
#define PH_ARGUMENT(code, name, ops, components) ops,
#include "mech/arguments.def"
#undef PH_ARGUMENT
    ph_argument_none;

#endif
