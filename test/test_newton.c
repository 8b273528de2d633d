/* Newton's method: kinds of iteration agree, one increment where it is enough, small and large steps, kept Jacobians. */
#include "la/small.h"
#include "model_cases.h"
#include "polhode/run.h"
#include "sim_life.h"

/* ---- convergence -------------------------------------------------------------------------------- */

/* (N2) */
static void newton_kinds_agree(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++)
        for (int f = 0; f < FORMS; f++) {
            ph_problem *p = small_problem(k);
            ph_options o = options_for(p, forms[f]);
            ph_stats full, simplified, modified, step;
            o.rtol = 1e-10, o.newton = PH_FULL;
            snapshot x = end_of(p, &o, 40, &full);
            o.newton = PH_STEP;
            snapshot w = end_of(p, &o, 40, &step);
            o.newton = PH_SIMPLIFIED;
            snapshot y = end_of(p, &o, 40, &simplified);
            o.newton = PH_MODIFIED;
            snapshot z = end_of(p, &o, 40, &modified);
            /* round-off: Newton's tolerance, summed over the steps; lambda looser, since the iteration stops
             * when q has converged, and with a kept Jacobian lambda may lag behind */
            check_le(max_diff(snap_q(&w), snap_q(&x), x.nq), 1e-10);
            check_le(max_diff(snap_q(&y), snap_q(&x), x.nq), 1e-10);
            check_le(max_diff(snap_q(&z), snap_q(&x), x.nq), 1e-10);
            check_le(distance(&w, &x), 2e-7);
            check_le(distance(&y, &x), 2e-7);
            check_le(distance(&z, &x), 3e-5);
            assert_true(full.iterations <= 40 * 4);
            assert_true(step.iterations <= 40 * 4 && step.factorizations < full.factorizations);
            assert_true(step.factorizations >= 40); /* no step without its own */
            assert_true(simplified.iterations <= 40 * 12);
            assert_true(modified.iterations <= 40 * 12);
            assert_true(modified.factorizations < full.factorizations);
            assert_int_equal(full.factorizations, full.iterations);
            free(w.x), free(x.x), free(y.x), free(z.x);
            ph_problem_destroy(p);
        }
}

/* Where equations are smooth, most steps have one increment, and are nearer to the solution of their equations than steps with two by the usual
 * tests. (N7) */
static void one_increment(void **state)
{
    static const char *const names[] = {"heavy_top", "heavy_top_r3xso3", "heavy_top_se3", "chain",
                                        "four_bar"};
    (void)state;
    for (int k = 0; k < 5; k++)
        for (int f = 0; f < FORMS; f++) {
            ph_problem *p = k < 4 ? ph_problem_create(names[k], NULL) : NULL;
            opened m;
            if (!p)
                open_model(&m, names[k], NULL, PH_SPACE_R3XSO3);
            ph_system sys = p ? p->sys : m.sys;
            ph_options o = ph_default_options();
            ph_stats stats[3];
            snapshot x[3];
            o.h = 1e-3, o.formulation = forms[f];
            if (sys.n_redundant)
                o.formulation = PH_INDEX3; /* index-2 has none, and eta of rows that are left out no past */
            assert_true(sys.flags & PH_SMOOTH);
            for (int i = 0; i < 3; i++) { /* one, two, as many as round-off allows */
                if (i == 1)
                    sys.flags &= ~PH_SMOOTH;
                if (i == 2)
                    o.newton = PH_FULL, o.rtol = 1e-15;
                ph_sim *sim = sim_of(&sys, &o, p ? p->q0 : m.q0, p ? p->v0 : m.v0);
                run_sim(sim, 500);
                stats[i] = ph_sim_stats(sim), x[i] = snap(sim, &sys);
                ph_sim_destroy(sim);
            }
            assert_true(stats[0].iterations < 1.4 * 500);
            assert_true(stats[1].iterations >= 1.95 * 500);
            int nq = x[2].nq, nv = x[2].nv;
            double speed = fmax(1, ph_small_max(nv, snap_v(&x[2])));
            check_le(max_diff(snap_q(&x[0]), snap_q(&x[2]), nq), 3e-12);         /* round-off of 500 steps */
            check_le(max_diff(snap_v(&x[0]), snap_v(&x[2]), nv) / speed, 1e-11); /* over h */
            for (int i = 0; i < 3; i++)
                free(x[i].x);
            if (p)
                ph_problem_destroy(p);
            else
                open_close(&m);
        }
}

