/* Modes in clamped, mean-axis and chord frames, against published and high-precision frequencies. */
#include "fe_cases.h"
#include "scratch.h"

static const int tip_node = 10, root_node = 0;

/* reference: 12 digits of an independent program, bar of 10 elements; the third pair of bending follows the
 * second */
static void clamped_bar(void **state)
{
    (void)state;
    ph_fe fe = straight(steel_bar(), 10, 1, 0, 0);
    ph_fe_spec spec = clamped(6);
    ph_reduced *r = reduce(&fe, &spec);
    const double omega[6] = {52.497100786,  52.497100786, 329.004322640,
                             329.004322640, 921.42568216, 921.42568216};
    for (int k = 0; k < 6; k++)
        check_near(r->omega[k], omega[k], 1e-8 * omega[k] / 52);
    ph_reduced_free(NULL, r);
    ph_fe_free(&fe);
}

/* Pairs of a square section are along y, then along z, of whatever direction the bar is; signs are the
 * same. */
static void pairs_are_aligned(void **state)
{
    (void)state;
    ph_fe fe = straight(steel_bar(), 10, 1, 0, 0);
    ph_fe_spec spec = clamped(6);
    ph_reduced *r = reduce(&fe, &spec);
    for (int k = 0; k < 6; k++) {
        const double *u = r->marker[10].Psi;
        check_le(fabs(u[(k % 2 ? 1 : 2) * 6 + k]), 1e-7); /* round-off, times how well pairs are separated */
        assert_true(fabs(u[(k % 2 ? 2 : 1) * 6 + k]) > 1);
    }
    ph_reduced_free(NULL, r);
    ph_fe_free(&fe);
}

/* A little change of a parameter changes shapes a little: no jump of signs or directions. */
static void shapes_are_continuous(void **state)
{
    (void)state;
    const ph_fe_interface ends[2] = {{"root", 1, &root_node}, {"tip", 1, &tip_node}};
    ph_fe_spec specs[2] = {clamped(8),
                           {.type = PH_MODES_CRAIG_BAMPTON,
                            .n = 8,
                            .fixed = 8,
                            .frame_id = 0,
                            .n_interfaces = 2,
                            .interface = ends}};
    for (int trial = 0; trial < 2; trial++) {
        ph_reduced *r[3];
        for (int k = 0; k < 3; k++) {
            ph_fe_section s = steel_bar();
            s.rhoA *= 1 + 1e-4 * (k - 1), s.EI[0] *= 1 + 1e-4 * (k - 1);
            ph_fe fe = straight(s, 10, 1, 0, 0);
            r[k] = reduce(&fe, &specs[trial]);
            ph_fe_free(&fe);
        }
        for (int m = 0; m < r[0]->n_markers; m++)
            for (int i = 0; i < 3 * 8; i++) {
                double a = r[0]->marker[m].Psi[i], b = r[1]->marker[m].Psi[i], c = r[2]->marker[m].Psi[i];
                check_le(fabs(c - a), 1e-3);         /* derivative: a jump would be of size 1 */
                check_le(fabs(a - 2 * b + c), 1e-6); /* derivative: second order in 1e-4, times shapes of 2 */
            }
        for (int k = 0; k < 3; k++)
            ph_reduced_free(NULL, r[k]);
    }
}

/* reference: frequencies of an independent program; nfix = 0 has 12 static shapes alone (X4) */
static void craig_bampton_bar(void **state)
{
    (void)state;
    static const struct {
        int fixed, n;
        double omega[3], tol;
    } rows[] = {{0, 1, {400.636}, 5e-4},
                {4, 2, {335.258, 925.000}, 5e-4},
                {8, 3, {334.194819, 921.825250, 1814.070998}, 1e-6},
                {16, 2, {334.068781, 921.099}, 5e-4},
                {54, 3, {334.063153, 921.055375, 1806.847978}, 1e-6}};
    const ph_fe_interface ends[2] = {{"root", 1, &root_node}, {"tip", 1, &tip_node}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ph_fe fe = straight(steel_bar(), 10, 1, 0, 0);
        ph_fe_spec spec = {.type = PH_MODES_CRAIG_BAMPTON,
                           .frame_id = PH_NO_NODE,
                           .n_interfaces = 2,
                           .interface = ends,
                           .fixed = rows[k].fixed};
        spec.n = rows[k].fixed == 0 ? 0 : 6;
        ph_reduced *r = reduce(&fe, &spec);
        for (int i = 0; i < rows[k].n; i++)
            check_near(r->omega[2 * i], rows[k].omega[i], rows[k].tol);
        ph_reduced_free(NULL, r);
        ph_fe_free(&fe);
    }
}

