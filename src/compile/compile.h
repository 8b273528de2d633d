/* A compiled model while it is written. */
#ifndef PH_COMPILE_COMPILE_H
#define PH_COMPILE_COMPILE_H

#include <stdio.h>

#include "expr/expr.h"
#include "mech/numbers.h"
#include "polhode/compile.h"
#include "step/sim.h"

/* An entry of a matrix: always the same number, or one that changes. */
typedef struct ph_entry {
    int changes;
    double value; /* where it does not */
    int open;     /* of M: 1 + the datum that it is; 0: none */
} ph_entry;

/* A place of the Newton matrix: an entry, and where it stands in the array A of the file if it changes. */
typedef struct ph_cell {
    ph_entry entry;
    int id;  /* -1: nowhere yet */
    int one; /* it is always 1 or -1 */
} ph_cell;

/* constants.c: the numbers of a run that its source has, and a sum over all that is not a number. */
typedef enum ph_constant_kind {
    PH_CONSTANT_BODY,
    PH_CONSTANT_JOINT,
    PH_CONSTANT_FORCE,
    PH_CONSTANT_COUPLE,
    PH_CONSTANT_SENSOR,
    PH_CONSTANT_FUNCTION,
    PH_CONSTANT_KINDS
} ph_constant_kind;

typedef struct ph_constants {
    double *value, *size; /* n: of each number; of the field that it stands in */
    int n;
    int *first, elements;        /* where the numbers of each element begin */
    const ph_program **program;  /* of those that are functions */
    int kind[PH_CONSTANT_KINDS]; /* where the elements of each kind begin */
    uint64_t shape;              /* of two runs that differ in numbers alone it is the same */
    const ph_allocator *alloc;
} ph_constants;

ph_status ph_constants_create(ph_constants *x, const ph_run *run,
                              const ph_allocator *alloc); /* PH_E_MEMORY */
void ph_constants_destroy(ph_constants *x);
int ph_constants_at(const ph_constants *x, ph_constant_kind kind, int k); /* its first number */
int ph_constants_of(const ph_constants *x, const ph_program *p);
int ph_constants_differ(const ph_constants *a, const ph_constants *b, int i); /* number i, beyond round-off */

/* open.c: parameters that stay variable, and the numbers that depend on them, data. */
#define PH_OPEN_MAX     16
#define PH_OPEN_SAMPLES 3 /* runs at other values at which entries are looked at */

typedef struct ph_open_term {
    double c;
    signed char e[PH_OPEN_MAX]; /* c times the product of the parameters to these powers */
} ph_open_term;

typedef struct ph_open_sum {
    int n;
    ph_open_term *term;
} ph_open_sum;

typedef struct ph_open {
    int n;
    const char *const *name;
    double value[PH_OPEN_MAX], generic_value[PH_OPEN_MAX], width;
    int unbuilt, matters[PH_OPEN_MAX]; /* the model could not be built somewhere; a number depends on each */
    const ph_run *nominal;             /* whose initial values the source has; */
    const ph_run *generic;             /* the one whose source is written: the same, if nothing is open */
    ph_run *sample[PH_OPEN_SAMPLES];
    ph_run
        *begun; /* the nominal one after the first steps of a method that needs a past; NULL: there is none */
    ph_constants constants; /* of the generic run */
    int *datum;             /* of each number: its place among data; -1: it is a constant */
    int n_data, *number;    /* of each datum: its number */
    ph_open_sum *sum;       /* of each datum, where the source has them */
    int n_start, starts;    /* numbers of q and v; 1: those that depend on parameters are sums, */
    ph_open_sum *start;     /* n_start; without terms: it does not depend on them */
    int starts_at[PH_OPEN_MAX];
    int watched; /* the library watches the steps: what it wants to know of each is a function of the source */
} ph_open;

/* sums 1: data must be sums of products of powers, 0: the caller knows them. name must outlive it. */
ph_status ph_open_create(ph_open **out, const ph_run *run, const char *const *name, int n, int sums,
                         ph_error *err);
void ph_open_destroy(ph_open *o);

