/* Mode shapes of a body in its frame.
 *
 * clamped         the frame's nodes stand still: lowest vibrations of the others
 * pinned          the frame follows the chord between two nodes
 * craig-bampton   each interface moves by itself, 6 ways, all else following statically; and the lowest
 *                 vibrations with all interfaces held. The vibrations of this basis, less its six rigid
 *                 motions, are orthogonal to those: the frame is that of mean axes                    (X4)
 *
 * Signs: the first large displacement is positive. Vibrations of nearly the same frequency, as of a round
 * bar, are turned among each other until they move along x, then y, then z: neither jumps when a parameter
 * changes a little, and even where two frequencies cross. Such a group spans the same motions; Kf has their
 * coupling. */
#include "fe/shapes.h"
#include "fe/reduced.h"

#include <stdlib.h>
#include <string.h>

#include "fe/market.h"
#include "fe/rigid.h"
#include "la/small.h"

#define SAME_FREQUENCY 1e-2  /* relative: wide enough for the steps of differences by a parameter */
#define EXTRA          6     /* modes beyond those wanted: the last ones shall be whole groups */
#define TOO_FINE       1e-14 /* 1/condition: a beam of n elements has n^-4/10; of 1500 five digits are left */
#define TURNS          1e-3  /* lever, relative to the body, by which rotations count beside displacements */

static ph_status no_memory(ph_error *err)
{
    return ph_fail(err, PH_E_MEMORY, "not enough memory for modes");
}

/* ---- order and signs ------------------------------------------------------------------------------- */

static double size_of(const ph_fe *fe)
{
    double size = 0;
    for (int i = 0; i < fe->n_nodes; i++)
        size = fmax(size, ph_norm(ph_sub(ph_load3(fe->X + 3 * i), ph_load3(fe->X))));
    return size;
}

/* How component k of a node counts in the order of directions: x < y < z, displacements before rotations. */
static double weight(int k, double lever)
{
    return (1 + k % 3) * (k < 3 ? 1 : lever * lever);
}

/* n modes of nearly one frequency: the axes of W = sum weight psi psi^T. */
static ph_status align(ph_pool *pool, const ph_fe *fe, int n, double *Psi, ph_error *err)
{
    int rows = ph_fe_size(fe);
    size_t N = (size_t)rows;
    double *W = ph_pool_numbers(pool, (size_t)(n * n)), *value = ph_pool_numbers(pool, (size_t)n),
           *new = ph_pool_numbers(pool, N * (size_t)n), lever = TURNS *size_of(fe);
    if (!W || !value || !new)
        return no_memory(err);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            for (int i = 0; i < rows; i++)
                W[a * n + b] += weight(i % fe->dofs, lever) * Psi[(size_t)a * N + (size_t)i] *
                                Psi[(size_t)b * N + (size_t)i];
    ph_status s = ph_eigen_dense(n, W, NULL, value, pool->alloc, err);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            for (size_t i = 0; i < N; i++)
                new[(size_t)a * N + i] += W[a * n + b] * Psi[(size_t)b * N + i];
    if (s == PH_OK)
        memcpy(Psi, new, sizeof(double) * N * (size_t)n);
    return s;
}

static ph_status align_all(ph_pool *pool, const ph_fe *fe, int n, double *omega, double *Psi, ph_error *err)
{
    ph_status s = PH_OK;
    int rows = ph_fe_size(fe);
    double *y = ph_pool_numbers(pool, (size_t)rows);
    if (!y)
        return no_memory(err);
    for (int first = 0, end; s == PH_OK && first < n; first = end) {
        for (end = first + 1; end < n && omega[end] - omega[end - 1] <= SAME_FREQUENCY * omega[end]; end++)
            ;
        if (end > first + 1)
            s = align(pool, fe, end - first, Psi + (size_t)first * (size_t)rows, err);
        for (int k = first; end > first + 1 && k < end; k++) { /* V^T M V = I */
            const double *psi = Psi + (size_t)k * (size_t)rows;
            ph_csc_mul(&fe->K, psi, y);
            omega[k] = sqrt(fmax(ph_inner(rows, psi, y), 0));
        }
    }
    return s;
}

