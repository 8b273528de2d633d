/* Data of objectives: a table that run -o wrote, of which the columns of one sensor and the time are kept. The file
 * is opened here, by the reader: functions of the model cannot reach it. */
#include "model/inside.h"

#include <string.h>

#include "io/csv.h"

static void name_column(const ph_sensor_def *s, int k, char *name, size_t size)
{
    if (s->size > 1)
        snprintf(name, size, "%s.%d", s->name, k + 1);
    else
        snprintf(name, size, "%s", s->name);
}

/* Column t and those of the sensor. 0: one is missing, and why tells. */
static int find_columns(const ph_csv_data *d, const ph_sensor_def *s, int *column, char *why, size_t size)
{
    char name[128] = "t";
    for (int k = -1; k < s->size; k++) {
        if (k >= 0)
            name_column(s, k, name, sizeof name);
        column[k + 1] = ph_csv_find(d, name);
        int missing = column[k + 1] < 0;
        if (missing || ph_csv_twice(d, column[k + 1])) {
            snprintf(why, size, missing ? "there is no column '%s'" : "there are several columns '%s'", name);
            return 0;
        }
    }
    return 1;
}

/* Times and numbers to one block, which begins with the times. 0: they make no sense, and why tells. */
static int keep(ph_objective_def *o, const ph_csv_data *d, const int *column, char *why, size_t size)
{
    o->x = o->t + o->rows;
    for (int i = 0; i < o->rows; i++) {
        const double *row = d->x + (size_t)i * (size_t)d->n_columns;
        o->t[i] = row[column[0]];
        if (!isfinite(o->t[i]) || (i && !(o->t[i] > o->t[i - 1]))) {
            snprintf(why, size, "times do not ascend, in row %d", i + 1);
            return 0;
        }
        for (int k = 0; k < o->size; k++) {
            o->x[(size_t)i * (size_t)o->size + (size_t)k] = row[column[k + 1]];
            if (!(fabs(row[column[k + 1]]) <= PH_MODEL_NUMBER)) {
                snprintf(why, size, "no number in row %d", i + 1);
                return 0;
            }
        }
    }
    return 1;
}

void ph_data_read(ph_reader *r, ph_objective_def *o)
{
    const ph_sensor_def *sensor = (const ph_sensor_def *)r->element[PH_K_SENSOR].data + o->sensor;
    const char *path = ph_store_path(r, "data", o->data);
    char why[400] = "not enough memory";
    int column[PH_SENSOR_MAX + 1];
    ph_csv_data d;
    ph_status s = ph_csv_read_kept(&d, &r->files, path, PH_MODEL_JSON, why, sizeof why);
    if (s == PH_E_MEMORY)
        ph_reader_no_memory(r);
    if (s != PH_OK)
        ph_reader_fail(r, "data: %s", why);
    int ok = find_columns(&d, sensor, column, why, sizeof why), memory = 1;
    if (ok && d.n_rows > PH_MODEL_ELEMENTS) {
        snprintf(why, sizeof why, "more than %d rows", PH_MODEL_ELEMENTS);
        ok = 0;
    }
    if (ok) {
        o->rows = (int)d.n_rows, o->size = sensor->size;
        o->t = ph_alloc(r->alloc, sizeof(double) * (size_t)o->rows * (size_t)(o->size + 1));
        memory = o->t != NULL;
        ok = memory && keep(o, &d, column, why, sizeof why);
    }
    ph_csv_clear(&d);
    if (!memory)
        ph_reader_no_memory(r);
    if (!ok)
        ph_reader_fail(r, "data: %.200s: %s", path, why);
}
