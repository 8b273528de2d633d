/* From finite elements to what a run needs of them: (X1), markers, damping.
 *
 * Modal damping ratios d_k of (Kf, Mf), whose vibrations V have V^T Mf V = I, V^T Kf V = Omega^2:
 *   Df = Mf V diag(2 d_k omega_k) V^T Mf                                                              (X8)
 *
 * Displacements have one first moment: of mode k it is S_k = Phi_t^T M psi_k, and its momentum when the body
 * turns
 *   Phi_t^T M Phi_rk = -tilde(S_k)                                                                    (X9)
 * where the mass is the same for all directions. Mass matrices with rotations have this up to the square of
 * the size of elements; it is set, since otherwise motion depends on a constant velocity, and weight is not
 * acceleration.
 *
 * Rotations of nodes are slopes of displacements. Those of Omega x u are Omega x (theta x d) along the unit
 * vectors d to the neighbours of a node, and the rotation phi of node i in Phi_rk Omega is the one that fits
 * them best, sum_d |phi x d - Omega x (theta x d)|^2 + TWIST (phi.d)^2 least:
 *   (I - D + TWIST D) phi = (D Omega) x theta,  D = mean of d d^T                                     (X26)
 */
#include "fe/reduce.h"

#include <stdio.h>
#include <string.h>

#include "fe/market.h"
#include "fe/rigid.h"
#include "fe/stiffen.h"

#define TWIST 1e-3 /* how twist, which no slope tells, counts in (X26) */

typedef struct job {
    ph_fe *fe;
    const ph_fe_spec *spec;
    const ph_allocator *alloc;
    ph_pool pool;
    ph_patch frame, *interface, *marker;
    int n_markers;
    ph_shapes shapes;
    ph_mat3 *along, *slope; /* of nodes with rotations: D and (I - D + TWIST D)^-1 of (X26) */
    ph_reduced *r;
    ph_error *err;
} job;

static ph_status no_memory(job *j)
{
    return ph_fail(j->err, PH_E_MEMORY, "not enough memory to reduce %d nodes", j->fe->n_nodes);
}

/* ---- nodes ----------------------------------------------------------------------------------------- */

static const ph_fe_interface *find_interface(const ph_fe_spec *spec, const char *name)
{
    for (int k = 0; k < spec->n_interfaces; k++)
        if (!strcmp(spec->interface[k].name, name))
            return &spec->interface[k];
    return NULL;
}

static ph_status make_frame(job *j)
{
    const ph_fe_spec *spec = j->spec;
    if (!spec->frame)
        return ph_patch_make(&j->pool, j->fe, "frame_node", "frame_node", 1, &spec->frame_id, &j->frame,
                             j->err);
    const ph_fe_interface *i = find_interface(spec, spec->frame);
    if (!i)
        return ph_fail(j->err, PH_E_INPUT, "frame_node: there is no interface '%s'", spec->frame);
    return ph_patch_make(&j->pool, j->fe, "frame_node", i->name, i->n, i->id, &j->frame, j->err);
}

static ph_status make_interfaces(job *j)
{
    const ph_fe_spec *spec = j->spec;
    j->interface = ph_pool_take(&j->pool, (size_t)spec->n_interfaces, sizeof *j->interface);
    if (!j->interface)
        return no_memory(j);
    for (int k = 0; k < spec->n_interfaces; k++) {
        const ph_fe_interface *i = &spec->interface[k];
        char what[PH_MARKER_NAME + 16];
        snprintf(what, sizeof what, "interface '%.*s'", PH_MARKER_NAME - 1, i->name);
        ph_status s = ph_patch_make(&j->pool, j->fe, what, i->name, i->n, i->id, &j->interface[k], j->err);
        if (s != PH_OK)
            return s;
    }
    return PH_OK;
}

static int has_frame(const ph_fe_spec *spec)
{
    return spec->frame || spec->frame_id != PH_NO_NODE;
}

/* Phi_t^T M Phi_r0 = -m tilde(chi) */
static int centre_of_mass(job *j, ph_vec3 *x)
{
    ph_rigid_moves r;
    if (!ph_rigid_make(&j->pool, j->fe, &r))
        return 0;
    *x = ph_scale(1 / r.A[0], ph_v3(r.A[6 + 5], r.A[12 + 3], r.A[4]));
    return 1;
}

