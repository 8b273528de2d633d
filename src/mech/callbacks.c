/* The callbacks of the seam: loops over bodies, joints and forces, each at its precomputed places. */
#include "mech/coordinate.h"

#include <string.h>

#include "mech/carry.h"
#include "mech/friction.h"
#include "mech/pin.h"
#include "mech/reach.h"
#include "mech/rigid_body.h"

/* ---- bodies --------------------------------------------------------------------------------------- */

/* A beam element refuses where it turns too far: which one, for words. */
static ph_status refused(ph_mechanism *m, const ph_force *f, ph_status status)
{
    int beam = f->def && ph_force_is_beam(f->def);
    atomic_store(&m->turned, beam ? (int)(f - m->force) + 1 : 0);
    return status;
}

/* Bodies in principal axes. */
#define EACH_RIGID(m, b) for (const ph_rigid *b = (m)->rigid, *end = b + (m)->n_rigid; b < end; b++)

/* Omega x J Omega for J = diag(J), and weight */
PH_INLINE void rigid_g(int axes, const ph_mechanism *m, const ph_state *s, double *out)
{
    ph_vec3 gravity = ph_scale(m->load, m->model->gravity);
    EACH_RIGID(m, b)
    {
        ph_vec3 w = ph_load3(s->v + b->w), weight = ph_scale(b->m, gravity);
        ph_store3(out + b->x, axes ? ph_moving_g(b->m, ph_load3(s->v + b->x), w, ph_tmul(s->R[b->R], weight))
                                   : ph_scale(-1, weight));
        ph_store3(out + b->w, ph_principal_g(b->d, w));
    }
}

PH_INLINE void rigid_C(int axes, const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_RIGID(m, b)
    {
        ph_vec3 w = ph_load3(s->v + b->w);
        if (axes) {
            ph_put_block(out + b->C[0], 6, ph_moving_C_U(b->m, w));
            ph_put_block(out + b->C[1], 6, ph_moving_C_w(b->m, ph_load3(s->v + b->x)));
        }
        ph_put_block(out + b->C[2], axes ? 6 : 3, ph_principal_C(b->d, w));
    }
}

/* Adds; zero in physical coordinates */
static void rigid_K(const ph_mechanism *m, const ph_state *s, double *out)
{
    ph_vec3 gravity = ph_scale(m->load, m->model->gravity);
    if (!m->space->body_axes)
        return;
    EACH_RIGID(m, b)
    ph_add_pair(&(ph_put){out, &b->C[1], 6, 0}, 0, 0,
                ph_moving_K(ph_tmul(s->R[b->R], ph_scale(b->m, gravity))));
}

PH_INLINE void bodies_g(const ph_mechanism *m, const ph_state *s, double *out)
{
    PH_IN_AXES(rigid_g, m, s, out);
    for (int k = 0; k < m->n_general; k++) {
        const ph_body *b = &m->body[m->general[k]];
        if (b->particle)
            ph_store3(out + b->v[0], ph_scale(-1, b->weight));
        else
            m->space->g(b, s, out);
    }
    ph_flex_g(m, s, out);
}

static void bodies_C(const ph_mechanism *m, const ph_state *s, double *out)
{
    PH_IN_AXES(rigid_C, m, s, out);
    for (int k = 0; k < m->n_general; k++)
        if (!m->body[m->general[k]].particle)
            m->space->C(&m->body[m->general[k]], s, out);
    ph_flex_C(m, s, out);
}

static void bodies_K(const ph_mechanism *m, const ph_state *s, double *out)
{
    rigid_K(m, s, out);
    for (int k = 0; k < m->n_general && m->space->K; k++)
        if (!m->body[m->general[k]].particle)
            m->space->K(&m->body[m->general[k]], s, out);
    ph_flex_K(m, s, out);
}

/* Beam elements that stand in lanes. */
static ph_status beams(ph_mechanism *m, const ph_state *s, double *g, double *M, double *C, double *K)
{
    const ph_force *which = NULL;
    ph_status status = ph_beams_add(m, s, g, M, C, K, &which);
    return status == PH_OK ? PH_OK : refused(m, which, status);
}

/* ---- places that are not direct ------------------------------------------------------------------- */

static void put_rows(const ph_mechanism *m, const ph_state *s, const ph_joint *j, const double *B,
                     const double *Z, double *out)
{
    if (j->carried)
        ph_carried_rows(m, s, j->carried, j->rows, B, Z, out);
    else
        ph_space_rows(m, s, j, B, Z, out);
}

/* ---- forces --------------------------------------------------------------------------------------- */

