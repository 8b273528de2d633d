/* How the equations of mechanisms built for neighbouring values of a parameter differ: elements that are the
 * same in all of them cancel and are not evaluated.
 *
 *   r += sum_k w_k r_k,  Phi += sum_k w_k Phi_k,  rate += sum_k w_k rate_k,  sum_k w_k = 0     (W4) */
#include "mech/mech.h"

#include <float.h>
#include <string.h>

#include "polhode/sens.h"

struct ph_loads {
    const ph_allocator *alloc;
    void *block;
    int n; /* mechanisms */
    const ph_mechanism *const *at;
    int n_bodies, n_joints, n_forces; /* that differ */
    int *body, *joint, *force;
    int functions; /* one of the forces calls a function of the states */
};

/* ---- what differs --------------------------------------------------------------------------------- */

/* Numbers that a file computes from values which do not matter to them may differ by round-off. */
#define ROUND_OFF (32 * DBL_EPSILON)

static int same(int n, double size, const double *a, const double *b)
{
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(a[i]));
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= ROUND_OFF * size))
            return 0;
    return 1;
}

static int same3(double size, ph_vec3 a, ph_vec3 b)
{
    const double x[] = {a.x, a.y, a.z}, y[] = {b.x, b.y, b.z};
    return same(3, size, x, y);
}

static int same33(double size, const ph_mat3 *a, const ph_mat3 *b)
{
    double x[9], y[9];
    ph_store33(x, *a), ph_store33(y, *b);
    return same(9, size, x, y);
}

static int same_body(const ph_body *a, const ph_body *b)
{
    return same(1, 0, &a->m, &b->m) && same33(0, &a->J, &b->J) && same3(0, a->weight, b->weight);
}

/* size: of positions in the world, from which points of bodies are computed */
static int same_joint(double size, const ph_joint *a, const ph_joint *b)
{
    return a->drive < 0 && same3(size, a->sa, b->sa) && same3(size, a->sb, b->sb) &&
           same33(1, &a->Ea, &b->Ea) && same33(1, &a->Eb, &b->Eb) && same3(1, a->ea, b->ea) &&
           same3(1, a->eb, b->eb) && same(1, size, &a->length, &b->length) &&
           same(1, 0, &a->radius, &b->radius);
}

static int same_force(double size, const ph_force *a, const ph_force *b)
{
    const double x[] = {a->friction, a->speed}, y[] = {b->friction, b->speed};
    if (a->joint)
        return same(1, 0, x, y) && same(1, 0, x + 1, y + 1) && same_joint(size, a->joint, b->joint);
    const ph_force_def *d = a->def, *e = b->def;
    const double p[] = {a->rest.w, a->rest.x, a->rest.y, a->rest.z};
    const double q[] = {b->rest.w, b->rest.x, b->rest.y, b->rest.z};
    return !d->f.call && same3(size, a->sa, b->sa) && same3(size, a->sb, b->sb) &&
           same(1, size, &a->length, &b->length) && same(4, 1, p, q) && same(1, 0, &d->k, &e->k) &&
           same(1, 0, &d->d, &e->d) && same3(0, d->k3, e->k3) && same3(0, d->d3, e->d3) &&
           same3(0, d->kr3, e->kr3) && same3(0, d->dr3, e->dr3) && same3(0, d->value, e->value);
}

static double size_of(const ph_model *model)
{
    double size = 0;
    for (int i = 0; i < model->n_bodies; i++)
        size = fmax(size, ph_norm(model->body[i].x));
    for (int i = 0; i < model->n_joints; i++)
        size = fmax(size, ph_norm(model->joint[i].at));
    return size;
}