/* Steps too large for polynomials, in which bodies pass near singular positions or turn far, matrices that magnify round-off, and conditions
 * that others imply: as many as before, no farther from the equations of the step than with two increments each, and no run ends. (N7) */
static void large_steps(void **state)
{
    static const struct {
        const char *name;
        ph_formulation form;
        ph_space_code space;
        double h, rho;
        long steps;
    } run[] = {{"four_bar", PH_GGL, PH_SPACE_R3XSO3, 0.02, 0.6, 500},
               {"slider_crank", PH_GGL, PH_SPACE_SE3, 0.01, 0.6, 500},
               {"absorber", PH_GGL, PH_SPACE_R3XSO3, 0.2, 0.3, 500},
               {"bicycle", PH_INDEX3, PH_SPACE_R3XSO3, 1e-3, 0.9, 1500}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        opened m;
        open_model(&m, run[k].name, NULL, run[k].space);
        ph_system sys = m.sys;
        ph_options o = ph_default_options();
        snapshot x[3];
        o.h = run[k].h, o.rho = run[k].rho, o.formulation = run[k].form;
        for (int i = 0; i < 3; i++) { /* full; two increments; as they come */
            o.newton = i ? PH_STEP : PH_FULL, o.rtol = i ? 1e-8 : 1e-15;
            sys.flags = i == 1 ? m.sys.flags & ~PH_SMOOTH : m.sys.flags;
            ph_sim *sim = sim_of(&sys, &o, m.q0, m.v0);
            run_sim(sim, run[k].steps);
            x[i] = snap(sim, &sys);
            ph_sim_destroy(sim);
        }
        double two = max_diff(snap_q(&x[1]), snap_q(&x[0]), x[0].nq),
               own = max_diff(snap_q(&x[2]), snap_q(&x[0]), x[0].nq);
        check_le(own, 3 * two + 1e-12); /* ordering, and round-off */
        for (int i = 0; i < 3; i++)
            free(x[i].x);
        open_close(&m);
    }
}

/* Forces along the rod of a pendulum that come and go change its reaction and not its motion: first guesses of multipliers are off, those of
 * positions are not, and an increment of both leaves their product. (N8) */
static void reactions_jump(void **state)
{
    static const struct {
        const char *force;
        double swing, h; /* rad, s */
        long steps;
    } run[] = {{"100*(math.floor((t + 0.01)/0.37) % 2)", 0.1, 0.05, 1200},
               {"100*(math.floor((t + 0.01)/0.37) % 2)", 0.1, 0.02, 3000},
               {"100*(math.floor((t + 0.01)/0.37) % 2)", 0.001, 0.02, 3000},
               {"1e4*(math.floor(t/0.137) % 2)", 0.1, 0.01, 2000},
               {"1e5*math.exp(-((t % 0.5 - 0.25)/1e-3)^2)", 0.1, 0.01, 2000}};
    static const ph_formulation form[] = {PH_GGL, PH_INDEX3};
    (void)state;
    for (int k = 0; k < 10; k++) {
        char text[600];
        opened m;
        snprintf(
            text, sizeof text,
            "model 'm' gravity {0, 0, -9.81} local a = %g\n"
            "body{name='bob', mass=1, inertia={0.01, 0.01, 0.01}, position={0, math.sin(a), -math.cos(a)}}\n"
            "joint{name='pivot', type='spherical', bodies={'ground', 'bob'}, at={0, 0, 0}}\n"
            "force{name='f', body='bob', frame='body', value=function(t)\n"
            "local f = %s return 0, f*math.sin(a), -f*math.cos(a) end}",
            run[k / 2].swing, run[k / 2].force);
        open_text(&m, text);
        ph_options o = ph_default_options();
        snapshot x[2];
        o.h = run[k / 2].h, o.formulation = form[k % 2];
        assert_true(m.sys.flags & PH_SMOOTH);
        for (int i = 0; i < 2; i++) { /* as they come; as many as round-off allows */
            if (i)
                o.newton = PH_FULL, o.rtol = 1e-15;
            ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
            run_sim(sim, run[k / 2].steps);
            x[i] = snap(sim, &m.sys);
            ph_sim_destroy(sim);
        }
        double speed =
            sqrt(9.81) * run[k / 2].swing; /* what steps leave of tolerances of 1e-8 of accelerations */
        check_le(max_diff(snap_q(&x[0]), snap_q(&x[1]), x[0].nq) / speed, 3e-10);
        check_le(max_diff(snap_v(&x[0]), snap_v(&x[1]), x[0].nv) / speed, 3e-10);
        free(x[0].x), free(x[1].x);
        open_close(&m);
    }
}