/* In the axes that suit the space, where the force can do so. */
static void open_site(const ph_mechanism *m, const ph_state *s, const ph_force *f, ph_force_site *site)
{
    ph_force_at(m, s, f, site);
    site->body_axes = f->direct && m->space->body_axes;
}

/* Columns of the node of a half. */
static int row_of(const ph_mechanism *m)
{
    return m->space->joined ? m->space->n[0] + m->space->n[1] : m->space->n[0];
}

/* Masses of forces. */
static ph_status forces_M(ph_mechanism *m, const ph_state *s, double *out)
{
    ph_status beam = beams(m, s, NULL, out, NULL, NULL);
    if (beam != PH_OK)
        return beam;
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end; f++) {
        if (!f->op->M || f->in_lane)
            continue;
        ph_force_site site;
        double local[144] = {0};
        open_site(m, s, f, &site);
        ph_status status = f->op->M(&site, f->direct ? &(ph_put){out, f->K, row_of(m), 0}
                                                     : &(ph_put){local, ph_local_pairs, 12, 0});
        if (status != PH_OK)
            return refused(m, f, status);
        if (!f->direct)
            ph_space_M(m, s, f->body, f->K, local, out);
    }
    return PH_OK;
}

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    ph_mechanism *m = ctx;
    if (m->inertia)
        memset(out, 0, sizeof(double) * (size_t)m->size_pairs);
    for (const ph_body *b = m->body, *end = b + m->model->n_bodies; b < end; b++) {
        if (b->turns && m->space->singular && m->space->singular(b, s->q)) {
            atomic_store(&m->singular, (int)(b - m->body) + 1);
            return PH_E_CALLBACK;
        }
        if (b->particle)
            ph_store33(out + b->M[0], ph_diag3(b->m, b->m, b->m));
        else if (b->flex < 0)
            m->space->M(b, s, out);
    }
    ph_flex_M(m, s, out);
    ph_states_M(m, out);
    return m->inertia ? forces_M(m, s, out) : PH_OK;
}

static void add_terms(const ph_mechanism *m, const ph_state *s, const ph_force *f, const ph_vec3 r[PH_SLOTS],
                      double *out)
{
    if (!f->direct) {
        if (f->carried)
            ph_carried_vector(m, s, f->carried, r, out);
        else
            ph_space_vector(m, s, f->body, f->v, r, out);
        return;
    }
    for (int k = 0; k < PH_SLOTS; k++)
        if (f->v[k] >= 0)
            ph_add3(out + f->v[k], r[k]);
}

static void read_states(const ph_mechanism *m, const ph_state *s)
{
    if (m->functions)
        ph_states_of(m, s, m->states);
}

static ph_status force_g(const ph_mechanism *m, const ph_state *s, const ph_force *f,
                         const ph_force_site *site, double *out)
{
    ph_vec3 r[PH_SLOTS] = {{0}};
    ph_status status = f->op->g(site, r);
    if (status == PH_OK)
        add_terms(m, s, f, r, out);
    return status;
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    ph_mechanism *m = ctx;
    bodies_g(m, s, out);
    read_states(m, s);
    ph_status beam = beams(m, s, out, NULL, NULL, NULL);
    if (beam != PH_OK)
        return beam;
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end; f++) {
        ph_force_site site;
        if (f->in_lane)
            continue;
        open_site(m, s, f, &site);
        ph_status status = force_g(m, s, f, &site, out);
        if (status != PH_OK)
            return refused(m, f, status);
    }
    return ph_states_g(m, s, out);
}

/* Efforts of actuators that are functions, and loads: rows of any two bodies, columns of all that they read. */
static ph_status functions(ph_mechanism *m, const ph_state *s, int K, double *out)
{
    ph_status status = ph_states_tangent(m, s, K, out);
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end && status == PH_OK; f++) {
        ph_vec3 b[PH_SLOTS];
        if (f->reach && !f->actuator)
            status = ph_load_tangent(m, s, f, K, out);
        if (!f->reach || !f->actuator)
            continue;
        ph_site site = {.j = f->along, .a = ph_kin_of(m, s, f->body[0]), .b = ph_kin_of(m, s, f->body[1])};
        ph_coordinate_row(&site, f->coordinate, b);
        status = ph_effort_tangent(m, s, f, b, K, out);
    }
    return status;
}

/* dg/dv of a force in a space whose coordinates are not the physical ones. */
static ph_status chained_C(const ph_mechanism *m, const ph_state *s, const ph_force *f,
                           const ph_force_site *site, double *out)
{
    double local_C[144] = {0}, local_M[144] = {0};
    int inertia = f->op->M != NULL;
    ph_status status = inertia ? f->op->all(site, NULL, local_M, local_C, NULL)
                               : f->op->C(site, &(ph_put){local_C, ph_local_pairs, 12, 0});
    if (status == PH_OK && f->carried)
        ph_carried_K(m, s, f->carried, local_C, NULL, NULL, out);
    else if (status == PH_OK)
        ph_space_C(m, s, f->body, f->K, local_C, inertia ? local_M : NULL, out);
    return status;
}

