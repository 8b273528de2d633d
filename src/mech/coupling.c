/* Couplings between coordinates of two joints: gears, racks, screws, belts.
 *
 *   Phi = x_b - ratio x_a - offset,  B = b_b - ratio b_a,  Z = z_b - ratio z_a                         (J12)
 *   d(B^T lambda)/dq = lambda d(b_b^T)/dq - lambda ratio d(b_a^T)/dq,  convective = Z v
 *
 * Angles are counted over many turns. Both joints may share bodies: their rows are added. */
#include "mech/carry.h"
#include "mech/coordinate.h"

#include <string.h>

static ph_site half_site(const ph_mechanism *m, const ph_state *s, const ph_couple *c, int h)
{
    ph_site site = {.j = c->of[h]};
    ph_kin_fill(m, s, c->half[h].body[0], &site.a);
    ph_kin_fill(m, s, c->half[h].body[1], &site.b);
    return site;
}

void ph_couples_Phi(const ph_mechanism *m, const ph_state *s, double *out)
{
    for (const ph_couple *c = m->couple, *end = c + m->model->n_couplings; c < end; c++) {
        out[c->l_at] = -c->offset;
        for (int h = 0; h < 2; h++) {
            ph_site site = half_site(m, s, c, h);
            int k = c->coordinate[h];
            double x = ph_coordinate_value(&site, k), rate = ph_coordinate_rate(&site, k);
            out[c->l_at] += c->factor[h] * (x + ph_mechanism_turns(m, c->of[h], k, x, rate, s->t));
        }
    }
}

static void pack(double f, const ph_vec3 r[PH_SLOTS], double *row)
{
    for (int k = 0; k < PH_SLOTS; k++)
        ph_store3(row + 3 * k, ph_scale(f, r[k]));
}

/* Rows of one half, b and z where it is not NULL, added to the blocks of the coupling at out. */
static void add_half(const ph_mechanism *m, const ph_state *s, const ph_joint *half, const double *b,
                     const double *z, int size, double *out)
{
    double own[4 * PH_SIDE_MAX];
    memset(own, 0, sizeof *own * (size_t)size);
    if (half->carried)
        ph_carried_rows(m, s, half->carried, 1, b, z, own);
    else if (m->space->plain)
        for (int k = 0; k < PH_SLOTS; k++) {
            if (half->B[k] >= 0)
                memcpy(own + half->B[k], (z ? z : b) + 3 * k, 3 * sizeof *own);
        }
    else
        ph_space_rows(m, s, half, b, z, own);
    for (int i = 0; i < size; i++)
        out[i] += own[i];
}

static void rows(const ph_mechanism *m, const ph_state *s, int rates, double *out)
{
    for (const ph_couple *c = m->couple, *end = c + m->model->n_couplings; c < end; c++) {
        memset(out + c->B, 0, sizeof *out * (size_t)c->size);
        for (int h = 0; h < 2; h++) {
            ph_site site = half_site(m, s, c, h);
            ph_vec3 r[PH_SLOTS];
            double b[12], z[12];
            ph_coordinate_row(&site, c->coordinate[h], r);
            pack(c->factor[h], r, b);
            if (rates) {
                ph_coordinate_z(&site, c->coordinate[h], r);
                pack(c->factor[h], r, z);
            }
            add_half(m, s, &c->half[h], b, rates ? z : NULL, c->size, out + c->B);
        }
    }
}

void ph_couples_B(const ph_mechanism *m, const ph_state *s, double *out)
{
    rows(m, s, 0, out);
}

void ph_couples_Z(const ph_mechanism *m, const ph_state *s, double *out)
{
    rows(m, s, 1, out);
}

void ph_couples_convective(const ph_mechanism *m, const ph_state *s, double *out)
{
    for (const ph_couple *c = m->couple, *end = c + m->model->n_couplings; c < end; c++) {
        out[c->l_at] = 0;
        for (int h = 0; h < 2; h++) {
            const ph_joint *half = &c->half[h];
            ph_site site = half_site(m, s, c, h);
            ph_vec3 z[PH_SLOTS], b[PH_SLOTS];
            double row[12], rate;
            ph_coordinate_z(&site, c->coordinate[h], z);
            rate = ph_dot(z[PH_XA], site.a.v) + ph_dot(z[PH_FA], site.a.w) + ph_dot(z[PH_XB], site.b.v) +
                   ph_dot(z[PH_FB], site.b.w);
            out[c->l_at] += c->factor[h] * rate;
            if (half->direct)
                continue;
            ph_coordinate_row(&site, c->coordinate[h], b);
            pack(c->factor[h], b, row);
            if (half->carried)
                ph_carried_drift(m, s, half->carried, 1, row, out + c->l_at);
            else
                ph_space_drift(m, s, half, row, out + c->l_at);
        }
    }
}