/* In index-3 the rates of holonomic constraints beside those that roll are no residuals: no iteration waits for them. (N2) */
static void rates_of_positions(void **state)
{
    (void)state;
    opened m;
    open_text(
        &m,
        "model 'm' gravity {1.5, 0, -9.81} local z, p = 0.3*math.cos(0.2), math.sin(0.2)\n"
        "body{name='disc', mass=2, inertia={0.09, 0.18, 0.09}, position={0, 0, z}, rotation={axis={1, 0, 0}, "
        "angle=0.2}, omega={0.1, 8, 0.2}}\n"
        "body{name='bob', mass=0.1, inertia={1e-4, 1e-4, 1e-4}, position={0.05, 0, z - 0.1}}\n"
        "joint{name='r', type='rolling', bodies={'ground', 'disc'}, radius=0.3, axis={0, math.cos(0.2), p}}\n"
        "joint{name='s', type='spherical', bodies={'disc', 'bob'}, at={0, 0, z}}");
    ph_options o = ph_default_options();
    o.h = 1e-3, o.formulation = PH_INDEX3;
    ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
    run_sim(sim, 1000);
    assert_true(ph_sim_stats(sim).iterations < 1.4 * 1000);
    ph_sim_destroy(sim);
    open_close(&m);
}

/* Functions of the motion, stops, friction, coordinates of rotations and callbacks of somebody else are looked at in every step. (N7) */
static void not_smooth(void **state)
{
#define BODY                                                                                                 \
    "model 'm' gravity {0, 0, -9.81} body{name='a', mass=1, inertia={1, 1, 1}, position={1, 0, 0}}\n"        \
    "joint{name='j', type='revolute', bodies={'ground', 'a'}, at={0, 0, 0}, axis={0, 1, 0}"
    static const struct {
        const char *text;
        int smooth;
    } model[] = {
        {BODY "}", 1},
        {BODY "} spring{name='s', bodies={'ground', 'a'}, k=10, d=1, length=0.5}", 1},
        {BODY "} actuator{name='m', joint='j', effort=1, k=2}", 1},
        {BODY "} force{name='f', body='a', value=function(t) return math.abs(t - 0.1), 0, 0 end}", 1},
        {BODY "} force{name='f', body='a', value=function(t, s) return math.abs(t - 0.1), 0, 0 end}", 1},
        {BODY "} force{name='f', body='a', value=function(t, s) return math.abs(s.a.position.z), 0, 0 end}",
         0},
        {BODY "} actuator{name='m', joint='j', effort=1, stops={-0.1, 0.1}, stop_k=100, stop_width=0.01}", 0},
        {BODY ", friction=0.2, friction_radius=0.1, friction_speed=1e-3}", 0},
    };
    (void)state;
    for (int k = 0; k < (int)(sizeof model / sizeof *model); k++) {
        opened o;
        open_text(&o, model[k].text);
        assert_int_equal((o.sys.flags & PH_SMOOTH) != 0, model[k].smooth);
        open_close(&o);
    }
    opened o;
    open_model(&o, "heavy_top", NULL, PH_SPACE_EULER);
    assert_false(o.sys.flags & PH_SMOOTH);
    open_close(&o);
    open_model(&o, "heavy_top", NULL, PH_SPACE_R3XSO3);
    ph_system own = o.sys;
    ph_options opt = ph_default_options();
    opt.h = 1e-3, own.C = NULL; /* a callback less, which the library then differences */
    ph_sim *sim = sim_of(&own, &opt, o.q0, o.v0);
    run_sim(sim, 100);
    assert_true(ph_sim_stats(sim).iterations >= 195);
    ph_sim_destroy(sim);
    open_close(&o);
}

