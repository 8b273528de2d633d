#include "sens_cases.h"
#include "step/sim.h"
static void probe(void **state)
{
    (void)state;
    static const char *m[] = {"residual-alpha", "linear-alpha", "genalpha"};
    double h[] = {2e-3, 1e-3, 5e-4, 2.5e-4, 2e-4, 5e-6};
    for (int k = 0; k < 3; k++) {
        double x[6][3], dx[6][3];
        for (int j = 0; j < 6; j++) {
            rig r;
            ph_options o = tight(h[j]);
            o.method = m[k], o.sigma = 0, o.rho = 0.8, o.start = PH_PLAIN;
            if (j == 5) o.atol = o.rtol = 1e-11;
            open_rig(&r, "heavy_top.lua", "m", 0, &o);
            long n = lround(0.1 / h[j]);
            ph_error err = {0};
            if (ph_sim_run(r.sim, n, NULL, NULL, &err) != PH_OK) fail_msg("%s", err.text);
            ph_state s = ph_sim_state(r.sim);
            ph_derivative d = ph_sens_get(r.sens, 0);
            memcpy(x[j], s.q + s.q_at[0], 24);
            memcpy(dx[j], d.W + s.v_at[0], 24);
            ph_stats st = ph_sim_stats(r.sim);
            printf("%s h=%g x %.9g %.9g %.9g dx %.9g %.9g %.9g  it/step %.2f worst %d\n", m[k], h[j], x[j][0], x[j][1], x[j][2], dx[j][0], dx[j][1], dx[j][2], (double)st.iterations / (double)st.steps, st.worst_iterations);
            if (j < 5) {
                agreement a = compare(&r, n);
                printf("   fd %.2e %.2e %.2e %.2e\n", a.W, a.v, a.vdot, a.lambda);
            }
            close_rig(&r);
        }
        for (int j = 0; j < 5; j++) {
            double e[3] = {x[j][0] - x[5][0], x[j][1] - x[5][1], x[j][2] - x[5][2]};
            double f[3] = {dx[j][0] - dx[5][0], dx[j][1] - dx[5][1], dx[j][2] - dx[5][2]};
            printf("  h=%g err %.4e  derr %.4e\n", h[j], norm2(e, 3) / norm2(x[5], 3), norm2(f, 3) / norm2(dx[5], 3));
        }
    }
}
static void probe4(void **state)
{
    (void)state;
    struct { const char *m; unsigned s; } row[] = {{"residual-alpha", 2}, {"linear-alpha", 2}, {"residual-alpha", 4}, {"linear-alpha", 4}, {"genalpha", 1}, {"linear-alpha", 1}, {"residual-alpha", 1}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int j = 0; j < 2; j++) {
            double h = j ? 2e-4 : 2e-3, dx[2][6];
            for (int i = 0; i < 2; i++) {
                rig r;
                ph_options o = tight(h);
                o.method = row[k].m, o.sigma = 0, o.rho = 0.8, o.start = PH_PLAIN;
                open_rig(&r, "heavy_top.lua", "m", 0, &o);
                r.sens->simplified = i ? row[k].s : 0;
                ph_error err = {0};
                if (ph_sim_run(r.sim, lround(0.1 / h), NULL, NULL, &err) != PH_OK) fail_msg("%s", err.text);
                ph_state s = ph_sim_state(r.sim);
                ph_derivative d = ph_sens_get(r.sens, 0);
                memcpy(dx[i], d.W + s.v_at[0], 24);
                close_rig(&r);
            }
            double e[3] = {dx[1][0] - dx[0][0], dx[1][1] - dx[0][1], dx[1][2] - dx[0][2]};
            printf("%s simplified %u h %g: %.4e\n", row[k].m, row[k].s, h, norm2(e, 3) / norm2(dx[0], 3));
        }
}
static void adj(void **state)
{
    (void)state;
    static const char *m[] = {"residual-alpha", "linear-alpha", "genalpha"};
    static const struct {
        const char *file, *param;
        double h;
    } row[] = {{"heavy_top.lua", "m", 1e-3},
               {"slider_crank.lua", "crank", 1e-3},
               {"slider_crank.lua", "speed", 1e-3},
               {"bricard.lua", "b", 1e-3},
               {"rotor.lua", "m", 1e-5},
               {"rotor.lua", "spin", 1e-5},
               {"rolling_disc.lua", "lean", 1e-3},
               {"driven_crank.lua", "turns", 1e-3}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int j = 0; j < 3; j++)
            for (int f = PH_INDEX3; f <= PH_INDEX2; f++) {
                ph_options o = tight(row[k].h);
                o.method = m[j], o.formulation = (ph_formulation)f;
                if (!strcmp(row[k].file, "bricard.lua") && f) continue;
                rig r;
                open_rig(&r, row[k].file, row[k].param, 0, &o);
                ph_error err = {0};
                if (ph_sim_run(r.sim, 100, NULL, NULL, &err) != PH_OK) fail_msg("%s", err.text);
                agreement a = compare(&r, 100);
                close_rig(&r);
                printf("%s %s %s %d adj %.1e %.1e   fd %.1e %.1e %.1e %.1e\n", m[j], row[k].file, row[k].param, f, adjoint_error(row[k].file, row[k].param, &o, 100, 0), adjoint_error(row[k].file, row[k].param, &o, 100, 1), a.W, a.v, a.vdot, a.lambda);
            }
}
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(probe4), cmocka_unit_test(probe), cmocka_unit_test(adj)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