/* The origin is the frame's node; of mean axes without one the centre of mass. */
static ph_status place_nodes(job *j, ph_vec3 *origin)
{
    ph_status s = PH_OK;
    if (has_frame(j->spec))
        s = make_frame(j);
    else if (!centre_of_mass(j, &j->frame.X))
        s = no_memory(j);
    if (s != PH_OK)
        return s;
    *origin = j->frame.X;
    for (int i = 0; i < j->fe->n_nodes; i++)
        ph_store3(j->fe->X + 3 * i, ph_sub(ph_load3(j->fe->X + 3 * i), *origin));
    j->frame.X = ph_v3(0, 0, 0);
    return make_interfaces(j);
}

/* What each type of modes needs. */
static ph_status check_frame(const job *j)
{
    const ph_fe_spec *spec = j->spec;
    if (!has_frame(spec) && (spec->modes || spec->type != PH_MODES_CRAIG_BAMPTON))
        return ph_fail(j->err, PH_E_INPUT, "frame_node is missing, where the frame of the body is");
    if (!spec->modes && spec->type == PH_MODES_CRAIG_BAMPTON && spec->n_interfaces == 0)
        return ph_fail(j->err, PH_E_INPUT, "modes: craig-bampton needs interfaces");
    if (!spec->modes && spec->type == PH_MODES_PINNED) {
        if (j->fe->dofs != 6 || spec->n_interfaces != 1 || spec->frame)
            return ph_fail(
                j->err, PH_E_INPUT,
                "modes: pinned needs nodes with rotations, a node as frame_node and one interface");
        if (j->interface[0].n != 1 || !(ph_norm(j->interface[0].X) > 0))
            return ph_fail(j->err, PH_E_INPUT,
                           "modes: pinned needs an interface of one node apart from frame_node");
    }
    return PH_OK;
}

static ph_status limit_modes(const job *j, int n)
{
    return n <= PH_MODES_MAX
               ? PH_OK
               : ph_fail(j->err, PH_E_INPUT, "modes: there are %d; the limit is %d", n, PH_MODES_MAX);
}

/* How many there will be is known before they are computed, but for those of a file. */
static ph_status make_shapes(job *j, ph_factor_kind kind)
{
    const ph_fe_spec *spec = j->spec;
    if (spec->modes) {
        ph_status s = ph_shapes_read(&j->pool, j->fe, spec, &j->frame, &j->shapes, j->err);
        return s == PH_OK ? limit_modes(j, j->shapes.modes) : s;
    }
    int fixed = spec->fixed == PH_AS_MANY ? spec->n : spec->fixed,
        n = spec->n_keep ? spec->n_keep
            : spec->n    ? spec->n
                         : 6 * spec->n_interfaces + fixed - 6;
    ph_status s = limit_modes(j, n);
    return s == PH_OK ? ph_shapes_make(&j->pool, j->fe, spec, &j->frame, spec->n_interfaces, j->interface,
                                       kind, &j->shapes, j->err)
                      : s;
}

/* ---- markers --------------------------------------------------------------------------------------- */

/* Every node of a few members, else the frame's node; and every interface. */
static ph_status list_markers(job *j)
{
    ph_fe *fe = j->fe;
    int all = fe->n_beams && fe->n_nodes <= PH_MARKED_NODES, single = !all && j->spec->frame_id != PH_NO_NODE,
        n = all ? fe->n_nodes : single;
    j->marker = ph_pool_take(&j->pool, (size_t)(n + j->spec->n_interfaces), sizeof *j->marker);
    if (!j->marker)
        return no_memory(j);
    for (int k = 0; k < n; k++) {
        int id = all ? fe->id[k] : j->spec->frame_id;
        char *name = ph_pool_take(&j->pool, 16, 1);
        if (!name)
            return no_memory(j);
        snprintf(name, 16, "%d", id);
        if (single && fe->dofs != 6)
            continue; /* it has no rotation */
        ph_status s = ph_patch_make(&j->pool, fe, "node", name, 1, &id, &j->marker[j->n_markers++], j->err);
        if (s != PH_OK)
            return s;
    }
    for (int k = 0; k < j->spec->n_interfaces; k++)
        j->marker[j->n_markers++] = j->interface[k];
    return PH_OK;
}