/* Mean axes: no momentum of the modes at zeta = 0, and the frame is at the centre of mass. */
static void mean_axes_have_no_momentum(void **state)
{
    (void)state;
    const ph_fe_interface ends[2] = {{"root", 1, &root_node}, {"tip", 1, &tip_node}};
    ph_fe fe = straight(steel_bar(), 10, 1, 0.3, -0.2);
    ph_fe_spec spec = {.type = PH_MODES_CRAIG_BAMPTON,
                       .frame_id = PH_NO_NODE,
                       .n_interfaces = 2,
                       .interface = ends,
                       .n = 6,
                       .fixed = 8};
    ph_reduced *r = reduce(&fe, &spec);
    int size = 6 + 4 * r->modes;
    for (int a = 0; a < 6; a++)
        for (int b = 6; b < 6 + r->modes; b++)
            check_le(fabs(r->calM[a * size + b]), 1e-13); /* round-off: masses of 1 kg, shapes of 1 */
    check_le(ph_norm(ph_reduced_centre(r)), 1e-15);       /* round-off of a length of 1 */
    ph_reduced_free(NULL, r);
    ph_fe_free(&fe);
}

/* reference: frequencies of an independent program; a chord along any direction */
static void chord_frame(void **state)
{
    (void)state;
    const ph_fe_interface tip = {"tip", 1, &tip_node};
    const double omega[3] = {829.237734, 3317.283557, 7467.077215};
    for (int trial = 0; trial < 2; trial++) {
        ph_fe fe = trial ? straight(crank_rod(), 10, 0.1, -0.2, 0.2) : straight(crank_rod(), 10, 0.3, 0, 0);
        ph_fe_spec spec = {.type = PH_MODES_PINNED, .n = 6, .n_interfaces = 1, .interface = &tip};
        ph_reduced *r = reduce(&fe, &spec);
        for (int k = 0; k < 6; k++)
            check_near(r->omega[k], omega[k / 2], 2e-6);
        for (int k = 0; k < 18; k++) {
            check_le(fabs(r->marker[0].Psi[k]), 1e-12); /* round-off: shapes of 10 */
            check_le(fabs(r->marker[10].Psi[k]), 1e-7); /* the same, and what of the chord is left to it */
        }
        ph_reduced_free(NULL, r);
        ph_fe_free(&fe);
    }
}

static void keeps_some(void **state)
{
    (void)state;
    static const int odd[3] = {1, 3, 5}, bad[2] = {3, 2}, high[1] = {7};
    ph_fe fe = straight(steel_bar(), 10, 1, 0, 0);
    ph_fe_spec spec = clamped(6);
    spec.n_keep = 3, spec.keep = odd;
    ph_reduced *r = reduce(&fe, &spec);
    assert_int_equal(r->modes, 3);
    check_near(r->omega[1], 329.004322640, 1e-7); /* reference */
    for (int k = 0; k < 3; k++)
        check_le(fabs(r->marker[10].Psi[6 + k]), 1e-7); /* round-off: none moves along z */
    ph_reduced_free(NULL, r);
    spec.n_keep = 2, spec.keep = bad;
    refuse(&fe, &spec, "keep must be ascending numbers from 1 to 6, not 2");
    spec.n_keep = 1, spec.keep = high;
    refuse(&fe, &spec, "from 1 to 6, not 7");
    ph_fe_free(&fe);
}

static void refuses(void **state)
{
    (void)state;
    const ph_fe_interface tip = {"tip", 1, &tip_node}, both[2] = {{"a", 1, &tip_node}, {"b", 1, &tip_node}};
    ph_fe fe = straight(steel_bar(), 2, 1, 0, 0);
    ph_fe_spec spec = clamped(13);
    refuse(&fe, &spec, "n is 13, but only 12 degrees of freedom are left");
    spec = (ph_fe_spec){.frame_id = 11, .n = 2};
    refuse(&fe, &spec, "frame_node: there is no node 11");
    spec = (ph_fe_spec){.frame = "hub", .frame_id = PH_NO_NODE, .n = 2};
    refuse(&fe, &spec, "frame_node: there is no interface 'hub'");
    spec = (ph_fe_spec){.frame_id = 0, .n = 2, .n_interfaces = 1, .interface = &tip};
    refuse(&fe, &spec, "interface 'tip': there is no node 10");
    spec = (ph_fe_spec){.frame_id = PH_NO_NODE, .n = 2};
    refuse(&fe, &spec, "frame_node is missing");
    ph_fe_free(&fe);
    fe = straight(steel_bar(), 10, 1, 0, 0);
    spec = (ph_fe_spec){.type = PH_MODES_CRAIG_BAMPTON, .frame_id = PH_NO_NODE, .n = 2};
    refuse(&fe, &spec, "craig-bampton needs interfaces");
    spec.n_interfaces = 2, spec.interface = both;
    refuse(&fe, &spec, "interfaces share nodes");
    spec = (ph_fe_spec){.type = PH_MODES_PINNED, .n = 2};
    refuse(&fe, &spec, "pinned needs nodes with rotations");
    ph_fe_free(&fe);
}

