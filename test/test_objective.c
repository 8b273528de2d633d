/* Objectives of model files: values, derivatives by the state in every space, data. */
#include "check.h"

#include "lie/so3.h"
#include "mech/model.h"

static const char text[] =
    "body{ name = 'a', mass = 2, inertia = {1, 2, 2.5}, position = {0.3, -0.2, 0.5},\n"
    "      rotation = {vector = {0.4, 0.3, -0.7}}, velocity = {0.2, 1.1, -0.6}, omega = {0.7, -0.4, 1.3} }\n"
    "body{ name = 'b', mass = 1, inertia = {1, 1, 1.5}, position = {1.3, -0.2, 0.5}, velocity = {0, 0, 0},\n"
    "      omega = {0, 0, 0.1} }\n"
    "particle{ name = 'p', mass = 1, position = {0, 1, 2} }\n"
    "joint{ name = 'pin', type = 'revolute', bodies = {'ground', 'b'}, at = {1.3, -0.2, 0.5}, axis = {0, 0, "
    "1} }\n"
    "sensor{ name = 'tip', type = 'acceleration', body = 'a', at = {0.1, 0.2, 0.3} }\n"
    "sensor{ name = 'pull', type = 'reaction', joint = 'pin' }\n"
    "sensor{ name = 'turn', type = 'angle', joint = 'pin' }\n"
    "sensor{ name = 'own', custom = function(t, s) return s.p.velocity.z^2 + t end }\n"
    "body{ name = 'c', mass = 1, inertia = {1, 1, 1.5}, position = {5, 0, 0} }\n"
    "body{ name = 'd', mass = 1, inertia = {1, 1, 1.5}, position = {6, 0, 0} }\n"
    "body{ name = 'e', mass = 1, inertia = {1, 1, 1.5}, position = {7, 0, 0} }\n"
    "joint{ name = 'jc', type = 'revolute', bodies = {'ground', 'c'}, at = {5, 0, 0}, axis = {0, 0, 1},\n"
    "       drive = function(t) return 0.3*t + 2*t^2 end }\n"
    "joint{ name = 'jd', type = 'revolute', bodies = {'ground', 'd'}, at = {6, 0, 0}, axis = {0, 0, 1} }\n"
    "joint{ name = 'je', type = 'revolute', bodies = {'ground', 'e'}, at = {7, 0, 0}, axis = {0, 0, 1} }\n"
    "coupling{ name = 'gear', joints = {'jd', 'je'}, ratio = -2 }\n"
    "actuator{ name = 'motor', joint = 'jd', effort = function(t, s) return 3 - s.joints.jd.rate + #('x' .. "
    "t)*0 "
    "+ s.a.velocity.x end }\n"
    "actuator{ name = 'brake', joint = 'je', effort = function(t, s) return -s.joints.je.rate*s.a.position.y "
    "end }\n"
    "objective{ name = 'all', final = function(s)\n"
    "    local a, b = s.a, s.sensors\n"
    "    return a.position.x^2*a.velocity.y + a.omega.z*a.rotation.x + 1e-2*b.tip[2]^2 + "
    "1e-2*b.pull[1]*b.pull[2]\n"
    "           + math.sin(b.turn[1]) + b.own[1] + 1e-2*b.driven[1]*b.geared[1] + b.motor[1]^2*b.brake[1] "
    "end,\n"
    "    integral = function(t, s) return t + s.a.position.z end }\n"
    "sensor{ name = 'speed', type = 'velocity', body = 'a', at = {0.3, -0.2, 0.1} }\n"
    "sensor{ name = 'place', type = 'position', body = 'b', at = {0.2, 0.2, 0.4} }\n"
    "sensor{ name = 'driven', type = 'effort', of = 'jc' } sensor{ name = 'geared', type = 'effort', of = "
    "'gear' }\n"
    "sensor{ name = 'motor', type = 'effort', of = 'motor' } sensor{ name = 'brake', type = 'effort', of = "
    "'brake' }\n"
    "sensor{ name = 'spin', type = 'omega', body = 'a' } sensor{ name = 'pose', type = 'rotation', body = "
    "'a' }\n"
    "sensor{ name = 'je', type = 'joint_position', joint = 'je' } sensor{ name = 'je_rate', type = "
    "'joint_rate', "
    "joint = 'je' }\n"
    "input{ name = 'u', value = 0.7 }\n"
    "state{ name = 'z', initial = {1, 2}, rate = function(t, s) return s.states.z[2], s.inputs.u - "
    "s.states.z[1] end }\n"
    "sensor{ name = 'z', custom = function(t, s) return s.states.z[2] end }\n"
    "sensor{ name = 'called', custom = function(t, s) return s.p.velocity.z^2 + #('x' .. t)*0 end }\n"
    "objective{ name = 'traced', final = function(s)\n"
    "    local a, b = s.a, s.sensors\n"
    "    if a.position.x > 1e3 then return 0 end\n"
    "    return a.position.x^2*a.velocity.y + a.omega.z*a.rotation.x + 1e-2*b.tip[2]^2*s.a.acceleration.x\n"
    "           + b.speed[1]*b.place[2] + b.own[1]*s.b.omega_dot.z + b.spin[2]*b.pose[3] end }\n"
    "objective{ name = 'seen', final = function(s) local called = s.sensors.called[1] -- within this call\n"
    "    return 1e-2*s.sensors.pull[1] + called + s.joints.je.position*s.joints.je.rate + "
    "s.states.z[2]^2*s.inputs.u "
    "end }\n"
    "run{ t_end = 1, h = 1e-2 }\n";

