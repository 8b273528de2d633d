/* Model files: read one, build its mechanism, simulate it with sim.h, look at it by name.
 *
 *   ph_model_read(&model, "top.lua", &(ph_setting){"m", 16}, 1, NULL, &err);
 *   ph_run_def run = ph_model_run_def(model);
 *   ph_mechanism_create(&mech, model, run.space, NULL, &err);
 *   ph_mechanism_initial(mech, run.assemble, &q0, &v0, &err);
 *   ph_mechanism_rank(mech, &err);
 *   ph_sim_create(&sim, ph_mechanism_system(mech), &run.opt, 0, q0, v0, &err);
 *   ph_sim_run(sim, lround(run.t_end / run.opt.h), output, ctx, &err);
 *   ph_sim_destroy(sim), ph_mechanism_destroy(mech), ph_model_free(model);
 *
 * The model must outlive its mechanisms, and a mechanism its simulations. SI units and radians; positions,
 * velocities and forces in the world, angular velocities in the body; quaternions scalar first, body to
 * world. docs/model.md is the language of model files.
 *
 * Threads: models can be read in several threads at the same time, flexible bodies and HDF5 files included.
 * A model without functions, and a mechanism of it, are only read from then on: simulations in several threads
 * can share them. So is a model all of whose functions are traced (ph_model_function); its mechanisms are used by one
 * thread each. Functions that are not live in one Lua state: ALL mechanisms and simulations of such a model must be
 * used by one thread at a time. For several threads read the file once for each. Two threads that call functions of one
 * model at the same time are refused, PH_E_CALLBACK, where this is noticed. */
#ifndef POLHODE_MODEL_H
#define POLHODE_MODEL_H

#include <stdint.h>
#include <stdio.h>

#include "polhode/sens.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- models -------------------------------------------------------------------------------------- */

/* What a file says, complete and checked: names are resolved, rotations and axes have length one, numbers are
 * finite and make sense by themselves. Whether joints fit together is for the mechanism to find out. Constant
 * once it is read. A model with functions serves one thread at a time. */
typedef struct ph_model ph_model;

/* A parameter set from outside, in place of its default in the file. */
typedef struct ph_setting {
    const char *name;
    double value;
} ph_setting;

/* Read a model file: a Lua program, which runs in a sandbox, or a frozen model, JSON. sets: the last one of a
 * name counts; all names must be parameters of the model. alloc (NULL: malloc) must outlive the model and all
 * runs of it. On failure *out is NULL and err says "FILE:LINE: sentence". */
PH_API ph_status ph_model_read(ph_model **out, const char *path, const ph_setting *sets, int n_sets,
                               const ph_allocator *alloc, ph_error *err);

/* The same from the text of the file, for studies that read it many times; path is for messages. text
 * NULL: the file is read. */
PH_API ph_status ph_model_read_text(ph_model **out, const char *path, const char *text, size_t size,
                                    const ph_setting *sets, int n_sets, const ph_allocator *alloc,
                                    ph_error *err);
/* Functions of the caller's own, such as those of an interpreter: the text calls number k of them as
 * host(k, n_y, x1, x2, ...). They cannot be traced: they are called in each step and differenced, and must give the same
 * numbers for the same arguments. Called by the thread that reads or steps. 0: it failed, and error says why. */
typedef int (*ph_host_fn)(int k, int n_x, const double *x, int n_y, double *y, char *error, size_t size,
                          void *ctx);
typedef struct ph_host {
    ph_host_fn call; /* NULL: there are none */
    void *ctx;       /* must outlive the model and all runs of it */
} ph_host;

/* As ph_model_read_text, with functions of the caller that the text may call. */
PH_API ph_status ph_model_read_hosted(ph_model **out, const char *path, const char *text, size_t size,
                                      const ph_setting *sets, int n_sets, ph_host host,
                                      const ph_allocator *alloc, ph_error *err);
PH_API void ph_model_free(ph_model *model); /* accepts NULL; only what ph_model_read gave */