typedef struct ph_compiler {
    FILE *out;
    const ph_compile_config *config;
    const ph_open *open;
    const ph_run *run, *nominal; /* as open has them */
    const ph_model *model;
    const ph_mechanism *mech;
    const ph_sim *sim;
    const ph_layout *lay;
    const char *name;
    int *turn;                        /* N: number among the nodes that turn; -1: it does not */
    int turns;                        /* nodes that turn */
    ph_entry *M, *C, *K, *B, *Z, *Gl; /* of the system, at the places of its layout; Gl: of friction */
    int n;          /* unknowns of the matrix: those of rows that are left out are not there */
    int *unknown;   /* nv + nl + n_eta: number of the unknown; -1: left out */
    ph_cell *A;     /* n x n */
    int n_ids;      /* places that change, fill-in included */
    int statements; /* of the elimination, one by one */
    int in_tables;  /* the elimination is a loop over places, and every entry stands in A */
    int in_loops;   /* a large model: loops over tables */
    ph_term *X,
        *Y; /* products of the columns of eta, as the Newton matrix lists them, but without unknowns of hubs (N6) */
    int n_X, n_Y;
    int marking; /* derivatives of functions are not written, but their places marked */
    const ph_allocator *alloc;
} ph_compiler;

/* What values of elements are for: residual and matrix of an iteration, its residual alone, systems at the start, violations of the
 * constraints. */
typedef enum ph_use { PH_USE_MATRIX, PH_USE_RESIDUAL, PH_USE_START, PH_USE_WATCH } ph_use;

/* Where numbers stand in the struct of a compiled model, counted in numbers of its real type; how many there are. */
typedef struct ph_struct_places {
    int steps, q, v, vdot, lambda, a, last_vdot, last_lambda, slope, turns, iterations, input, last_input,
        data, event, past, numbers;
} ph_struct_places;

ph_struct_places ph_compile_struct(const ph_run *run, const ph_open *open);

/* What a step of a large model puts on the stack, of each member, for each block of three unknowns, measured on chains; and a
 * bound of what all functions of a compiled model together do, once its elimination is known. */
#define PH_STACK_EACH 3136
#define PH_STACK_DEEP                                                                                        \
    2048 /* of these, in use at once: steps and the start of a run have frames of their own */
long ph_compile_stack(const ph_compiler *c);

/* scope.c: PH_E_INPUT and a sentence for what cannot be compiled. */
ph_status ph_compile_scope(const ph_compiler *c, ph_error *err);

/* names.c: names of C from titles, with "_" for characters that C does not allow. */
void ph_compile_name(const char *title, char *name, size_t size);
/* The same for the model, with "_model" appended if C or its library has the name. */
void ph_compile_model_name(const char *title, char *name, size_t size);
#define PH_C_COMMENT 128 /* bytes: the longest title of a model, and 0 */
const char *ph_c_comment(const char *text, char out[PH_C_COMMENT]); /* of a model, to stand in a comment */
ph_status ph_compile_check_name(const char *name, ph_error *err);   /* of a member of a struct */
ph_status ph_compile_check_model_name(const char *name, ph_error *err);

/* structure.c: entries of M, C, K, B and Z that never change, found by looking at many states; unknowns. */
ph_status ph_compile_structure(ph_compiler *c, ph_error *err);
#define PH_HUB_MOST 40 /* joints of a body in the stabilised form: products are as many as pairs of them */
int ph_compile_joints_at(const ph_layout *lay, int node);

/* write.c: a number as C has it; how a sum is written: terms are 0, a constant or a factor times a name. */
typedef struct ph_sum {
    FILE *out;
    int terms;
} ph_sum;

const char *ph_c_number(double a, char text[40]);
const char *ph_c_component(ph_number_type type, int i);
void ph_c_numbers(FILE *out, ph_number_list of, const void *record); /* ".k = ..., .d = ..., " */
void ph_c_members(FILE *out, const char *name, ph_number_list of);   /* a macro that declares them */
/* Number i of the constants, whose value is given: as a double, or where it is open in the state s; ph_c_term: as a ph_real. */
const char *ph_c_constant(const ph_compiler *c, int i, double value, char text[48]);
const char *ph_c_term(const ph_compiler *c, int i, double value, char text[48]);
void ph_sum_begin(ph_sum *s, FILE *out);
void ph_sum_constant(ph_sum *s, double a);
void ph_sum_term(ph_sum *s, double factor, const char *format, ...) PH_PRINTF(3, 4);
void ph_sum_end(ph_sum *s); /* 0 where there was no term */

