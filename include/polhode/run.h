/* Runs: one object for everything that is done with a model.
 *
 *   ph_run *run;
 *   ph_run_config c = ph_run_defaults();
 *   if (ph_run_open(&run, "arm.lua", &c, &err)) ...          read, build, assemble: ready at the initial time
 *   int tip = ph_run_find(run, PH_SENSORS, "tip");
 *   for (; ph_run_time(run) < 1; ph_run_get(run, PH_GET_SENSOR, tip, value))
 *       if (ph_run_step(run, &err)) ...                       failed: the state is as before
 *   ph_run_close(run);
 *
 * A ph_model is constant and may be shared by runs in several threads. A run holds all that changes and serves one
 * thread at a time. Functions that return ph_status leave the run as it was if they fail, unless their comment says
 * otherwise. Stepping, get, save and restore do not allocate, but for the rows of a table and where a matrix needs a
 * second solver. err may be NULL everywhere, other pointers where it is said: functions that return ph_status refuse them otherwise, with
 * PH_E_INPUT, and other functions must not be given them. Indices and names may be any. Plain C only, for
 * foreign interfaces. */
#ifndef POLHODE_RUN_H
#define POLHODE_RUN_H

#include "polhode/equilibrium.h"
#include "polhode/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_run ph_run;

/* ---- open and close -------------------------------------------------------------------------------- */
/* What is computed after each step beside the step: constraint violations; the energy balance; whether kinetic energy
 * can be explained (it needs the balance): if not, the step is reported as failed, and the run stays at its end. A run
 * in real time sets 0. */
enum { PH_WATCH_VIOLATION = 1, PH_WATCH_ENERGY = 2, PH_WATCH_BLOWUP = 4, PH_WATCH_ALL = 7 };

typedef struct ph_run_config {
    size_t size; /* sizeof(ph_run_config); set by ph_run_defaults, so that members can be added */
    const ph_setting *parameters; /* in place of defaults in the file; the last one of a name counts */
    int n_parameters;
    const char *const
        *options; /* "h=1e-3", "formulation=ggl", "space=SE3": keys of run{}; they override the file. A
                                   list and not fields: what is not given must be told from what is */
    int n_options;
    unsigned watch;            /* PH_WATCH_ALL */
    const ph_allocator *alloc; /* NULL: malloc; must outlive the run */
    ph_log_fn log;             /* notes, such as that tangents are differenced; NULL: silent */
    void *log_ctx;
    int wait; /* 1: no accelerations and multipliers until ph_run_start; equilibria and modes need none */
    double
        eps; /* step of differences by a parameter, as a part of its value, absolute where that is 0; 0: 2^-9, or
             * less where a model needs it */
    int compiled; /* 1: steps by the compiled model, ph_run_build; where there is none, log says why, and steps are the run's */
} ph_run_config;

/* No parameters and options, watch all, malloc, no log. */
PH_API ph_run_config ph_run_defaults(void);

/* Read a file and create its run, which then owns the model. err says "FILE:LINE: sentence". config may be NULL. Where
 * neither file nor options give a step size, the run is there, and its first step is refused. */
PH_API ph_status ph_run_open(ph_run **out, const char *path, const ph_run_config *config, ph_error *err);

/* What run{} of a model says with options on top, without a run. */
PH_API ph_status ph_model_settings(const ph_model *model, const char *const *options, int n, ph_run_def *out,
                                   ph_error *err);

/* A run of a model that was read before. Any number of runs may share it: the run keeps a reference, and
 * ph_model_free gives up that of the caller. Functions of the file that need Lua get a Lua state of this run, from
 * the text kept in the model. config->parameters: the model is evaluated anew from that text, with those that it was
 * read with and these. No file is opened, here or later: the model also keeps the bytes of all files that it has read
 * (data, matrices, reduced bodies). PH_E_INPUT: other parameters name a file that was not read. The allocator of the
 * model must outlive its runs. */
PH_API ph_status ph_run_create(ph_run **out, const ph_model *model, const ph_run_config *config,
                               ph_error *err);

