/* A table that run wrote becomes a track to compare with: columns are found by their names.
 *
 * SE(3) has v = (U, Omega) with U = R^T xdot, Udot = R^T xddot - Omega x U; tables have xdot and xddot. */
#include "cli/method_study.h"
#include "io/csv.h"
#include "io/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    ph_csv_data data;
    const char *path;
    const ph_bodies *bodies;
    const ph_probe *probe;
    int *column;      /* of each number of a row */
    unsigned missing; /* measures whose columns are not there */
    char absent[160]; /* the first of those of q */
} reader;

static void find(reader *r, int at, int measure, const char *of, const char *name)
{
    char text[2 * PH_LABEL_MAX];
    snprintf(text, sizeof text, "%s%s%s", of ? of : "", of ? "." : "", name);
    r->column[at] = ph_csv_find(&r->data, text);
    if (r->column[at] >= 0)
        return;
    if (measure == PH_OF_Q && !(r->missing & 1u << PH_OF_Q))
        snprintf(r->absent, sizeof r->absent, "%.150s", text);
    r->missing |= 1u << measure;
}

/* Where position and rotation of a body stand in q, and their velocities in v; -1: it has none. */
typedef struct places {
    int x, R, v, w;
} places;

static places places_of(const reader *r, int body, int *part)
{
    const ph_probe_part *all = r->probe->part;
    places p = {-1, -1, -1, -1};
    if (r->bodies->is_file) {
        p.x = all[*part].q, p.v = all[*part].v;
        (*part)++;
        if (!ph_run_is(r->bodies->run, PH_IS_PARTICLE, body))
            p.R = all[*part].q, p.w = all[*part].v, (*part)++;
        return p;
    }
    const ph_body_nodes *b = &r->bodies->body[body];
    if (b->x >= 0)
        p.x = all[b->x].q, p.v = all[b->x].v;
    if (b->R >= 0) {
        const ph_group_ops *op = ph_group_get(all[b->R].group);
        p.R = all[b->R].q + op->quat, p.w = all[b->R].v + op->rot;
    }
    return p;
}

static void find_body(reader *r, int body, places p, const ph_state *layout)
{
    static const char *const names[] = {"position", "rotation",     "velocity",
                                        "omega",    "acceleration", "omega_dot"};
    int v = r->probe->nq, vdot = v + r->probe->nv;
    const int at[] = {p.x, p.R, v + p.v, v + p.w, vdot + p.v, vdot + p.w};
    char of[PH_LABEL_MAX], axis[PH_COLUMN_MAX];
    ph_quantity q[PH_QUANTITIES];
    int n = ph_body_motion(r->bodies, body, layout, q);
    ph_body_name(r->bodies, body, of);
    for (int i = 0; i < n; i++)
        for (int m = 0; m < 6; m++)
            for (int k = 0; !strcmp(q[i].name, names[m]) && k < q[i].n; k++)
                find(r, at[m] + k, m / 2, of,
                     ph_channel_axis(&(ph_channel){.axes = q[i].axes, .prefix = q[i].prefix}, k, axis));
}

static void find_joints(reader *r)
{
    int at = r->probe->nq + 2 * r->probe->nv;
    char of[PH_LABEL_MAX], name[32];
    for (int k = 0; k < r->bodies->n_ties; k++) {
        int rows = ph_run_size(r->bodies->run, PH_GET_MULTIPLIERS, k);
        for (int i = 0; i < rows; i++) {
            snprintf(name, sizeof name, "lambda%d", i + 1);
            find(r, at++, PH_OF_LAMBDA, ph_joint_name(r->bodies, k, of), name);
        }
    }
}

static void find_sensors(reader *r)
{
    const ph_probe *p = r->probe;
    char name[32];
    for (int k = 0; k < p->n_sensors; k++)
        for (int i = 0; i < p->sensor_size[k]; i++) {
            const char *of = ph_run_name(p->run, PH_SENSORS, p->sensor[k]);
            snprintf(name, sizeof name, "%d", i + 1);
            if (p->sensor_size[k] > 1)
                find(r, p->sensor_at[k] + i, PH_OF_SENSOR + k, of, name);
            else
                find(r, p->sensor_at[k], PH_OF_SENSOR + k, NULL, of);
        }
}