static void compare(ph_loads *l)
{
    const ph_mechanism *m = l->at[0];
    double size = size_of(m->model);
    for (int i = 0; i < m->model->n_bodies; i++) {
        int all = 1;
        for (int k = 1; k < l->n; k++)
            all = all && same_body(&m->body[i], &l->at[k]->body[i]);
        if (!all)
            l->body[l->n_bodies++] = i;
    }
    for (int i = 0; i < m->n_joints; i++) {
        int all = 1;
        for (int k = 1; k < l->n; k++)
            all = all && same_joint(size, &m->joint[i], &l->at[k]->joint[i]);
        if (!all)
            l->joint[l->n_joints++] = i;
    }
    for (int i = 0; i < m->n_forces; i++) {
        int all = 1;
        for (int k = 1; k < l->n; k++)
            all = all && same_force(size, &m->force[i], &l->at[k]->force[i]);
        if (!all)
            l->force[l->n_forces++] = i;
    }
    l->functions = m->functions && l->n_forces > 0;
}

/* Elements one by one, in physical coordinates. */
static int comparable(int n, const ph_mechanism *const *at)
{
    int ok = at[0]->space->plain && at[0]->model->n_constraints == 0 && at[0]->n_flex == 0;
    for (int k = 1; k < n; k++)
        ok = ok && at[k]->space == at[0]->space && at[k]->model->n_bodies == at[0]->model->n_bodies &&
             at[k]->model->n_constraints == 0 && at[k]->n_joints == at[0]->n_joints &&
             at[k]->n_forces == at[0]->n_forces;
    for (int k = 1; k < n && ok; k++) {
        for (int i = 0; i < at[0]->n_joints; i++)
            ok = ok && at[k]->joint[i].rows == at[0]->joint[i].rows &&
                 at[k]->joint[i].drive == at[0]->joint[i].drive &&
                 !memcmp(at[k]->joint[i].v, at[0]->joint[i].v, sizeof at[0]->joint[i].v);
        for (int i = 0; i < at[0]->n_forces; i++)
            ok = ok && at[k]->force[i].op == at[0]->force[i].op &&
                 !memcmp(at[k]->force[i].v, at[0]->force[i].v, sizeof at[0]->force[i].v);
    }
    return ok;
}

/* Hand out all arrays; called twice, see ph_arena. */
static void take(ph_loads *l, int n, const ph_mechanism *m, ph_arena *a)
{
    l->at = ph_arena_take(a, (size_t)n, sizeof *l->at);
    l->body = ph_arena_take(a, (size_t)m->model->n_bodies, sizeof(int));
    l->joint = ph_arena_take(a, (size_t)m->n_joints, sizeof(int));
    l->force = ph_arena_take(a, (size_t)m->n_forces, sizeof(int));
}