/* The first displacement above half of the largest is positive; of torsion the first rotation. */
static void fix_sign(const ph_fe *fe, double *psi)
{
    int rows = ph_fe_size(fe), from = 0;
    double most[2] = {0, 0};
    for (int i = 0; i < rows; i++) {
        int turn = i % fe->dofs >= 3;
        most[turn] = ph_larger(most[turn], fabs(psi[i]));
    }
    if (!(most[0] > 1e-6 * size_of(fe) * most[1]))
        from = 3;
    for (int i = 0; i < rows; i++)
        if (i % fe->dofs >= from && i % fe->dofs < from + 3 && fabs(psi[i]) > 0.5 * most[from / 3]) {
            double sign = psi[i] < 0 ? -1 : 1;
            for (int k = 0; k < rows; k++)
                psi[k] *= sign;
            return;
        }
}

/* ---- vibrations under conditions ------------------------------------------------------------------- */

/* The n lowest vibrations with the motions T: Psi and omega, of which there is room for n + EXTRA. */
static ph_status vibrations(ph_pool *pool, const ph_fe *fe, const ph_csc *T, ph_factor *f,
                            ph_factor_kind kind, int n, double *Psi, double *omega, ph_error *err)
{
    ph_csc K, M;
    int rows = ph_fe_size(fe), left = T->columns, want = n + EXTRA < left ? n + EXTRA : left;
    if (n == 0)
        return PH_OK;
    double *V = ph_pool_numbers(pool, (size_t)left * (size_t)want);
    if (!V || !ph_csc_congruence(pool, &fe->K, T, &K) || !ph_csc_congruence(pool, &fe->M, T, &M))
        return no_memory(err);
    ph_status s = ph_eigen_lowest(&K, &M, f, kind, want, omega, V, pool->alloc, err);
    if (s != PH_OK)
        return s;
    for (int k = 0; k < want; k++) {
        omega[k] = sqrt(omega[k]);
        ph_csc_mul(T, V + (size_t)k * (size_t)left, Psi + (size_t)k * (size_t)rows);
    }
    return align_all(pool, fe, want, omega, Psi, err);
}

static ph_status factor_of(ph_pool *pool, const ph_fe *fe, const ph_csc *T, ph_factor_kind kind,
                           ph_factor **out, ph_error *err)
{
    ph_csc K;
    int row;
    if (!ph_csc_congruence(pool, &fe->K, T, &K))
        return no_memory(err);
    ph_status s = ph_factor_create(out, &K, kind, pool->alloc, &row, err);
    if (s == PH_E_SINGULAR) {
        int at = T->p[row] < T->p[row + 1] ? T->i[T->p[row]] : 0;
        return ph_fail(err, PH_E_INPUT,
                       "%s: with the frame held, the stiffness is not positive definite; it shows at node "
                       "%d, component %d: something is loose, or has negative stiffness",
                       fe->label[1], fe->id[at / fe->dofs], at % fe->dofs + 1);
    }
    if (s == PH_OK && !(ph_factor_sound(*out) > TOO_FINE)) {
        ph_factor_destroy(*out);
        *out = NULL;
        return ph_fail(err, PH_E_INPUT,
                       "%s: too many small elements in a row: round-off spoils the low frequencies; use fewer",
                       fe->label[1]);
    }
    return s;
}

static ph_status clamped(ph_pool *pool, const ph_fe *fe, const ph_fe_spec *spec, ph_factor_kind kind,
                         ph_shapes *out, ph_error *err)
{
    int n = spec->n;
    if (n > out->T.columns)
        return ph_fail(err, PH_E_INPUT, "modes: n is %d, but only %d degrees of freedom are left", n,
                       out->T.columns);
    out->Psi = ph_pool_numbers(pool, (size_t)ph_fe_size(fe) * (size_t)(n + EXTRA));
    out->omega = ph_pool_numbers(pool, (size_t)(n + EXTRA));
    if (!out->Psi || !out->omega)
        return no_memory(err);
    out->modes = n;
    ph_status s = factor_of(pool, fe, &out->T, kind, &out->factor, err);
    if (s == PH_OK)
        s = vibrations(pool, fe, &out->T, out->factor, kind, n, out->Psi, out->omega, err);
    return s;
}