/* expressions.c: an expression as the function ph_NAME(x, y, g); of drives ph_NAME(x, y) with derivatives by time. used: of each
 * operation, 1: its value and first derivatives are called, 3: second ones too. */
ph_status ph_compile_program(ph_compiler *c, const char *name, const ph_program *p, int drive);
void ph_compile_mark_operations(const ph_program *p, int drive, unsigned char *used);
void ph_compile_operations(ph_compiler *c, const unsigned char *used);
void ph_compile_curve(ph_compiler *c, const ph_curve_ref *r);

/* opened.c: elements with numbers that are open: their names in the file; copies with those of the state, as locals of a
 * function that has s; the function ph_numbers, which finds data from parameters. */
int ph_compile_is_open(const ph_compiler *c, int first, int n);
int ph_compile_joint_is_open(const ph_compiler *c, int k);
int ph_compile_force_is_open(const ph_compiler *c, int k);
void ph_compile_locals(ph_compiler *c);
void ph_compile_numbers(ph_compiler *c);
void ph_compile_initial(ph_compiler *c); /* and ph_initial, q and v from them */
int ph_compile_open_constants(const ph_compiler *c, const ph_program *p,
                              int before); /* of the first numbers of a function */
void ph_compile_hand_over(ph_compiler *c, const char *to,
                          const ph_program *p); /* they follow its arguments */

/* functions.c: each function of the model, with the name that it has in the file. */
typedef void (*ph_function_fn)(ph_compiler *c, const ph_function *f, const char *name, int drive, void *ctx);
void ph_compile_each_function(ph_compiler *c, ph_function_fn with, void *ctx);

/* functions.c: all of them; a call, with t and v at of ("W->" or "s->"), and rows b and z of the joints that it reads; the
 * derivatives of a result, times a row of a node: the vector of that name, or number unit of a state. */
ph_status ph_compile_functions(ph_compiler *c);
int ph_compile_many_coordinates(ph_compiler *c);
void ph_compile_call(ph_compiler *c, const char *name, const ph_function *f, const char *of);
void ph_compile_function_bodies(ph_compiler *c, const ph_function *f, const char *of);
void ph_compile_slopes(ph_compiler *c, const char *name, const ph_function *f);
void ph_compile_tangent(ph_compiler *c, const char *name, const ph_function *f, int result, const char *sign,
                        int node, const char *vector, int unit);

/* controls.c: drives, loads, actuators, couplings, friction, states. k: of the mechanism's forces; of its couplings. */
void ph_compile_control_data(ph_compiler *c, int k);
void ph_compile_couple_data(ph_compiler *c);
void ph_compile_control_terms(ph_compiler *c, int k, ph_use use);
void ph_compile_load_tangent(ph_compiler *c, int k);
void ph_compile_friction_reaction(ph_compiler *c, const ph_joint *j);
void ph_compile_friction_cuts(ph_compiler *c);
void ph_compile_couple_B(ph_compiler *c, int k);
void ph_compile_controls(ph_compiler *c, ph_use use);
void ph_compile_mark(ph_compiler *c);
void ph_compile_angle(ph_compiler *c, const ph_joint *j, int k, const char *of, const char *site, ...)
    PH_PRINTF(5, 6);
void ph_compile_effort(ph_compiler *c, int actuator, const char *to);
void ph_compile_actuator_energy(ph_compiler *c, int k);
void ph_compile_bodies_of(ph_compiler *c, const ph_joint *j, const ph_function *f);
ph_status ph_compile_tracking(ph_compiler *c);