static void to_se3(const reader *r, double *row)
{
    const ph_probe *p = r->probe;
    for (int i = 0; i < p->n_parts; i++) {
        const ph_probe_part *t = &p->part[i];
        if (t->group != PH_SE3)
            continue;
        const double *u = row + t->q + ph_group_get(PH_SE3)->quat;
        double *v = row + p->nq + t->v, *vdot = v + p->nv;
        ph_mat3 Rt = ph_transpose(ph_qmat((ph_quat){u[0], u[1], u[2], u[3]}));
        ph_vec3 U = ph_mul(Rt, ph_load3(v));
        ph_store3(v, U);
        ph_store3(vdot, ph_sub(ph_mul(Rt, ph_load3(vdot)), ph_cross(ph_load3(v + 3), U)));
    }
}

static int is_finite(const reader *r, long row)
{
    const ph_csv_data *d = &r->data;
    for (int c = 0; c < d->n_columns; c++)
        if (!isfinite(d->x[row * d->n_columns + c])) {
            ph_complain("--reference: '%s': row %ld has no number in column '%.64s'", r->path, row + 1,
                        d->names[c]);
            return 0;
        }
    return 1;
}

static int fill(reader *r, ph_track *t, int time)
{
    const ph_csv_data *d = &r->data;
    if (!ph_track_create(t, d->n_rows, r->probe->size)) {
        ph_complain("not enough memory for '%s'", r->path);
        return 0;
    }
    t->missing = r->missing;
    for (long k = 0; k < d->n_rows; k++) {
        const double *x = d->x + k * d->n_columns;
        double *row = t->row + k * t->size;
        t->t[k] = x[time];
        if (!is_finite(r, k))
            return 0;
        if (k && !(t->t[k] > t->t[k - 1])) {
            ph_complain("--reference: '%s': t does not ascend at t = %.9g", r->path, x[time]);
            return 0;
        }
        for (int i = 0; i < t->size; i++)
            row[i] = r->column[i] >= 0 ? x[r->column[i]] : NAN;
        to_se3(r, row);
    }
    return 1;
}

static int use(reader *r, ph_track *t, const ph_state *layout)
{
    int time = ph_csv_find(&r->data, "t"), part = 0;
    for (int i = 0; i < r->bodies->n; i++)
        find_body(r, i, places_of(r, i, &part), layout);
    find_joints(r);
    find_sensors(r);
    if (time < 0)
        ph_complain("--reference: '%s' has no column 't'; it should be a table that run -o wrote", r->path);
    else if (r->missing & 1u << PH_OF_Q)
        ph_complain("--reference: '%s' has no column '%s': is it a run of this model?", r->path, r->absent);
    else
        return fill(r, t, time);
    return 0;
}

/* "# set m=16" above the table: what it was computed with. A note for each parameter that is another one
 * here. */
void ph_reference_note(const char *path, const ph_target *target)
{
    char line[256], name[PH_LABEL_MAX], theirs[128];
    double x, here;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f) && line[0] == '#')
        if (sscanf(line, "# set %127[^=]=%lf", theirs, &x) == 2)
            for (int k = 0; ph_target_parameter(target, k, name, sizeof name, &here); k++)
                if (!strcmp(name, theirs) && !(fabs(x - here) <= 1e-9 * fabs(here)))
                    ph_note("'%s' was computed with %s = %.9g, and here it is %.9g", path, name, x, here);
    if (f)
        fclose(f);
}

int ph_reference_file(ph_track *t, const char *path, const ph_bodies *bodies, const ph_probe *probe,
                      const ph_state *layout)
{
    reader r = {.path = path, .bodies = bodies, .probe = probe};
    char why[512];
    if (!ph_csv_read(&r.data, path, why, sizeof why)) {
        ph_complain("--reference: %s", why);
        return 0;
    }
    r.column = calloc((size_t)probe->size, sizeof *r.column);
    int ok = r.column && use(&r, t, layout);
    if (!r.column)
        ph_complain("not enough memory for '%s'", path);
    free(r.column);
    ph_csv_clear(&r.data);
    return ok;
}