/* Write the model as JSON, from which ph_model_read gives the same model bit for bit, but for file and lines.
 * Functions of the file are frozen as expressions. Those that cannot be traced are an error that names the element and the
 * reason, and nothing is written. */
PH_API ph_status ph_model_freeze(const ph_model *model, FILE *to, ph_error *err);

/* Coordinates of rigid bodies. */
typedef enum ph_space_code {
#define PH_SPACE(code, name, text) code,
#include "polhode/spaces.def"
#undef PH_SPACE
    PH_SPACE_COUNT
} ph_space_code;

PH_API const char *ph_space_word(int k); /* name of space k; NULL past the end */

/* What run{} of the file says, on top of the defaults. */
typedef struct ph_run_def {
    ph_options opt;      /* opt.h = 0: not given */
    double t_end;        /* s; 0: not given */
    ph_space_code space; /* PH_SPACE_R3XSO3 */
    int assemble;        /* project inconsistent initial values instead of refusing them */
    int every;           /* steps between rows of the output */
} ph_run_def;

PH_API ph_run_def ph_model_run_def(const ph_model *model); /* run{} as it is in the file */
PH_API const char *ph_model_title(const ph_model *model);  /* what model "..." says */

PH_API uint64_t ph_model_key(const ph_model *model); /* fingerprint of its text and of the files it reads */
PH_API int ph_model_frozen(const ph_model *model);   /* 1: from JSON, and its parameters cannot be set */

/* Lists of a model. Strings are the model's. */
typedef enum ph_list { PH_BODIES, PH_JOINTS, PH_SENSORS, PH_PARAMETERS, PH_OBJECTIVES } ph_list;

PH_API int ph_model_count(const ph_model *model, ph_list list);                  /* how many there are */
PH_API const char *ph_model_name(const ph_model *model, ph_list list, int k);    /* of number k, from 0 */
PH_API int ph_model_find(const ph_model *model, ph_list list, const char *name); /* its index; -1: none */

PH_API double ph_model_parameter(const ph_model *model, int parameter); /* as set, or its default */

#define PH_SENSOR_MAX 64 /* numbers of any sensor */

PH_API int ph_model_sensor_size(const ph_model *model, int sensor);         /* numbers that it gives */
PH_API const char *ph_model_sensor_unit(const ph_model *model, int sensor); /* "N, N m": of each half */

/* A flexible body: what the reduction to its modes came to. Pointers are the model's. */
typedef struct ph_flexible_info {
    const char *name;
    int modes, markers;
    int load_cases;      /* of its stress stiffness; 0: it has none */
    const double *omega; /* rad/s of each mode; NULL: not known */
    double mass;         /* kg */
    ph_vec3 centre;      /* of mass, m from the origin of its frame, undeformed */
    ph_mat3 inertia;     /* kg m^2 about it */
    int nodes, rows;     /* of its finite elements; 0: they are not there */
    double strain,
        anisotropy; /* relative: what rigid motions strain them; how the mass depends on the direction */
} ph_flexible_info;

/* Functions of the file are traced: they become expressions, with exact derivatives and without Lua in a step. */
typedef struct ph_function_info {
    char element[96]; /* "force 'tyre'" */
    int line;         /* of what cannot be traced, or of the element; 0: unknown */
    const char
        *reason;   /* why it is called and differenced instead, everywhere or somewhere; NULL: it is traced */
    int somewhere; /* the reason is that of some ways through it; others are traced */
} ph_function_info;

PH_API int ph_model_function(const ph_model *model, int k, ph_function_info *out); /* 0: there is none */

/* Whether functions can be expressions of a parameter too, for exact derivatives by it. */
typedef struct ph_symbol_info {
    int exact;        /* 1: they can, or there are none */
    int line;         /* 0: unknown */
    char reason[160]; /* why not */
} ph_symbol_info;

/* The answer for one parameter, by its index. The file is read once more, from the text that the model keeps, and err tells where
 * that fails. */