static void fill_markers(job *j)
{
    int n = j->r->modes;
    size_t rows = (size_t)ph_fe_size(j->fe);
    for (int k = 0; k < j->n_markers; k++) {
        ph_marker *m = &j->r->marker[k];
        snprintf(m->name, PH_MARKER_NAME, "%s", j->marker[k].name);
        m->X = j->marker[k].X;
        for (int c = 0; c < n; c++) {
            ph_vec3 u, th;
            ph_patch_mean(j->fe, &j->marker[k], j->shapes.Psi + (size_t)c * rows, &u, &th);
            double *Psi = (double *)m->Psi + c, *Th = (double *)m->Th + c;
            Psi[0] = u.x, Psi[n] = u.y, Psi[2 * n] = u.z;
            Th[0] = th.x, Th[n] = th.y, Th[2 * n] = th.z;
        }
    }
}

/* ---- invariants ------------------------------------------------------------------------------------ */

/* D of node i: the mean of d d^T over the nodes that the stiffness connects it with. seen: which node each
 * was counted for last */
static ph_mat3 directions(const ph_fe *fe, int i, int *seen)
{
    ph_mat3 D = {0};
    int n = 0;
    for (int k = fe->K.p[6 * i]; k < fe->K.p[6 * i + 6]; k++) {
        int to = fe->K.i[k] / 6;
        ph_vec3 d = ph_sub(ph_load3(fe->X + 3 * to), ph_load3(fe->X + 3 * i));
        double length = ph_norm(d);
        if (seen[to] == i || fe->K.x[k] == 0 || !(length > 0))
            continue;
        D = ph_madd(D, ph_mscale(1 / (length * length), ph_outer(d, d)));
        seen[to] = i, n++;
    }
    return n ? ph_mscale(1.0 / n, D) : ph_diag3(1. / 3, 1. / 3, 1. / 3);
}

/* What (X26) needs of nodes with rotations. */
static ph_status find_slopes(job *j)
{
    int n = j->fe->n_nodes;
    if (j->fe->dofs != 6)
        return PH_OK;
    int *seen = ph_pool_ints(&j->pool, (size_t)n);
    j->along = ph_pool_take(&j->pool, (size_t)n, sizeof *j->along);
    j->slope = ph_pool_take(&j->pool, (size_t)n, sizeof *j->slope);
    if (!seen || !j->along || !j->slope)
        return no_memory(j);
    for (int i = 0; i < n; i++)
        seen[i] = -1;
    for (int i = 0; i < n; i++) {
        ph_mat3 D = j->along[i] = directions(j->fe, i, seen);
        j->slope[i] = ph_minv(ph_msub(ph_diag3(1, 1, 1), ph_mscale(1 - TWIST, D)));
    }
    return PH_OK;
}

/* Column k of G of (X1). */
static void basis_column(const job *j, int k, double *c)
{
    const ph_fe *fe = j->fe;
    int rows = ph_fe_size(fe), n = j->shapes.modes, mode = (k - 6 - n) / 3, axis = (k - 6 - n) % 3;
    if (k < 6) {
        ph_fe_rigid(fe, ph_v3(0, 0, 0), k, c);
        return;
    }
    const double *psi = j->shapes.Psi + (size_t)(k < 6 + n ? k - 6 : mode) * (size_t)rows;
    if (k < 6 + n) {
        memcpy(c, psi, sizeof(double) * (size_t)rows);
        return;
    }
    ph_vec3 e = ph_v3(axis == 0, axis == 1, axis == 2);
    for (int i = 0; i < rows; i += fe->dofs)
        ph_store3(c + i, ph_cross(e, ph_load3(psi + i)));
    for (int i = 0; j->slope && i < fe->n_nodes; i++)
        ph_store3(c + 6 * i + 3,
                  ph_mul(j->slope[i], ph_cross(ph_mul(j->along[i], e), ph_load3(psi + 6 * i + 3))));
}

/* (X9) */
static void set_momentum(ph_reduced *r)
{
    int f = r->modes, n = 6 + 4 * f;
    for (int k = 0; k < f; k++) {
        double moment[9];
        ph_store33(moment, ph_tilde(ph_v3(r->calM[6 + k], r->calM[n + 6 + k], r->calM[2 * n + 6 + k])));
        for (int i = 0; i < 9; i++) {
            int a = i / 3, b = 6 + f + 3 * k + i % 3;
            r->calM[a * n + b] = r->calM[b * n + a] = -moment[i];
        }
    }
}

