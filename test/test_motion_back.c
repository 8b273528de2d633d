/* The adjoint of the motion against derivatives of the motion: differences of runs of a method near
 * round-off. */
#include "sens_cases.h"

#include "sens/motion_back.h"

/* A motion with its neighbours, which rkmk follows to round-off, and the parameter's derivatives at the
 * start. */
typedef struct piece {
    fixture r;
    ph_rk rk;
    ph_motion_back back;
    ph_point room;
    void *block;
} piece;

static void open_piece(piece *p, const char *file, const char *param, int space)
{
    ph_options o = tight(1e-3);
    ph_arena a = {0};
    o.formulation = PH_INDEX2;
    open_fixture(&p->r, file, param, space, &o);
    p->rk = (ph_rk){0};
    assert_int_equal(ph_tableau_get("dopri8", &p->rk.tab, NULL), PH_OK);
    for (int pass = 0; pass < 2; pass++) {
        ph_rk_take(&p->rk, &p->r.sim->lay, &a);
        ph_motion_back_take(&p->back, p->r.sens, &p->rk.tab, &a);
        ph_point_take(&p->room, &p->r.sim->lay, &a);
        if (pass == 0)
            assert_true(ph_arena_open(&a, NULL));
    }
    p->block = a.block;
    p->back.point = &p->room, p->back.room = 1;
}

static void close_piece(piece *p)
{
    ph_free(NULL, p->block);
    close_fixture(&p->r);
}

/* Covectors g of W, v, vdot, lambda at the end of a piece: their product with the derivatives there, by
 * five-point differences of neighbours that dopri8 moves, minus what (W13) makes of them; relative to the
 * sum of sizes. */
static double gap(piece *p, double h, int pieces, int forces, uint64_t *seed)
{
    static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    ph_sim *sim = p->r.sim;
    const ph_layout *lay = &sim->lay;
    ph_follower *d = &p->r.sens->d[0];
    ph_options o = ph_default_options();
    int nv = lay->nv, nl = lay->nl;
    double *g = calloc((size_t)(3 * nv + nl + 1), sizeof *g), gradient = 0, product = 0, size = 0;
    ph_point end = {0};
    ph_arena a = {0};
    for (int i = 0; i < 3 * nv + nl; i++)
        g[i] = i < 2 * nv || forces ? rnd(seed) : 0;
    for (int i = 2 * nv; i < 3 * nv + nl; i++)
        g[i] *= 1e-2;
    ph_point_take(&end, lay, &a);
    assert_true(ph_arena_open(&a, NULL));
    ph_point_take(&end, lay, &a);
    o.method = "rkmk", o.tableau = "dopri8", o.h = h / pieces;
    for (int k = -1; k < PH_NEIGHBOURS; k++) { /* the motion itself first */
        const ph_neighbour *n = k < 0 ? &p->r.self : &p->r.near.at[k];
        ph_sim *run;
        assert_int_equal(ph_sim_create(&run, &n->sys, &o, 0, n->q0, n->v0, NULL), PH_OK);
        assert_int_equal(ph_sim_run(run, pieces, NULL, NULL, NULL), PH_OK);
        double f = k < 0 ? 0 : weight[k] / p->r.near.eps;
        for (int i = 0; i < lay->N && k >= 0; i++) {
            const ph_slot *s = &lay->slot[i];
            double inverse[16], x[16];
            s->op->inverse(s->dim, end.q + s->q_at, inverse);
            s->op->compose(s->dim, inverse, run->now.q + s->q_at, inverse);
            s->op->log(s->dim, inverse, x);
            for (int j = 0; j < s->dim; j++)
                product += f * g[s->v_at + j] * x[j];
        }
        for (int i = 0; i < nv && k >= 0; i++)
            product += f * (g[nv + i] * run->now.v[i] + g[2 * nv + i] * run->now.vdot[i]);
        for (int i = 0; i < nl && k >= 0; i++)
            product += f * g[3 * nv + i] * run->now.lambda[i];
        if (k < 0)
            ph_point_copy(&end, &run->now, lay);
        ph_sim_destroy(run);
    }
    ph_stats before = sim->stats;
    assert_int_equal(ph_motion_back_forces(&p->back, &end, g + 2 * nv, g + 3 * nv, g, g + nv, &gradient),
                     PH_OK);
    assert_int_equal(ph_motion_back_over(&p->back, &p->rk, &sim->now, &end, pieces, g, g + nv, &gradient),
                     PH_OK);
    assert_true(before.residuals == sim->stats.residuals && !p->rk.stage);
    for (int i = 0; i < nv; i++) {
        double x = g[i] * d->now.W[i], y = g[nv + i] * d->now.v[i];
        gradient += x + y, size += fabs(x) + fabs(y);
    }
    size += fabs(product);
    free(g), free(a.block);
    return fabs(gradient - product) / size;
}

static const struct {
    const char *file, *param;
    double h;
    double
        bar; /* of (W4), and of the difference along the motion; the crank starts at rest, and needs a longer h to move */
} row[] = {{"heavy_top.lua", "m", 1e-3, 1e-9},
           {"slider_crank.lua", "crank", 2e-3, 1e-9},
           {"slider_crank.lua", "speed", 2e-3, 1e-9},
           {"rolling_disc.lua", "r", 5e-3, 1e-9},
           {"driven_crank.lua", "turns", 2e-2, 1e-8},
           {"spring_ball.lua", "k", 2e-3, 1e-9},
           {"../test/models/friction_params.lua", "rail", 1e-3, 1e-8},
           {"../bench/chain_params.lua", "l3", 2e-3, 1e-9}};

/* Constrained, not holonomic, driven, with forces and friction, in spaces that tell loads apart or do not. (W12) */
static void is_transposed(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int space = 0; space < 2; space++)
            for (int forces = 0; forces < 2; forces++) {
                piece p;
                open_piece(&p, row[k].file, row[k].param, space);
                double error = gap(&p, row[k].h, 3, forces, &seed);
                check_le(error, row[k].bar); /* derivative */
                close_piece(&p);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_transposed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
