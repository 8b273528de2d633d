/* The numbers of elements as rows (numbers.def), for everything that reads or writes each of them. */
#ifndef PH_MECH_NUMBERS_H
#define PH_MECH_NUMBERS_H

#include "mech/mech.h"

/* Lists of rows, each for one record; FORCE and FRICTION share a record. */
typedef enum ph_number_list {
    PH_NUMBERS_BODY,
    PH_NUMBERS_JOINT,
    PH_NUMBERS_LAW,
    PH_NUMBERS_FORCE,
    PH_NUMBERS_FRICTION,
    PH_NUMBERS_ACTUATOR,
    PH_NUMBERS_COUPLE,
    PH_NUMBERS_SENSOR,
    PH_NUMBER_LISTS
} ph_number_list;

/* Columns of numbers.def */
typedef enum ph_number_size {
    PH_NUMBER_OWN,
    PH_NUMBER_PLACE,
    PH_NUMBER_UNIT,
    PH_NUMBER_TURN,
    PH_NUMBER_TWIST,
    PH_NUMBER_TWIN
} ph_number_size;

enum { PH_NUMBER_TEXT = 1, PH_NUMBER_LINEAR = 2, PH_NUMBER_ZERO = 4 };

/* The type of the member in C */
typedef enum ph_number_type {
    PH_NUMBER_ONE,
    PH_NUMBER_ARRAY,
    PH_NUMBER_VECTOR,
    PH_NUMBER_QUATERNION,
    PH_NUMBER_MATRIX,
    PH_NUMBER_POINTER /* NULL if the element has no such numbers */
} ph_number_type;

typedef struct ph_number_row {
    ph_number_list list; /* PH_NUMBER_LISTS: the end of the table */
    const char *name;
    size_t at; /* bytes from the start of the record */
    int n;
    ph_number_type type;
    ph_number_size size;
    unsigned use;
    double missing;
} ph_number_row;

PH_API const ph_number_row *ph_number_first(ph_number_list of);

#define PH_EACH_NUMBER(row, of) for (const ph_number_row *row = ph_number_first(of); row->list == (of); row++)

/* The numbers of a row in its record; NULL if the record does not have them. */
static inline double *ph_number_at(const ph_number_row *row, const void *record)
{
    const char *at = (const char *)record + row->at;
    return row->type == PH_NUMBER_POINTER ? *(double *const *)at : (double *)at;
}

/* Return 1 if numbers are the same up to round-off of this size or their own. Numbers that are not given are NaN in both. */
int ph_agree(int n, double size, const double *a, const double *b);
int ph_turns_agree(ph_quat a, ph_quat b);

/* Return 1 if two records agree, up to round-off, in the numbers on which a force depends linearly (linear 1) or in all others.
 * `place` is the size of positions in the world. */
int ph_numbers_agree(ph_number_list of, const void *a, const void *b, int linear, double place);

/* Set the value of each number until a model file gives it; later set to 0 those that it did not give and that are 0 then.
 * The second returns 1 if the file gave one of them. */
void ph_numbers_open(ph_number_list of, void *record);
int ph_numbers_close(ph_number_list of, void *record);

/* Records with the numbers of a force. */
typedef struct ph_number_record {
    ph_number_list of;
    const void *record;
} ph_number_record;

#define PH_FORCE_RECORDS 2
int ph_force_records(const ph_force *f, ph_number_record out[PH_FORCE_RECORDS]); /* returns how many */

#endif