static ph_status fill_mass(job *j)
{
    int rows = ph_fe_size(j->fe), n = 6 + 4 * j->r->modes;
    size_t N = (size_t)rows;
    double *c = ph_pool_numbers(&j->pool, N), *y = ph_pool_numbers(&j->pool, N),
           *z = ph_pool_numbers(&j->pool, N);
    if (!c || !y || !z)
        return no_memory(j);
    for (int b = 0; b < n; b++) {
        basis_column(j, b, c);
        ph_csc_mul(&j->fe->M, c, y);
        for (int a = 0; a <= b; a++) {
            basis_column(j, a, z);
            j->r->calM[a * n + b] = j->r->calM[b * n + a] = ph_inner(rows, z, y);
        }
    }
    set_momentum(j->r);
    return PH_OK;
}

static ph_status fill_stiffness(job *j)
{
    double *y = ph_pool_numbers(&j->pool, (size_t)ph_fe_size(j->fe));
    if (!y)
        return no_memory(j);
    ph_csc_project(&j->fe->K, j->r->modes, j->shapes.Psi, y, j->r->Kf);
    memcpy(j->r->omega, j->shapes.omega, sizeof(double) * (size_t)j->r->modes);
    return PH_OK;
}

/* (X8) */
static ph_status fill_ratios(job *j, const double *Mf)
{
    int n = j->r->modes;
    size_t nn = (size_t)(n * n);
    double *V = ph_pool_numbers(&j->pool, nn), *B = ph_pool_numbers(&j->pool, nn),
           *MV = ph_pool_numbers(&j->pool, nn), *value = ph_pool_numbers(&j->pool, (size_t)n);
    if (!V || !B || !MV || !value)
        return no_memory(j);
    memcpy(V, j->r->Kf, sizeof(double) * nn);
    memcpy(B, Mf, sizeof(double) * nn);
    ph_status s = ph_eigen_dense(n, V, B, value, j->alloc, j->err);
    if (s != PH_OK)
        return s;
    for (int k = 0; k < n; k++)
        for (int a = 0; a < n; a++)
            MV[k * n + a] = ph_inner(n, Mf + a * n, V + k * n);
    for (int k = 0; k < n; k++) {
        double d = 2 * j->spec->ratio[j->spec->n_ratios == 1 ? 0 : k] * sqrt(fmax(value[k], 0));
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                j->r->Df[a * n + b] += d * MV[k * n + a] * MV[k * n + b];
    }
    return PH_OK;
}

/* Modes of nearly one frequency are turned among each other, so that they are no vibrations any more; those of
 * the body with these modes have the frequencies that count. Columns of a file keep what each has by itself. */
static ph_status fill_frequencies(job *j, const double *Mf)
{
    int n = j->r->modes;
    size_t nn = (size_t)(n * n);
    double *V = ph_pool_numbers(&j->pool, nn), *B = ph_pool_numbers(&j->pool, nn);
    if (!V || !B)
        return no_memory(j);
    memcpy(V, j->r->Kf, sizeof(double) * nn);
    memcpy(B, Mf, sizeof(double) * nn);
    ph_status s = ph_eigen_dense(n, V, B, j->r->omega, j->alloc, j->err);
    for (int k = 0; k < n; k++)
        j->r->omega[k] = sqrt(fmax(j->r->omega[k], 0));
    return s;
}

static ph_status fill_damping(job *j)
{
    int n = j->r->modes, size = 6 + 4 * n;
    double *Mf = ph_pool_numbers(&j->pool, (size_t)(n * n));
    if (!Mf)
        return no_memory(j);
    for (int i = 0; i < n * n; i++) {
        Mf[i] = j->r->calM[(6 + i / n) * size + 6 + i % n];
        j->r->Df[i] = j->spec->alpha * Mf[i] + j->spec->beta * j->r->Kf[i];
    }
    if (j->spec->n_ratios > 1 && j->spec->n_ratios != n)
        return ph_fail(j->err, PH_E_INPUT, "damping: there are %d modes and %d ratios", n, j->spec->n_ratios);
    ph_status s = j->spec->modes ? PH_OK : fill_frequencies(j, Mf);
    return s == PH_OK && j->spec->n_ratios ? fill_ratios(j, Mf) : s;
}