static ph_status force_C(const ph_mechanism *m, const ph_state *s, const ph_force *f,
                         const ph_force_site *site, double *out)
{
    return f->direct ? f->op->C(site, &(ph_put){out, f->K, row_of(m), 0}) : chained_C(m, s, f, site, out);
}

/* All but forces. */
PH_INLINE void open_C(const ph_mechanism *m, const ph_state *s, double *out)
{
    if (m->damped)
        memset(out, 0, sizeof(double) * (size_t)m->size_pairs);
    bodies_C(m, s, out);
}

static ph_status C(const ph_state *s, double *out, void *ctx)
{
    ph_mechanism *m = ctx;
    open_C(m, s, out);
    read_states(m, s);
    ph_status beam = beams(m, s, NULL, NULL, out, NULL);
    if (beam != PH_OK)
        return beam;
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end; f++) {
        ph_force_site site;
        if (f->still || f->in_lane)
            continue;
        open_site(m, s, f, &site);
        ph_status status = force_C(m, s, f, &site, out);
        if (status != PH_OK)
            return refused(m, f, status);
    }
    return functions(m, s, 0, out);
}

/* At markers there are no forces with inertia. */
static void put_K(const ph_mechanism *m, const ph_state *s, const ph_force *f, const double *K,
                  const double *C, const double *M, const ph_vec3 *r, double *out)
{
    if (f->carried)
        ph_carried_K(m, s, f->carried, K, C, r, out);
    else
        ph_space_K(m, s, f->body, f->K, K, C, M, r, out);
}

/* dg/dq of a force in a space whose coordinates are not the physical ones. */
static ph_status chained_K(const ph_mechanism *m, const ph_state *s, const ph_force *f,
                           const ph_force_site *site, double *out)
{
    double local_K[144] = {0}, local_C[144] = {0}, local_M[144] = {0};
    ph_vec3 r[PH_SLOTS] = {{0}};
    int inertia = f->op->M != NULL;
    ph_status status = inertia ? f->op->all(site, r, local_M, local_C, local_K) : f->op->g(site, r);
    if (status == PH_OK && !inertia && !f->still)
        status = f->op->C(site, &(ph_put){local_C, ph_local_pairs, 12, 0});
    if (status == PH_OK && !inertia)
        status = f->op->K(site, &(ph_put){local_K, ph_local_pairs, 12, 0});
    if (status == PH_OK)
        put_K(m, s, f, local_K, f->still ? NULL : local_C, inertia ? local_M : NULL, r, out);
    return status;
}

/* The site has the accelerations of the state after it, where the force has inertia. */
static ph_status force_K(const ph_mechanism *m, const ph_state *s, const ph_force *f, ph_force_site *site,
                         double *out)
{
    if (f->op->M)
        ph_force_accelerate(m, s, site);
    return f->direct ? f->op->K(site, &(ph_put){out, f->K, row_of(m), 0}) : chained_K(m, s, f, site, out);
}

static ph_status forces_K(ph_mechanism *m, const ph_state *s, double *out)
{
    read_states(m, s);
    ph_status beam = beams(m, s, NULL, NULL, NULL, out);
    if (beam != PH_OK)
        return beam;
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end; f++) {
        ph_force_site site;
        if (f->in_lane || !f->op->K)
            continue;
        open_site(m, s, f, &site);
        ph_status status = force_K(m, s, f, &site, out);
        if (status != PH_OK)
            return refused(m, f, status);
    }
    return functions(m, s, 1, out);
}

/* Blocks have the shape of B^T: column i of each belongs to row i of the joint. */
static void put_columns(const ph_mechanism *m, const ph_state *s, const ph_force *f, const ph_vec3 *r,
                        double *out)
{
    static const int at[PH_SLOTS] = {0, PH_HALF_MAX, 2 * PH_HALF_MAX, 3 * PH_HALF_MAX};
    int rows = f->joint->rows;
    for (int i = 0; i < rows; i++, r += PH_SLOTS) {
        double y[4 * PH_HALF_MAX] = {0};
        if (m->space->plain)
            for (int k = 0; k < PH_SLOTS; k++)
                ph_store3(y + at[k], r[k]);
        else
            ph_space_vector(m, s, f->body, at, r, y);
        for (int k = 0; k < PH_SLOTS; k++) {
            if (f->v[k] < 0)
                continue;
            int n = m->space->n[k % 2],
                base = m->space->joined && k % 2 ? f->B[k - 1] + m->space->n[0] * rows : f->B[k];
            for (int l = 0; l < n; l++)
                out[base + l * rows + i] = y[at[k] + l];
        }
    }
}

