/* Invariants of a reduced body against the kinetic energy of its finite elements, markers, damping. */
#include "fe_cases.h"
#include "sim_cases.h"

static const int tip_node = 10, middle[2] = {5, 6};

static const double dir[3] = {0.6, -0.48, 0.64}; /* unit */

/* 1/2 c^T M c with the velocities of the deformed body, node by node, against 1/2 sv^T calM sv (X1); U and what turns
 * have the momentum of (X9), and so U is 0 here */
static void kinetic_energy(void **state)
{
    (void)state;
    uint64_t seed = 4;
    ph_fe fe = straight(steel_bar(), 10, dir[0], dir[1], dir[2]);
    ph_fe_spec spec = clamped(5);
    ph_reduced *r = reduce(&fe, &spec);
    int rows = ph_fe_size(&fe), n = r->modes, size = 6 + 4 * n;
    double c[66], y[66], sv[26], T[2] = {0, 0}, zeta[5], rate[5];
    for (int k = 0; k < 6; k++)
        sv[k] = k < 3 ? 0 : rnd(&seed);
    ph_vec3 U = ph_load3(sv), Omega = ph_load3(sv + 3);
    for (int k = 0; k < n; k++) {
        zeta[k] = rnd(&seed), rate[k] = rnd(&seed);
        sv[6 + k] = rate[k];
        ph_store3(sv + 6 + n + 3 * k, ph_scale(zeta[k], Omega));
    }
    for (int i = 0; i < fe.n_nodes; i++) { /* all nodes are markers */
        ph_vec3 u = ph_v3(0, 0, 0), v = u, turn = u, e = ph_load3(dir);
        const ph_marker *m = &r->marker[i];
        for (int k = 0; k < n; k++) {
            ph_vec3 psi = ph_v3(m->Psi[k], m->Psi[n + k], m->Psi[2 * n + k]),
                    th = ph_v3(m->Th[k], m->Th[n + k], m->Th[2 * n + k]);
            u = ph_add(u, ph_scale(zeta[k], psi)), v = ph_add(v, ph_scale(rate[k], psi));
            turn = ph_add(turn, ph_scale(rate[k], th));
            turn = ph_add(turn, ph_scale(zeta[k] * ph_dot(Omega, e), ph_cross(e, th))); /* (X26) */
        }
        ph_store3(c + 6 * i, ph_add(ph_add(U, v), ph_cross(Omega, ph_add(m->X, u))));
        ph_store3(c + 6 * i + 3, ph_add(Omega, turn));
    }
    ph_csc_mul(&fe.M, c, y);
    for (int i = 0; i < rows; i++)
        T[0] += 0.5 * c[i] * y[i];
    for (int i = 0; i < size * size; i++)
        T[1] += 0.5 * sv[i / size] * r->calM[i] * sv[i % size];
    check_le(fabs(T[0] - T[1]) / T[0], 1e-14); /* round-off */
    ph_reduced_free(NULL, r);
    ph_fe_free(&fe);
}

/* (X26): bending u turns with a bar about its axis, |e x u| = |u| */
static void bending_turns_with_the_bar(void **state)
{
    (void)state;
    ph_fe fe = straight(steel_bar(), 7, dir[0], dir[1], dir[2]);
    ph_fe_spec spec = clamped(6);
    ph_reduced *r = reduce(&fe, &spec);
    int n = r->modes, size = 6 + 4 * n;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            double T = 0;
            for (int i = 0; i < 9; i++)
                T +=
                    dir[i / 3] * dir[i % 3] * r->calM[(6 + n + 3 * k + i / 3) * size + 6 + n + 3 * l + i % 3];
            check_near(T, r->calM[(6 + k) * size + 6 + l], 1e-12); /* round-off: numbers of size 1 */
        }
    ph_reduced_free(NULL, r);
    ph_fe_free(&fe);
}

