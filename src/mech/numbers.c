/* The table of numbers of elements, and what needs nothing else. */
#include "mech/numbers.h"

#include <float.h>

#define TEXT   PH_NUMBER_TEXT
#define LINEAR PH_NUMBER_LINEAR
#define ZERO   PH_NUMBER_ZERO

#define TYPE(record, member)                                                                                 \
    _Generic(((record *)0)->member,                                                                          \
        double: PH_NUMBER_ONE,                                                                               \
        double *: PH_NUMBER_ARRAY,                                                                           \
        ph_vec3: PH_NUMBER_VECTOR,                                                                           \
        ph_quat: PH_NUMBER_QUATERNION,                                                                       \
        ph_mat3: PH_NUMBER_MATRIX,                                                                           \
        const double *: PH_NUMBER_POINTER)

static const ph_number_row table[] = {
#define PH_NUMBER(list, record, member, n, size, use, missing)                                               \
    {PH_NUMBERS_##list,                                                                                      \
     #member,                                                                                                \
     offsetof(record, member),                                                                               \
     n,                                                                                                      \
     TYPE(record, member),                                                                                   \
     PH_NUMBER_##size,                                                                                       \
     use,                                                                                                    \
     missing},
#include "mech/numbers.def"
    {.list = PH_NUMBER_LISTS}};

#define PH_NUMBER(list, record, member, n, size, use, missing)                                               \
    _Static_assert(TYPE(record, member) == PH_NUMBER_POINTER ||                                              \
                       sizeof(((record *)0)->member) == (n) * sizeof(double),                                \
                   #record " has another number of " #member);
#include "mech/numbers.def"

const ph_number_row *ph_number_first(ph_number_list of)
{
    const ph_number_row *row = table;
    while (row->list != of)
        row++;
    return row;
}

/* ---- differences ------------------------------------------------------------------------------------------ */

/* Numbers that a file computes from values which do not matter to them may differ by round-off. */
#define ROUND_OFF (32 * DBL_EPSILON)

int ph_agree(int n, double size, const double *a, const double *b)
{
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(a[i]));
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= ROUND_OFF * size) && !(isnan(a[i]) && isnan(b[i])))
            return 0;
    return 1;
}

int ph_turns_agree(ph_quat a, ph_quat b)
{
    const double x[] = {a.w, a.x, a.y, a.z}, y[] = {b.w, b.x, b.y, b.z}, other[] = {-b.w, -b.x, -b.y, -b.z};
    return ph_agree(4, 1, x, y) || ph_agree(4, 1, x, other);
}

static int row_agrees(const ph_number_row *row, const double *a, const double *b, double place)
{
    if (!a || !b)
        return !a == !b;
    if (row->size == PH_NUMBER_TWIST)
        return ph_agree(3, place, a, b) && ph_agree(3, 1, a + 3, b + 3);
    if (row->size == PH_NUMBER_TURN)
        return ph_turns_agree(*(const ph_quat *)a, *(const ph_quat *)b);
    double size = row->size == PH_NUMBER_PLACE ? place : row->size == PH_NUMBER_UNIT ? 1 : 0;
    return row->size == PH_NUMBER_TWIN || ph_agree(row->n, size, a, b);
}

int ph_numbers_agree(ph_number_list of, const void *a, const void *b, int linear, double place)
{
    PH_EACH_NUMBER (row, of) {
        const double *x = ph_number_at(row, a), *y = ph_number_at(row, b);
        int here = !linear == !(row->use & PH_NUMBER_LINEAR), there = !x == !y;
        if (here ? !row_agrees(row, x, y, place) : !there) /* whether it has numbers is not linear */
            return 0;
    }
    return 1;
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

void ph_numbers_open(ph_number_list of, void *record)
{
    PH_EACH_NUMBER (row, of)
        for (int i = 0; i < row->n && row->type != PH_NUMBER_POINTER; i++)
            ph_number_at(row, record)[i] = row->missing;
}

int ph_numbers_close(ph_number_list of, void *record)
{
    int given = 0;
    PH_EACH_NUMBER (row, of) {
        double *x = ph_number_at(row, record);
        if (!(row->use & PH_NUMBER_ZERO))
            continue;
        given |= !isnan(x[0]);
        for (int i = 0; i < row->n; i++)
            x[i] = isnan(x[i]) ? 0 : x[i];
    }
    return given;
}

/* ---- forces ----------------------------------------------------------------------------------------------- */

int ph_force_records(const ph_force *f, ph_number_record out[PH_FORCE_RECORDS])
{
    out[0] = f->def        ? (ph_number_record){PH_NUMBERS_LAW, f->def}
             : f->actuator ? (ph_number_record){PH_NUMBERS_ACTUATOR, f->actuator}
                           : (ph_number_record){PH_NUMBERS_FRICTION, f};
    out[1] = (ph_number_record){PH_NUMBERS_FORCE, f};
    return f->def ? 2 : 1;
}
