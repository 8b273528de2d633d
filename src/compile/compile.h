/* A compiled model while it is written. */
#ifndef PH_COMPILE_COMPILE_H
#define PH_COMPILE_COMPILE_H

#include <stdio.h>

#include "mech/mech.h"
#include "polhode/compile.h"
#include "step/sim.h"

/* An entry of a matrix: always the same number, or one that changes. */
typedef struct ph_entry {
    int changes;
    double value; /* where it does not */
} ph_entry;

/* A place of the Newton matrix: an entry, and where it stands in the array A of the file if it changes. */
typedef struct ph_cell {
    ph_entry entry;
    int id; /* -1: nowhere yet */
} ph_cell;

typedef struct ph_compiler {
    FILE *out;
    const ph_compile_config *config;
    const ph_run *run;
    const ph_model *model;
    const ph_mechanism *mech;
    const ph_sim *sim;
    const ph_layout *lay;
    const char *name;
    int *turn;                   /* N: number among the nodes that turn; -1: it does not */
    int turns;                   /* nodes that turn */
    ph_entry *M, *C, *K, *B, *Z; /* of the system, at the places of its layout */
    int n;                       /* unknowns of the matrix: those of rows that are left out are not there */
    int *unknown;                /* nv + nl + n_eta: number of the unknown; -1: left out */
    ph_cell *A;                  /* n x n */
    int n_ids;                   /* places that change, fill-in included */
    int statements;              /* of the elimination, one by one */
    int in_loops;                /* a large model: loops over tables */
    const ph_allocator *alloc;
} ph_compiler;

/* scope.c: PH_E_INPUT and a sentence for what cannot be compiled. */
ph_status ph_compile_scope(const ph_compiler *c, ph_error *err);

/* names.c: the title of a model as a name of C, and what must not be one. */
void ph_compile_name(const char *title, char *name, size_t size);
ph_status ph_compile_check_name(const char *name, ph_error *err);

/* structure.c: entries of M, C, K, B and Z that never change, found by looking at many states; unknowns. */
ph_status ph_compile_structure(ph_compiler *c, ph_error *err);

/* write.c: a number as C has it; how a sum is written: terms are 0, a constant or a factor times a name. */
typedef struct ph_sum {
    FILE *out;
    int terms;
} ph_sum;

const char *ph_c_number(double a, char text[40]);
void ph_sum_begin(ph_sum *s, FILE *out);
void ph_sum_constant(ph_sum *s, double a);
void ph_sum_term(ph_sum *s, double factor, const char *format, ...) PH_PRINTF(3, 4);
void ph_sum_end(ph_sum *s); /* 0 where there was no term */

/* elements.c: values of bodies, joints and forces at one point; start: those that initial values need. */
void ph_compile_data(ph_compiler *c);
void ph_compile_elements(ph_compiler *c, int start);
void ph_compile_joint_B(ph_compiler *c, int joint);
void ph_compile_B_times(const ph_compiler *c, ph_sum *s, int at, const char *name, int k); /* B[at] name[k] */
void ph_compile_force_energy(ph_compiler *c, int force);
void ph_compile_coordinate(ph_compiler *c, int joint, int rate);
void ph_compile_reaction(ph_compiler *c, int joint);
void ph_compile_tracking(ph_compiler *c);
void ph_compile_kinematics(ph_compiler *c, const char *of, int body);

/* matrix.c: the Newton matrix from them: which cells there are; the statements that fill A and x. */
ph_status ph_compile_cells(ph_compiler *c);
void ph_compile_assembly(ph_compiler *c, int start);

/* eliminate.c: the function ph_eliminate(A, b, x). */
ph_status ph_compile_elimination(ph_compiler *c);

/* elements.c, blocks.c: tables of a large model, and the functions ph_joints and ph_forces. */
void ph_compile_element_tables(ph_compiler *c);
void ph_compile_element_loops(ph_compiler *c);
ph_status ph_compile_blocks(ph_compiler *c);

/* stepping.c: what text/step.h asks for; sensors.c: one function each. */
void ph_compile_constants(ph_compiler *c);
void ph_compile_work(ph_compiler *c);
void ph_compile_stepping(ph_compiler *c);
void ph_compile_sensors(ph_compiler *c, FILE *header);

/* texts.c, made by cmake/embed.cmake: the texts that a file is made of, in the order in which they are needed. */
typedef struct ph_text {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} ph_text;
extern const ph_text ph_texts[];
extern const int ph_n_texts;

#endif
