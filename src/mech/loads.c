/* How the equations of mechanisms built for neighbouring values of a parameter differ: elements that are the
 * same in all of them cancel and are not evaluated.
 *
 *   r += sum_k w_k r_k,  Phi += sum_k w_k Phi_k,  rate += sum_k w_k rate_k,  sum_k w_k = 0     (W4)
 *
 * What depends linearly on the data of an element is evaluated once, with sum_k w_k data_k for its data: inertia
 * and weight of bodies, points that two bodies have in common, coefficients and inertia of forces. */
#include "mech/numbers.h"

#include <string.h>

#include "polhode/sens.h"

/* A joint that differs: bits of its parts that do, and of those that do so linearly. */
typedef struct differing_joint {
    int joint;
    unsigned parts, linear;
} differing_joint;

typedef struct differing_force {
    int force, linear;
} differing_force;

struct ph_loads {
    const ph_allocator *alloc;
    void *block;
    int n; /* mechanisms */
    const ph_mechanism *const *at;
    int n_bodies, n_joints, n_forces; /* that differ */
    int *body;
    differing_joint *joint;
    differing_force *force;
    int functions; /* one of the forces calls a function of the states */
};

/* ---- what differs --------------------------------------------------------------------------------- */

/* size: of positions in the world, from which points of bodies are computed */
static int same_joint(double size, const ph_joint *a, const ph_joint *b)
{
    return a->drive < 0 && ph_numbers_agree(PH_NUMBERS_JOINT, a, b, 0, size);
}

/* The numbers that one of its parts reads are the same. */
static int same_part(double size, const ph_joint *a, const ph_joint *b, int part)
{
    const ph_part *op = a->part[part].op;
    return a->drive < 0 && op->same ? op->same(a, b, a->part[part].pick, size) : same_joint(size, a, b);
}

/* The numbers of a force on which it depends linearly, or all others, are the same. */
static int same_numbers(double size, const ph_force *a, const ph_force *b, int linear)
{
    ph_number_record x[PH_FORCE_RECORDS], y[PH_FORCE_RECORDS];
    int all = 1, n = ph_force_records(a, x);
    ph_force_records(b, y);
    for (int i = 0; i < n && all; i++)
        all = ph_numbers_agree(x[i].of, x[i].record, y[i].record, linear, size);
    return all;
}