PH_API ph_status ph_model_symbol(const ph_model *model, int parameter, ph_symbol_info *out, ph_error *err);
PH_API int ph_model_flexible(const ph_model *model, int k, ph_flexible_info *out); /* 0: there is none */
PH_API const char *ph_model_marker(const ph_model *model, int flexible, int marker,
                                   ph_vec3 *at); /* its name */

/* Why this build or this machine cannot write HDF5, a sentence; NULL: it can. */
PH_API const char *ph_model_missing_hdf5(void);

/* Write the reduced body k as flexible{ file = } reads it: JSON, or, with hdf5 1, HDF5. PH_E_INPUT: there is no such body, or
 * HDF5 is not there. */
PH_API ph_status ph_model_write_flexible(const ph_model *model, int k, int hdf5, FILE *to, ph_error *err);

/* ---- mechanisms ---------------------------------------------------------------------------------- */

/* A model as a system: bodies are nodes, joints are constraints, forces are terms of g. */
typedef struct ph_mechanism ph_mechanism;

/* Build for a space. Cost is linear in the number of elements. alloc (NULL: malloc) must outlive it. */
PH_API ph_status ph_mechanism_create(ph_mechanism **out, const ph_model *model, ph_space_code space,
                                     const ph_allocator *alloc, ph_error *err);
PH_API void ph_mechanism_destroy(ph_mechanism *mech); /* accepts NULL */

/* Initial values in the layout of the system, made consistent: velocities that are not given are chosen with
 * the least change of kinetic energy; given and inconsistent values are an error that names the joint, unless
 * assemble is 1: then they are projected. q0 and v0 belong to the mechanism. */
PH_API ph_status ph_mechanism_initial(ph_mechanism *mech, int assemble, const double **q0, const double **v0,
                                      ph_error *err);

/* After ph_mechanism_initial: the largest violations that assembling removed; 0: nothing had to be changed. */
PH_API void ph_mechanism_projected(const ph_mechanism *mech, double *position, double *velocity);

/* Which joint it was whose positions (0) or velocities (1) were the worst, in words; "": none. Returns text. */
PH_API const char *ph_mechanism_assembled(const ph_mechanism *mech, int velocities, char *text, size_t size);

/* After ph_mechanism_initial: find the constraints that others imply, as in many closed loops. The system
 * announces them; without it they are an error of ph_sim_create. Open chains and trees have none. */
PH_API ph_status ph_mechanism_rank(ph_mechanism *mech, ph_error *err);
PH_API int ph_mechanism_redundant(const ph_mechanism *mech, int constraint); /* its rows that others imply */

/* Multiply gravity and all forces and torques of force{} and torque{} by a factor, for static load steps;
 * springs, bushings and drives stay as they are. 1 at first. */
PH_API void ph_mechanism_set_load_factor(ph_mechanism *mech, double factor);

/* The mechanism's. */
PH_API const ph_system *ph_mechanism_system(const ph_mechanism *mech);

/* Why coordinates of the space refused a point, a sentence in the words of the model; "": they did not. Returns text. */
PH_API const char *ph_mechanism_complaint(const ph_mechanism *mech, char *text, size_t size);

/* Why a function of the file refused a point, "FILE:LINE: sentence"; "": none did. It is the model's. */
PH_API const char *ph_model_complaint(const ph_model *model);

/* How mechanisms differ that were built from one file for neighbouring values of a parameter. */
typedef struct ph_loads ph_loads;

/* Compare at[0 ... n-1], which must outlive it. *out NULL with PH_OK: they cannot be compared element by element, as with
 * constraints of the user's own, with flexible bodies, or in spaces whose coordinates are not the physical ones. */
PH_API ph_status ph_loads_create(ph_loads **out, int n, const ph_mechanism *const *at,
                                 const ph_allocator *alloc, ph_error *err);
PH_API void ph_loads_destroy(ph_loads *loads); /* accepts NULL */