/* In steps of 2.4 rad the Jacobian of the step leads nowhere near: it is given up, and the step is that of full Newton. */
static void far_from_the_first_guess(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (int f = 0; f < FORMS; f++) {
        ph_options o = options_for(p, forms[f]);
        ph_stats n;
        o.h = 0.016, o.newton = PH_FULL;
        snapshot full = end_of(p, &o, 20, &n);
        o.newton = PH_STEP;
        snapshot step = end_of(p, &o, 20, &n);
        assert_true(same_bits(&full, &step)); /* exact */
        free(full.x), free(step.x);
    }
    ph_problem_destroy(p);
}

/* A chain far from the origin moves as it does there: iterations end at the round-off of positions, and of what it makes of reactions and
 * rotations (N4). */
static void far_from_the_origin(void **state)
{
    static const char text[] =
        "model 'far' local far = FAR\n"
        "gravity {0, 0, -9.81}\n"
        "for i = 1, 30 do\n"
        "  body{name='b' .. i, mass=4, inertia={0.0067, 0.0567, 0.0567}, position={far + (i - 0.5) * 0.4, 0, "
        "0}}\n"
        "  joint{name='j' .. i, type='spherical', bodies={i == 1 and 'ground' or 'b' .. i - 1, 'b' .. i},\n"
        "        at={far + (i - 1) * 0.4, 0, 0}}\n"
        "end";
    static const char *const far[] = {"0  ", "1e6", "1e7"};
    static const double off[] = {0, 1e-8,
                                 1e-7}; /* round-off: ulps of 1.2e-10 and 1.9e-9 m over 0.4 m, of 50 steps */
    (void)state;
    double q[7], here[7];
    for (int f = 0; f < 2; f++) {
        for (int k = 0; k < 3; k++) {
            char moved[sizeof text];
            memcpy(moved, text, sizeof text);
            memcpy(strstr(moved, "FAR"), far[k], 3);
            opened m;
            open_text(&m, moved);
            ph_options o = ph_default_options();
            o.h = 1e-3, o.formulation = f ? PH_GGL : PH_INDEX3;
            ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
            run_sim(sim, 50);
            assert_true(ph_sim_stats(sim).iterations <= 4 * 50);
            memcpy(k ? q : here, ph_sim_state(sim).q, sizeof q);
            if (k) /* all but x */
                check_le(max_diff(q + 1, here + 1, 6), off[k]);
            ph_sim_destroy(sim);
            open_close(&m);
        }
    }
}

/* A kept Jacobian is renewed in time: never a failure, fewer factorizations than steps where the motion is
 * slow, and the first step iterates as any other. */
static void kept_jacobian(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (int f = 0; f < FORMS; f++) {
        ph_options o = options_for(p, forms[f]);
        ph_stats n;
        o.newton = PH_MODIFIED, o.h = 2e-3; /* 0.3 rad in a step */
        snapshot x = end_of(p, &o, 200, &n);
        assert_true(n.worst_iterations <= o.max_iterations && n.factorizations < n.iterations);
        free(x.x);
        x = end_of(p, &o, 1, &n);
        assert_true(n.iterations >= 2); /* one increment of 1e5 tolerances is not the solution */
        free(x.x);
    }
    ph_problem_destroy(p);
    p = problem_named("chain");
    ph_options o = options_for(p, PH_INDEX3);
    ph_stats n;
    o.newton = PH_MODIFIED;
    snapshot x = end_of(p, &o, 100, &n);
    assert_true(n.factorizations <= 10);
    free(x.x);
    ph_problem_destroy(p);
}