static ph_status g_lambda(const ph_state *s, double *out, void *ctx)
{
    const ph_mechanism *m = ctx;
    for (int k = 0; k < m->n_friction; k++) {
        const ph_force *f = m->friction[k];
        ph_force_site site;
        ph_vec3 r[PH_ROWS_MAX * PH_SLOTS] = {{0}};
        ph_force_at(m, s, f, &site);
        for (int i = 0; i < f->joint->rows; i++)
            f->op->g_lambda(&site, i, r + PH_SLOTS * i);
        if (f->carried)
            ph_carried_columns(m, s, f->carried, f->joint->rows, r, out);
        else
            put_columns(m, s, f, r, out);
    }
    return PH_OK;
}

/* Return the least kappa (CT8) of all frictions. */
static double cut(const ph_state *s, const double *dv, void *ctx)
{
    const ph_mechanism *m = ctx;
    ph_state moved = *s;
    double least = 1;
    moved.v = dv;
    for (int k = 0; k < m->n_friction; k++) {
        const ph_force *f = m->friction[k];
        if (f->joint->idle)
            continue;
        ph_force_site now, change;
        ph_force_at(m, s, f, &now);
        ph_force_at(m, &moved, f, &change);
        least = fmin(least, ph_friction_fraction(f->op->slip(&now), f->op->slip(&change)));
    }
    return least;
}

/* ---- joints --------------------------------------------------------------------------------------- */

#define EACH_PART(j, i) for (int i = 0; i < (j)->n_parts; i++)

/* What a callback adds for one joint. */
typedef void (*at_joint)(const ph_mechanism *m, const ph_state *s, ph_site *site, double *out);

/* What a joint that is released stores instead. */
typedef enum zero { ZERO_NOTHING, ZERO_ROWS, ZERO_BLOCKS } zero;

static void store_zero(const ph_joint *j, zero what, double *out)
{
    if (what == ZERO_ROWS)
        memset(out + j->l_at, 0, sizeof(double) * (size_t)j->rows);
    else if (what == ZERO_BLOCKS)
        memset(out + j->links, 0, sizeof(double) * (size_t)j->size);
}

/* All joints but those of one point; level: derivatives of their drives that are read. */
PH_INLINE ph_status each_unpinned(const ph_mechanism *m, const ph_state *s, int level, zero what,
                                  at_joint add, double *out)
{
    for (int k = 0; k < m->n_unpinned; k++) {
        ph_site site;
        if (m->joint[m->unpinned[k]].idle) {
            store_zero(&m->joint[m->unpinned[k]], what, out);
            continue;
        }
        ph_status status = ph_joint_site(m, s, &m->joint[m->unpinned[k]], level, &site);
        if (status != PH_OK)
            return status;
        add(m, s, &site, out);
    }
    return PH_OK;
}

static void joint_Phi(const ph_mechanism *m, const ph_state *s, ph_site *site, double *out)
{
    const ph_joint *j = site->j;
    (void)m, (void)s;
    EACH_PART(j, i)
    {
        site->pick = j->part[i].pick;
        j->part[i].op->Phi(site, out + j->l_at + j->part[i].row);
    }
}

static ph_status Phi(const ph_state *s, double *out, void *ctx)
{
    const ph_mechanism *m = ctx;
    ph_pins_Phi(m, s, out);
    ph_norms_Phi(m, s, out);
    ph_couples_Phi(m, s, out);
    ph_hinges_Phi(m, s, out);
    ph_status status = each_unpinned(m, s, 0, ZERO_ROWS, joint_Phi, out);
    return status == PH_OK && m->model->n_constraints ? ph_user_Phi(m, s, out) : status;
}

static ph_status Phi_t(const ph_state *s, double *out, void *ctx)
{
    const ph_mechanism *m = ctx;
    for (int k = 0; k < m->n_unpinned; k++) {
        const ph_joint *j = &m->joint[m->unpinned[k]];
        ph_site site;
        if (j->drive < 0)
            continue;
        if (j->idle) {
            store_zero(j, ZERO_ROWS, out);
            continue;
        }
        ph_status status = ph_joint_site(m, s, j, 1, &site);
        if (status != PH_OK)
            return status;
        EACH_PART(j, i)
        {
            site.pick = j->part[i].pick;
            if (j->part[i].op->Phi_t)
                j->part[i].op->Phi_t(&site, out + j->l_at + j->part[i].row);
        }
    }
    return m->model->n_constraints ? ph_user_Phi_t(m, s, out) : PH_OK;
}

