/* Patches of nodes move as a rigid body does where their nodes do, with and without rotations of nodes. */
#include "fe_cases.h"

/* (X5) */
static void rigid_motions(void **state)
{
    (void)state;
    static const int n[3] = {3, 2, 2}, nodes[4] = {2, 5, 6, 9};
    static const double L[3] = {1, 0.5, 0.4};
    int face[32];
    for (int trial = 0; trial < 2; trial++) {
        ph_fe fe = trial ? straight(steel_bar(), 10, 1, 2, -1) : block(n, L, 1, 0.3, 1);
        ph_patch p;
        ph_pool pool = {0};
        uint64_t seed = 8;
        double *c = ph_pool_numbers(&pool, (size_t)ph_fe_size(&fe)),
               *r = ph_pool_numbers(&pool, (size_t)ph_fe_size(&fe)), x[6];
        ph_vec3 u, th;
        assert_int_equal(trial
                             ? ph_patch_make(&pool, &fe, "p", "p", 4, nodes, &p, NULL)
                             : ph_patch_make(&pool, &fe, "p", "p", block_face(&fe, 1, face), face, &p, NULL),
                         PH_OK);
        for (int k = 0; k < 6; k++) {
            x[k] = rnd(&seed);
            ph_fe_rigid(&fe, ph_v3(0, 0, 0), k, r);
            for (int i = 0; i < ph_fe_size(&fe); i++)
                c[i] += x[k] * r[i];
        }
        ph_patch_mean(&fe, &p, c, &u, &th);
        ph_vec3 U = ph_load3(x), Omega = ph_load3(x + 3);
        check_le(ph_norm(ph_sub(th, Omega)), 1e-14); /* round-off */
        check_le(ph_norm(ph_sub(u, ph_add(U, ph_cross(Omega, p.X)))), 1e-14);
        /* forces of a patch work as its mean displacement does */
        double *f = r, work = 0;
        memset(f, 0, sizeof(double) * (size_t)ph_fe_size(&fe));
        ph_patch_force(&fe, &p, ph_v3(2, 3, 5), f);
        for (int i = 0; i < ph_fe_size(&fe); i++)
            work += f[i] * c[i];
        check_near(work, ph_dot(u, ph_v3(2, 3, 5)), 1e-13);
        ph_pool_free(&pool);
        ph_fe_free(&fe);
    }
}

static void refuse_patch(const ph_fe *fe, int n, const int *id, const char *words)
{
    ph_pool pool = {0};
    ph_patch p;
    ph_error err = {0};
    assert_int_equal(ph_patch_make(&pool, fe, "interface 'p'", "p", n, id, &p, &err), PH_E_INPUT);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not contain '%s'", err.text, words);
    ph_pool_free(&pool);
}

static void refuses(void **state)
{
    (void)state;
    static const int n[3] = {3, 2, 2}, line[3] = {1, 2, 3}, twice[3] = {1, 7, 7}, missing[1] = {99};
    static const double L[3] = {1, 0.5, 0.4};
    ph_fe fe = block(n, L, 1, 0.3, 1);
    refuse_patch(&fe, 3, line,
                 "interface 'p': its nodes have no rotations, and fewer than 3 of them, or all on a line");
    refuse_patch(&fe, 1, line, "its nodes have no rotations");
    refuse_patch(&fe, 3, twice, "interface 'p': node 7 is there twice");
    refuse_patch(&fe, 1, missing, "interface 'p': there is no node 99");
    ph_fe_spec spec = {.frame_id = 1, .n = 2};
    refuse(&fe, &spec, "frame_node: its nodes have no rotations");
    ph_fe_free(&fe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rigid_motions), cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
