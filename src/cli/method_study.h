/* Studies over step sizes and variants of a method, as converge and work make them: from the command line to
 * results. */
#ifndef PH_CLI_METHOD_STUDY_H
#define PH_CLI_METHOD_STUDY_H

#include "cli/body.h"
#include "study/cases.h"
#include "study/plot.h"
#include "study/table.h"

#define PH_SPACES_MAX 8 /* more than spaces.def has */

typedef struct ph_method_study {
    ph_args args; /* with what the model's run{} says */
    ph_target target;
    ph_bodies *bodies;
    ph_probe *probe;
    int n_more; /* further spaces of --space */
    struct {
        int space;
        ph_target target;
        ph_probe *probe;
    } more[PH_SPACES_MAX];
    ph_case_site *sites; /* of each variant, where there are further spaces */
    ph_cases_def def;
    ph_variant *variants; /* PH_VARIANTS_MAX */
    long steps[PH_LIST_MAX];
    ph_numbers tol; /* descending */
    int sensors[PH_PROBE_SENSORS];
    ph_track track;      /* of a file */
    ph_case *cases;      /* n_variants of n_h */
    char reference[256]; /* in words */
    double until;        /* the last time that is compared: t_end, or where a file ends */
} ph_method_study;

/* Read the arguments, open the model, check that files can be written, make the reference. 0 after one line
 * on stderr; code is then the exit code. ph_method_study_close in any case. */
int ph_method_study_open(ph_method_study *q, const ph_args *given, int *code);

/* The runs, and a line on stderr for each that failed; code is the exit code. 0: there is nothing to report, as
 * the input is bad or there is no reference. */
int ph_method_study_run(ph_method_study *q, int *code);

void ph_method_study_close(ph_method_study *q);

/* The size of a row: "h = 0.01 s", "tol = 0.001"; returns text. */
#define PH_SIZE_MAX 48
const char *ph_method_study_size(const ph_method_study *q, int row, char text[PH_SIZE_MAX]);

/* Measures that this study has, and their names: "q", "v", "vdot", "lambda", then sensors; NULL past
 * the end. */
int ph_method_study_has(const ph_method_study *q, int measure);
const char *ph_method_study_measure(const ph_method_study *q, int measure);

/* The unit of its error: "m and rad" where both are added; returns text. */
#define PH_UNIT_MAX 64
const char *ph_method_study_unit(const ph_method_study *q, int measure, char text[PH_UNIT_MAX]);

/* Order of a measure over the rows of variant v. */
ph_observed ph_method_study_order(const ph_method_study *q, int v, int measure);

/* Settings, in a few lines for people and for the head of files. */
#define PH_METHOD_STUDY_LINES 3
#define PH_METHOD_STUDY_LINE  512
int ph_method_study_settings(const ph_method_study *q,
                             char text[PH_METHOD_STUDY_LINES][PH_METHOD_STUDY_LINE]);
void ph_method_study_variant(const ph_method_study *q, int v, char *text,
                             size_t size); /* those of variant v */

/* The same in JSON: at the root, and a new element of variants. */
void ph_method_study_json(const ph_method_study *q, ph_json *j);
cJSON *ph_method_study_json_variant(const ph_method_study *q, ph_json *j, cJSON *variants, int v);

/* The first cells of a row: the variant, then h and tol, one of which is not there. */
void ph_method_study_head(const ph_method_study *q, ph_table *t, int row);

/* Write the table where -o says. The exit code. */
int ph_method_study_write(const ph_method_study *q, const ph_table *t);

/* Panels of q, v and, where there are, lambda and sensors: errors of all variants over an abscissa, a row of
 * panels for each of n of them; in the file of --plot. The exit code. */
typedef struct ph_abscissa {
    ph_axis axis;
    double (*value)(const ph_case *c);
    int slopes; /* with triangles */
} ph_abscissa;

#define PH_ABSCISSAS_MAX 3
int ph_method_study_plot(const ph_method_study *q, int n, const ph_abscissa *over);

/* reference_file.c: a table that run wrote becomes a track. 0 after one line on stderr. */
int ph_reference_file(ph_track *t, const char *path, const ph_bodies *bodies, const ph_probe *probe,
                      const ph_state *layout);

/* Notes on stderr where parameters of the model are others than those that such a table names. */
void ph_reference_note(const char *path, const ph_target *target);

#endif