/* A run of a system of the caller's own, which must outlive it: lists are empty but for PH_NODES, PH_CONSTRAINTS.
 * It has no parameters. */
PH_API ph_status ph_run_create_system(ph_run **out, const ph_system *sys, double t0, const double *q0,
                                      const double *v0, const ph_run_config *config, ph_error *err);
PH_API void ph_run_close(ph_run *run); /* accepts NULL */

/* Accelerations and multipliers at the initial values, of a run that waits; others have them. The first step does the
 * same. */
PH_API ph_status ph_run_start(ph_run *run, ph_error *err);

/* Back to the initial time and values, with present parameters and options. */
PH_API ph_status ph_run_reset(ph_run *run, ph_error *err);

/* Other parameters (those not named stay), then as ph_run_reset. What does not depend on them is kept:
 * another h needs no new mechanism and no new analysis of its matrices, another formulation only that of its step. */
PH_API ph_status ph_run_set_parameters(ph_run *run, const ph_setting *parameters, int n, ph_error *err);
/* The same with options, as "h=1e-3". */
PH_API ph_status ph_run_set_options(ph_run *run, const char *const *options, int n, ph_error *err);

/* Replace all options of the method that file and options gave, for studies of methods; then as ph_run_reset.
 * alloc and log are those of the run. */
PH_API ph_status ph_run_set_method(ph_run *run, const ph_options *opt, ph_error *err);

/* Steps by the compiled model (1), built by the C compiler of the system, from now on and after other parameters or options; or its
 * own again (0). A run is compiled at its initial time. PH_E_INPUT: it cannot be compiled, or there is no compiler, and steps are its
 * own. polhode/compile.h has more. */
PH_API ph_status ph_run_set_compiled(ph_run *run, int on, ph_error *err);
PH_API int ph_run_is_compiled(const ph_run *run); /* 1: steps are made so */

/* Changes when names, counts or sizes changed: indices found before are then no longer valid, and the table has lost
 * its columns. */
PH_API int ph_run_structure(const ph_run *run);

/* Start from other values, in the layout of the system; project 1: make them consistent, 0: refuse others. Watch,
 * counters and table begin anew, as after ph_run_reset. */
PH_API ph_status ph_run_start_at(ph_run *run, double t, const double *q, const double *v, int project,
                                 ph_error *err);

/* The same, but with memory, bytes as the ph_memory of the run's system has kept them, instead of turns from none: for a state to which a
 * motion has led, as ph_equilibrium_memory has them. NULL: as ph_run_start_at. */
PH_API ph_status ph_run_go_on_at(ph_run *run, double t, const double *q, const double *v, const void *memory,
                                 int project, ph_error *err);

/* ---- steps ----------------------------------------------------------------------------------------- */
/* One step; with error control, to the next point of the grid, or, without a grid, one step of the method. A step that
 * meets an event ends there, with what the event has done; the next one goes on to the grid. One within which the table of an
 * input has steps is made in parts that end at them; if one fails, the run stays where it begins. On failure ph_run_failure
 * tells more. PH_E_STOPPED: an event has ended the run. */
PH_API ph_status ph_run_step(ph_run *run, ph_error *err);

/* Steps until t, which is reached to round-off, or until an event ends the run, see ph_run_ended_by. t off the grid of
 * constant steps is PH_E_INPUT. On failure the run stays at the last step that succeeded; PH_E_STOPPED: see ph_run_stop. */
PH_API ph_status ph_run_until(ph_run *run, double t, ph_error *err);

/* The same, but after this many seconds of wall time it returns early, with PH_OK and *arrived = 0; a further call with
 * the same t goes on with the same bits. For callers that look after signals of their own, as interpreters do. */
PH_API ph_status ph_run_until_or(ph_run *run, double t, double seconds, int *arrived, ph_error *err);

/* Ask ph_run_until or ph_run_gradient to return after the step under way, forwards or back; where none is, the next call
 * returns before its first. May be called from a signal handler or another thread. */
PH_API void ph_run_stop(ph_run *run);

