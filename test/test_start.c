/* Consistent start: accelerations, multipliers, starting values, projection of positions and velocities. */
#include "forms.h"
#include "model_cases.h"
#include "sim_cases.h"

/* (S0), (S2), (S3) */
static void known_start(void **state)
{
    (void)state;
    /* reference: BENCHMARKS, heavy top; 12 digits printed */
    const double vdot[6] = {0, -21.3017325444, -30.9608307692, 661.346169230769, 0, 0};
    const double lambda[3] = {0, -319.525988166, -317.262461538462};
    const double v[6] = {4.615321985463, 0, 0, 0, 150, -4.619092930389};
    const double a[6] = {0.01398441443771, -21.3017325444, -30.96083076923, 661.3461692308, 0,
                         -4.984532728138};
    for (int bare = 0; bare < 2; bare++) {
        ph_problem *p = problem_named("heavy_top");
        ph_options o = options_for(p, PH_INDEX3);
        if (bare)
            without_tangents(&p->sys);
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        ph_state s = ph_sim_state(sim);
        check_le(max_diff(s.vdot, vdot, 6), bare ? 1e-7 : 1e-9); /* derivative, reference */
        check_le(max_diff(s.lambda, lambda, 3), bare ? 1e-7 : 1e-9);
        check_le(max_diff(s.v, v, 6), bare ? 1e-10 : 1e-11);
        check_le(max_diff(s.a, a, 6), bare ? 1e-7 : 1e-9);
        ph_sim_destroy(sim);
        o.start = PH_PLAIN;
        sim = sim_of(&p->sys, &o, p->q0, p->v0);
        s = ph_sim_state(sim);
        assert_true(!memcmp(s.v, p->v0, 6 * sizeof(double))); /* exact */
        assert_true(!memcmp(s.a, s.vdot, 6 * sizeof(double)));
        ph_sim_destroy(sim);
        ph_problem_destroy(p);
    }
}

/* M-norm product of dq with the velocity that the top has when it turns with Omega about its tip: B w = 0. */
static double along_tangent(ph_mat3 R, ph_vec3 Omega, const double *dq)
{
    ph_vec3 X = {0, 1, 0}, u = ph_mul(R, ph_cross(Omega, X));
    return 15 * ph_dot(u, ph_load3(dq)) + 0.234375 * (Omega.x * dq[3] + Omega.z * dq[5]) +
           0.46875 * Omega.y * dq[4];
}

/* What a projection adds is orthogonal, in the M-norm, to all motion that the constraints allow: it is the
 * least. */
static void projection_is_least(void **state)
{
    (void)state;
    const ph_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ph_problem *p = problem_named("heavy_top");
    ph_options o = options_for(p, PH_INDEX3);
    double q[7], v[6], position, velocity, dq[6], size = 1e-4;
    memcpy(q, p->q0, sizeof q), memcpy(v, p->v0, sizeof v);
    q[0] += size, q[1] -= 0.5 * size, q[2] += 0.3 * size;
    v[0] += 0.3, v[2] -= 0.2, v[5] += 0.7;
    o.project = 1, o.start = PH_PLAIN;
    ph_sim *sim = sim_of(&p->sys, &o, q, v);
    ph_state s = ph_sim_state(sim);
    assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
    check_le(position, 1e-15); /* round-off of |x| = 1 */
    check_le(velocity, 1e-13); /* round-off of |v| = 150 */
    for (int i = 0; i < 3; i++)
        dq[i] = s.q[i] - q[i];
    ph_group_get(PH_SO3)->log(0, s.q + 3, dq + 3); /* R was the identity */
    assert_true(norm2(dq, 6) > 0.1 * size && norm2(dq, 6) < 2 * size);
    for (int i = 0; i < 3; i++) /* derivative: Newton's steps are straight to second order */
        check_le(fabs(along_tangent(ph_state_R(&s, 1), axis[i], dq)), 15 * 3 * size * size);
    for (int i = 0; i < 6; i++)
        dq[i] = s.v[i] - v[i];
    assert_true(norm2(dq, 6) > 0.1);
    for (int i = 0; i < 3; i++)
        check_le(fabs(along_tangent(ph_state_R(&s, 1), axis[i], dq)), 1e-12); /* round-off */
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

/* Friction does not bend a projection: M = I, so what is added to v is along q. */
static void projection_without_forces(void **state)
{
    (void)state;
    ph_problem *p = problem_named("friction");
    ph_options o = options_for(p, PH_INDEX2);
    double v[2] = {p->v0[0] + 0.1, p->v0[1] + 0.2};
    wrap w;
    wrap_open(&w, &p->sys);
    w.damage = ADD, w.victim = IN_g_lambda,
    w.amount = 0.2; /* this friction vanishes with lambda; another need not */
    o.project = 1, o.start = PH_PLAIN;
    ph_sim *sim = sim_of(&w.sys, &o, p->q0, v);
    ph_state s = ph_sim_state(sim);
    double d[2] = {s.v[0] - v[0], s.v[1] - v[1]};
    check_near(d[0] * s.q[1] - d[1] * s.q[0], 0, 1e-16); /* round-off */
    check_near(s.v[0] * s.q[0] + s.v[1] * s.q[1], 0, 1e-15);
    assert_true(norm2(d, 2) > 0.05);
    ph_sim_destroy(sim);
    wrap_close(&w);
    ph_problem_destroy(p);
}

/* Without leave to project, the constraint and the size of its violation are named. */
static void inconsistent_is_named(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        ph_problem *p = problem_named("heavy_top");
        ph_options o = options_for(p, forms[f]);
        double q[7], v[6];
        ph_error err = {0};
        ph_sim *sim;
        memcpy(q, p->q0, sizeof q), memcpy(v, p->v0, sizeof v);
        q[2] = 0.125;
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, q, v, &err), PH_E_INCONSISTENT);
        assert_non_null(strstr(err.text, "constraint 'pivot': the initial positions violate it by 0.125"));
        q[2] = 0, v[1] = 0.25;
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, q, v, &err), PH_E_INCONSISTENT);
        assert_non_null(strstr(err.text, "constraint 'pivot': the initial velocities violate it by 0.25"));
        v[1] = 1e-10; /* what a file with ten digits gives is taken as it is */
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, q, v, &err), PH_OK);
        ph_sim_destroy(sim);
        ph_problem_destroy(p);
        p = problem_named("skate");
        const double sideways[3] = {0, 0.5, 2};
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, sideways, &err), PH_E_INCONSISTENT);
        assert_non_null(strstr(err.text, "constraint 'edge'"));
        o.project = 1;
        sim = sim_of(&p->sys, &o, p->q0, sideways);
        check_near(ph_sim_state(sim).v[1], 0, 1e-15); /* round-off */
        ph_sim_destroy(sim);
        ph_problem_destroy(p);
    }
}