/* ---- mean axes ------------------------------------------------------------------------------------- */

/* Column 6 p + k: interface p moves by rigid motion k, the others stand, all else follows (X4). */
static int static_shapes(ph_pool *pool, const ph_fe *fe, int n, const ph_patch *patch, const ph_csc *Ti,
                         ph_factor *f, double *B)
{
    int rows = ph_fe_size(fe);
    double *r = ph_pool_numbers(pool, (size_t)rows), *q = ph_pool_numbers(pool, (size_t)Ti->columns),
           *rigid = ph_pool_numbers(pool, (size_t)rows);
    if (!r || !q || !rigid)
        return 0;
    for (int c = 0; c < 6 * n; c++) {
        const ph_patch *p = &patch[c / 6];
        double *t = B + (size_t)c * (size_t)rows;
        ph_fe_rigid(fe, p->X, c % 6, rigid);
        for (int k = 0; k < p->n; k++)
            memcpy(t + p->node[k] * fe->dofs, rigid + p->node[k] * fe->dofs,
                   sizeof(double) * (size_t)fe->dofs);
        ph_csc_mul(&fe->K, t, r);
        ph_csc_tmul(Ti, r, q);
        ph_factor_solve(f, q);
        ph_csc_mul(Ti, q, r);
        for (int i = 0; i < rows; i++)
            t[i] -= r[i];
    }
    return 1;
}

static void scale_columns(const ph_fe *fe, int n, double *B, double *y)
{
    int rows = ph_fe_size(fe);
    for (int k = 0; k < n; k++) {
        double *b = B + (size_t)k * (size_t)rows;
        ph_csc_mul(&fe->M, b, y);
        double m = sqrt(ph_inner(rows, b, y));
        for (int i = 0; m > 0 && i < rows; i++)
            b[i] /= m;
    }
}

/* The vibrations of the basis B, without the six of frequency 0. */
static ph_status free_vibrations(ph_pool *pool, const ph_fe *fe, int n, double *B, ph_shapes *out,
                                 ph_error *err)
{
    ph_rigid_moves rigid;
    size_t N = (size_t)ph_fe_size(fe), nn = (size_t)(n * n);
    double *K = ph_pool_numbers(pool, 2 * nn), *value = ph_pool_numbers(pool, (size_t)n),
           *y = ph_pool_numbers(pool, N);
    out->Psi = ph_pool_numbers(pool, N * (size_t)n), out->omega = ph_pool_numbers(pool, (size_t)n);
    if (!K || !value || !y || !out->Psi || !out->omega)
        return no_memory(err);
    scale_columns(fe, n, B, y);
    ph_csc_project(&fe->K, n, B, y, K);
    ph_csc_project(&fe->M, n, B, y, K + nn);
    ph_status s = ph_eigen_dense(n, K, K + nn, value, pool->alloc, err);
    if (s == PH_E_SINGULAR)
        return ph_fail(err, PH_E_INPUT,
                       "modes: interfaces share nodes, or the mass is not positive definite");
    for (int k = 6; s == PH_OK && k < n; k++) {
        out->omega[k - 6] = sqrt(fmax(value[k], 0));
        for (int b = 0; b < n; b++)
            for (size_t i = 0; i < N; i++)
                out->Psi[(size_t)(k - 6) * N + i] += K[k * n + b] * B[(size_t)b * N + i];
    }
    if (s == PH_OK && !(value[5] <= 1e-6 * value[6]))
        return ph_fail(err, PH_E_INPUT,
                       "%s: the stiffness has not six rigid motions: frequencies %.3g and %.3g rad/s",
                       fe->label[1], sqrt(fabs(value[5])), sqrt(fabs(value[6])));
    if (s == PH_OK && !ph_rigid_make(pool, fe, &rigid))
        return no_memory(err);
    for (int k = 0; s == PH_OK && k < n - 6; k++)
        if (!ph_rigid_strip(&rigid, out->Psi + (size_t)k * N))
            return ph_fail(err, PH_E_INPUT, "%s: all nodes are on a line without rotary inertia",
                           fe->label[0]);
    return s == PH_OK ? align_all(pool, fe, n - 6, out->omega, out->Psi, err) : s;
}