static void rows_B(ph_site *site, double *out, const int *at, int stride)
{
    const ph_joint *j = site->j;
    EACH_PART(j, i)
    {
        site->pick = j->part[i].pick;
        j->part[i].op->B(site, &(ph_put){out, at, stride, j->part[i].row});
    }
}

static void rows_Z(ph_site *site, double *out, const int *at, int stride)
{
    const ph_joint *j = site->j;
    EACH_PART(j, i)
    {
        site->pick = j->part[i].pick;
        j->part[i].op->Z(site, &(ph_put){out, at, stride, j->part[i].row});
    }
}

static void joint_B(const ph_mechanism *m, const ph_state *s, ph_site *site, double *out)
{
    const ph_joint *j = site->j;
    double local[12 * PH_ROWS_MAX] = {0};
    if (j->direct) {
        rows_B(site, out, j->B, 3);
        return;
    }
    rows_B(site, local, ph_local_rows, 12);
    put_rows(m, s, j, local, NULL, out);
}

static ph_status B(const ph_state *s, double *out, void *ctx)
{
    const ph_mechanism *m = ctx;
    ph_pins_B(m, s, out);
    ph_norms_B(m, s, out);
    ph_couples_B(m, s, out);
    ph_hinges_B(m, s, out);
    ph_status status = each_unpinned(m, s, 0, ZERO_BLOCKS, joint_B, out);
    return status == PH_OK && m->model->n_constraints ? ph_user_B(m, s, out) : status;
}

/* Phi and B of a joint, which is seen once. */
static void rows_Phi_B(ph_site *site, double *Phi_out, double *B_out, const int *at, int stride)
{
    const ph_joint *j = site->j;
    EACH_PART(j, i)
    {
        const ph_part *op = j->part[i].op;
        ph_put p = {B_out, at, stride, j->part[i].row};
        site->pick = j->part[i].pick;
        if (op->Phi_B)
            op->Phi_B(site, Phi_out + p.row, &p);
        else
            op->Phi(site, Phi_out + p.row), op->B(site, &p);
    }
}

static void joint_positions(const ph_mechanism *m, const ph_state *s, ph_site *site, double *Phi_out,
                            double *B_out)
{
    const ph_joint *j = site->j;
    if (j->direct) {
        rows_Phi_B(site, Phi_out + j->l_at, B_out, j->B, 3);
        return;
    }
    double local[12 * PH_ROWS_MAX] = {0};
    rows_Phi_B(site, Phi_out + j->l_at, local, ph_local_rows, 12);
    put_rows(m, s, j, local, NULL, B_out);
}

static ph_status positions(const ph_state *s, double *Phi_out, double *B_out, void *ctx)
{
    const ph_mechanism *m = ctx;
    ph_pins_Phi(m, s, Phi_out), ph_pins_B(m, s, B_out);
    ph_norms_Phi(m, s, Phi_out), ph_norms_B(m, s, B_out);
    ph_couples_Phi(m, s, Phi_out), ph_couples_B(m, s, B_out);
    ph_hinges_positions(m, s, Phi_out, B_out);
    for (int k = 0; k < m->n_unpinned; k++) {
        const ph_joint *j = &m->joint[m->unpinned[k]];
        ph_site site;
        if (j->idle) {
            store_zero(j, ZERO_ROWS, Phi_out), store_zero(j, ZERO_BLOCKS, B_out);
            continue;
        }
        ph_status status = ph_joint_site(m, s, j, 0, &site);
        if (status != PH_OK)
            return status;
        joint_positions(m, s, &site, Phi_out, B_out);
    }
    ph_status status = m->model->n_constraints ? ph_user_Phi(m, s, Phi_out) : PH_OK;
    return status == PH_OK && m->model->n_constraints ? ph_user_B(m, s, B_out) : status;
}

static void joint_Z(const ph_mechanism *m, const ph_state *s, ph_site *site, double *out)
{
    const ph_joint *j = site->j;
    if (j->direct) {
        rows_Z(site, out, j->B, 3);
        return;
    }
    double local_B[12 * PH_ROWS_MAX] = {0}, local_Z[12 * PH_ROWS_MAX] = {0};
    rows_B(site, local_B, ph_local_rows, 12);
    rows_Z(site, local_Z, ph_local_rows, 12);
    put_rows(m, s, j, local_B, local_Z, out);
}

