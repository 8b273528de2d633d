/* A run from inside: all that changes while a model is simulated. */
#ifndef PH_RUN_PRIVATE_H
#define PH_RUN_PRIVATE_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/base.h"
#include "base/tape.h"
#include "mech/mech.h"
#include "polhode/run.h"
#include "step/layout.h"
#include "step/tally.h"

/* What a run was told, as texts of its own. */
typedef struct ph_told {
    int n_parameters, n_options;
    ph_setting *parameter; /* the last one of a name */
    char **option;         /* "h=1e-3"; the last one of a key */
    int has_method;        /* method stands in place of what the file says, */
    int times_of_file;     /* 1: but `nonsmooth` is read from the file */
    ph_options method;     /* below options */
} ph_told;

#define PH_REACHED 1e-9 /* of a step: what is left of it at the end */

#define PH_INTEGRAL 4 /* points of the polynomial by which numbers of a run are integrated over time */

/* An integral so far, through the last values; plain numbers, so that it can be saved. */
typedef struct ph_integral {
    int n;       /* values since the start or the last jump, up to PH_INTEGRAL */
    int settled; /* the first step since then is over, and its integral known otherwise */
    double t[PH_INTEGRAL], x[PH_INTEGRAL];
    double before, sum; /* at the first of them, as long as none has gone; at the last */
    double more;        /* from there to a point that is only shown */
} ph_integral;

static inline double ph_integral_value(const ph_integral *i)
{
    return i->sum + i->more;
}

/* What is watched from step to step; plain numbers, so that it can be saved. */
typedef struct ph_watched {
    double t, added;           /* of the last look, and of the last one that integrals go on from */
    double position, velocity; /* violations, now */
    double most_position, most_velocity;
    double kinetic, potential, first_kinetic, first_potential; /* J */
    ph_integral work, dissipated;                              /* of sources; what dampers took */
    double residual, most_residual;                            /* of the balance, now, and the largest */
    double most_kinetic;                                       /* the largest */
    double given, explained; /* blow-up: positive work (RB3); what kinetic energy may be */
    double reserve;          /* the most that one step may have given besides (RB4) */
    double fallen;           /* most that the potential has given, or springs held at first */
    int strikes;             /* accepted points in a row with too much kinetic energy, */
    double struck_from;      /* s, and the time of the first one */
    int unbalanced;          /* the largest residual is above (RB21) */
    double unbalanced_from;  /* s, since this time */
    int between;             /* the last point lies within a step; sums start before it */
    int blown;               /* kinetic energy came from nowhere */
    int interpolated;        /* so was the state at the time added */
} ph_watched;

/* What the watch is told of a step of a mechanism that keeps its energy: the largest |Phi| and |B v|, energies, the square of the
 * fastest angular velocity. */
typedef struct ph_sighting {
    double position, velocity, kinetic, potential, spin;
} ph_sighting;

/* An objective on the way: its integrand at the last step, and the integral so far. */
typedef struct ph_so_far {
    double last, sum;
} ph_so_far;

/* One column after the other: what of the run they show. */
typedef struct ph_shown {
    int what, index, n;
} ph_shown;

typedef struct ph_recorded {
    ph_shown *shown;
    int n_shown, room_shown, columns; /* columns: t among them */
    double *row;
    long rows, room, every;
    double last_t; /* of the last row */
} ph_recorded;

/* What is told of one number of a sensor over the run. */
typedef struct ph_over {
    int seen;    /* there was a value */
    double most; /* largest, or least, */
    double when; /* and its time */
    ph_integral sum;
} ph_over;

/* Efforts and rates by which energy enters and leaves, first `given`, then `lost` pairs. */
typedef struct ph_pairs {
    int given, lost, room;
    struct ph_port *last, *now; /* at the last accepted point; at the present one */
    struct ph_port *start;      /* at the point where a stiff start ends its unresolved motion */
    double *seen;               /* efforts at the last accepted point, as the method sees them */
    void *block;
} ph_pairs;

typedef struct ph_following ph_following;
typedef struct ph_events ph_events;
struct ph_bars;
struct ph_doubt;

/* Steps that something else makes, from the state of the simulation to its next one. */
typedef struct ph_native {
    ph_status (*step)(ph_run *run, ph_error *err);
    void (*close)(struct ph_native *native, const ph_allocator *alloc);
} ph_native;

