/* Residuals and tangents that are not given are differenced, all nodes of one colour at once. */
#include "forms.h"
#include "sim_cases.h"

static void take_log(const char *text, void *ctx)
{
    char *all = ctx;
    snprintf(all + strlen(all), 2000 - strlen(all), "%s\n", text);
}

static int occurrences(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

static void check_log(const char *log, const ph_system *sys, ph_formulation f)
{
    int constrained = sys->n_constraints > 0, mixed = 0;
    for (int c = 0; c < sys->n_constraints; c++)
        mixed |= sys->constraints[c].nonholonomic;
    const struct {
        const char *line;
        int expected;
    } row[] = {{"C = dg/dv is not given", 1},
               {"K = d(M vdot + g + B^T lambda)/dq is not given", 1},
               {"Z = d(B v + Phi_t)/dq is not given", constrained && (f != PH_INDEX3 || mixed)},
               {"the convective term of the constraints is not given", constrained},
               {"Phi_t is not given", (sys->flags & PH_RHEONOMIC) != 0},
               {"g_lambda = dg/dlambda is not given", (sys->flags & PH_FORCE_LAMBDA) != 0}};
    int lines = 0;
    for (int k = 0; k < 6; k++) {
        assert_int_equal(occurrences(log, row[k].line), row[k].expected);
        lines += row[k].expected;
    }
    assert_int_equal(occurrences(log, "\n"), lines);
}

/* Without tangents: the same motion in as many iterations, and the log says once what is missing. (E2) */
static void differences_do(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++)
        for (int f = 0; f < FORMS; f++) {
            ph_problem *p = small_problem(k);
            ph_options o = options_for(p, forms[f]);
            char log[2000] = "";
            o.newton = PH_FULL; /* iterations are counted */
            o.log = take_log, o.log_ctx = log;
            ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0);
            assert_string_equal(log, "");
            ph_system bare = p->sys;
            without_tangents(&bare);
            ph_sim *b = sim_of(&bare, &o, p->q0, p->v0);
            check_log(log, &bare, forms[f]);
            run_sim(a, 25), run_sim(b, 25);
            check_log(log, &bare, forms[f]);
            snapshot x = snap(a, &p->sys), y = snap(b, &bare);
            check_le(distance(&y, &x), 1e-7); /* derivative: of vdot_0 and vddot_0, then Newton's tolerance */
            assert_true(ph_sim_stats(a).iterations <= 25 * 2 && ph_sim_stats(b).iterations <= 25 * 2);
            free(x.x), free(y.x);
            ph_sim_destroy(a), ph_sim_destroy(b);
            ph_problem_destroy(p);
        }
}

/* g, C and K, or Phi and B, at once or one after the other: bit for bit the same, and what is missing is differenced as before. */
static void what_comes_at_once_changes_no_bit(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++)
        for (int missing = 0; missing < 2; missing++) {
            ph_problem *p = small_problem(k);
            ph_options opt = options_for(p, PH_GGL);
            if (missing)
                p->sys.K = NULL;
            wrap w;
            wrap_open(&w, &p->sys);
            w.sys.tangents = p->sys.C ? wrap_tangents : NULL;
            w.sys.positions = p->sys.Phi ? wrap_positions : NULL;
            ph_sim *a = sim_of(&p->sys, &opt, p->q0, p->v0), *b = sim_of(&w.sys, &opt, p->q0, p->v0);
            run_sim(a, 10), run_sim(b, 10);
            snapshot x = snap(a, &p->sys), y = snap(b, &p->sys);
            assert_true(distance(&x, &y) == 0); /* exact */
            free(x.x), free(y.x);
            ph_sim_destroy(a), ph_sim_destroy(b);
            wrap_close(&w);
            ph_problem_destroy(p);
        }
}

/* With products, Newton's method asks for B where it makes a Jacobian, and in no other iteration. */
static void B_comes_with_the_Jacobian(void **state)
{
    (void)state;
    int met = 0;
    for (int k = 0; ph_problem_name(k); k++) {
        ph_problem *p = small_problem(k);
        ph_options opt = options_for(p, PH_INDEX3);
        wrap w;
        wrap_open(&w, &p->sys);
        w.sys.products = wrap_products;
        ph_sim *sim = sim_of(&w.sys, &opt, p->q0, p->v0);
        run_sim(sim, 5);
        long jacobians = ph_sim_stats(sim).jacobians, iterations = ph_sim_stats(sim).iterations,
             B = w.calls[IN_B];
        run_sim(sim, 10);
        jacobians = ph_sim_stats(sim).jacobians - jacobians,
        iterations = ph_sim_stats(sim).iterations - iterations;
        if (p->sys.n_constraints && !p->sys.n_redundant) {
            assert_int_equal(w.calls[IN_B] - B, jacobians);
            met |= iterations > jacobians;
        }
        ph_sim_destroy(sim);
        wrap_close(&w);
        ph_problem_destroy(p);
    }
    assert_true(met);
}

/* One tangent that is not given, and the others are. */
static void one_is_differenced(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++) {
        ph_problem *p = small_problem(k);
        ph_options o = options_for(p, PH_GGL);
        ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0);
        run_sim(a, 5);
        snapshot x = snap(a, &p->sys);
        for (int one = 0; one < 5; one++) {
            ph_system bare = p->sys;
            ph_callback *of[] = {&bare.C, &bare.K, &bare.Z, &bare.convective, &bare.g_lambda};
            *of[one] = NULL;
            ph_sim *b = sim_of(&bare, &o, p->q0, p->v0);
            run_sim(b, 5);
            snapshot y = snap(b, &bare);
            check_le(distance(&y, &x), 1e-7); /* derivative, as above */
            free(y.x);
            ph_sim_destroy(b);
        }
        free(x.x);
        ph_sim_destroy(a), ph_problem_destroy(p);
    }
}

static ph_status any_rows(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = 7 + 3 * s->t;
    return PH_OK;
}

/* Phi of a row that only rates have says nothing: neither it nor its derivative by time is looked at, given or differenced. */
static void rows_of_rates_have_no_Phi(void **state)
{
    (void)state;
    static const ph_formulation both[] = {PH_INDEX2, PH_GGL};
    ph_problem *p = problem_named("skate");
    ph_system sys = p->sys;
    assert_int_equal(sys.n_constraints, 1);
    sys.Phi = any_rows, sys.Phi_t = NULL, sys.flags |= PH_RHEONOMIC;
    for (int f = 0; f < 2; f++) {
        ph_options o = options_for(p, both[f]);
        ph_sim *plain = sim_of(&p->sys, &o, p->q0, p->v0), *other = sim_of(&sys, &o, p->q0, p->v0);
        run_sim(plain, 20), run_sim(other, 20);
        snapshot a = snap(plain, &p->sys), b = snap(other, &sys);
        check_le(distance(&a, &b), 1e-13); /* round-off */
        free(a.x), free(b.x);
        ph_sim_destroy(plain), ph_sim_destroy(other);
    }
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_rates_have_no_Phi),
        cmocka_unit_test(differences_do),
        cmocka_unit_test(what_comes_at_once_changes_no_bit),
        cmocka_unit_test(B_comes_with_the_Jacobian),
        cmocka_unit_test(one_is_differenced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