void ph_couples_K(const ph_mechanism *m, const ph_state *s, double *out)
{
    for (const ph_couple *c = m->couple, *end = c + m->model->n_couplings; c < end; c++)
        for (int h = 0; h < 2; h++) {
            const ph_joint *half = &c->half[h];
            ph_site site = half_site(m, s, c, h);
            double f = c->factor[h] * s->lambda[c->l_at], local[144] = {0};
            ph_vec3 r[PH_SLOTS];
            if (half->direct) {
                ph_coordinate_K(&site, c->coordinate[h], f, &(ph_put){out, half->K, 3, 0});
                continue;
            }
            ph_coordinate_row(&site, c->coordinate[h], r);
            for (int k = 0; k < PH_SLOTS; k++)
                r[k] = ph_scale(f, r[k]);
            ph_coordinate_K(&site, c->coordinate[h], f, &(ph_put){local, ph_local_pairs, 12, 0});
            if (half->carried)
                ph_carried_K(m, s, half->carried, local, NULL, r, out);
            else
                ph_space_K(m, s, half->body, half->K, local, NULL, NULL, r, out);
        }
}

/* ---- from the words of the model ------------------------------------------------------------------- */

#define REFUSE(...) ph_mech_fail(err, PH_E_INPUT, m->model, d->origin, "coupling '%s': " __VA_ARGS__)

/* An angle and a length: the ratio has a unit, which must be said. */
static ph_status check_kinds(const ph_mechanism *m, const ph_coupling_def *d, const ph_couple *c,
                             ph_error *err)
{
    int angle[2] = {ph_is_angle(c->coordinate[0]), ph_is_angle(c->coordinate[1])};
    const char *unit = angle[0] == angle[1] ? "1" : angle[0] ? "m/rad" : "rad/m";
    if (d->unit && strcmp(d->unit, unit))
        return REFUSE("its ratio is in %s, not in %s", d->name, unit, d->unit);
    if (angle[0] != angle[1] && !d->unit && d->coordinate[0] < 0)
        return REFUSE("couples %s with %s: say unit = \"%s\", or its coordinates", d->name,
                      angle[0] ? "an angle" : "a length", angle[1] ? "an angle" : "a length", unit);
    return PH_OK;
}

/* Where a coordinate is in the initial configuration. */
static double initial(const ph_mechanism *m, const ph_joint *j, int k)
{
    ph_site site = {.j = j};
    for (int side = 0; side < 2; side++) {
        ph_kin *kin = side ? &site.b : &site.a;
        const ph_body_def *b = j->body[side] < 0 ? NULL : &m->model->body[j->body[side]];
        *kin = (ph_kin){.q = {1, 0, 0, 0}};
        if (b)
            kin->x = b->x, kin->q = b->R;
        kin->R = ph_qmat(kin->q);
    }
    return ph_coordinate_value(&site, k);
}

ph_status ph_couple_make(const ph_mechanism *m, int def, ph_couple *out, ph_error *err)
{
    const ph_coupling_def *d = &m->model->coupling[def];
    char who[96];
    snprintf(who, sizeof who, "coupling '%.63s'", d->name);
    *out = (ph_couple){.def = def, .factor = {-d->ratio, 1}};
    for (int h = 0; h < 2; h++) {
        if (d->joint[h] < 0 || d->joint[h] >= m->model->n_joints)
            return REFUSE("there is no joint %d", d->name, d->joint[h]);
        ph_status s =
            ph_coordinate_choose(m, d->joint[h], d->coordinate[h], d->origin, who, &out->coordinate[h], err);
        if (s != PH_OK)
            return s;
        out->of[h] = &m->joint[m->joint_of[d->joint[h]]];
        out->half[h] = *out->of[h];
    }
    if (d->joint[0] == d->joint[1] && out->coordinate[0] == out->coordinate[1])
        return REFUSE("couples a coordinate with itself", d->name);
    out->offset = isnan(d->offset) ? initial(m, out->of[1], out->coordinate[1]) -
                                         d->ratio * initial(m, out->of[0], out->coordinate[0])
                                   : d->offset;
    return check_kinds(m, d, out, err);
}