/* What makes such steps anew where parameters or options have changed. */
typedef struct ph_builder {
    void (*again)(ph_run *run);
    void (*close)(struct ph_builder *builder, const ph_allocator *alloc);
} ph_builder;

typedef enum ph_undo_kept { PH_UNDO_NOTHING, PH_UNDO_ALL, PH_UNDO_REST } ph_undo_kept;

/* State of the run before a step that restarts: after a jump of an input, on the way from an event to the grid, in parts. */
typedef struct ph_undo {
    void *tape;        /* NULL: no step of the run restarts */
    size_t room;       /* bytes */
    int all;           /* there is room for all; 0: for what is not of the simulation */
    ph_undo_kept kept; /* which part of the state it has; */
    int shown;         /* and these are what the tape does not have */
    double within;     /* of the simulation */
} ph_undo;

struct ph_run {
    ph_run_config config; /* parameters and options are in told */
    ph_told told;
    ph_model *model; /* a reference; NULL: of a system */
    ph_mechanism *mech;
    const ph_system *sys;
    double t0;
    const double *q0, *v0; /* of the mechanism, or of start */
    double *start;         /* of a system: copies of its initial values, */
    ph_skeleton *skeleton; /* and its layout; that of a model is the mechanism's */
    ph_run_def said;       /* by file and options */
    ph_run_def def;        /* as resolved; h divides t_end */
    uint64_t key;          /* of model, parameters and options */
    ph_sim *sim;
    int structure;
    uint64_t shape; /* of names and sizes, see ph_run_shape */
    int started;    /* accelerations and multipliers are there */
    int moved;      /* it did not start from its initial values */
    int balances;   /* a sensor is about work or dissipation */
    int counts;     /* angles of its joints are counted over turns */
    int shown;      /* integrals show the present point, and do not go on from it */
    double floor;   /* J, kinetic energy that is never too much */
    ph_watched watched;
    ph_pairs pairs;
    ph_tally tally; /* power and dissipation, for methods that add them up themselves */
    ph_over *over;  /* of each number of sensors with over_time; */
    int n_over;
    ph_stuck *stuck; /* joints that friction holds in the last equilibrium */
    int n_stuck;
    double growth;        /* 1/s, if the state is an equilibrium that is unstable; 0 otherwise */
    ph_so_far *so_far;    /* of the model's objectives */
    double wall_s, cpu_s; /* in steps alone */
    int n_inputs;
    ph_input *input;      /* of the model's inputs: values over time; the mechanism has a copy */
    double **input_table; /* the run's: times, then values; NULL: none */
    int *input_set;       /* it is not the value of the model */
    char *linear_names;   /* of the last linearisation */
    int n_linear;
    int linear_modes; /* the lowest modes as coordinates of linearisations; 0: coordinates with names */
    int jumped;       /* one changed at once: accelerations must be found anew before the next step */
    double *corners;  /* times at which functions bend, of the options of sim; NULL: those of the file */
    ph_recorded table;
    ph_observer_fn observer;
    void *observer_ctx;
    int observed; /* the start was shown to it */
    atomic_int stop;
    ph_run_trouble trouble;
    ph_following *following; /* NULL: no derivatives */
    ph_events *events;       /* NULL: the model has none, and no joint that can be switched */
    ph_native *native;       /* NULL: steps are the simulation's */
    ph_builder *builder;     /* NULL: and stay so */
    struct ph_bars *bars;    /* NULL: no error bars */
    struct ph_doubt *doubt;  /* numbers of a coarse run; NULL: bars were not tested */
    ph_undo undo;
};

/* run_settings.c: "h=1e-3" and the like onto what run{} says. */
ph_status ph_run_def_set(ph_run_def *def, const char *text, ph_error *err);
ph_status ph_told_copy(ph_told *to, const ph_told *from, const ph_allocator *alloc,
                       ph_error *err); /* PH_E_MEMORY */
/* Lists of a caller: PH_E_INPUT where one of them, or a text in it, is NULL, or a number of them negative. */
ph_status ph_told_add(ph_told *told, const ph_setting *parameters, int n_parameters,
                      const char *const *options, int n_options, const ph_allocator *alloc, ph_error *err);
