/* The job of a command: a model, how it is simulated, and what was seen on the way. */
#ifndef PH_CLI_JOB_H
#define PH_CLI_JOB_H

#include "cli/body.h"
#include "cli/cli.h"
#include "cli/exact.h"
#include "cli/warn.h"
#include "io/json.h"
#include "io/record.h"
#include "problem/problem.h"

/* Softening of a flexible body. */
typedef struct ph_softening {
    double most;  /* over the run */
    double since; /* when it first mattered */
    int body;     /* the flexible body with the largest value */
} ph_softening;

/* What the program sees on the way, beside what the run itself watches. */
typedef struct ph_watch {
    double E0, E, drift;       /* of a built-in problem: energy at first and now; largest |E - E0 - work| */
    double work, power, t;     /* done on it, by the trapezoidal rule; at the last step */
    double begun, last_tick;   /* s */
    int events;                /* that were told of */
    long next_look;            /* the step at which the clock is read again */
    int terminal, interrupted; /* show progress; the signal that arrived, or 0 */
    char blind[400];           /* why a sensor has no number; "": they all have */
    ph_softening softening[2]; /* of flexible bodies without stiffness under load: of spin, of axial load */
} ph_watch;

typedef struct ph_job ph_job;

/* What a command makes of a run beyond a simulation. Any member may be NULL but simulate. */
typedef struct ph_extension {
    ph_status (*simulate)(ph_job *r); /* instead of ph_job_run */
    void (*header)(ph_job *r);        /* further channels of the file, and what each row has of them */
    void (*row)(ph_job *r, const ph_state *s);
    void (*text)(const ph_job *r); /* below the report */
    void (*json)(const ph_job *r, ph_json *j);
} ph_extension;

struct ph_job {
    const ph_args *args; /* with what the model's run{} says */
    ph_target target;
    ph_problem *p; /* of the target, */
    ph_run *run;   /* as this one */
    ph_bodies *bodies;
    ph_options opt; /* h divides t_end; 0: the method finds its steps */
    double t_end;
    long steps;                 /* planned; 0: not known */
    const ph_sim *sim;          /* of the run; NULL: it could not be started */
    ph_record record;           /* the trajectory */
    const char *plot;           /* picture of time histories; NULL: none */
    struct ph_history *history; /* what it shows */
    struct ph_view *view;       /* frames of a page; NULL: none is wanted */
    ph_exact_error error;       /* at the end, where a solution is known; as it is reported */
    ph_watch watch;
    int said;          /* why it failed */
    ph_warner *warner; /* NULL: nobody is to be warned */
    ph_status status;
    ph_error err;
    const ph_extension *extension; /* NULL: none */
    void *ctx;                     /* its own */
};

/* perform.c: plan, simulate and report the run of a target that is open; the exit code. */
int ph_job_perform(ph_job *r);

/* simulate.c: see that h and t_end are there and find the number of steps, 0 after one line on stderr; then start the
 * run and go to its end, status and err say how that went. ph_job_run: steps alone, with ph_watch_step. */
int ph_job_plan(ph_job *r);
void ph_job_simulate(ph_job *r);
ph_status ph_job_run(ph_job *r);

/* Energy at first and now [J], the largest drift, and the work done, if has_work. */
typedef struct ph_energies {
    double first, now, work, dissipated; /* J; of problems in C work has all of it */
    double drift;                        /* largest residual of the balance over the run */
} ph_energies;
ph_energies ph_job_energies(const ph_job *r);
int ph_job_is_numerical(ph_status s); /* a failure of the computation, and not of its input */

/* page.c: pages and their frames. ph_page_name: 0 after one line on stderr if a path is none of a page; ph_page_open before
 * the first frame, PH_OK where no page is wanted; ph_page_write: of what r->view holds, the exit code. */
int ph_page_name(const char *path);
int ph_page_folder(const char *path); /* the same of --vtk: where no folder is, or can be made */
ph_status ph_page_open(ph_job *r);
int ph_page_write(const ph_job *r);

/* watch.c: the observer; ctx is the ph_job. */
ph_status ph_watch_step(ph_run *run, int why, void *ctx);
void ph_watch_sensors(ph_job *r, const ph_state *s); /* ask all of them; watch.blind says which fails */
/* Write the warnings of the run; return their number. */
int ph_job_warnings(const ph_job *r, ph_warning to[PH_WARNINGS]);
void ph_watch_softening(const ph_job *r, char *text, size_t size); /* "": nothing that matters */
double ph_seconds(void);                                           /* since some moment */

/* trajectory.c: the table of the run. */
ph_status ph_trajectory_header(ph_job *r); /* PH_E_INPUT: --columns names something that is not there */
void ph_trajectory_row(ph_job *r, const ph_state *s);

/* The numbers of a sensor of the model, NaN where it fails: n of them in value. The second also keeps why, so
 * that the run ends. */
int ph_job_sensor(const ph_job *r, int sensor, const ph_state *s, double value[PH_SENSOR_MAX]);
/* What a run came to: the number over time that a sensor with over_time has, else the sensor. */
int ph_job_result(const ph_job *r, int sensor, const ph_state *s, double value[PH_SENSOR_MAX]);
int ph_job_watch_sensor(ph_job *r, int sensor, const ph_state *s, double value[PH_SENSOR_MAX]);

double ph_job_objective(const ph_job *r, int objective); /* its value so far, NaN where it fails */

/* trajectory.c: lists of the model whose numbers are told beside those of bodies, joints and sensors: group NULL past the end. */
typedef struct ph_told_list {
    int list, what;
    const char *group, *one;
} ph_told_list;
extern const ph_told_list ph_told_lists[];
#define PH_TOLD_STATES (&ph_told_lists[0])

/* Its column in tables; full: room for a name that no other column has. */
#define PH_TOLD_COLUMN (PH_LABEL_MAX + 16)
ph_channel ph_told_channel(const ph_run *run, const ph_told_list *list, int k, char full[PH_TOLD_COLUMN]);
int ph_job_told(const ph_job *r, const ph_told_list *list, int k, const ph_state *s,
                double value[PH_SENSOR_MAX]); /* how many numbers */

/* report.c: the settings in one line; the summary in words. */
void ph_report_settings(const ph_job *r, char *text, size_t size);
void ph_report_options(const ph_options *o, char *text, size_t size); /* the same but for the solver */
const char *ph_report_formulation(const ph_options *o); /* index1: accelerations are constrained */
void ph_report_text(const ph_job *r);

/* report_json.c: one object on stdout. 0: not enough memory. The second adds "bodies", "joints", "sensors", "states"
 * and "inputs". */
int ph_report_json(const ph_job *r);
void ph_report_json_state(ph_json *j, const ph_job *r, const ph_state *s);
void ph_report_json_warnings(ph_json *j, int n, const ph_warning *w);

#endif