/* ---- stress stiffness of files --------------------------------------------------------------------- */

static ph_status read_stress(job *j, const ph_fe_stress *t)
{
    ph_csc G;
    int rows = ph_fe_size(j->fe), n = j->r->modes,
        c = t->name ? ph_stiffen_find(j->r, t->name) : PH_KG_SPINS + 1;
    double *y = ph_pool_numbers(&j->pool, (size_t)rows);
    if (!y)
        return no_memory(j);
    if (c < 0)
        return ph_fail(j->err, PH_E_INPUT,
                       "geometric_stiffness: there is no load case '%.64s'; there are ax, alpha_x, omega_xx, "
                       "omega_yz and so "
                       "on, and INTERFACE.fx",
                       t->name);
    ph_status s = ph_market_symmetric(&j->pool, j->spec->files, t->path, rows, &G, j->err);
    if (s != PH_OK)
        return s;
    double *KG = j->r->KG + (size_t)c * (size_t)(n * n);
    ph_csc_project(&G, n, j->shapes.Psi, y, KG);
    if (!t->name) /* spin about z does the same as about y */
        memcpy(KG + n * n, KG, sizeof(double) * (size_t)(n * n));
    return PH_OK;
}

static ph_status fill_stress(job *j)
{
    const ph_fe_spec *spec = j->spec;
    ph_status s = PH_OK;
    if (spec->stiffen && j->shapes.frame == PH_FRAME_OTHER)
        return ph_fail(j->err, PH_E_INPUT,
                       "%.200s: modes that neither stand still at frame_node nor are without momentum have "
                       "no geometric_stiffness; "
                       "give false",
                       spec->modes);
    if (spec->stiffen)
        s = ph_stiffen(&j->pool, j->fe, &j->shapes, j->marker, j->r, j->err);
    for (int k = 0; s == PH_OK && k < spec->n_stress; k++)
        s = read_stress(j, &spec->stress[k]);
    return s;
}

/* ---- all of it ------------------------------------------------------------------------------------- */

static ph_status fill(job *j)
{
    const ph_fe_spec *spec = j->spec;
    ph_status s = list_markers(j);
    if (s != PH_OK)
        return s;
    int kg = spec->stiffen || spec->n_stress;
    j->r = ph_reduced_create(j->alloc, j->shapes.modes, j->n_markers, kg);
    if (!j->r)
        return no_memory(j);
    fill_markers(j);
    s = find_slopes(j);
    if (s == PH_OK)
        s = fill_mass(j);
    if (s == PH_OK)
        s = fill_stiffness(j);
    if (s == PH_OK)
        s = fill_damping(j);
    return s == PH_OK && kg ? fill_stress(j) : s;
}

static ph_status reduce(job *j, ph_factor_kind kind, ph_vec3 *origin, ph_fe_sound *sound)
{
    ph_status s = ph_fe_sound_check(j->fe, kind, sound, j->err);
    if (s == PH_OK)
        s = place_nodes(j, origin);
    if (s == PH_OK)
        s = check_frame(j);
    if (s == PH_OK)
        s = make_shapes(j, kind);
    if (s == PH_OK)
        s = ph_fe_sound_modes(j->fe, j->shapes.modes, j->shapes.Psi,
                              j->spec->modes ? j->spec->modes : "modes", j->err);
    return s == PH_OK ? fill(j) : s;
}

ph_status ph_fe_reduce(ph_fe *fe, const ph_fe_spec *spec, ph_factor_kind kind, const ph_allocator *alloc,
                       ph_reduced **out, ph_vec3 *origin, ph_fe_sound *sound, ph_error *err)
{
    job j = {.fe = fe, .spec = spec, .alloc = alloc, .pool = {.alloc = alloc}, .err = err};
    ph_status s = reduce(&j, kind, origin, sound);
    ph_factor_destroy(j.shapes.factor);
    ph_pool_free(&j.pool);
    if (s != PH_OK) {
        ph_reduced_free(alloc, j.r);
        j.r = NULL;
    }
    *out = j.r;
    return s;
}