static ph_status Z(const ph_state *s, double *out, void *ctx)
{
    const ph_mechanism *m = ctx;
    ph_pins_Z(m, s, out);
    ph_norms_Z(m, s, out);
    ph_couples_Z(m, s, out);
    ph_hinges_Z(m, s, out);
    ph_status status = each_unpinned(m, s, 1, ZERO_BLOCKS, joint_Z, out);
    return status == PH_OK && m->model->n_constraints ? ph_user_Z(m, s, out) : status;
}

static void joint_convective(const ph_mechanism *m, const ph_state *s, ph_site *site, double *out)
{
    const ph_joint *j = site->j;
    EACH_PART(j, i)
    {
        site->pick = j->part[i].pick;
        j->part[i].op->convective(site, out + j->l_at + j->part[i].row);
    }
    if (j->direct)
        return;
    double local[12 * PH_ROWS_MAX] = {0};
    rows_B(site, local, ph_local_rows, 12);
    if (j->carried)
        ph_carried_drift(m, s, j->carried, j->rows, local, out + j->l_at);
    else
        ph_space_drift(m, s, j, local, out + j->l_at);
}

static ph_status convective(const ph_state *s, double *out, void *ctx)
{
    const ph_mechanism *m = ctx;
    ph_pins_convective(m, s, out);
    ph_norms_convective(m, s, out);
    ph_couples_convective(m, s, out);
    ph_hinges_convective(m, s, out);
    ph_status status = each_unpinned(m, s, 2, ZERO_ROWS, joint_convective, out);
    return status == PH_OK && m->model->n_constraints ? ph_user_convective(m, s, out) : status;
}

static void add_K(ph_site *site, const double *lambda, double *out, const int *at, int stride)
{
    const ph_joint *j = site->j;
    EACH_PART(j, i)
    {
        site->pick = j->part[i].pick;
        j->part[i].op->K(site, lambda + j->part[i].row, &(ph_put){out, at, stride, 0});
    }
}

/* d(B^T lambda)/dq */
static void joint_K(const ph_mechanism *m, const ph_state *s, ph_site *site, double *out)
{
    const ph_joint *j = site->j;
    if (j->direct) {
        add_K(site, s->lambda + j->l_at, out, j->K, 3);
        return;
    }
    double local_K[144] = {0}, local_B[12 * PH_ROWS_MAX] = {0};
    ph_vec3 r[PH_SLOTS] = {{0}};
    rows_B(site, local_B, ph_local_rows, 12);
    add_K(site, s->lambda + j->l_at, local_K, ph_local_pairs, 12);
    for (int i = 0; i < j->rows; i++)
        for (int k = 0; k < PH_SLOTS; k++)
            r[k] = ph_add(r[k], ph_scale(s->lambda[j->l_at + i], ph_load3(local_B + 12 * i + 3 * k)));
    if (j->carried)
        ph_carried_K(m, s, j->carried, local_K, NULL, r, out);
    else
        ph_space_K(m, s, j->body, j->K, local_K, NULL, NULL, r, out);
}

/* All but forces and what functions add. */
static ph_status open_K(const ph_mechanism *m, const ph_state *s, double *out)
{
    if (m->n_unpinned || m->n_hinges || m->n_forces || m->n_general || m->n_flex || m->model->n_couplings ||
        m->space->body_axes || m->model->n_states ||
        m->model->n_constraints) /* else pins alone store what is not zero */
        memset(out, 0, sizeof(double) * (size_t)m->size_pairs);
    ph_pins_K(m, s, out);
    bodies_K(m, s, out);
    ph_norms_K(m, s, out);
    ph_couples_K(m, s, out);
    ph_hinges_K(m, s, out);
    return each_unpinned(m, s, 0, ZERO_NOTHING, joint_K, out);
}

static ph_status K(const ph_state *s, double *out, void *ctx)
{
    ph_mechanism *m = ctx;
    ph_status status = open_K(m, s, out);
    if (status == PH_OK)
        status = forces_K(m, s, out);
    return status == PH_OK && m->model->n_constraints ? ph_user_K(m, s, out) : status;
}

/* ---- tangents ------------------------------------------------------------------------------------- */

/* g, C and K of a force, which is seen once. */
static ph_status force_all(const ph_mechanism *m, const ph_state *s, const ph_force *f, double *g_out,
                           double *C_out, double *K_out)
{
    ph_force_site site;
    ph_vec3 r[PH_SLOTS] = {{0}};
    open_site(m, s, f, &site);
    int at_once = f->direct && f->op->g_K;
    ph_status status =
        at_once ? f->op->g_K(&site, r, &(ph_put){K_out, f->K, row_of(m), 0}) : force_g(m, s, f, &site, g_out);
    if (status == PH_OK && at_once)
        add_terms(m, s, f, r, g_out);
    if (status == PH_OK && !f->still)
        status = force_C(m, s, f, &site, C_out);
    return status == PH_OK && !at_once && f->op->K ? force_K(m, s, f, &site, K_out) : status;
}