/* Return 1 if a force reads the same in two mechanisms, apart from the numbers on which it depends linearly. */
static int same_place(double size, const ph_mechanism *m, const ph_mechanism *other, int i)
{
    const ph_force *a = &m->force[i], *b = &other->force[i];
    const ph_actuator_def *d = a->actuator;
    const ph_joint *j = d ? a->along : a->joint;
    int all = same_numbers(size, a, b, 0) && (!j || same_joint(size, j, d ? b->along : b->joint));
    if (a->def)
        all = all && !a->def->f.call && a->def->in_body == b->def->in_body;
    if (d)
        all = all && !d->f.call &&
              (d->input < 0 ||
               ph_agree(1, 0, &m->model->input[d->input].value, &other->model->input[d->input].value));
    return all && (!a->op->M || ph_agree(3, 0, &m->model->gravity.x, &other->model->gravity.x));
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

/* Bits of the parts of joint i that differ, and of those that are linear in what does. */
static differing_joint compare_joint(const ph_loads *l, double size, int i)
{
    const ph_joint *j = &l->at[0]->joint[i];
    differing_joint d = {i, 0, 0};
    for (int part = 0; part < j->n_parts; part++)
        for (int k = 1; k < l->n; k++)
            if (!same_part(size, j, &l->at[k]->joint[i], part))
                d.parts |= 1u << part;
    for (int part = 0; part < j->n_parts; part++)
        if (j->drive < 0 && j->part[part].op == &ph_part_point)
            d.linear |= 1u << part & d.parts;
    return d;
}

static void compare(ph_loads *l)
{
    const ph_mechanism *m = l->at[0];
    double size = size_of(m->model);
    for (int i = 0; i < m->model->n_bodies; i++) {
        int all = 1;
        for (int k = 1; k < l->n; k++)
            all = all && ph_numbers_agree(PH_NUMBERS_BODY, &m->body[i], &l->at[k]->body[i], 0, size);
        if (!all)
            l->body[l->n_bodies++] = i;
    }
    for (int i = 0; i < m->n_joints; i++) {
        differing_joint d = compare_joint(l, size, i);
        if (d.parts)
            l->joint[l->n_joints++] = d;
    }
    for (int i = 0; i < m->n_forces; i++) {
        int place = 1, all = 1;
        for (int k = 1; k < l->n; k++) {
            place = place && same_place(size, m, l->at[k], i);
            all = all && same_numbers(size, &m->force[i], &l->at[k]->force[i], 1);
        }
        if (!place || !all)
            l->force[l->n_forces++] = (differing_force){i, place};
    }
    l->functions = m->functions && l->n_forces > 0;
}

/* Elements one by one, in physical coordinates. */
static int comparable(int n, const ph_mechanism *const *at)
{
    int ok = at[0]->space->plain && at[0]->model->n_constraints == 0 && at[0]->n_flex == 0 &&
             at[0]->model->n_couplings == 0 && at[0]->model->n_states == 0;
    for (int k = 1; k < n; k++)
        ok = ok && at[k]->model->n_bodies == at[0]->model->n_bodies && at[k]->model->n_constraints == 0 &&
             at[k]->n_joints == at[0]->n_joints && at[k]->n_forces == at[0]->n_forces;
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
    l->joint = ph_arena_take(a, (size_t)m->n_joints, sizeof *l->joint);
    l->force = ph_arena_take(a, (size_t)m->n_forces, sizeof *l->force);
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

/* m a - weight, J Omegadot + Omega x J Omega, with the sums of m, J and weight */
static void add_body(const ph_loads *l, int i, const ph_state *s, const double *w, double *r)
{
    const ph_body *b = &l->at[0]->body[i];
    double m = 0;
    ph_mat3 J = {0};
    ph_vec3 weight = {0};
    for (int k = 0; k < l->n; k++) {
        const ph_body *x = &l->at[k]->body[i];
        if (w[k] == 0)
            continue;
        m += w[k] * x->m;
        weight = ph_add(weight, ph_scale(w[k], x->weight));
        if (!b->particle)
            J = ph_madd(J, ph_mscale(w[k], x->J));
    }
    ph_add3(r + b->v[0], ph_sub(ph_scale(m, ph_load3(s->vdot + b->v[0])), weight));
    if (b->particle)
        return;
    ph_vec3 omega = ph_load3(s->v + b->v[1]), omega_dot = ph_load3(s->vdot + b->v[1]);
    ph_add3(r + b->v[1], ph_add(ph_mul(J, omega_dot), ph_cross(omega, ph_mul(J, omega))));
}

/* One side of a point that two bodies have in common, sign (x + R s), with the sum of s:
 *   B^T lambda = sign s x R^T lambda on phi,  Phi = sign R s,  rate = sign R (Omega x s)
 * The ground and particles do not turn. */
static void add_end(const ph_mechanism *m, int body, ph_vec3 s, const ph_state *at, const double *lambda,
                    double *r, double *Phi, double *rate)
{
    const ph_body *b = body < 0 || m->body[body].particle ? NULL : &m->body[body];
    const ph_mat3 *R = b ? &at->R[b->R] : NULL;
    if (Phi)
        ph_add3(Phi, R ? ph_mul(*R, s) : s);
    if (!R)
        return;
    ph_add3(r + b->v[1], ph_cross(s, ph_tmul(*R, ph_load3(lambda))));
    if (rate)
        ph_add3(rate, ph_mul(*R, ph_cross(ph_load3(at->v + b->v[1]), s)));
}

static void add_point(const ph_loads *l, int i, int part, const ph_state *s, const double *w, double *r,
                      double *Phi, double *rate)
{
    const ph_joint *j = &l->at[0]->joint[i];
    int at = j->l_at + j->part[part].row;
    ph_vec3 sa = {0}, sb = {0};
    for (int k = 0; k < l->n; k++) {
        if (w[k] == 0)
            continue;
        sa = ph_add(sa, ph_scale(w[k], l->at[k]->joint[i].sa));
        sb = ph_sub(sb, ph_scale(w[k], l->at[k]->joint[i].sb));
    }
    Phi = Phi ? Phi + at : NULL, rate = rate ? rate + at : NULL;
    add_end(l->at[0], j->body[0], sa, s, s->lambda + at, r, Phi, rate);
    add_end(l->at[0], j->body[1], sb, s, s->lambda + at, r, Phi, rate);
}

/* B^T lambda, Phi and B v + Phi_t of one part of a joint of one mechanism; Phi or rate NULL: without. */
static void add_part(const ph_joint *j, int part, const ph_state *s, double f, const ph_site *site, double *r,
                     double *Phi, double *rate)
{
    double B[12 * PH_ROWS_MAX] = {0}, y[PH_ROWS_MAX], y_t[PH_ROWS_MAX] = {0};
    const ph_part *op = j->part[part].op;
    int rows = j->part[part].rows, at = j->l_at + j->part[part].row;
    op->B(site, &(ph_put){B, ph_local_rows, 12, 0});
    if (Phi)
        op->Phi(site, y);
    if (rate && j->drive >= 0 && op->Phi_t)
        op->Phi_t(site, y_t);
    for (int k = 0; k < PH_SLOTS; k++) {
        if (j->v[k] < 0)
            continue;
        ph_vec3 v = ph_load3(s->v + j->v[k]), sum = {0};
        for (int i = 0; i < rows; i++) {
            ph_vec3 row = ph_load3(B + 12 * i + 3 * k);
            sum = ph_add(sum, ph_scale(s->lambda[at + i], row));
            y_t[i] += ph_dot(row, v);
        }
        ph_add3(r + j->v[k], ph_scale(f, sum));
    }
    for (int i = 0; i < rows && Phi; i++)
        Phi[at + i] += f * y[i];
    for (int i = 0; i < rows && rate; i++)
        rate[at + i] += f * y_t[i];
}

/* The bodies of a joint are where they are in each mechanism. */
static ph_status add_joint(const ph_loads *l, const differing_joint *d, const ph_state *s, const double *w,
                           double *r, double *Phi, double *rate)
{
    const ph_joint *first = &l->at[0]->joint[d->joint];
    for (int part = 0; part < first->n_parts; part++)
        if (d->linear >> part & 1)
            add_point(l, d->joint, part, s, w, r, Phi, rate);
    if (d->parts == d->linear)
        return PH_OK;
    ph_site site = {0};
    ph_kin_fill(l->at[0], s, first->body[0], &site.a);
    ph_kin_fill(l->at[0], s, first->body[1], &site.b);
    for (int k = 0; k < l->n; k++) {
        const ph_joint *j = &l->at[k]->joint[d->joint];
        if (w[k] == 0)
            continue;
        ph_status status = j->drive >= 0 ? ph_drive_of(l->at[k], j, s->t, rate ? 1 : 0, site.f) : PH_OK;
        if (status != PH_OK)
            return status;
        site.j = j;
        for (int part = 0; part < j->n_parts; part++)
            if ((d->parts & ~d->linear) >> part & 1) {
                site.pick = j->part[part].pick;
                add_part(j, part, s, w[k], &site, r, Phi, rate);
            }
    }
    return PH_OK;
}

static ph_status add_force_of(const ph_mechanism *m, const ph_force *force, const ph_state *s, double f,
                              double *r)
{
    ph_force_site site;
    ph_vec3 y[PH_SLOTS] = {{0}};
    ph_force_at(m, s, force, &site);
    if (force->op->M)
        ph_force_accelerate(m, s, &site);
    ph_status status = force->op->g(&site, y);
    for (int k = 0; k < PH_SLOTS && status == PH_OK; k++)
        if (force->v[k] >= 0)
            ph_add3(r + force->v[k], ph_scale(f, y[k]));
    return status;
}

/* Numbers that a record points to, in a sum of records. */
enum {
    POINTERS = 0
#define PH_NUMBER(list, record, member, n, size, use, missing) +((n) == 36)
#include "mech/numbers.def"
};
typedef double ph_pointed[POINTERS][36];

/* Add w x to the sum of each number on which a force depends linearly; if first, set it, and give its pointers room. */
static void add_numbers(ph_number_list of, double w, const void *x, void *sum, int first, ph_pointed pointed)
{
    int used = 0;
    PH_EACH_NUMBER (row, of) {
        const double *a = ph_number_at(row, x);
        if (!(row->use & PH_NUMBER_LINEAR) || !a)
            continue;
        if (first && row->type == PH_NUMBER_POINTER)
            *(const double **)((char *)sum + row->at) = pointed[used++];
        double *y = ph_number_at(row, sum);
        for (int i = 0; i < row->n; i++)
            y[i] = w * a[i] + (first ? 0 : y[i]);
    }
}

/* A force with the sums of these numbers. */
static ph_status add_linear_force(const ph_loads *l, int i, const ph_state *s, const double *w, double *r)
{
    ph_force sum = l->at[0]->force[i];
    ph_force_def def = {0};
    ph_pointed pointed;
    if (sum.def)
        def = *sum.def, sum.def = &def;
    for (int k = 0; k < l->n; k++) {
        ph_number_record x[PH_FORCE_RECORDS];
        int n = ph_force_records(&l->at[k]->force[i], x);
        for (int part = 0; part < n; part++)
            add_numbers(x[part].of, w[k], x[part].record, x[part].of == PH_NUMBERS_LAW ? (void *)&def : &sum,
                        k == 0, pointed);
    }
    return add_force_of(l->at[0], &sum, s, 1, r);
}

static ph_status add_force(const ph_loads *l, const differing_force *d, const ph_state *s, const double *w,
                           double *r)
{
    if (d->linear)
        return add_linear_force(l, d->force, s, w, r);
    ph_status status = PH_OK;
    for (int k = 0; k < l->n && status == PH_OK; k++)
        if (w[k] != 0)
            status = add_force_of(l->at[k], &l->at[k]->force[d->force], s, w[k], r);
    return status;
}

ph_status ph_loads_add(const ph_state *s, const double *weight, unsigned what, double *r, double *Phi,
                       double *rate, void *loads)
{
    const ph_loads *l = loads;
    ph_status status = PH_OK;
    double *Phi_out = what & PH_LOADS_PHI ? Phi : NULL, *rate_out = what & PH_LOADS_RATE ? rate : NULL;
    for (int i = 0; i < l->n_joints && status == PH_OK; i++)
        status = add_joint(l, &l->joint[i], s, weight, r, Phi_out, rate_out);
    if (what & PH_LOADS_ROWS)
        return status;
    for (int i = 0; i < l->n_bodies; i++)
        add_body(l, l->body[i], s, weight, r);
    for (int k = 0; k < l->n && l->functions; k++)
        if (weight[k] != 0)
            ph_states_of(l->at[k], s, l->at[k]->states);
    for (int i = 0; i < l->n_forces && status == PH_OK; i++)
        status = add_force(l, &l->force[i], s, weight, r);
    return status;
}