/* Steps so large that a Jacobian which is kept turns beam elements too far, where they refuse: what full Newton finishes, the
 * others do, with the same end. */
static void kept_jacobian_ends_no_run(void **state)
{
    (void)state;
    double tip[4][3];
    static const int kinds[] = {PH_FULL, PH_STEP, PH_MODIFIED};
    for (int k = 0; k < 3; k++) {
        char newton[32];
        const char *const option[] = {newton, "h=2e-2", "t_end=0.6", "atol=1e-13", "rtol=1e-13"};
        ph_run_config c = ph_run_defaults();
        ph_run *run;
        ph_error err = {0};
        c.options = option, c.n_options = 5;
        snprintf(newton, sizeof newton, "newton=%s", ph_newton_word(kinds[k]));
        if (ph_run_open(&run, PH_TEST_DIR "/models/beam_params.lua", &c, &err) != PH_OK ||
            ph_run_until(run, 0.6, &err) != PH_OK)
            fail_msg("%s: %s", newton, err.text);
        assert_int_equal(ph_run_get(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "tip"), tip[k]), PH_OK);
        check_le(max_diff(tip[k], tip[0], 3), 1e-9); /* Newton's tolerance over twenty large steps */
        ph_run_close(run);
    }
}

/* h = 1e-6: as few iterations as for h = 1e-3, constraints to round-off, and lambda without noise of size
 * eps/h^2. (N3) */
static void tiny_steps(void **state)
{
    (void)state;
    static const double sigma[] = {0, 1, PH_SIGMA_OPT};
    for (int i = 0; i < 3; i++)
        for (int f = 0; f < FORMS; f++) {
            ph_problem *p = problem_named("heavy_top");
            ph_options o = options_for(p, forms[f]);
            double position, velocity, noise = 0;
            o.h = 1e-6, o.sigma = sigma[i];
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            for (int n = 1; n <= 300; n++) {
                double q[7], v[6], vdot[6], lambda[3];
                run_sim(sim, 1);
                ph_state s = ph_sim_state(sim);
                assert_true(p->exact(p, s.t, q, v, vdot, lambda));
                noise = fmax(noise, max_diff(lambda, s.lambda, 3));
                assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
                if (forms[f] != PH_INDEX2)
                    check_le(position, 1e-15); /* round-off of |x| = 1 */
                if (forms[f] != PH_INDEX3)
                    check_le(velocity, 1e-11); /* invariant */
            }
            assert_true(ph_sim_stats(sim).worst_iterations <= 3);
            /* round-off: index-3 divides 2 eps |q| by beta h^2 and amplifies it by 34.27 (rho = 0.9, n = 14),
             * times m = 15; the other forms divide by h */
            check_le(noise, forms[f] == PH_INDEX3 ? 34.27 * 15 * 4.4e-16 / (0.28 * 1e-12) : 1e-5);
            ph_sim_destroy(sim);
            ph_problem_destroy(p);
        }
}

/* The first step of a rotation from rest, whose tolerance has no speed to go by: no increment is small before the second. */
static void rotations_from_rest(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top_so3");
    ph_options o = options_for(p, PH_INDEX3);
    const double rest[3] = {0};
    o.h = 0.2, o.start = PH_PLAIN;
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, rest);
    run_sim(sim, 1);
    assert_in_range(ph_sim_stats(sim).iterations, 2, 4);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_kinds_agree),
        cmocka_unit_test(one_increment),
        cmocka_unit_test(large_steps),
        cmocka_unit_test(reactions_jump),
        cmocka_unit_test(rates_of_positions),
        cmocka_unit_test(not_smooth),
        cmocka_unit_test(far_from_the_first_guess),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(kept_jacobian),
        cmocka_unit_test(kept_jacobian_ends_no_run),
        cmocka_unit_test(tiny_steps),
        cmocka_unit_test(rotations_from_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
