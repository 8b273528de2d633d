/* What a command simulates: the model that its arguments name, a file or a built-in problem. */
#ifndef PH_CLI_TARGET_H
#define PH_CLI_TARGET_H

#include <stdint.h>

#include "cli/cli.h"
#include "io/json.h"
#include "polhode/run.h"
#include "problem/problem.h"

typedef struct ph_target {
    ph_run *run;           /* waits for ph_run_start */
    ph_problem *p;         /* the same as studies see it; of a file without exact solution */
    const ph_model *model; /* of a file, the run's; NULL: a built-in problem */
    int *connected;        /* of each constraint: those with the same number are connected through bodies */
    double *corner;        /* that of p */
    double x;              /* parameter of a built-in problem; 0: it has none */
    ph_status status;      /* of what could not be opened: why */
} ph_target;

/* 1: the word may name a model; 0 after one line on stderr: it is no file's and no built-in problem's */
int ph_target_known(const char *name);

/* 1: the word names a file; 0: a built-in problem */
int ph_target_is_file(const char *name);

/* 1: the built-in problem has a parameter, x */
int ph_target_has_x(const char *problem);

/* The model of the first word with what the command line says. args->opt and what else a model's run{} may say are
 * completed by it: the command line wins. 0 after one line on stderr; code is then the exit code. */
int ph_target_open(ph_target *s, ph_args *args, int *code);
void ph_target_close(ph_target *s);

/* The same for one case of a study, with parameters on top of what args say. */
typedef struct ph_more {
    const ph_model *model; /* of the file, read before; NULL: it is read, or it is a built-in problem */
    int n_sets;
    const ph_setting *set;
} ph_more;

int ph_target_open_case(ph_target *s, ph_args *args, const ph_more *more, int *code);

/* Hash of the model of a run, its parameters and space: what the numbers of a state stand for. */
uint64_t ph_target_key(const ph_run *run);

/* What --input says, told to a run. */
ph_status ph_target_inputs(ph_run *run, const ph_args *args, ph_error *err);

/* 1: there is a reference solution, and p knows where functions are not smooth; 0 after one line on stderr: the model has events. option:
 * what asks for it, "--reference exact", where another one can be had instead; NULL: there is no other. */
int ph_target_comparable(ph_target *s, const char *option);

/* Steps of its run by the compiled model, as parameters change too that are open; 0: a sentence says why they are not. */
int ph_target_build(ph_target *s, const char *const *open, int n_open);

/* Parameter k: its name and value. 0: past the end. */
int ph_target_parameter(const ph_target *s, int k, char *name, size_t size, double *value);

/* All of them: "parameters m = 15, J = 3", with "..." behind what there is room for; "": there are none. */
void ph_target_parameters(const ph_target *s, char *text, size_t size);
void ph_target_json(const ph_target *s, ph_json *j); /* "parameters":{"m":15}, where there are any */

/* What --set says. 0 after one line on stderr. */
typedef struct ph_given {
    int n;
    ph_setting set[PH_SETTINGS_MAX];
    char name[PH_SETTINGS_MAX][64];
} ph_given;

int ph_target_given(const ph_args *args, ph_given *out);

/* Read the file of the first word, for commands that need no mechanism. NULL after one line on stderr. */
ph_model *ph_target_read(const ph_args *args);

/* 1: its parameters can be set; 0 after one line on stderr: it is frozen. */
int ph_target_settable(const ph_model *model, const char *file);

/* "assembled" of a report: the violations of initial positions and velocities that assemble = true removed. */
void ph_target_add_assembled(const ph_target *s, const ph_args *args, ph_json *j);

/* Complete args by what the model's run{} says, without a run. 0 after one line on stderr. */
int ph_target_merge(ph_args *args, const ph_model *model);

/* Where the sentences about redundancy have got to; {0} before the first. */
typedef struct ph_redundancy {
    int c, told; /* next constraint; sentences so far */
} ph_redundancy;

/* The next sentence: "joint 'r6': 1 of its 5 conditions repeats what 'r1'...'r5' already impose"; after twenty of
 * them "... and 7 more have conditions that repeat others". 0: there is none. */
int ph_target_redundancy(const ph_target *s, ph_redundancy *at, char *text, size_t size);

#endif