static ph_status mean_axes(ph_pool *pool, const ph_fe *fe, const ph_fe_spec *spec, int n_patches,
                           const ph_patch *patch, ph_factor_kind kind, ph_shapes *out, ph_error *err)
{
    ph_csc Ti;
    ph_factor *f = NULL;
    int fixed = spec->fixed == PH_AS_MANY ? spec->n : spec->fixed, all = 6 * n_patches + fixed;
    if (all > PH_DENSE_MOST)
        return ph_fail(err, PH_E_INPUT, "modes: %d interfaces and %d fixed modes are too many", n_patches,
                       fixed);
    size_t rows = (size_t)ph_fe_size(fe);
    double *B = ph_pool_numbers(pool, rows * (size_t)(all + EXTRA)),
           *omega = ph_pool_numbers(pool, (size_t)(fixed + EXTRA));
    if (!B || !omega || !ph_clamp_nodes(pool, fe, n_patches, patch, &Ti))
        return no_memory(err);
    if (fixed > Ti.columns)
        return ph_fail(err, PH_E_INPUT,
                       "modes: %d with fixed interfaces, but only %d degrees of freedom are left", fixed,
                       Ti.columns);
    if (spec->n > all - 6)
        return ph_fail(err, PH_E_INPUT, "modes: n is %d, but interfaces and %d fixed modes give %d", spec->n,
                       fixed, all - 6);
    ph_status s = factor_of(pool, fe, &Ti, kind, &f, err);
    if (s == PH_OK && !static_shapes(pool, fe, n_patches, patch, &Ti, f, B))
        s = no_memory(err);
    if (s == PH_OK)
        s = vibrations(pool, fe, &Ti, f, kind, fixed, B + rows * (size_t)(6 * n_patches), omega, err);
    ph_factor_destroy(f);
    if (s == PH_OK)
        s = free_vibrations(pool, fe, all, B, out, err);
    out->modes = spec->n ? spec->n : all - 6;
    return s;
}

/* ---- the choice ------------------------------------------------------------------------------------ */

/* Only some of them, in their order. */
static ph_status keep(const ph_fe *fe, const ph_fe_spec *spec, ph_shapes *out, ph_error *err)
{
    size_t rows = (size_t)ph_fe_size(fe);
    for (int k = 0; k < spec->n_keep; k++) {
        int from = spec->keep[k] - 1;
        if (from < k || from >= out->modes || (k && spec->keep[k] <= spec->keep[k - 1]))
            return ph_fail(err, PH_E_INPUT, "modes: keep must be ascending numbers from 1 to %d, not %d",
                           out->modes, spec->keep[k]);
        memmove(out->Psi + (size_t)k * rows, out->Psi + (size_t)from * rows, sizeof(double) * rows);
        out->omega[k] = out->omega[from];
    }
    if (spec->n_keep)
        out->modes = spec->n_keep;
    return PH_OK;
}

/* What statics in mean axes are solved with; forces are in balance, and so any node may hold the body. */
static ph_status clamp_one(ph_pool *pool, const ph_fe *fe, ph_factor_kind kind, ph_shapes *out, ph_error *err)
{
    static const int first = 0;
    ph_patch one = {.n = 1, .node = &first};
    if (fe->dofs != 6)
        return PH_OK; /* none are */
    if (!ph_clamp_nodes(pool, fe, 1, &one, &out->T))
        return no_memory(err);
    return factor_of(pool, fe, &out->T, kind, &out->factor, err);
}

static ph_status make(ph_pool *pool, const ph_fe *fe, const ph_fe_spec *spec, const ph_patch *frame,
                      int n_interfaces, const ph_patch *interface, ph_factor_kind kind, ph_shapes *out,
                      ph_error *err)
{
    int ok;
    if (spec->type == PH_MODES_CRAIG_BAMPTON) {
        out->frame = PH_FRAME_MEAN;
        ph_status s = mean_axes(pool, fe, spec, n_interfaces, interface, kind, out, err);
        return s == PH_OK ? clamp_one(pool, fe, kind, out, err) : s;
    }
    if (spec->type == PH_MODES_PINNED) {
        out->frame = PH_FRAME_CHORD;
        ok = ph_clamp_chord(pool, fe, frame->node[0], interface->node[0], &out->T);
    } else {
        out->frame = PH_FRAME_CLAMPED;
        ok = ph_clamp_nodes(pool, fe, 1, frame, &out->T);
    }
    return ok ? clamped(pool, fe, spec, kind, out, err) : no_memory(err);
}