static ph_status tangents(const ph_state *s, double *g_out, double *C_out, double *K_out, void *ctx)
{
    ph_mechanism *m = ctx;
    bodies_g(m, s, g_out);
    open_C(m, s, C_out);
    ph_status status = open_K(m, s, K_out);
    read_states(m, s);
    if (status == PH_OK)
        status = beams(m, s, g_out, NULL, C_out, K_out);
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end && status == PH_OK; f++) {
        if (f->in_lane)
            continue;
        status = force_all(m, s, f, g_out, C_out, K_out);
        if (status != PH_OK)
            return refused(m, f, status);
    }
    if (status == PH_OK)
        status = ph_states_g(m, s, g_out);
    if (status == PH_OK)
        status = functions(m, s, 0, C_out);
    if (status == PH_OK)
        status = functions(m, s, 1, K_out);
    return status == PH_OK && m->model->n_constraints ? ph_user_K(m, s, K_out) : status;
}

/* ---- products ------------------------------------------------------------------------------------- */

/* r += M vdot */
static void add_inertia(const ph_mechanism *m, const ph_state *s, double *r)
{
    EACH_RIGID(m, b)
    {
        ph_vec3 a = ph_load3(s->vdot + b->w);
        ph_add3(r + b->x, ph_scale(b->m, ph_load3(s->vdot + b->x)));
        ph_add3(r + b->w, ph_v3(b->J.x * a.x, b->J.y * a.y, b->J.z * a.z));
    }
    for (int k = 0; k < m->n_general; k++) {
        const ph_body *b = &m->body[m->general[k]];
        ph_add3(r + b->v[0], ph_scale(b->m, ph_load3(s->vdot + b->v[0])));
        if (!b->particle)
            ph_add3(r + b->v[1], ph_mul(b->J, ph_load3(s->vdot + b->v[1])));
    }
}

/* Those of a joint in physical coordinates, whose rows of B are stored nowhere. */
static void joint_products(const ph_mechanism *m, const ph_state *s, ph_site *site, double *r, double *Phi,
                           double *rate)
{
    const ph_joint *j = site->j;
    const ph_vec3 v[PH_SLOTS] = {site->a.v, site->a.w, site->b.v, site->b.w};
    double B_rows[12 * PH_ROWS_MAX] = {0}, own[PH_ROWS_MAX];
    rows_Phi_B(site, Phi ? Phi + j->l_at : own, B_rows, ph_local_rows, 12);
    for (int k = 0; k < PH_SLOTS; k++) {
        const ph_body *body = j->body[k / 2] < 0 ? NULL : &m->body[j->body[k / 2]];
        if (!body || (k % 2 && body->particle))
            continue;
        for (int i = 0; i < j->rows; i++) {
            ph_vec3 row = ph_load3(B_rows + 12 * i + 3 * k);
            if (r)
                ph_add3(r + body->v[k % 2], ph_scale(s->lambda[j->l_at + i], row));
            if (rate)
                rate[j->l_at + i] += ph_dot(row, v[k]);
        }
    }
}

/* With spherical joints alone */
static ph_status pinned_products(const ph_state *s, double *r, double *Phi, double *rate, void *ctx)
{
    const ph_mechanism *m = ctx;
    if (r)
        add_inertia(m, s, r);
    ph_pins_products(m, s, r, Phi, rate);
    return PH_OK;
}

static ph_status products(const ph_state *s, double *r, double *Phi, double *rate, void *ctx)
{
    const ph_mechanism *m = ctx;
    pinned_products(s, r, Phi, rate, ctx);
    ph_hinges_products(m, s, r, Phi, rate);
    for (int k = 0; k < m->n_unpinned; k++) {
        ph_site site;
        ph_status status = ph_joint_site(m, s, &m->joint[m->unpinned[k]], 0, &site);
        if (status != PH_OK)
            return status;
        joint_products(m, s, &site, r, Phi, rate);
    }
    return PH_OK;
}

/* Rigid bodies with joints whose products need no blocks. Spherical joints; in physical coordinates also those that come four by four,
 * with a few that do not: one by one, blocks are no slower. */