typedef struct fixture {
    ph_model *model;
    ph_mechanism *mech;
    ph_sim *sim;
} fixture;

static void open_fixture(fixture *r, int space)
{
    ph_error err = {0};
    const double *q0, *v0;
    ph_options o = ph_default_options();
    o.h = 1e-2;
    if (ph_model_read_text(&r->model, "objective.lua", text, strlen(text), NULL, 0, NULL, &err) != PH_OK ||
        ph_mechanism_create(&r->mech, r->model, (ph_space_code)space, NULL, &err) != PH_OK ||
        ph_mechanism_initial(r->mech, 0, &q0, &v0, &err) != PH_OK ||
        ph_sim_create(&r->sim, ph_mechanism_system(r->mech), &o, 0, q0, v0, &err) != PH_OK ||
        ph_sim_run(r->sim, 7, NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static void close_fixture(fixture *r)
{
    ph_sim_destroy(r->sim);
    ph_mechanism_destroy(r->mech);
    ph_model_free(r->model);
}

/* What the objectives are, from the views of the mechanism. */
static double value_of(fixture *r, const ph_state *s, int objective)
{
    ph_body_state a;
    double tip[3], pull[6], turn, own;
    ph_mechanism_body(r->mech, s, 0, &a);
    ph_mechanism_sensor(r->mech, s, 0, tip), ph_mechanism_sensor(r->mech, s, 1, pull);
    ph_mechanism_sensor(r->mech, s, 2, &turn), ph_mechanism_sensor(r->mech, s, 3, &own);
    if (objective == 2) {
        double angle, rate, z, called;
        ph_mechanism_sensor(r->mech, s, 12, &angle), ph_mechanism_sensor(r->mech, s, 13, &rate);
        ph_mechanism_sensor(r->mech, s, 14, &z), ph_mechanism_sensor(r->mech, s, 15, &called);
        return 1e-2 * pull[0] + called + angle * rate + 0.7 * z * z;
    }
    if (objective) {
        double speed[3], place[3];
        ph_body_state b;
        ph_mechanism_body(r->mech, s, 1, &b);
        ph_mechanism_sensor(r->mech, s, 4, speed), ph_mechanism_sensor(r->mech, s, 5, place);
        return a.x.x * a.x.x * a.v.y + a.omega.z * a.q.x + 1e-2 * tip[1] * tip[1] * a.a.x +
               speed[0] * place[1] + own * b.omega_dot.z + a.omega.y * a.q.y;
    }
    double effort[4];
    for (int k = 0; k < 4; k++)
        ph_mechanism_sensor(r->mech, s, 6 + k, &effort[k]);
    return a.x.x * a.x.x * a.v.y + a.omega.z * a.q.x + 1e-2 * tip[1] * tip[1] + 1e-2 * pull[0] * pull[1] +
           sin(turn) + own + 1e-2 * effort[0] * effort[1] + effort[2] * effort[2] * effort[3];
}

/* The derivative along some direction of all that a state has, and the covector times that direction. */
static void derivatives(void **state)
{
    (void)state;
    for (int k = 0; k < 3 * PH_SPACE_COUNT; k++) {
        int space = k / 3, objective = k % 3;
        fixture r;
        open_fixture(&r, space);
        const ph_traced *traced = r.model->objective[objective].final.traced;
        assert_true(objective == 1 ? traced->program != NULL : traced->program == NULL); /* of a reaction */
        const ph_system *sys = ph_mechanism_system(r.mech);
        int nv = ph_system_nv(sys), nl = ph_system_nl(sys), nq = 0;
        ph_state s = ph_sim_state(r.sim), moved = s;
        for (int i = 0; i < sys->n_nodes; i++)
            nq += ph_group_size(sys->nodes[i].group, sys->nodes[i].n);
        double *mem = calloc((size_t)(8 * nv + 2 * nl + nq + 8), sizeof *mem), *x = mem + 3 * nv + nl;
        double *q = x + 3 * nv + nl, *v = q + nq, *vdot = v + nv, value = 0, product = 0, by_p = 0, f[2];
        double *lambda = calloc((size_t)nl + 1, sizeof *lambda);
        ph_mat3 *R = calloc((size_t)sys->n_nodes, sizeof *R);
        ph_covector g = {mem, mem + nv, mem + 2 * nv, mem + 3 * nv, &by_p};
        assert_int_equal(ph_mechanism_objective(r.mech, &s, objective, PH_AT_THE_END, &value, &g), PH_OK);
        check_near(value, value_of(&r, &s, objective), 1e-13); /* round-off */
        for (int i = 0; i < 3 * nv + nl; i++)
            x[i] = sin(1 + 3 * i), product += mem[i] * x[i];
        moved.q = q, moved.v = v, moved.vdot = vdot, moved.lambda = lambda, moved.R = R;
        for (int side = 0; side < 2; side++) {
            double e = side ? 1e-5 : -1e-5, y[8], step[8];
            for (int i = 0; i < sys->n_nodes; i++) {
                const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
                int dim = ph_group_dim(sys->nodes[i].group, sys->nodes[i].n);
                for (int c = 0; c < dim; c++)
                    y[c] = e * x[s.v_at[i] + c];
                op->exp(dim, y, step);
                op->compose(dim, s.q + s.q_at[i], step, q + s.q_at[i]);
                if (op->quat >= 0)
                    R[s.R_at[i]] = ph_qmat(ph_quat_load(q + s.q_at[i] + op->quat));
            }
            for (int i = 0; i < nv; i++)
                v[i] = s.v[i] + e * x[nv + i], vdot[i] = s.vdot[i] + e * x[2 * nv + i];
            for (int i = 0; i < nl; i++)
                lambda[i] = s.lambda[i] + e * x[3 * nv + i];
            f[side] = value_of(&r, &moved, objective);
        }
        check_near(product, (f[1] - f[0]) / 2e-5, 1e-8); /* derivative: central, e^2 */
        assert_true(by_p == 0);                          /* exact: that is for the caller */
        free(mem), free(R), free(lambda);
        close_fixture(&r);
    }
}

static void parts(void **state)
{
    (void)state;
    fixture r;
    double value;
    open_fixture(&r, 0);
    ph_state s = ph_sim_state(r.sim);
    assert_int_equal(ph_model_count(r.model, PH_OBJECTIVES), 3);
    assert_string_equal(ph_model_name(r.model, PH_OBJECTIVES, 0), "all");
    assert_true(ph_objective_has(r.model, 0, PH_AT_THE_END) && ph_objective_has(r.model, 0, PH_ON_THE_WAY));
    assert_int_equal(ph_mechanism_objective(r.mech, &s, 0, PH_ON_THE_WAY, &value, NULL), PH_OK);
    ph_body_state a;
    ph_mechanism_body(r.mech, &s, 0, &a);
    assert_true(value == s.t + a.x.z); /* exact */
    close_fixture(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