/* Why an observer is called. PH_ON_EVENT: after what events have done, at their time; a step that ends on the grid there
 * follows. */
enum { PH_ON_START, PH_ON_STEP, PH_ON_EVENT };

/* Called by ph_run_until and ph_run_gradient (on its way forwards); any status but PH_OK stops the run. It may read and
 * save the run, and stop it; it must not change it otherwise. */
typedef ph_status (*ph_observer_fn)(ph_run *run, int why, void *ctx);
PH_API void ph_run_observe(ph_run *run, ph_observer_fn f, void *ctx); /* one observer; NULL: none */
PH_API double ph_run_time(const ph_run *run);                         /* s */
PH_API double ph_run_end(const ph_run *run); /* t_end; 0: neither file nor options give it */
/* Options as resolved; h divides t_end, 0 if not given. `nonsmooth` lists the given times only, and is valid until
 * parameters are set. */
PH_API ph_options ph_run_options(const ph_run *run);
PH_API ph_run_def ph_run_settings(const ph_run *run); /* all of run{}, as file and options say it */

/* Times after the start and up to t_end at which functions of the model jump or bend because of the time alone, and tables of inputs do:
 * where steps by tolerance end. In order, the first room of them to t; how many there are. -1: memory does not suffice. */
PH_API int ph_run_corners(const ph_run *run, double *t, int room);

/* ---- names and numbers ----------------------------------------------------------------------------- */
/* Lists beside those of ph_list: PH_BODIES, PH_JOINTS, PH_SENSORS, PH_PARAMETERS, PH_OBJECTIVES. PH_NODES: of a system of one's own. */
enum { PH_INPUTS = 16, PH_STATES, PH_ACTUATORS, PH_EVENTS, PH_FLEXIBLE, PH_NODES, PH_CONSTRAINTS };
PH_API int ph_run_count(const ph_run *run, int list);               /* how many there are; 0: no such list */
PH_API const char *ph_run_name(const ph_run *run, int list, int k); /* the run's; NULL past the end */
PH_API int ph_run_find(const ph_run *run, int list, const char *name); /* its index; -1: none */

/* What can be read; of which list the index is, and how many numbers. New ones go to the end. */
enum {
    PH_GET_POSITION,
    PH_GET_ROTATION,
    PH_GET_VELOCITY,
    PH_GET_OMEGA,
    PH_GET_ACCELERATION,
    PH_GET_OMEGA_DOT, /* body; omega: body components; a particle does not turn */
    PH_GET_JOINT_POSITION,
    PH_GET_JOINT_RATE, /* joint: one for each free coordinate, of x y z rx ry rz; angles count over many turns */
    PH_GET_REACTION,    /* joint: force and torque on its second body, world: 6 */
    PH_GET_MULTIPLIERS, /* joint, then constraint{}: one for each row; of a system: its constraints */
    PH_GET_SENSOR,
    PH_GET_INPUT,
    PH_GET_STATE,
    PH_GET_EFFORT, /* actuator: along its coordinate, with spring, damper and stops: 1 */
    PH_GET_PARAMETER,
    PH_GET_OBJECTIVE, /* value so far: integral to now plus final at the present state */
    PH_GET_ENERGY, /* index 0: kinetic, potential, work, dissipated, residual: energy less what the others explain */
    PH_GET_VIOLATION, /* index 0: position, velocity, now */
    PH_GET_STEP,      /* index 0: h and Newton iterations of the last step; 0 before the first */
    PH_GET_NODE,      /* node of a system of one's own: its element, as lie.h stores it */
    PH_GET_NODE_VELOCITY,
    PH_GET_NODE_ACCELERATION, /* node: as many as its group has dimensions */
    PH_GET_MOTION, /* body: position, rotation, velocity, omega, acceleration, omega_dot at once: 19; a particle: 9 */
    PH_GET_ETA,       /* as PH_GET_MULTIPLIERS, of the stabilised form */
    PH_GET_DRIVE,     /* driven joint: coordinate and rate as the bodies have them; angles in (-2 pi, 2 pi] */
    PH_GET_SOFTENING, /* flexible body without stiffness under load: ph_mechanism_softening */
    PH_GET_ASSEMBLED, /* index 0: the violations of positions and of velocities that assembling removed */
    PH_GET_OVER,      /* sensor with over_time: what each of its numbers comes to, so far */
    PH_GET_FASTEST /* index 0: the largest speed [m/s] and the largest angular velocity [rad/s] of a body */
};
PH_API int ph_run_size(const ph_run *run, int what, int index);                 /* numbers; 0: not there */
PH_API const char *ph_run_label(const ph_run *run, int what, int index, int k); /* of number k: "x", "qw" */
PH_API const char *ph_run_unit(const ph_run *run, int what, int index, int k);  /* of number k: "m" */
PH_API ph_status ph_run_get(ph_run *run, int what, int index,
                            double *out); /* PH_E_CALLBACK: a function failed */