static ph_products products_of(const ph_mechanism *m)
{
    const ph_model *d = m->model;
    int few = m->space->plain && !m->sys.switches && m->n_unpinned <= m->n_hinges;
    if (!(m->space->plain || m->space->body_axes) || m->inertia || m->n_flex || m->n_norms || d->n_states ||
        d->n_couplings || d->n_constraints)
        return NULL;
    for (int k = 0; k < m->n_unpinned && few; k++)
        few = m->joint[m->unpinned[k]].direct;
    return !m->n_unpinned && !m->n_hinges ? pinned_products : few ? products : NULL;
}

/* ---- bodies with principal axes and spherical joints alone: all other kinds are passed over --------- */

/* In body axes pins store what weight adds to: all bodies have some. */
static int is_bare(const ph_mechanism *m)
{
    return m->sys.products == pinned_products && !m->n_forces && !m->n_general &&
           (m->space->plain || m->n_pinned == m->n_rigid);
}

static ph_status bare_g(const ph_state *s, double *out, void *ctx)
{
    const ph_mechanism *m = ctx;
    PH_IN_AXES(rigid_g, m, s, out);
    return PH_OK;
}

static ph_status bare_tangents(const ph_state *s, double *g_out, double *C_out, double *K_out, void *ctx)
{
    const ph_mechanism *m = ctx;
    PH_IN_AXES(rigid_g, m, s, g_out);
    PH_IN_AXES(rigid_C, m, s, C_out);
    ph_pins_K(m, s, K_out);
    rigid_K(m, s, K_out);
    return PH_OK;
}

static ph_status bare_B(const ph_state *s, double *out, void *ctx)
{
    ph_pins_B(ctx, s, out);
    return PH_OK;
}

/* ---- all ------------------------------------------------------------------------------------------ */

/* A function of the file that looks at the motion, which it may do with cases. */
static int decides(const ph_function *f)
{
    return f->call && !f->only_time && (ph_function_is_untraced(f) || f->traced->depth > PH_NOT_SEEN);
}

/* A function of the time that may jump where a run starts. */
static int begins_with_run(const ph_model *model)
{
    const ph_function *f;
    for (int k = 0; (f = ph_motion_function(model, k)); k++)
        if (f->call && (ph_function_is_untraced(f) || ph_program_may_jump(f->traced->program, PH_ARG_TIME)))
            return 1;
    return 0;
}

/* Friction and stops have cases, too, and coordinates of rotations are singular somewhere. Forces of beams and flexible bodies have the
 * round-off of positions times their stiffness; a second increment halves it. */
static int is_smooth(const ph_mechanism *m)
{
    int smooth = !m->model->n_constraints && !m->model->n_states && !m->n_flex &&
                 (m->space->plain || m->space->body_axes);
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end && smooth; f++) {
        const ph_actuator_def *a = f->actuator;
        if (a)
            smooth = !decides(&a->f) && isnan(a->stop[0]) && isnan(a->stop[1]);
        else
            smooth = f->def && !f->def->K6 && !decides(&f->def->f);
    }
    return smooth;
}

/* Whether anything adds to C what bodies have stored. */
static int is_damped(const ph_mechanism *m)
{
    int damped = m->model->n_states > 0;
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end && !damped; f++)
        damped = !f->still || f->reach;
    return damped;
}

void ph_mechanism_callbacks(ph_mechanism *m)
{
    ph_system *sys = &m->sys;
    m->damped = is_damped(m);
    for (ph_force *f = m->force, *end = f + m->n_forces; f < end; f++)
        f->sided = ph_force_has_sides(f), m->sided |= f->sided;
    sys->ctx = m, sys->origin = sys;
    sys->M = M, sys->g = g, sys->C = C, sys->K = K;
    sys->products = products_of(m);
    sys->tangents = m->n_forces ? tangents : NULL;
    sys->flags = m->space->varies || m->inertia || m->n_flex ? 0 : PH_MASS_CONSTANT;
    int moving = m->model->n_constraints > 0;
    for (int k = 0; k < m->n_joints; k++)
        moving |= m->joint[k].drive >= 0;
    if (sys->n_constraints) {
        sys->positions = m->n_unpinned || m->n_hinges ? positions : NULL;
        sys->Phi = Phi, sys->B = B, sys->Z = Z, sys->convective = convective;
        if (moving)
            sys->Phi_t = Phi_t, sys->flags |= PH_RHEONOMIC;
    }
    if (m->n_friction)
        sys->g_lambda = g_lambda, sys->cut = cut, sys->flags |= PH_FORCE_LAMBDA;
    if (is_smooth(m))
        sys->flags |= PH_SMOOTH;
    if (begins_with_run(m->model))
        sys->flags |= PH_FROM_START;
    if (is_bare(m))
        sys->g = bare_g, sys->tangents = bare_tangents, sys->B = sys->B ? bare_B : NULL;
}