/* elements.c: values of bodies, joints and forces at one point. */
void ph_compile_data(ph_compiler *c);
void ph_compile_elements(ph_compiler *c, ph_use use);
void ph_compile_joint_B(ph_compiler *c, int joint);
int ph_compile_is_pulled(const ph_compiler *c, int v); /* a row of B^T that is not always 0 */
/* to = B^T of; of: multipliers, or, unknowns 1, what stands at theirs. */
void ph_compile_reactions(const ph_compiler *c, const char *to, const char *of, int unknowns);
void ph_compile_B_times(const ph_compiler *c, ph_sum *s, int at, const char *name, int k); /* B[at] name[k] */
void ph_compile_force_energy(ph_compiler *c, int force);
int ph_compile_is_watched(const ph_compiler *c);
void ph_compile_watch(ph_compiler *c); /* ph_seen; nothing where there is more to look at than it knows */
void ph_compile_reaction(ph_compiler *c, int joint);
void ph_compile_drive_effort(ph_compiler *c, int joint, const char *to);
/* The site x of a joint, in a block that stays open; of: where the time stands. */
void ph_compile_open_site(ph_compiler *c, int k, const char *of);
void ph_compile_side(ph_compiler *c, const char *side, int body);
void ph_compile_places(ph_compiler *c, const char *name, int k, const int *at, int n);
void ph_compile_kinematics(ph_compiler *c, const char *of, int body);

/* matrix.c: the Newton matrix from them: which cells there are; the statements that fill A and x. */
ph_status ph_compile_cells(ph_compiler *c);
void ph_compile_assembly(ph_compiler *c, ph_use use);

/* eliminate.c: the functions ph_factor(A, p) and ph_solve(A, p, b, x). */
ph_status ph_compile_elimination(ph_compiler *c);

/* elements.c, blocks.c: tables of a large model, and the functions ph_joints and ph_forces. */
void ph_compile_element_tables(ph_compiler *c);
void ph_compile_element_loops(ph_compiler *c);
ph_status ph_compile_blocks(ph_compiler *c);

/* multistep.c: BLieDF. Its order, 0 of other methods; steps that the library makes first; constants, first guess, what is
 * remembered; the past of a simulation, and a step that was made, with its increment D. */
int ph_sim_is_multistep(const ph_sim *sim);
int ph_multistep_order(const ph_sim *sim);
long ph_multistep_first(const ph_sim *sim);
int ph_multistep_has_F(const ph_compiler *c);
void ph_multistep_constants(ph_compiler *c);
void ph_multistep_predict(ph_compiler *c);
void ph_multistep_remember(ph_compiler *c);
void ph_multistep_past(const ph_sim *sim, double *past);
void ph_multistep_accept(ph_sim *sim, const double *D);
ph_status ph_multistep_refuse(const ph_run *run, const char *what, ph_error *err);

/* stepping.c: what text/step.h asks for; sensors.c: one function each. */
void ph_compile_constants(ph_compiler *c);
int ph_compile_has_F(const ph_compiler *c); /* F of (G6) is not the identity */
void ph_compile_work(ph_compiler *c);
void ph_compile_stepping(ph_compiler *c);
void ph_compile_sensors(ph_compiler *c, FILE *header);
void ph_compile_energies(ph_compiler *c); /* T, V, and body_0, body_1, ... */
int ph_compile_sensor_coordinate(const ph_compiler *c, const ph_sensor_def *d);

/* compile.c: a compiler of a run, ready to write; PH_E_INPUT: the model has what cannot be compiled. fmu.c uses it. */
ph_status ph_compiler_open(ph_compiler *c, const ph_open *open, const ph_compile_config *config,
                           char name[80], ph_error *err);
/* The source of a run with parameters that are open. */
ph_status ph_open_compile(const ph_open *open, const ph_compile_config *config, FILE *header, FILE *source,
                          ph_error *err);

/* ensemble.c: NAME.cu of a run with parameters that are open. */
ph_status ph_open_compile_cuda(const ph_open *open, const ph_compile_config *config, FILE *driver,
                               ph_error *err);

/* texts.c, made by cmake/embed.cmake: the texts that a file is made of, in the order in which they are needed. */
typedef struct ph_text {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} ph_text;
extern const ph_text ph_texts[];
extern const int ph_n_texts;
const ph_text *ph_text_find(const char *name); /* compile.c */

#endif
