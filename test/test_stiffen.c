/* Stress stiffness: (X2) with foreshortening by quadrature, axial forces of known loads, buckling. */
#include "fe_cases.h"

#include "fe/rigid.h"

static const int tip_node = 10, root_node = 0;

static double quadratic(int n, const double *A, const double *zeta)
{
    double s = 0;
    for (int i = 0; i < n * n; i++)
        s += zeta[i / n] * A[i] * zeta[i % n];
    return s;
}

/* v'(xi) of cubic bending between two nodes, L apart */
static double slope(const double *v, const double *turn, double L, double xi)
{
    return 6 * xi * (1 - xi) * (v[1] - v[0]) / L + (1 - xi) * (1 - 3 * xi) * turn[0] +
           xi * (3 * xi - 2) * turn[1];
}

/* Integral of N(x) |slope|^2 over element e of a bar along x, 4 Gauss points. */
static double bending(const ph_reduced *r, const double *zeta, int e, double L, double (*N)(double x))
{
    static const double at[4] = {0.069431844202973712, 0.330009478207571868, 0.669990521792428132,
                                 0.930568155797026288},
                        weight[4] = {0.173927422568726929, 0.326072577431273071, 0.326072577431273071,
                                     0.173927422568726929};
    double u[2][2] = {{0}}, turn[2][2] = {{0}}, sum = 0;
    int n = r->modes;
    for (int k = 0; k < n; k++)
        for (int end = 0; end < 2; end++) {
            const ph_marker *m = &r->marker[e + end];
            u[0][end] += zeta[k] * m->Psi[n + k], turn[0][end] += zeta[k] * m->Th[2 * n + k];
            u[1][end] += zeta[k] * m->Psi[2 * n + k], turn[1][end] -= zeta[k] * m->Th[n + k];
        }
    for (int p = 0; p < 4; p++)
        for (int plane = 0; plane < 2; plane++) {
            double s = slope(u[plane], turn[plane], L, at[p]);
            sum += weight[p] * L * (N ? N(r->marker[e].X.x + at[p] * L) : 1) * s * s;
        }
    return sum;
}

/* Second-order displacements of the nodes along x: -1/2 integral of v'^2 from the first node. */
static void foreshorten(const ph_fe *fe, const ph_reduced *r, const double *zeta, double L, double *w)
{
    memset(w, 0, sizeof(double) * (size_t)ph_fe_size(fe));
    for (int e = 0; e < fe->n_beams; e++)
        w[6 * (e + 1)] = w[6 * e] - 0.5 * bending(r, zeta, e, L, NULL);
}

/* f_c . w = -1/2 zeta^T KG zeta, of every case; mean axes have no rigid part of w */
static void work_of_loads(void **state)
{
    (void)state;
    uint64_t seed = 7;
    const ph_fe_interface ends[2] = {{"root", 1, &root_node}, {"tip", 1, &tip_node}};
    for (int trial = 0; trial < 3; trial++) {
        ph_fe fe = straight(steel_bar(), 10, 1, 0, 0);
        ph_fe_spec spec = {
            .frame_id = 0, .n = 8, .fixed = 10, .n_interfaces = 1, .interface = ends + 1, .stiffen = 1};
        spec.type = trial == 0 ? PH_MODES_CLAMPED : trial == 1 ? PH_MODES_CRAIG_BAMPTON : PH_MODES_PINNED;
        if (trial == 1)
            spec.n_interfaces = 2, spec.interface = ends, spec.frame_id = PH_NO_NODE;
        ph_reduced *r = reduce(&fe, &spec);
        double w[66], f[66], work[132], zeta[8], largest = 0;
        ph_patch marker[14];
        ph_pool pool = {0};
        for (int k = 0; k < r->n_markers; k++) {
            int id = k < 11 ? k : k == r->n_markers - 1 ? tip_node : root_node;
            assert_int_equal(ph_patch_make(&pool, &fe, "", "", 1, &id, &marker[k], NULL), PH_OK);
        }
        for (int k = 0; k < 8; k++)
            zeta[k] = rnd(&seed);
        foreshorten(&fe, r, zeta, 0.1, w);
        ph_rigid_moves rigid;
        assert_true(ph_rigid_make(&pool, &fe, &rigid));
        if (trial == 1)
            assert_true(ph_rigid_strip(&rigid, w));
        for (int c = 0; c < 12 + 3 * r->n_markers; c++) {
            double power = 0, half = -0.5 * quadratic(8, ph_reduced_KG(r, c), zeta);
            ph_stiffen_load(&fe, marker, c, work, f);
            for (int i = 0; i < 66; i++)
                power += f[i] * w[i];
            check_near(power, half, 1e-8); /* round-off of statics: EA/EI = 1e5, works of 100 */
            largest = fmax(largest, fabs(half));
            if (trial == 1 && c < 6)
                check_le(fabs(half), 1e-8);
        }
        assert_true(largest > 1);
        ph_reduced_free(NULL, r);
        ph_pool_free(&pool);
        ph_fe_free(&fe);
    }
}