void ph_told_free(ph_told *told, const ph_allocator *alloc);
ph_status ph_told_resolve(const ph_told *told, ph_run_def *def, ph_error *err);
void ph_told_set_method(ph_told *told, const ph_options *opt, const ph_model *model,
                        const ph_allocator *alloc);

/* run_save.c: what a failed step that has begun anew leaves is the state before it. make asks for memory, where steps may begin anew. */
ph_status ph_undo_make(ph_run *run);
void ph_undo_keep(ph_run *run);
void ph_undo_keep_rest(ph_run *run); /* all but the simulation, which returns by itself, if nothing is kept */
void ph_undo_return(ph_run *run);
void ph_undo_free(ph_run *run);

/* run_watch.c: after the initial values and after each step. PH_E_STEP: the solution blows up. */
ph_status ph_watch_start(ph_run *run); /* PH_E_MEMORY */
void ph_watch_free(ph_run *run);
void ph_watch_violation(ph_run *run);
ph_status ph_watch_look(ph_run *run, const ph_state *s, ph_error *err);
int ph_watch_told(ph_run *run, double t, const ph_sighting *seen); /* 0: the solution blows up; look at it */
void ph_watch_jump(ph_run *run);                                   /* powers have changed at once, */
void ph_watch_shock(ph_run *run,
                    double energy); /* and energy, which was so much: what is lost was dissipated */

/* run_corners.c: times that steps by tolerance end at, those of def among them; *own: the caller's; PH_E_MEMORY */
ph_status ph_corners_find(const ph_run *run, const ph_model *m, const ph_run_def *def, ph_times *out,
                          double **own);

/* 1: functions bend or jump at t, of which before and after are just that */
int ph_corners_at(const ph_run *run, double t, double *before, double *after);

/* PH_E_INPUT: a parameter moves a time at which functions jump, with tol. The run is at its start. */
ph_status ph_corners_stay(ph_run *run, int parameter, ph_error *err);

/* run_over.c: numbers over time */
void ph_integral_add(ph_integral *i, double t, double x);
void ph_integral_take(const ph_run *run, ph_integral *i, double t,
                      double x); /* or only shows it: the next one goes on from the last */
void ph_integral_put(ph_integral *i, double t, double x,
                     double part);                         /* part: its increment, which is known otherwise */
void ph_integral_show(ph_integral *i, double t, double x); /* only shows it; on the last values */
void ph_integral_jump(ph_integral *i);                     /* it goes on from another value */
void ph_integral_weights(long n, const double *t, double *w); /* of values at n times in such an integral */
ph_status ph_over_start(ph_run *run);                         /* PH_E_MEMORY */
int ph_over_numbers(const ph_run *run, const ph_over *over, int sensor,
                    double *out); /* 0: nothing is told of it over time */
void ph_over_add(ph_run *run, ph_over *over,
                 const ph_state *s); /* after the initial values and after each step */
void ph_over_jump(ph_run *run, ph_over *over, const ph_state *s); /* sensors have changed at once */
void ph_over_peaks(const ph_run *run,
                   ph_over *over); /* after ph_over_add: extreme values between points, too */

/* An objective that has come so far, at a state. */
ph_status ph_objective_value(ph_run *run, const ph_so_far *so_far, const ph_state *s, int k, double *out);
const ph_over *ph_over_of(const ph_run *run, const ph_over *over,
                          int sensor); /* its numbers; NULL: the same */

/* The same of the derivative of one number by a parameter: after ph_over_add, and at the end. */
typedef struct ph_over_slope {
    double most;
    ph_integral sum;
} ph_over_slope;

void ph_over_follow(const ph_over *o, int what, double t, double x, double slope, ph_over_slope *d);
double ph_over_slope_of(const ph_run *run, const ph_over *o, int what, const ph_over_slope *d);
/* Its derivative by x, the number at one point of a run over this time; part: what it counts in the integral; is_most: the
 * extreme value is there. */
double ph_over_weight(const ph_over *o, int what, double part, double time, int is_most, double x);

/* run_numbers.c: numbers of a state, by a mechanism of the model, perhaps at other values of its parameters. */
ph_status ph_numbers_of(const ph_run *run, ph_mechanism *mech, const ph_state *s, int what, int index,
                        double *out);