/* Numbers of modes that the body does not have. */
static void too_many(void **state)
{
    (void)state;
    const ph_fe_interface ends[2] = {{"root", 1, &root_node}, {"tip", 1, &tip_node}};
    static const int later[2] = {1, 1}, none[1] = {0};
    ph_fe fe = straight(steel_bar(), 10, 1, 0, 0);
    ph_fe_spec spec = {
        .type = PH_MODES_CRAIG_BAMPTON, .frame_id = PH_NO_NODE, .n_interfaces = 2, .interface = ends};
    spec.n = 2, spec.fixed = 100000;
    refuse(&fe, &spec, "modes: 2 interfaces and 100000 fixed modes are too many");
    spec.fixed = 60;
    refuse(&fe, &spec, "modes: 60 with fixed interfaces, but only 54 degrees of freedom are left");
    spec.n = 9, spec.fixed = 2;
    refuse(&fe, &spec, "modes: n is 9, but interfaces and 2 fixed modes give 8");
    spec = clamped(6);
    spec.n_keep = 2, spec.keep = later;
    refuse(&fe, &spec, "keep must be ascending numbers from 1 to 6, not 1");
    spec.n_keep = 1, spec.keep = none;
    refuse(&fe, &spec, "keep must be ascending numbers from 1 to 6, not 0");
    ph_fe_free(&fe);
}

/* Shapes of a file: the frame is found from what they do. reference: those that were computed and written */
static void from_a_file(void **state)
{
    (void)state;
    static const int nodes[2] = {0, 10};
    ph_patch end[2] = {{.n = 1, .node = &nodes[0]}, {.n = 1, .node = &nodes[1], .X = {1, 0, 0}}};
    const ph_fe_interface ends[2] = {{"root", 1, &root_node}, {"tip", 1, &tip_node}};
    ph_fe fe = straight(steel_bar(), 10, 1, 0, 0);
    int rows = ph_fe_size(&fe);
    for (int mean = 0; mean < 3; mean++) {
        ph_fe_spec spec = {.type = mean == 1 ? PH_MODES_CRAIG_BAMPTON : PH_MODES_CLAMPED, .n = 3, .fixed = 4};
        ph_pool pool = {0}, again = {0};
        ph_shapes made, read;
        ph_error err = {0};
        scratch file = scratch_create("Psi.mtx");
        spec.n_interfaces = mean == 1 ? 2 : 0, spec.interface = ends;
        if (ph_shapes_make(&pool, &fe, &spec, &end[0], spec.n_interfaces, end, PH_FACTOR_AUTO, &made, &err) !=
            PH_OK)
            fail_msg("%s", err.text);
        FILE *to = fopen(file.path, "w");
        fprintf(to, "%%%%MatrixMarket matrix array real general\n%d %d\n", rows, made.modes);
        for (int i = 0; i < rows * made.modes; i++)
            fprintf(to, "%.17g\n",
                    made.Psi[i] + (mean == 2 && i % 6 == 1 ? 0.01 : 0)); /* 2: a rigid motion is in it */
        fclose(to);
        spec.modes = file.path;
        if (ph_shapes_read(&again, &fe, &spec, &end[0], &read, &err) != PH_OK)
            fail_msg("%s", err.text);
        assert_int_equal(read.modes, 3);
        assert_int_equal(read.frame, mean == 0   ? PH_FRAME_CLAMPED
                                     : mean == 1 ? PH_FRAME_MEAN
                                                 : PH_FRAME_OTHER);
        assert_true((read.factor != NULL) == (mean < 2));
        for (int k = 0; k < 3 && mean < 2; k++)
            check_near(read.omega[k], made.omega[k], 1e-6 * made.omega[k]); /* round-off: conditioning of K */
        ph_factor_destroy(made.factor), ph_factor_destroy(read.factor);
        ph_pool_free(&pool), ph_pool_free(&again);
        scratch_remove(&file);
    }
    ph_fe_free(&fe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many),
        cmocka_unit_test(from_a_file),
        cmocka_unit_test(clamped_bar),
        cmocka_unit_test(pairs_are_aligned),
        cmocka_unit_test(shapes_are_continuous),
        cmocka_unit_test(craig_bampton_bar),
        cmocka_unit_test(mean_axes_have_no_momentum),
        cmocka_unit_test(chord_frame),
        cmocka_unit_test(keeps_some),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