static double spin(double x)
{
    return 0.785 / 2 * (1 - x * x);
}

static double weight(double x)
{
    return 0.785 * (1 - x);
}

static double one(double x)
{
    (void)x;
    return 1;
}

/* Integral of N v'^2 with the known N: rhoA/2 (L^2 - x^2) Omega^2, rhoA (L - x) g, F; the first is of second
 * order */
static void known_axial_forces(void **state)
{
    (void)state;
    static const struct {
        int c; /* -1: force at the tip */
        double (*N)(double x);
    } rows[] = {{8, spin}, {7, spin}, {0, weight}, {-1, one}};
    for (int row = 0; row < 4; row++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            int n = 16 << k;
            ph_fe fe = straight(steel_bar(), n, 1, 0, 0);
            ph_fe_spec spec = clamped(2);
            ph_reduced *r = reduce(&fe, &spec);
            double zeta[2] = {1, 0.3}, exact = 0;
            for (int e = 0; e < n; e++)
                exact += bending(r, zeta, e, 1.0 / n, rows[row].N);
            int c = rows[row].c < 0 ? 12 + 3 * n : rows[row].c;
            error[k] = fabs(quadratic(2, ph_reduced_KG(r, c), zeta) - exact) / exact;
            ph_reduced_free(NULL, r);
            ph_fe_free(&fe);
        }
        if (row == 3) {
            check_le(error[0], 1e-9); /* round-off of statics */
        } else {
            check_le(error[0], 5e-3);
            check_near(log2(error[0] / error[1]), 2, 0.15); /* order */
        }
    }
}

/* Kf - P KG is singular at Euler's load, pi^2 EI/(4 L^2) of a clamped bar */
static void buckling(void **state)
{
    (void)state;
    ph_fe fe = straight(steel_bar(), 10, 1, 0, 0);
    ph_fe_spec spec = clamped(40);
    ph_reduced *r = reduce(&fe, &spec);
    double A[1600], B[1600], mu[40], euler = 3.14159265358979323846 * 3.14159265358979323846 * 175 / 4;
    memcpy(A, ph_reduced_KG(r, 12 + 3 * 10), sizeof A);
    memcpy(B, r->Kf, sizeof B);
    assert_int_equal(ph_eigen_dense(40, A, B, mu, NULL, NULL), PH_OK);
    check_near(1 / mu[39] / euler, 1, 2e-5); /* reference; 40 of the 60 modes of 10 elements */
    ph_reduced_free(NULL, r);
    ph_fe_free(&fe);
}

static void names_of_cases(void **state)
{
    (void)state;
    const ph_fe_interface tip = {"tip", 1, &tip_node};
    ph_fe fe = straight(steel_bar(), 10, 1, 0, 0);
    ph_fe_spec spec = clamped(2);
    spec.n_interfaces = 1, spec.interface = &tip;
    ph_reduced *r = reduce(&fe, &spec);
    assert_int_equal(ph_stiffen_find(r, "ax"), PH_KG_MOVES);
    assert_int_equal(ph_stiffen_find(r, "alpha_z"), PH_KG_TURNS + 2);
    assert_int_equal(ph_stiffen_find(r, "omega_xx"), PH_KG_SPINS);
    assert_int_equal(ph_stiffen_find(r, "omega_xy"), PH_KG_SPINS + 5);
    assert_int_equal(ph_stiffen_find(r, "tip.fy"), PH_KG_MARKERS + 3 * 11 + 1);
    assert_int_equal(ph_stiffen_find(r, "tip.fw"), -1);
    ph_reduced_free(NULL, r);
    ph_fe_free(&fe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_loads),
        cmocka_unit_test(known_axial_forces),
        cmocka_unit_test(buckling),
        cmocka_unit_test(names_of_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
