/* Forces on points of bodies, and torques: constant or functions of time and state, in world or body axes: load.h.
 *
 * Each is multiplied by the factor of loads, which is 1 but for static steps. What a function returns is
 * differenced by the state of its own body only, centrally: exact to about 1e-10 where it reads no other body,
 * and a Newton matrix that is good enough where it does. */
#include "mech/load.h"

#include "lie/so3.h"

static int reads_state(const ph_force_def *d)
{
    return d->f.call && !d->f.only_time;
}

static ph_status value_of(const ph_force_site *s, ph_vec3 *out)
{
    const ph_force_def *d = s->f->def;
    *out = ph_scale(s->load, d->value);
    if (!d->f.call)
        return PH_OK;
    double F[3];
    ph_status status = d->f.call(&d->f, s->t, d->f.only_time ? NULL : s->bodies, 3, F);
    *out = ph_scale(s->load, ph_load3(F));
    return status;
}

/* The parts of the state of the own body that a value is differenced by. */
typedef enum what { POSITION, ROTATION, VELOCITY, OMEGA } what;

#define STEP 6e-6 /* about eps^(1/3), which balances truncation and round-off */

static double component(ph_vec3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

static void perturb(ph_body_state *b, what w, int k, double by)
{
    ph_vec3 e = ph_v3(k == 0 ? by : 0, k == 1 ? by : 0, k == 2 ? by : 0);
    if (w == POSITION)
        b->x = ph_add(b->x, e);
    else if (w == VELOCITY)
        b->v = ph_add(b->v, e);
    else if (w == OMEGA)
        b->omega = ph_add(b->omega, e);
    else
        b->q = ph_qmul(b->q, ph_so3_exp(ph_stumpff_of(e), e));
}

/* dF/d(what), 3 x 3 */
static ph_status slope(const ph_force_site *s, what w, ph_mat3 *out)
{
    ph_body_state *b = &s->bodies[s->f->body[1]], kept = *b;
    double col[9];
    for (int k = 0; k < 3; k++) {
        ph_vec3 size = w == POSITION   ? b->x
                       : w == VELOCITY ? b->v
                       : w == OMEGA    ? b->omega
                                       : ph_v3(0, 0, 0),
                plus, minus;
        double step = STEP * fmax(1, fabs(component(size, k)));
        perturb(b, w, k, step);
        ph_status status = value_of(s, &plus);
        *b = kept;
        perturb(b, w, k, -step);
        status = status == PH_OK ? value_of(s, &minus) : status;
        *b = kept;
        if (status != PH_OK)
            return status;
        ph_store3(col + 3 * k, ph_scale(1 / (2 * step), ph_sub(plus, minus)));
    }
    *out = ph_transpose(ph_load33(col));
    return PH_OK;
}

/* ---- forces --------------------------------------------------------------------------------------- */

static ph_status force_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_vec3 F;
    ph_status status = value_of(s, &F);
    ph_load_force_g(s, F, r);
    return status;
}

/* Columns of slot j from dF, of the value as given. */
static void force_columns(const ph_force_site *s, int j, ph_mat3 dF, const ph_put *p)
{
    ph_mat3 world = s->f->def->in_body ? ph_mmul(s->b.R, dF) : dF;
    ph_mat3 own = s->f->def->in_body ? dF : ph_mmul(ph_transpose(s->b.R), dF);
    ph_add_pair(p, PH_XB, j, ph_mscale(-1, world));
    ph_add_pair(p, PH_FB, j, ph_mscale(-1, ph_mmul(ph_tilde(s->f->sb), own)));
}

typedef void (*columns_fn)(const ph_force_site *s, int j, ph_mat3 dF, const ph_put *p);

static ph_status by_state(const ph_force_site *s, what x, what phi, columns_fn columns, const ph_put *p)
{
    ph_mat3 dx, dphi;
    ph_status status = slope(s, x, &dx);
    if (status == PH_OK)
        status = slope(s, phi, &dphi);
    if (status != PH_OK)
        return status;
    columns(s, PH_XB, dx, p);
    columns(s, PH_FB, dphi, p);
    return PH_OK;
}

static ph_status force_C(const ph_force_site *s, const ph_put *p)
{
    return reads_state(s->f->def) ? by_state(s, VELOCITY, OMEGA, force_columns, p) : PH_OK;
}

static ph_status force_K(const ph_force_site *s, const ph_put *p)
{
    ph_vec3 F;
    ph_status status = value_of(s, &F);
    ph_load_force_K(s, F, p);
    if (status != PH_OK || !reads_state(s->f->def))
        return status;
    return by_state(s, POSITION, ROTATION, force_columns, p);
}

const ph_force_ops ph_force_point = {.g = force_g, .C = force_C, .K = force_K};

/* ---- torques -------------------------------------------------------------------------------------- */

static ph_status torque_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_vec3 tau;
    ph_status status = value_of(s, &tau);
    ph_load_torque_g(s, tau, r);
    return status;
}

static void torque_columns(const ph_force_site *s, int j, ph_mat3 dtau, const ph_put *p)
{
    ph_add_pair(p, PH_FB, j, ph_mscale(-1, s->f->def->in_body ? dtau : ph_mmul(ph_transpose(s->b.R), dtau)));
}

static ph_status torque_C(const ph_force_site *s, const ph_put *p)
{
    return reads_state(s->f->def) ? by_state(s, VELOCITY, OMEGA, torque_columns, p) : PH_OK;
}

static ph_status torque_K(const ph_force_site *s, const ph_put *p)
{
    ph_vec3 tau;
    ph_status status = value_of(s, &tau);
    ph_load_torque_K(s, tau, p);
    if (status != PH_OK || !reads_state(s->f->def))
        return status;
    return by_state(s, POSITION, ROTATION, torque_columns, p);
}

const ph_force_ops ph_force_torque = {.g = torque_g, .C = torque_C, .K = torque_K};