/* (X9), which finite elements have themselves where they are small */
static void displacements_have_one_first_moment(void **state)
{
    (void)state;
    ph_fe fe = straight(steel_bar(), 10, dir[0], dir[1], dir[2]);
    ph_fe_spec spec = clamped(4);
    ph_reduced *r = reduce(&fe, &spec);
    int n = r->modes, size = 6 + 4 * n;
    for (int k = 0; k < n; k++) {
        double moment[9];
        ph_store33(moment, ph_tilde(ph_v3(r->calM[6 + k], r->calM[size + 6 + k], r->calM[2 * size + 6 + k])));
        for (int i = 0; i < 9; i++) {
            int a = i / 3, b = 6 + n + 3 * k + i % 3;
            check_near(r->calM[a * size + b], -moment[i], 0); /* exact */
            check_near(r->calM[b * size + a], -moment[i], 0);
        }
    }
    ph_reduced_free(NULL, r);
    ph_fe_free(&fe);
}

static void rigid_body(void **state)
{
    (void)state;
    ph_fe fe = straight(steel_bar(), 10, dir[0], dir[1], dir[2]);
    ph_fe_spec spec = clamped(4);
    ph_reduced *r = reduce(&fe, &spec);
    ph_vec3 e = ph_load3(dir);
    check_near(ph_reduced_mass(r), 0.785, 1e-15);                                         /* round-off */
    check_le(ph_norm(ph_sub(ph_reduced_centre(r), ph_scale(0.5, e))), 1e-15);             /* round-off */
    ph_mat3 J = ph_madd(ph_mscale(0.785 / 3, ph_msub(ph_diag3(1, 1, 1), ph_outer(e, e))), /* m L^2/3 across */
                        ph_mscale(1.30833333e-5, ph_outer(e, e)));
    double a[9], b[9];
    ph_store33(a, J), ph_store33(b, ph_reduced_inertia(r));
    check_le(max_diff(a, b, 9), 1e-15); /* round-off */
    ph_reduced_free(NULL, r);
    ph_fe_free(&fe);
}

/* Kf = diag(omega^2), Mf = 1, and ratios and Rayleigh's numbers give what they say. (X8) */
static void damping(void **state)
{
    (void)state;
    const double ratio[3] = {0.01, 0.02, 0.05}, one = 0.03;
    for (int trial = 0; trial < 3; trial++) {
        ph_fe fe = straight(steel_bar(), 10, 1, 0, 0);
        ph_fe_spec spec = clamped(5);
        const int keep[3] = {1, 3, 5};
        spec.n_keep = 3, spec.keep = keep;
        if (trial == 0)
            spec.alpha = 0.3, spec.beta = 1e-4;
        else
            spec.n_ratios = trial == 1 ? 3 : 1, spec.ratio = trial == 1 ? ratio : &one;
        ph_reduced *r = reduce(&fe, &spec);
        for (int i = 0; i < 9; i++) {
            double w = r->omega[i / 3], d = 2 * w * (trial == 1 ? ratio[i / 3] : one);
            check_near(r->Kf[i], i % 4 ? 0 : w * w, 1e-6); /* round-off: stiffnesses of 1e9 */
            check_near(r->Df[i], i % 4 ? 0 : trial == 0 ? 0.3 + 1e-4 * w * w : d, 1e-9);
            check_near(r->calM[(6 + i / 3) * 18 + 6 + i % 3], i % 4 == 0, 1e-10);
        }
        ph_reduced_free(NULL, r);
        ph_fe_free(&fe);
    }
}