/* The same of another state in the layout of the system, such as an equilibrium or a reference solution: of bodies,
 * joints, sensors, inputs, states, actuators and flexible bodies. Angles count from the turns of the run. */
PH_API ph_status ph_run_get_of(ph_run *run, const ph_state *s, int what, int index, double *out);

/* Properties of an element of a list. */
enum {
    PH_IS_PARTICLE,    /* body: it does not turn */
    PH_IS_MARKER,      /* body: it moves with a flexible body */
    PH_IS_DRIVEN,      /* joint */
    PH_IS_ANGLE,       /* joint: its coordinate is an angle */
    PH_IS_QUATERNION,  /* sensor: it gives a rotation */
    PH_IS_OF_FUNCTION, /* sensor: a function of the file gives it */
    PH_IS_VECTOR,      /* sensor: its numbers are components along x, y, z */
    PH_IS_INTEGRAL     /* objective: some of it is integrated over the run */
};
PH_API int ph_run_is(const ph_run *run, int flag, int index); /* 0: no, or there is no such element */

/* Rows of constraint k of the system that earlier ones imply, as in many closed loops. */
PH_API int ph_run_redundant(const ph_run *run, int constraint);

/* Where assembling moved the initial positions (0) or velocities (1): which joint they violated, in words; "": nothing
 * moved. Returns text. */
PH_API const char *ph_run_assembled(const ph_run *run, int velocities, char *text, size_t size);

/* A table of the run: choose columns before its rows; ph_run_step and ph_run_until add a row for the present state and after each
 * every-th step, ph_run_until also at its end. every is that of run{}, or 1. The table is the run's; it may move when it
 * grows, and it is emptied whenever the run starts anew and by ph_run_restore. */
PH_API ph_status ph_run_record(ph_run *run, int what, int index, int *first_column, ph_error *err);
PH_API void ph_run_record_every(ph_run *run, long every);                      /* at least 1 */
PH_API const double *ph_run_rows(const ph_run *run, long *rows, int *columns); /* column 0 is t */

/* ---- inputs ------------------------------------------------------------------------------------------- */
/* From now on. hold = "linear": reached at the end of the next step, but at once before the first one. A jump makes
 * accelerations consistent anew. PH_E_INPUT: there is no such input, or the value is not finite. A table that was given is
 * forgotten, with the times at which it bends; PH_E_MEMORY is possible then. */
PH_API ph_status ph_run_set_input(ph_run *run, int input, double value);

/* As a table over rising times, copied; hold says whether it is interpolated or has steps; beyond its ends it is constant.
 * Gradients need this form: they repeat parts of the run. Inputs stay as they are set when the run starts anew. */
PH_API ph_status ph_run_set_input_table(ph_run *run, int input, int n, const double *t, const double *u,
                                        ph_error *err);

/* The same from words: "u=2", "u=FILE.csv" with columns t and u, or that of the name of the input. */
PH_API ph_status ph_run_input_text(ph_run *run, const char *text, ph_error *err);
/* Hand the rows over to the caller, who frees them with ph_rows_free and the allocator of the run's configuration; they
 * may outlive the run, whose table is then empty, with the same columns. NULL: there are none. */