ph_status ph_loads_create(ph_loads **out, int n, const ph_mechanism *const *at, const ph_allocator *alloc,
                          ph_error *err)
{
    ph_arena a = {0};
    ph_loads none = {.n = n, .alloc = alloc}, *l = ph_arena_take(&a, 1, sizeof none);
    *out = NULL;
    if (!comparable(n, at))
        return PH_OK;
    take(&none, n, at[0], &a);
    if (!ph_arena_open(&a, alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory for derivatives by a parameter");
    l = ph_arena_take(&a, 1, sizeof *l);
    *l = none, l->block = a.block;
    take(l, n, at[0], &a);
    memcpy((void *)l->at, at, sizeof *at * (size_t)n);
    compare(l);
    *out = l;
    return PH_OK;
}

void ph_loads_destroy(ph_loads *loads)
{
    if (loads)
        ph_free(loads->alloc, loads->block);
}

/* ---- values --------------------------------------------------------------------------------------- */

/* m a - weight, J Omegadot + Omega x J Omega */
static void add_body(const ph_body *b, const ph_state *s, double f, double *r)
{
    ph_vec3 a = ph_load3(s->vdot + b->v[0]);
    ph_add3(r + b->v[0], ph_scale(f, ph_sub(ph_scale(b->m, a), b->weight)));
    if (b->particle)
        return;
    ph_vec3 w = ph_load3(s->v + b->v[1]), wdot = ph_load3(s->vdot + b->v[1]);
    ph_add3(r + b->v[1], ph_scale(f, ph_add(ph_mul(b->J, wdot), ph_cross(w, ph_mul(b->J, w)))));
}

/* B^T lambda, Phi and B v + Phi_t of one joint of one mechanism, with the bodies of the site; Phi or rate
 * NULL: without. */
static ph_status add_joint(const ph_joint *j, const ph_state *s, double f, ph_site *site, double *r,
                           double *Phi, double *rate)
{
    double B[12 * PH_ROWS_MAX], y[PH_ROWS_MAX], y_t[PH_ROWS_MAX] = {0};
    if (j->drive >= 0) {
        ph_status status = ph_drive_at(j->f, s->t, rate ? 1 : 0, site->f);
        if (status != PH_OK)
            return status;
    }
    site->j = j;
    memset(B, 0, sizeof(double) * (size_t)(12 * j->rows));
    for (int i = 0; i < j->n_parts; i++) {
        int row = j->part[i].row;
        site->pick = j->part[i].pick;
        j->part[i].op->B(site, &(ph_put){B, ph_local_rows, 12, row});
        if (Phi)
            j->part[i].op->Phi(site, y + row);
        if (rate && j->drive >= 0 && j->part[i].op->Phi_t)
            j->part[i].op->Phi_t(site, y_t + row);
    }
    const double *lambda = s->lambda + j->l_at;
    for (int k = 0; k < PH_SLOTS; k++) {
        if (j->v[k] < 0)
            continue;
        ph_vec3 v = ph_load3(s->v + j->v[k]), sum = {0};
        for (int i = 0; i < j->rows; i++) {
            ph_vec3 row = ph_load3(B + 12 * i + 3 * k);
            sum = ph_add(sum, ph_scale(lambda[i], row));
            if (rate)
                y_t[i] += ph_dot(row, v);
        }
        ph_add3(r + j->v[k], ph_scale(f, sum));
    }
    for (int i = 0; i < j->rows && Phi; i++)
        Phi[j->l_at + i] += f * y[i];
    for (int i = 0; i < j->rows && rate; i++)
        rate[j->l_at + i] += f * y_t[i];
    return PH_OK;
}

static ph_status add_force(const ph_mechanism *m, const ph_force *force, const ph_state *s, double f,
                           double *r)
{
    ph_force_site site;
    ph_vec3 y[PH_SLOTS] = {{0}};
    ph_force_at(m, s, force, &site);
    ph_status status = force->op->g(&site, y);
    for (int k = 0; k < PH_SLOTS && status == PH_OK; k++)
        if (force->v[k] >= 0)
            ph_add3(r + force->v[k], ph_scale(f, y[k]));
    return status;
}

ph_status ph_loads_add(const ph_state *s, const double *weight, unsigned what, double *r, double *Phi,
                       double *rate, void *loads)
{
    const ph_loads *l = loads;
    ph_status status = PH_OK;
    double *Phi_out = what & PH_LOADS_PHI ? Phi : NULL, *rate_out = what & PH_LOADS_RATE ? rate : NULL;
    for (int i = 0; i < l->n_joints; i++) { /* the bodies of a joint are where they are in each mechanism */
        ph_site site = {0};
        const ph_joint *first = &l->at[0]->joint[l->joint[i]];
        ph_kin_fill(l->at[0], s, first->body[0], &site.a);
        ph_kin_fill(l->at[0], s, first->body[1], &site.b);
        for (int k = 0; k < l->n && status == PH_OK; k++)
            if (weight[k] != 0)
                status = add_joint(&l->at[k]->joint[l->joint[i]], s, weight[k], &site, r, Phi_out, rate_out);
    }
    for (int k = 0; k < l->n && !(what & PH_LOADS_ROWS); k++) {
        const ph_mechanism *m = l->at[k];
        if (weight[k] == 0)
            continue;
        for (int i = 0; i < l->n_bodies; i++)
            add_body(&m->body[l->body[i]], s, weight[k], r);
        if (l->functions)
            ph_states_of(m, s, m->states);
        for (int i = 0; i < l->n_forces && status == PH_OK; i++)
            status = add_force(m, &m->force[l->force[i]], s, weight[k], r);
    }
    return status;
}