static void markers(void **state)
{
    (void)state;
    const ph_fe_interface both[2] = {{"tip", 1, &tip_node}, {"mid", 2, middle}};
    ph_fe fe = straight(steel_bar(), 10, 1, 0, 0);
    ph_fe_spec spec = clamped(4);
    spec.n_interfaces = 2, spec.interface = both;
    ph_reduced *r = reduce(&fe, &spec);
    assert_int_equal(r->n_markers, 13);
    assert_string_equal(r->marker[0].name, "0");
    assert_string_equal(r->marker[10].name, "10");
    assert_string_equal(r->marker[11].name, "tip");
    assert_string_equal(r->marker[12].name, "mid");
    check_near(r->marker[12].X.x, 0.55, 1e-15); /* round-off */
    for (int i = 0; i < 12; i++) {
        assert_true(r->marker[11].Psi[i] == r->marker[10].Psi[i] &&
                    r->marker[11].Th[i] == r->marker[10].Th[i]);
        check_near(r->marker[12].Psi[i], 0.5 * (r->marker[5].Psi[i] + r->marker[6].Psi[i]),
                   1e-15); /* round-off */
        check_near(r->marker[12].Th[i], 0.5 * (r->marker[5].Th[i] + r->marker[6].Th[i]), 1e-15);
        assert_true(r->marker[0].Psi[i] == 0 && r->marker[0].Th[i] == 0); /* exact: the frame holds it */
    }
    ph_reduced_free(NULL, r);
    ph_fe_free(&fe);
}

/* The limit comes before the work: this bar is too fine for any modes, which is found out on the way to them. */
static void modes_are_counted_first(void **state)
{
    (void)state;
    static const int node[12] = {0, 300, 600, 900, 1200, 1500, 1800, 2100, 2400, 2700, 2900, 3000};
    ph_fe fe = straight(steel_bar(), 3000, 1, 0, 0);
    ph_fe_spec spec = clamped(60);
    ph_fe_interface all[12];
    refuse(&fe, &spec, "too many small elements");
    spec.n = 61;
    refuse(&fe, &spec, "modes: there are 61; the limit is 60");
    for (int k = 0; k < 12; k++)
        all[k] = (ph_fe_interface){"end", 1, &node[k]};
    spec = (ph_fe_spec){.frame_id = PH_NO_NODE, .type = PH_MODES_CRAIG_BAMPTON, .interface = all};
    spec.n_interfaces = 12;
    refuse(&fe, &spec, "modes: there are 66; the limit is 60");
    ph_fe_free(&fe);
}

/* Every allocation fails in turn: dense and sparse, with the frame clamped, in mean axes and along the chord. */
static void without_memory(void **state)
{
    (void)state;
    static const int ids[2] = {0, 30};
    const ph_fe_interface ends[2] = {{"root", 1, &ids[0]}, {"tip", 1, &ids[1]}};
    const ph_fe_spec specs[] = {
        {.type = PH_MODES_CLAMPED, .n = 4, .stiffen = 1},
        {.type = PH_MODES_CRAIG_BAMPTON,
         .frame_id = PH_NO_NODE,
         .n_interfaces = 2,
         .interface = ends,
         .n = 6,
         .fixed = 4},
        {.type = PH_MODES_PINNED, .n = 4, .n_interfaces = 1, .interface = &ends[1]},
    };
    for (int k = 0; k < 6; k++)
        for (long at = 0, all = 0; !all; at++) {
            counter c;
            ph_fe fe = straight(steel_bar(), 30, 1, 0, 0);
            ph_reduced *r = NULL;
            ph_vec3 origin;
            ph_fe_sound sound;
            ph_error err = {0};
            counter_open(&c, at);
            ph_status s = ph_fe_reduce(&fe, &specs[k / 2], k % 2 ? PH_FACTOR_SPARSE : PH_FACTOR_AUTO,
                                       &c.hooks, &r, &origin, &sound, &err);
            all = c.asked <= at;
            if (s != (all ? PH_OK : PH_E_MEMORY) || (!all && !strstr(err.text, "memory")))
                fail_msg("spec %d without allocation %ld: status %d, '%s'", k, at, (int)s, err.text);
            ph_reduced_free(&c.hooks, r);
            ph_fe_free(&fe);
            assert_int_equal(c.live, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory),
        cmocka_unit_test(kinetic_energy),
        cmocka_unit_test(displacements_have_one_first_moment),
        cmocka_unit_test(bending_turns_with_the_bar),
        cmocka_unit_test(rigid_body),
        cmocka_unit_test(damping),
        cmocka_unit_test(markers),
        cmocka_unit_test(modes_are_counted_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