PH_API double *ph_run_take_rows(ph_run *run, long *rows, int *columns);
PH_API void ph_rows_free(double *rows, const ph_allocator *alloc); /* accepts NULL */
PH_API void ph_run_record_none(ph_run *run);                       /* at any time: no rows, no columns */

/* ---- events and joints that are switched ----------------------------------------------------------------- */
typedef struct ph_run_event {
    int event; /* of PH_EVENTS */
    double t;
} ph_run_event;

/* Those since the start, the first 1024; n: how many. The run's, until it changes; NULL: the model has no events. */
PH_API const ph_run_event *ph_run_events(const ph_run *run, int *n);
PH_API long ph_run_event_count(const ph_run *run); /* since the start, all of them */
PH_API int ph_run_ended_by(const ph_run *run);     /* the event that has ended the run; -1: none has */

/* What an event does, in words: "release sling, set brake". Returns text. */
PH_API const char *ph_run_event_action(const ph_run *run, int event, char *text, size_t size);

/* Release (0) or engage (1) a joint that is not active from the start or that an event names; positions and velocities are
 * made consistent, and the method starts anew. */
PH_API ph_status ph_run_set_active(ph_run *run, int joint, int active, ph_error *err);

/* ---- save and restore --------------------------------------------------------------------------------- */
/* All that changes, as bytes; a state file is these bytes after a header. State and history of the method, first guess,
 * step control, factorisation kept by modified Newton (or that there is none), choice of redundant rows, turns, watch,
 * inputs, objectives, counters; not the table. A run of the same model, parameters, options (but for t_end) and tables of
 * inputs goes on with the same bits; another is refused. With tol, steps are those for the time to the t_end of the run that goes on. PH_E_INPUT where a function of the file is seen to keep values between its calls, and while
 * derivatives follow. */
PH_API size_t ph_run_save_size(const ph_run *run); /* constant between calls of ph_run_set_ */
/* Write to size bytes, as many as ph_run_save_size says; PH_E_INPUT otherwise. */
PH_API ph_status ph_run_save(const ph_run *run, void *to, size_t size);
/* Go on from bytes of ph_run_save; the table is emptied. PH_E_INPUT: they are damaged, or of another run; nothing changes then. */
PH_API ph_status ph_run_restore(ph_run *run, const void *from, size_t size, ph_error *err);

/* ---- what happened -------------------------------------------------------------------------------------- */
typedef struct ph_run_summary {
    ph_stats stats; /* wall_s: of ph_run_until, but for watch, observer and table */
    double violation_position, violation_velocity;             /* largest over the run */
    double energy_initial, energy, work, dissipated, residual; /* J; as PH_GET_ENERGY; residual: largest */
} ph_run_summary;

typedef struct ph_run_culprit {
    int list, index;
    double residual;
} ph_run_culprit; /* PH_BODIES, PH_JOINTS, ... */
typedef struct ph_run_trouble {
    ph_status status;
    int iterations, n_culprits;
    double t, h;
    ph_run_culprit culprit[4]; /* worst first */
    int explodes;              /* 1: the step was done, and its kinetic energy cannot be explained */
} ph_run_trouble;
/* Why callbacks refused a state, of another simulation of the system too: a sentence in the words of the model; "": they
 * did not. Returns text. */
PH_API const char *ph_run_complaint(const ph_run *run, char *text, size_t size);
/* Counters, times, violations and energies since the start; violations and energies as far as they are watched. */
PH_API ph_run_summary ph_run_summarise(const ph_run *run);
/* Work of the steps since the start, counted in evaluations of accelerations: the same on every machine, to compare methods. */
PH_API double ph_run_work(const ph_run *run);
PH_API ph_run_trouble ph_run_failure(const ph_run *run); /* of the last step that failed since the start */

/* A reason to doubt a result of a run that did not fail. */
#define PH_WARNING_MAX 320
typedef struct ph_warning {
    const char *what;          /* kind, in one word: "energy", ... */
    double t;                  /* s, when it was first met; NAN if it belongs to no time */
    char text[PH_WARNING_MAX]; /* what happened and what to do, one sentence */
} ph_warning;
/* Write the first `room` warnings of the run so far; return their total number. */
PH_API int ph_run_warnings(const ph_run *run, ph_warning *to, int room);

