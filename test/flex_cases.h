/* What tests of flexible bodies in mechanisms share: models with them. */
#ifndef PH_TEST_FLEX_CASES_H
#define PH_TEST_FLEX_CASES_H

#include "modal_cases.h"

/* The frame and the markers of a flexible body; returns the index of the frame, the markers follow. */
static inline int kit_flexible(kit *k, const char *name, flex *x, ph_vec3 at, ph_quat R)
{
    static const char *const names[FLEX_MARKERS] = {"root", "tip"};
    int frame = k->m.n_bodies, index = ++k->m.n_flexible;
    k->flexible[index - 1] = (ph_flexible_def){.name = name, .body = &x->r};
    k->body[k->m.n_bodies++] = (ph_body_def){.name = name, .flexible = index, .x = at, .R = R};
    for (int i = 0; i < x->r.n_markers; i++)
        k->body[k->m.n_bodies++] = (ph_body_def){.name = names[i],
                                                 .flexible = index,
                                                 .marker = 1 + i,
                                                 .x = ph_add(at, ph_quat_rotate(R, x->marker[i].X)),
                                                 .R = R};
    return frame;
}

static inline int kit_random_flexible(kit *k, const char *name, flex *x, int modes, uint64_t *seed)
{
    flex_random(x, modes, seed);
    ph_vec3 at = rnd3(seed);
    return kit_flexible(k, name, x, at, rnd_turn(0.5, seed)); /* torsions are smooth below half a turn */
}

/* ---- clouds --------------------------------------------------------------------------------------- */

#define CLOUD 8

/* Point masses that move with a few modes: a body of which everything can be summed up, node by node. Its
 * markers are the first nodes. */
typedef struct cloud {
    flex x;
    double m[CLOUD];
    ph_vec3 X[CLOUD];
    double psi[CLOUD][3 * FLEX_MODES]; /* 3 x modes */
} cloud;

/* calM = sum of m G^T G, G = [I, -tilde(X), Psi, -tilde(psi_1), ...] of a node. */
static inline void cloud_mass(cloud *c)
{
    int f = c->x.r.modes, n = 6 + 4 * f;
    for (int i = 0; i < CLOUD; i++) {
        double G[3 * FLEX_CAL] = {0};
        for (int k = -2; k < f; k++) {
            const double *psi = c->psi[i];
            ph_mat3 A = k == -2   ? ph_diag3(1, 1, 1)
                        : k == -1 ? ph_tilde(ph_scale(-1, c->X[i]))
                                  : ph_tilde(ph_v3(-psi[k], -psi[f + k], -psi[2 * f + k]));
            double a[9];
            ph_store33(a, A);
            for (int l = 0; l < 9; l++)
                G[l / 3 * n + (k < 0 ? 6 + 3 * k : 6 + f + 3 * k) + l % 3] = a[l];
            for (int l = 0; l < 3 && k >= 0; l++)
                G[l * n + 6 + k] = psi[l * f + k];
        }
        for (int k = 0; k < n * n; k++)
            for (int l = 0; l < 3; l++)
                c->x.calM[k] += c->m[i] * G[l * n + k / n] * G[l * n + k % n];
    }
}

static inline void cloud_open(cloud *c, int modes, double stiffness, double damping, uint64_t *seed)
{
    memset(c, 0, sizeof *c);
    flex_open(&c->x, modes, FLEX_MARKERS);
    c->x.r.KG = NULL;
    for (int i = 0; i < CLOUD; i++) {
        c->m[i] = 0.4 + 0.3 * rnd(seed), c->X[i] = rnd3(seed);
        for (int k = 0; k < 3 * modes; k++)
            c->psi[i][k] = 0.5 * rnd(seed);
    }
    for (int k = 0; k < FLEX_MARKERS; k++) {
        c->x.marker[k].X = c->X[k];
        for (int i = 0; i < 3 * modes; i++)
            c->x.Psi[k][i] = c->psi[k][i], c->x.Th[k][i] = 0.5 * rnd(seed);
    }
    cloud_mass(c);
    for (int i = 0; i < modes; i++)
        c->x.Kf[i * modes + i] = stiffness * (1 + i), c->x.Df[i * modes + i] = damping;
}

/* Mass, centre and moments of inertia of the undeformed body, about its centre. */
static inline double cloud_rigid(const cloud *c, ph_vec3 *centre, ph_mat3 *J)
{
    double m = 0;
    *centre = ph_v3(0, 0, 0), *J = (ph_mat3){0};
    for (int i = 0; i < CLOUD; i++)
        m += c->m[i], *centre = ph_add(*centre, ph_scale(c->m[i], c->X[i]));
    *centre = ph_scale(1 / m, *centre);
    for (int i = 0; i < CLOUD; i++) {
        ph_vec3 d = ph_sub(c->X[i], *centre);
        *J = ph_madd(*J, ph_mscale(-c->m[i], ph_tilde2(d, d)));
    }
    return m;
}

/* Position and velocity of a node of body f of a mechanism. */
static inline void cloud_node(const cloud *c, const ph_mechanism *m, const ph_state *s, int f, int i,
                              ph_vec3 *x, ph_vec3 *v)
{
    const ph_flex *b = &m->flex[f];
    ph_kin k = ph_kin_of(m, s, b->body);
    int modes = b->r->modes;
    double u[3] = {0}, udot[3] = {0};
    for (int l = 0; l < 3; l++)
        for (int j = 0; j < modes; j++) {
            u[l] += c->psi[i][l * modes + j] * s->q[b->q + j];
            udot[l] += c->psi[i][l * modes + j] * s->v[b->v + j];
        }
    ph_vec3 r = ph_add(c->X[i], ph_load3(u));
    *x = ph_add(k.x, ph_mul(k.R, r));
    *v = ph_add(k.v, ph_mul(k.R, ph_add(ph_cross(k.w, r), ph_load3(udot))));
}

#endif