/* Forces of a system that are known from t = 0 on, and before that are others, none, or no numbers. What is differenced looks back a
 * little. */
typedef struct late {
    const ph_system *inner;
    int before; /* 0: no number, 1: none, 2: others */
} late;

static ph_status late_g(const ph_state *s, double *out, void *ctx)
{
    const late *l = ctx;
    ph_status status = l->inner->g(s, out, l->inner->ctx);
    if (s->t < -1e-4 && l->before == 1)
        return PH_E_CALLBACK;
    out[0] = s->t >= -1e-4 ? 0 : l->before == 2 ? 1e3 : NAN; /* no weight along x */
    return status;
}

static ph_status late_M(const ph_state *s, double *out, void *ctx)
{
    return ((const late *)ctx)->inner->M(s, out, ((const late *)ctx)->inner->ctx);
}

static ph_status late_Phi(const ph_state *s, double *out, void *ctx)
{
    return ((const late *)ctx)->inner->Phi(s, out, ((const late *)ctx)->inner->ctx);
}

static ph_status late_B(const ph_state *s, double *out, void *ctx)
{
    return ((const late *)ctx)->inner->B(s, out, ((const late *)ctx)->inner->ctx);
}

/* What begins with the run has starting values from differences after it, of the same order (S1). */
static void nothing_before(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (int before = 0; before < 3; before++) {
        double gap[2];
        for (int k = 0; k < 2; k++) {
            late l = {&p->sys, before};
            ph_system sys = p->sys;
            ph_options o = options_for(p, PH_INDEX3);
            sys.ctx = &l, sys.M = late_M, sys.g = late_g, sys.Phi = late_Phi, sys.B = late_B;
            without_tangents(&sys);
            if (before == 2)
                sys.flags |= PH_FROM_START;
            o.h = 1e-3 / (1 << k);
            ph_sim *sim = sim_of(&sys, &o, p->q0, p->v0), *known = sim_of(&p->sys, &o, p->q0, p->v0);
            gap[k] = max_diff(ph_sim_state(sim).a, ph_sim_state(known).a, 6);
            ph_sim_destroy(sim), ph_sim_destroy(known);
        }
        assert_true(gap[0] < 0.1);                  /* of 661 */
        check_near(log2(gap[0] / gap[1]), 3, 0.15); /* order: 2 of vddot, times h */
    }
    ph_problem_destroy(p);
}

/* Functions of the time with cases, or that Lua is asked for, may jump where a run starts: it does not notice (S1). */
static void pulses(void **state)
{
    static const struct {
        const char *value; /* a torque that is 1 in the first half second */
        int from_start;
    } torque[] = {{"1", 0},
                  {"1 + 0*math.sin(t)", 0},
                  {"math.floor(t/0.5) % 2 == 0 and 1 or -1", 1},
                  {"t < 0 and 100 or 1", 1},
                  {"math.max(-9, math.min(1, 1 + 1e6*t))", 1}};
    (void)state;
    for (int k = 0; k < (int)(sizeof torque / sizeof *torque); k++)
        for (int f = 0; f < FORMS; f++) {
            char text[400];
            opened m;
            snprintf(
                text, sizeof text,
                "model 'm' body{name='a', mass=1, inertia={1, 1, 1}}\n"
                "joint{name='j', type='revolute', bodies={'ground', 'a'}, at={0, 0, 0}, axis={0, 0, 1}}\n"
                "torque{name='f', body='a', value=function(t) return 0, 0, %s end}",
                torque[k].value);
            open_text(&m, text);
            assert_int_equal((m.sys.flags & PH_FROM_START) != 0, torque[k].from_start);
            ph_options o = ph_default_options();
            o.h = 1e-2, o.formulation = forms[f];
            ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
            run_sim(sim, 40);
            check_near(ph_sim_state(sim).v[5], 0.4, 1e-13); /* round-off: rotation is constant acceleration */
            ph_sim_destroy(sim);
            open_close(&m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_start),
        cmocka_unit_test(projection_is_least),
        cmocka_unit_test(projection_without_forces),
        cmocka_unit_test(inconsistent_is_named),
        cmocka_unit_test(nothing_before),
        cmocka_unit_test(pulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