/* ---- analysis: none of these changes the state unless it says so ------------------------------------------ */
/* A joint that friction holds in an equilibrium, which then is one of a set. */
typedef struct ph_stuck {
    const char *joint;
    double force, most;     /* the force of friction, and mu N: N, or N m about the axis */
    double ratio;           /* of the two */
    double friction, needs; /* its coefficient; the least that would hold it */
} ph_stuck;
/* Write the first `room` joints that friction holds in the last equilibrium of the run; return their number. 0: it needs no friction. */
PH_API int ph_run_stuck(const ph_run *run, ph_stuck *to, int room);
/* Move the run to an equilibrium at the present time, at rest, as by ph_run_go_on_at. options NULL: defaults; load, ctx
 * and alloc are not read. */
PH_API ph_status ph_run_static(ph_run *run, const ph_static_options *options, ph_static_stats *stats,
                               ph_error *err);

/* The same equilibrium as an object, with its multipliers; the run does not change. Numbers of its state (ph_run_get_of) want its memory
 * taken back, where there is one. */
PH_API ph_status ph_run_equilibrium(ph_equilibrium **out, ph_run *run, const ph_static_options *options,
                                    ph_error *err);
PH_API ph_status ph_run_modes(ph_modes **out, ph_run *run, ph_error *err); /* about the present state */

/* Set the coordinates of linearisations that follow: modes > 0: x = (z, z', states) with the amplitudes z of that many of the
 * lowest modes, or of all if there are fewer, for any number of velocities; 0: all coordinates of the mechanism, by name. Modes
 * are those without damping at a state of rest, orthonormal in M. */
PH_API ph_status ph_run_linear_modes(ph_run *run, int modes, ph_error *err);

/* How many numbers x, u and y of ph_run_linearise have at the present state; any may be NULL. */
PH_API ph_status ph_run_linear_sizes(ph_run *run, int *n_x, int *n_u, int *n_y, ph_error *err);

/* Linearise about the current state, which need not be steady: x' = A x + B u, y = C x + D u with u the inputs, y the sensors,
 * and x independent coordinates of the mechanism, their rates, and states. The caller owns the matrices, row by row; any may be
 * NULL. A comes from exact tangents; entries that are round-off are 0. */
PH_API ph_status ph_run_linearise(ph_run *run, double *A, double *B, double *C, double *D, ph_error *err);
PH_API const char *ph_run_linear_name(const ph_run *run,
                                      int x); /* of the last ph_run_linearise; NULL past the end */

/* Eigenvalues of the n x n matrix A of ph_run_linearise, by falling modulus; the zeros of free motions come last and are exact. */
PH_API ph_status ph_linear_eigenvalues(int n, const double *A, double *re, double *im, ph_error *err);

/* Direct: call at the initial time and values; steps then carry derivatives by these parameters, until the run starts
 * anew; n = 0 ends it at any time. Those by parameters[k] are read like the numbers themselves, of bodies, joints,
 * constraints, sensors, states and objectives; of rotations they are body-fixed vectors, 3 numbers. */
PH_API ph_status ph_run_follow(ph_run *run, const int *parameters, int n, ph_error *err);
/* Right after ph_run_follow: leave terms out, see ph_sens_simplify. PH_E_INPUT: no derivatives follow. */
PH_API ph_status ph_run_simplify(ph_run *run, ph_simplification how, ph_error *err);
/* The derivative of what ph_run_get gives by the k-th parameter that is followed. PH_E_INPUT: it is not followed, or has none. */
PH_API ph_status ph_run_get_derivative(ph_run *run, int what, int index, int k, double *out);
PH_API double ph_run_eps(const ph_run *run, int parameter); /* longest step of its differences */