/* Add the sums of weight[k] (M vdot + g + B^T lambda), weight[k] Phi and weight[k] (B v + Phi_t) of at[k],
 * whose weights have the sum 0: only elements that differ are evaluated. A ph_loads_fn of sens.h. */
PH_API ph_status ph_loads_add(const ph_state *s, const double *weight, unsigned what, double *r, double *Phi,
                              double *rate, void *loads);

/* ---- what a user sees of a state of the system --------------------------------------------------- */

/* One body, whatever the space. */
typedef struct ph_body_state {
    ph_vec3 x, v, a;          /* of the centre of mass, of a marker or of the origin of a frame, world */
    ph_quat q;                /* body to world */
    ph_vec3 omega, omega_dot; /* body components */
} ph_body_state;

/* The body at a state of the system: m, m/s, m/s^2, rad/s, rad/s^2. */
PH_API void ph_mechanism_body(const ph_mechanism *mech, const ph_state *s, int body, ph_body_state *out);

/* What a joint does to its second body, friction included: world components, torque about the joint point. */
PH_API void ph_mechanism_reaction(const ph_mechanism *mech, const ph_state *s, int joint, ph_vec3 *force,
                                  ph_vec3 *torque);

/* Where the multipliers of a joint start in lambda, and how many there are. */
PH_API int ph_mechanism_lambda(const ph_mechanism *mech, int joint, int *rows);

/* The numbers of a sensor. Any status but PH_OK: its function failed, and out is not set. Angles of joints
 * are counted over many turns, if the mechanism is told of each step. */
PH_API ph_status ph_mechanism_sensor(ph_mechanism *mech, const ph_state *s, int sensor, double *out);
PH_API void ph_mechanism_track(ph_mechanism *mech, const ph_state *s); /* after each step */
PH_API void ph_mechanism_rewind(ph_mechanism *mech);                   /* before a further run: no turns */
/* Turns as another mechanism of the same model counts them, with perhaps other values of its parameters. */
PH_API void ph_mechanism_copy_turns(ph_mechanism *mech, const ph_mechanism *other);

/* An objective of the file: a function of the state at the end, and one that is integrated over the run. */
typedef enum ph_objective_part { PH_AT_THE_END, PH_ON_THE_WAY } ph_objective_part;

/* 1: the objective has this part; 0: it has not. */
PH_API int ph_objective_has(const ph_model *model, int objective, ph_objective_part part);

/* Its value and, where g is not NULL, its derivatives by the state, which are added to g but for g->p, as
 * ph_scalar_fn wants them; they are differences, with nine digits or more of smooth functions. Any status but
 * PH_OK: a function of the file failed, and ph_model_complaint tells. */
PH_API ph_status ph_mechanism_objective(ph_mechanism *mech, const ph_state *s, int objective,
                                        ph_objective_part part, double *value, const ph_covector *g);

/* J: kinetic and potential (gravity, springs, bushings, torsions). */
PH_API double ph_mechanism_energy(const ph_mechanism *mech, const ph_state *s);
PH_API double ph_mechanism_kinetic(const ph_mechanism *mech, const ph_state *s); /* J: kinetic alone */

/* Power [W] that enters: of drives and constraints that depend on time, of forces and torques of the file, and of
 * efforts of actuators. */
PH_API double ph_mechanism_power(const ph_mechanism *mech, const ph_state *s);

/* Power [W] that dampers and friction take. */
PH_API double ph_mechanism_dissipation(const ph_mechanism *mech, const ph_state *s);

/* Softening of flexible body k, in the order of the file: the stiffness under load that it does without, where geometric_stiffness leaves it
 * out: its spin squared and its axial load, over the square of its lowest frequency and over a load that buckles it.
 * Both 0 where nothing is left out; returns 0 where there is no such body. */
PH_API int ph_mechanism_softening(const ph_mechanism *mech, const ph_state *s, int k, double *spin,
                                  double *load);

#ifdef __cplusplus
}
#endif

#endif
