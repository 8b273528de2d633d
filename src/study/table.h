/* Tables of a study: columns with name and unit, rows of numbers and words; as aligned text, CSV and JSON.
 *
 *   static const ph_column columns[] = {{"h", "s", PH_SHORT}, {"error.q", "1", PH_REAL}};
 *   ph_table *t = ph_table_create(2, columns);
 *   ph_table_number(t, 1e-3), ph_table_number(t, 2.5e-7);
 *   ph_table_print(t, stdout);
 *   ph_table_destroy(t);
 *
 * Where memory ends, nothing more is added, and ph_table_ok says so; create may return NULL, which all
 * accept. */
#ifndef PH_STUDY_TABLE_H
#define PH_STUDY_TABLE_H

#include "io/json.h"

#include <stdio.h>

typedef enum ph_column_kind {
    PH_WORDS, /* text, aligned left */
    PH_WHOLE, /* whole numbers */
    PH_SHORT, /* numbers of few digits, %g: step sizes, parameters */
    PH_ORDER, /* %.3f: orders, ratios */
    PH_REAL   /* measured numbers, %.3e */
} ph_column_kind;

/* JSON makes objects of the parts of a name: "error.q" is {"error":{"q":..}}. */
typedef struct ph_column {
    const char *name, *unit; /* unit NULL: none; both are copied */
    ph_column_kind kind;
} ph_column;

typedef struct ph_table ph_table;

ph_table *ph_table_create(int n_columns, const ph_column *columns);
void ph_table_destroy(ph_table *t); /* accepts NULL */

/* The next entry; after the last column a new row begins. The kind must be that of the column. */
void ph_table_number(ph_table *t, double x); /* PH_WHOLE too; NAN where there is none */
void ph_table_word(ph_table *t, const char *word);

int ph_table_ok(const ph_table *t);   /* 0: memory did not suffice */
int ph_table_rows(const ph_table *t); /* complete ones */

/* Aligned text of a table that is ok: names, units, rows. NAN is left empty. The second: rows from to end - 1 without the first
 * columns. */
void ph_table_print(const ph_table *t, FILE *to);
void ph_table_print_some(const ph_table *t, FILE *to, int from, int end, int first_column);

/* The table as CSV: leading # lines, one row of names with units, rows with 17 digits. 0: errno says why. */
int ph_table_write(const ph_table *t, const char *path, int n_comments, const char *const *comments);

/* Rows from to end - 1 as objects at the end of a JSON array; NAN becomes null. */
void ph_table_json(const ph_table *t, ph_json *j, cJSON *array, int from, int end);

#endif