uint64_t ph_run_shape(const ph_run *run); /* a sum over all names and sizes */

/* run_step.c */
void ph_run_drop_native(ph_run *run);                 /* its own steps again */
ph_status ph_run_prepare(ph_run *run, ph_error *err); /* all that goes before a step */
ph_status
ph_run_begin(ph_run *run,
             ph_error *err); /* watch, objectives and table, at the initial values; turns are those there */
ph_status ph_run_look(ph_run *run, int why,
                      ph_error *err); /* all that is done after a step of another loop */
void ph_run_jump(
    ph_run *run); /* all numbers have changed at once: what is added up goes on from the present state */
void ph_run_pass(void *run); /* the output has passed the end of a step of the method */
void ph_table_free(ph_run *run);

void ph_stuck_free(ph_run *run); /* run_static.c */

/* run_bars.c: error bars, after the initial values and after each step; of which states numbers over time are. */
void ph_bars_free(ph_run *run);
void ph_bars_look(ph_run *run);
void ph_bars_jump(ph_run *run);
void ph_bars_before(ph_run *run, double t); /* what is read at t has the accelerations of the present time */
int ph_run_extrapolates(const ph_run *run);
const ph_over *ph_bars_over(const ph_run *run);
const ph_so_far *ph_bars_so_far(const ph_run *run);

/* run_doubt.c */
void ph_doubt_free(ph_run *run);
int ph_doubt_count(
    const ph_run *run); /* numbers in doubt; 0 if bars were not tested, -1 if the coarse run failed */

/* run_failure.c: pointers that a function cannot do without, "run, out"; PH_E_INPUT. */
ph_status ph_refuse_null(const char *names, ph_error *err);

/* A sentence in words of the model; of a step also what ph_run_failure tells. */
ph_status ph_run_explain(ph_run *run, ph_status s, ph_error *err);
ph_status ph_run_explain_static(const ph_run *run, ph_status s, ph_error *err);
ph_status ph_run_explain_start(const ph_mechanism *mech, const ph_model *model, ph_status s, double t,
                               ph_error *err);

/* run_input.c */
ph_status ph_inputs_adopt(ph_run *run); /* of a new mechanism: it gets those of the run; PH_E_MEMORY */
void ph_inputs_free(ph_run *run);
void ph_inputs_settle(ph_run *run); /* before the run starts anew: they stay as they were set */
double ph_inputs_value(const ph_run *run, int input); /* now */
double ph_inputs_bend(const ph_run *run); /* the end of a line that was set; HUGE_VAL: there is none */
double ph_inputs_part(const ph_run *run); /* where a table steps before the grid; HUGE_VAL: none does */
int ph_inputs_jump(const ph_run *run);    /* one whose table has a step within the run; -1: none has */
ph_status ph_inputs_before_step(ph_run *run, ph_error *err);
void ph_inputs_begin(ph_run *run, int keep); /* steps of tables are taken now; keep 0: until the next line */
void ph_inputs_return(ph_run *run);
void ph_inputs_tape(ph_run *run, ph_tape *t);
uint64_t ph_inputs_key(const ph_run *run, uint64_t key); /* of their tables too */

void ph_inputs_put(ph_run *run, int input, double value); /* at once, from now on */

/* run_events.c */
ph_status ph_events_adopt(ph_run *run); /* of a new simulation; PH_E_MEMORY */
void ph_events_free(ph_run *run);
ph_status ph_events_rewind(ph_run *run, ph_error *err); /* joints and inputs as at the start; */
void ph_events_return(ph_run *run);                     /* and as before */
ph_status ph_events_begin(ph_run *run, ph_error *err);  /* at the initial values */
/* What does not go across events, where the model has any. */
#define PH_NO_BARS "error bars do not go across events; compare runs with two step sizes"
ph_status ph_events_refuse(const ph_run *run, const char *what, ph_error *err);
int ph_events_met(const ph_run *run); /* the last step ended at one */
ph_status ph_events_act(ph_run *run, ph_error *err);
void ph_events_tape(ph_run *run, ph_tape *t);

/* run_derivative.c: after each step, and before the first, what is integrated over the run. */
void ph_following_free(ph_run *run);
void ph_following_look(ph_run *run, double dt);
void ph_following_jump(ph_run *run);

#endif