ph_status ph_shapes_make(ph_pool *pool, const ph_fe *fe, const ph_fe_spec *spec, const ph_patch *frame,
                         int n_interfaces, const ph_patch *interface, ph_factor_kind kind, ph_shapes *out,
                         ph_error *err)
{
    *out = (ph_shapes){0};
    ph_status s = make(pool, fe, spec, frame, n_interfaces, interface, kind, out, err);
    if (s == PH_OK)
        s = keep(fe, spec, out, err);
    for (int k = 0; s == PH_OK && k < out->modes; k++)
        fix_sign(fe, out->Psi + (size_t)k * (size_t)ph_fe_size(fe));
    if (s != PH_OK)
        ph_factor_destroy(out->factor), out->factor = NULL;
    return s;
}

/* ---- modes that are given -------------------------------------------------------------------------- */

#define STANDS 1e-9 /* relative: how much of a mode counts as nothing */

static int stand_still(const ph_fe *fe, const ph_patch *frame, int n, const double *Psi)
{
    int rows = ph_fe_size(fe);
    double most = ph_small_max(rows * n, Psi);
    for (int c = 0; c < n; c++)
        for (int k = 0; k < frame->n; k++)
            for (int i = 0; i < fe->dofs; i++)
                if (!(fabs(Psi[(size_t)c * (size_t)rows + (size_t)(frame->node[k] * fe->dofs + i)]) <=
                      STANDS * most))
                    return 0;
    return 1;
}

/* Their frequencies are Rayleigh quotients. 0: they have momentum. */
static int without_momentum(const ph_fe *fe, double *y, int n, const double *Psi, double *omega)
{
    int rows = ph_fe_size(fe), none = 1;
    for (int c = 0; c < n; c++) {
        const double *psi = Psi + (size_t)c * (size_t)rows;
        ph_csc_mul(&fe->M, psi, y);
        double m = ph_inner(rows, psi, y), size = ph_small_max(rows, y);
        for (int k = 0; k < 6; k++) {
            ph_fe_rigid(fe, ph_v3(0, 0, 0), k, y + rows);
            none = none &&
                   fabs(ph_inner(rows, y, y + rows)) <= STANDS * size * rows * ph_small_max(rows, y + rows);
        }
        ph_csc_mul(&fe->K, psi, y);
        omega[c] = sqrt(fmax(ph_inner(rows, psi, y) / m, 0));
    }
    return none;
}

ph_status ph_shapes_read(ph_pool *pool, const ph_fe *fe, const ph_fe_spec *spec, const ph_patch *frame,
                         ph_shapes *out, ph_error *err)
{
    int n;
    size_t rows = (size_t)ph_fe_size(fe);
    *out = (ph_shapes){.frame = PH_FRAME_OTHER};
    ph_status s =
        ph_market_dense(pool, spec->files, spec->modes, (int)rows, PH_MODES_MAX, &n, &out->Psi, err);
    if (s != PH_OK)
        return s;
    out->modes = n, out->omega = ph_pool_numbers(pool, (size_t)n);
    double *y = ph_pool_numbers(pool, 2 * rows);
    if (!out->omega || !y)
        return no_memory(err);
    if (without_momentum(fe, y, n, out->Psi, out->omega))
        out->frame = PH_FRAME_MEAN;
    else if (stand_still(fe, frame, n, out->Psi))
        out->frame = PH_FRAME_CLAMPED;
    if (!fe->n_beams || out->frame == PH_FRAME_OTHER)
        return PH_OK;
    if (out->frame == PH_FRAME_MEAN)
        return clamp_one(pool, fe, PH_FACTOR_AUTO, out, err);
    if (!ph_clamp_nodes(pool, fe, 1, frame, &out->T))
        return no_memory(err);
    return factor_of(pool, fe, &out->T, PH_FACTOR_AUTO, &out->factor, err);
}
