/* What the files of the program share: exit codes, messages, the arguments of a command, the table of
 * commands. */
#ifndef PH_CLI_CLI_H
#define PH_CLI_CLI_H

#include "base/words.h"
#include "io/json.h"
#include "polhode/run.h"
#include "study/variant.h"

#if defined(__GNUC__)
#define PH_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PH_PRINTF(text, first)
#endif

/* done; numerical failure; bad input or usage; stopped by a signal, whose number is added: 130 after Ctrl-C */
enum { PH_EXIT_OK, PH_EXIT_FAILED, PH_EXIT_USAGE, PH_EXIT_SIGNAL = 128 };

/* One error line on stderr, "polhode: ...". Returns PH_EXIT_USAGE. */
int ph_complain(const char *format, ...) PH_PRINTF(1, 2);

/* "cannot write 'PATH': why", by errno; nothing where the reader of standard output has had enough. Returns PH_EXIT_USAGE. */
int ph_complain_write(const char *path);

/* The one JSON object of a command, to stdout; 0: not enough memory. Where a command refused and has printed none, the
 * second is its answer: "bad_input" and the first complaint. */
int ph_answer(ph_json *j);
void ph_answer_refusal(void);

/* "polhode: note: ..." on stderr, of what is no mistake but not to be seen in the results. */
void ph_note(const char *format, ...) PH_PRINTF(1, 2);

/* A note where several values of an option are for no method of a study. */
void ph_note_unread(const ph_lists *lists, int n, const ph_variant *variants);

/* From now on complaints go to text, which holds the first of them, and not to stderr; NULL: to stderr again.
 * For the cases of a study, whose complaints are results. */
void ph_complain_into(char *text, size_t size);

/* The same for a word that is none of a list: with the nearest one; if none is near, with the command
 * else_see or, where that is NULL, with the whole list. what begins the sentence. */
int ph_complain_word(const char *what, const char *word, ph_word_fn list, const char *else_see);

typedef enum ph_command_code {
#define PH_COMMAND(code, group, name, run, min, max, usage, text) code,
#include "cli/commands.def"
#undef PH_COMMAND
    PH_COMMAND_COUNT
} ph_command_code;

#define PH_WORDS_MAX 1 /* of any command */

#define PH_SETTINGS_MAX 64

typedef struct ph_settings {
    int n;
    const char *text[PH_SETTINGS_MAX]; /* "m=16" */
} ph_settings;

#define PH_TOLD_MAX  40 /* keys of run{} */
#define PH_TOLD_TEXT 64

/* What the command line says of run{}, as texts that ph_run_config takes; the last one of a key. */
typedef struct ph_told_options {
    int n;
    char text[PH_TOLD_MAX][PH_TOLD_TEXT]; /* "h=0.001" */
} ph_told_options;

typedef enum ph_sens_mode { PH_DIRECT, PH_ADJOINT, PH_FD } ph_sens_mode;

/* The command line, parsed. What was not given has the value of ph_args_default, mostly 0. */
typedef struct ph_args {
    ph_command_code command;
    int n_words;
    const char *word[PH_WORDS_MAX]; /* what is not an option: the model of run */
    ph_told_options told;  /* options that are keys of run{}; so are opt, t_end, space, assemble, every */
    ph_options opt;        /* h = 0: the model's own */
    double t_end;          /* 0: the model's own */
    int size;              /* 0: the model's own */
    ph_settings set;       /* of parameters */
    ph_settings input;     /* of inputs: "u=2", "u=FILE.csv" */
    int every, repeats;    /* repeats = 0: as many as time allows */
    const char *output;    /* file; NULL: none */
    const char *plot;      /* picture; NULL: none */
    const char *save;      /* state file to write; NULL: none */
    const char *state;     /* and one to go on from */
    const char *view;      /* page that shows the motion; NULL: none */
    int live, port;        /* serve the page while the run goes on; 0: a free port */
    const char *vtk;       /* folder of files for ParaView; NULL: none */
    ph_settings plot_xy;   /* "tip.x,tip.z" */
    ph_lists list;         /* of studies */
    const char *stored;    /* times of another bench; NULL: none */
    const char *reference; /* exact, finest or a file; NULL: what there is */
    const char *sensors;   /* names with commas between them; NULL: none */
    const char *columns;   /* likewise: what the table has; NULL: all */
    double from;           /* time from which errors count */
    double expect;         /* order; 0: none */
    const char *random;    /* of converge: "random:3"; NULL: steps of one size */
    int jobs;              /* processes; 0: as many as there are processors */
    int json, quiet;
    int error_bars, extrapolate, error;
    const char *tol_objective; /* "J=1e-4"; NULL: none */
    int keep_going;            /* do not stop a run whose energy comes from nowhere */
    int compare;               /* with a reference solution: 0; -1: no */
    ph_settings vary;          /* of sweep: "m=10:20:11" */
    int sample, seed;          /* sample = 0: all combinations */
    const char *share;         /* "2/4"; NULL: all */
    int fresh;
    int space;    /* row of spaces.def; -1: the model's own */
    int support;  /* list: only what elements can do */
    int assemble; /* project initial values instead of refusing them */
    /* of sens */
    const char *param, *objective;       /* names with commas between them */
    int mode, check;                     /* ph_sens_mode */
    int simplify;                        /* ph_simplification */
    double eps, memory;                  /* 0: the default */
    const char *bounds, *minimise, *log; /* of optimise */
    double x_tol;                        /* 0: the default */
    double accuracy;                     /* 0: not given */
    int evaluations;                     /* likewise */
    int argc;                            /* what follows the command, as it was typed */
    char **argv;
    const char *name;                /* of compile; NULL: the title of the model */
    int lanes, max_iterations, cuda; /* 0: the default */
    const char *open;                /* of compile: parameters that stay variable */
    int compiled, gpu;               /* of run; of sweep */
    const char *fmu;                 /* NULL: C source */
    int fmi;
    const char *body; /* of reduce: its name; NULL: the only one */
    double at;        /* linearise: time, s; NAN if not given */
    int harmonics;    /* of modes: lines of its diagram */
    int about, modes; /* of modes: 0 initial, 1 static; how many, 0: the usual number */
    int stable;       /* static only: leave unstable equilibria */
    /* of stability and transient */
    int steps;                  /* 0: as many as the study has */
    int about_spin, oscillator; /* kinds of stability */
    int man;                    /* help as a page of the manual */
    int completion;             /* the shell that wants a script, as ph_shell_word counts; -1: none does */
    ph_numbers z, amplitude, hw, ht; /* what it goes through */
    ph_numbers zeta, angle;          /* damping ratios; angles in degrees */
} ph_args;

/* The bound of --memory in bytes, at least 1; 0: none was given. */
size_t ph_args_memory(const ph_args *args);

typedef struct ph_command {
    const char *group; /* of the help */
    const char *name;
    int (*run)(const ph_args *args); /* returns the exit code */
    int min, max;                    /* number of words */
    const char *usage, *text;        /* the words; one line of help */
} ph_command;

const ph_command *ph_command_get(ph_command_code code);
const char *ph_command_name(int k);        /* NULL past the end */
int ph_complain_command(const char *name); /* that is none: where it is now, or the nearest one */

#define PH_COMMAND(code, group, name, run, min, max, usage, text) int run(const ph_args *args);
#include "cli/commands.def"
#undef PH_COMMAND

#endif