/* Error bars: call at the initial time; steps then carry the global error of the run, exact less numerical, until the run
 * starts anew; on 0 ends it at any time. In the stabilised form and index-2 it is asymptotically exact, in index-3 an estimate.
 * Errors are read like the numbers themselves, of bodies, joints, constraints, sensors, states, sensors over time and objectives; of rotations
 * they are body-fixed vectors, 3 numbers. PH_E_INPUT: the method does not know its errors. */
PH_API ph_status ph_run_error_bars(ph_run *run, int on, ph_error *err);
/* The error of what ph_run_get gives, in its unit. PH_E_INPUT: there are no error bars, or none of this number. */
PH_API ph_status ph_run_get_error(ph_run *run, int what, int index, double *out);

/* Test at which numbers error bars are to be trusted: run to t with error bars and steps twice as large, or four times the tolerance, keep
 * the numbers, and reset the run, whose observer is not called. Call at the initial time, before ph_run_error_bars. If the coarse run
 * fails, all error bars are in doubt. */
PH_API ph_status ph_run_test_bars(ph_run *run, double t, ph_error *err);
/* For each number of ph_run_get_error at the tested time: 1 if its error bar is not to be trusted yet, since it does not shrink as
 * errors of small steps do. PH_E_INPUT: no test, another time, or no error bar. */
PH_API ph_status ph_run_get_doubt(ph_run *run, int what, int index, int *out);

/* With error bars: numbers of the run are those of the state less its error, which is of third order where errors are exact. */
PH_API ph_status ph_run_extrapolate(ph_run *run, int on);

/* The state that numbers are read of; it holds until the next step. */
PH_API ph_state ph_run_state(ph_run *run);

/* Adjoint: reset, run to t_end, go back; the run ends at t_end. memory [bytes] bounds checkpoints; 0: the square root
 * of steps. PH_E_INPUT: error control on a grid, a method that has no adjoint, or functions of the file that keep values between
 * their calls. A failure leaves the run where it happened, or at t_end. Where the table of an input has steps, the run starts anew at each,
 * and derivatives follow it instead: the same numbers, for a time that grows with n. */
PH_API ph_status ph_run_gradient(ph_run *run, int objective, const int *parameters, int n, size_t memory,
                                 double *value, double *gradient, ph_error *err);
/* The same of one number of a sensor: what it comes to over time, or what it has at t_end where it has no over_time. */
PH_API ph_status ph_run_gradient_of_sensor(ph_run *run, int sensor, int number, const int *parameters, int n,
                                           size_t memory, double *value, double *gradient, ph_error *err);

/* The error of an objective, exact less numerical, and where it comes from: n_parts equal parts of the time of the run, each with what its
 * steps add; backwards from the end, as ph_run_gradient. The trapezoidal rule of integrals counts, too. For genalpha, as error bars;
 * PH_E_INPUT also where the table of an input has steps. */
PH_API ph_status ph_run_objective_error(ph_run *run, int objective, size_t memory, double *value,
                                        double *error, int n_parts, double *parts, ph_error *err);

/* A tol with which the error of an objective, as error bars find it, is at most wanted: runs are made to t_end until it is, each with
 * a smaller tol. The run is then reset, with that tol, and with its grid if it has one. PH_E_STEP: no tol down to 1e-12 will do. */
PH_API ph_status ph_run_tol_for(ph_run *run, int objective, double wanted, double *tol, ph_error *err);

/* ---- for experts: views that hold until the next call that changes the run ----------------------------------- */
PH_API const ph_model *ph_run_model(const ph_run *run);   /* NULL: of a system */
PH_API const ph_system *ph_run_system(const ph_run *run); /* that is integrated */
PH_API const ph_sim *ph_run_sim(const ph_run *run); /* read only: stepping it would leave the run behind */
/* Initial values in the layout of the system, as assembled. */
PH_API void ph_run_initial(const ph_run *run, const double **q0, const double **v0);
PH_API ph_status ph_run_fastest(ph_run *run, double *omega); /* see ph_sim_fastest */

/* Count turns along states that are none of the run, in order; NULL: from none. A run counts its own. */
PH_API void ph_run_count_turns(ph_run *run, const ph_state *s);

#ifdef __cplusplus
}
#endif

#endif
