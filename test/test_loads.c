/* What a parameter changes: elements that differ against differences of whole systems. */
#include "check.h"
#include "scratch.h"

#include "step/sim.h"
#include "run/neighbours.h"

typedef struct fixture {
    ph_run *run;
    ph_neighbours near;
    ph_sim *sim[PH_NEIGHBOURS];
} fixture;

static void open_fixture(fixture *r, const char *file, const char *param, int space)
{
    char path[256], option[64];
    const char *const options = option;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    snprintf(path, sizeof path, "%s%s", file[0] == '/' ? "" : PH_TEST_DIR "/../models/", file);
    snprintf(option, sizeof option, "space=%s", ph_space_word(space));
    c.options = &options, c.n_options = 1, c.wait = 1;
    *r = (fixture){0};
    if (ph_run_open(&r->run, path, &c, &err) != PH_OK ||
        ph_neighbours_create(&r->near, r->run, ph_run_find(r->run, PH_PARAMETERS, param), 0, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_options o = ph_default_options();
    o.h = 1e-3;
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        const ph_neighbour *n = &r->near.at[k];
        if (ph_sim_create(&r->sim[k], &n->sys, &o, 0, n->q0, n->v0, &err) != PH_OK)
            fail_msg("%s: %s", file, err.text);
    }
}

static void close_fixture(fixture *r)
{
    for (int k = 0; k < PH_NEIGHBOURS; k++)
        ph_sim_destroy(r->sim[k]);
    ph_neighbours_destroy(&r->near);
    ph_run_close(r->run);
}

/* Any point near the start of the first neighbour. */
static ph_state anywhere(ph_sim *sim, uint64_t *seed)
{
    const ph_layout *lay = &sim->lay;
    double *x = calloc((size_t)lay->nv + 1, sizeof *x);
    ph_point *p = &sim->next;
    for (int i = 0; i < lay->nv; i++) {
        x[i] = 0.1 * rnd(seed);
        p->v[i] = rnd(seed);
        p->vdot[i] = rnd(seed);
    }
    for (int i = 0; i < lay->nl; i++)
        p->lambda[i] = 10 * rnd(seed);
    ph_point_shift(lay, &sim->now, 1, x, p);
    p->t = 0.1 + 0.05 * rnd(seed);
    free(x);
    return ph_point_view(p, lay);
}

/* Both ways to the three sums; the largest difference relative to what cancels. */
static double gap(fixture *r, const ph_state *s, unsigned what)
{
    static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const ph_layout *lay = &r->sim[0]->lay;
    int nv = lay->nv, nl = lay->nl, n = nv + 2 * nl;
    double *a = calloc((size_t)(2 * n), sizeof *a), *b = a + n, size = 1, worst;
    unsigned asked = (what & PH_EVAL_PHI ? PH_LOADS_PHI : 0) | (what & PH_EVAL_RATE ? PH_LOADS_RATE : 0);
    assert_int_equal(ph_loads_add(s, weight, asked, a, a + nv, a + nv + nl, r->near.loads), PH_OK);
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        ph_eval *ev = &r->sim[k]->ev;
        assert_int_equal(ph_eval_residual(ev, s, what), PH_OK);
        for (int i = 0; i < nv; i++)
            b[i] += weight[k] * ev->r[i], size = fmax(size, fmax(fabs(ev->r[i]), fabs(ev->g[i])));
        for (int i = 0; i < nl; i++) {
            b[nv + i] += what & PH_EVAL_PHI ? weight[k] * ev->Phi[i] : 0;
            b[nv + nl + i] += what & PH_EVAL_RATE ? weight[k] * ev->rate[i] : 0;
        }
    }
    worst = max_diff(a, b, n) / size;
    free(a);
    return worst;
}

#define BEAM     "../test/models/beam_params.lua"
#define FRICTION "../test/models/friction_params.lua"

static const struct {
    const char *file, *param;
    int nothing; /* it changes initial values alone */
} row[] = {{"heavy_top.lua", "m", 0},
           {"slider_crank.lua", "crank", 0},
           {"slider_crank.lua", "rod", 0},
           {"slider_crank.lua", "speed", 1},
           {"bricard.lua", "b", 0},
           {"bricard.lua", "m", 0},
           {"rotor.lua", "m", 0},
           {"rotor.lua", "spin", 1},
           {"rolling_disc.lua", "r", 0},
           {"rolling_disc.lua", "lean", 0},
           {"four_bar.lua", "coupler", 0},
           {"driven_crank.lua", "turns", 0},
           {"spring_ball.lua", "k", 0},
           {"andrews.lua", "k", 0},
           {"../test/models/soft_beams.lua", "rhoA", 0},
           {"../test/models/soft_beams.lua", "L", 0},
           {BEAM, "EI", 0},
           {BEAM, "EA", 0},
           {BEAM, "density", 0},
           {BEAM, "length", 0},
           {BEAM, "relaxation", 0},
           {FRICTION, "rail", 0},
           {FRICTION, "pin", 0},
           {FRICTION, "ball", 0},
           {FRICTION, "lever", 0},
           {FRICTION, "slow", 0}};

static void sums(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fixture r;
        open_fixture(&r, row[k].file, row[k].param, 0);
        assert_non_null(r.near.loads);
        for (int trial = 0; trial < 5; trial++) {
            ph_state s = anywhere(r.sim[0], &seed);
            check_le(gap(&r, &s, PH_EVAL_PHI), 1e-14); /* round-off of what cancels */
            check_le(gap(&r, &s, PH_EVAL_RATE), 1e-14);
            check_le(gap(&r, &s, PH_EVAL_PHI | PH_EVAL_RATE), 1e-14);
        }
        close_fixture(&r);
    }
}

/* Weights whose sum is not 0 find all that is evaluated: nothing where the equations do not change, one body
 * where only its mass does. */
static void only_what_differs(void **state)
{
    (void)state;
    static const double one[PH_NEIGHBOURS] = {1, 0, 0, 0};
    uint64_t seed = 12;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fixture r;
        open_fixture(&r, row[k].file, row[k].param, 0);
        const ph_layout *lay = &r.sim[0]->lay;
        double *a = calloc((size_t)(lay->nv + 2 * lay->nl), sizeof *a);
        ph_state s = anywhere(r.sim[0], &seed);
        assert_int_equal(ph_loads_add(&s, one, PH_LOADS_PHI | PH_LOADS_RATE, a, a + lay->nv,
                                      a + lay->nv + lay->nl, r.near.loads),
                         PH_OK);
        assert_int_equal(norm2(a, lay->nv + 2 * lay->nl) == 0, row[k].nothing); /* exact */
        if (!strcmp(row[k].file, "heavy_top.lua"))
            assert_true(norm2(a + lay->nv, 2 * lay->nl) == 0); /* exact: the joint is not asked */
        free(a);
        close_fixture(&r);
    }
}

/* B^T lambda alone */
static void rows_alone(void **state)
{
    (void)state;
    static const double weight[] = {0, -0.5, 0.5, 0};
    uint64_t seed = 13;
    fixture r;
    open_fixture(&r, "slider_crank.lua", "crank", 0);
    const ph_layout *lay = &r.sim[0]->lay;
    double *a = calloc((size_t)(2 * lay->nv), sizeof *a), *b = a + lay->nv;
    double *B = calloc((size_t)lay->size_links, sizeof *B);
    ph_state s = anywhere(r.sim[0], &seed);
    assert_int_equal(ph_loads_add(&s, weight, PH_LOADS_ROWS, a, NULL, NULL, r.near.loads), PH_OK);
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        assert_int_equal(ph_eval_links(&r.sim[k]->ev, &s, B), PH_OK);
        for (const ph_block *l = lay->link, *end = l + lay->n_links; l < end; l++)
            for (int i = 0; i < l->m; i++)
                for (int j = 0; j < l->n; j++)
                    b[l->col_at + j] += weight[k] * B[l->at + i * l->n + j] * s.lambda[l->row_at + i];
    }
    assert_true(norm2(b, lay->nv) > 0);
    check_le(max_diff(a, b, lay->nv), 1e-13); /* round-off */
    free(a), free(B);
    close_fixture(&r);
}

/* In other coordinates elements are not told apart. */
static void other_spaces(void **state)
{
    (void)state;
    fixture r;
    open_fixture(&r, "heavy_top.lua", "m", 1);
    assert_null(r.near.loads);
    assert_true(ph_neighbours_param(&r.near).loads == NULL);
    close_fixture(&r);
}

/* ---- what is not a number of a record: test_numbers goes through these -------------------------------- */

#define TWO                                                                                                  \
    "local p = param('p', 0.7)\ngravity{0, 0, -9.81}\n"                                                      \
    "body{ name = 'a', mass = 1, inertia = {0.1, 0.2, 0.3}, position = {1, 0, 0} }\n"                        \
    "body{ name = 'b', mass = 2, inertia = {0.3, 0.2, 0.1}, position = {2, 0, 0} }\n"
#define RAIL                                                                                                 \
    TWO "joint{ name = 'j', type = 'prismatic', bodies = {'ground', 'a'}, axis = {1, 0, 0} }\n"              \
        "actuator{ name = 'm', joint = 'j', "
#define BUSHING TWO "bushing{ bodies = {'a', 'b'}, "
#define JOINT   TWO "joint{ name = 'j', bodies = {'ground', 'a'}, "
#define ENDS    " }"
#define SECTION "K = {1e3, 1e3, 1e3, 10, 10, 10}"

static const char *const others[] = {
    JOINT "type = 'revolute', at = {0, 0, 0}, axis = {0, 1, 0}, drive = function(t) return p*t^2 end" ENDS,
    JOINT "type = 'distance', drive = function(t) return 1 + p*t^2 end" ENDS,
    TWO "joint{ name = 'j', type = 'spherical', bodies = {'b', 'a'}, at = {1.5, 0, p}" ENDS,
    TWO "force{ body = 'a', value = {1, 0, 3}, frame = p > 0.7 and 'body' or 'world'" ENDS,
    TWO "force{ body = 'a', value = function(t, s) return {1, p*t, s.b.position.x} end" ENDS,
    TWO "beam_element{ bodies = {'a', 'b'}, D = p > 0.7 and {1, 1, 1, 1, 1, 1} or nil, " SECTION ENDS,
    RAIL "stops = {-p, 1}, stop_k = 5" ENDS,
    RAIL "stops = {-1, p}, stop_k = 5" ENDS,
    RAIL "effort = function(t, s) return p*t end" ENDS,
    RAIL "k = 1e9, rest = 1e-6*p" ENDS, /* round-off of k is larger than rest */
    TWO "input{ name = 'u', value = p }\njoint{ name = 'j', type = 'prismatic', bodies = {'ground', 'a'}, "
        "axis = {1, 0, 0} }\n"
        "actuator{ name = 'm', joint = 'j', effort = 'u'" ENDS,
    TWO "joint{ name = 'j', type = 'prismatic', bodies = {'ground', 'a'}, axis = {math.cos(p), math.sin(p), "
        "0} }\n"
        "actuator{ name = 'm', joint = 'j', effort = 2" ENDS,
    TWO "input{ name = 'u', value = 3 }\njoint{ name = 'j', type = 'prismatic', bodies = {'ground', 'a'}, "
        "axis = {1, 0, 0} }\n"
        "actuator{ name = 'm', joint = 'j', effort = 'u', k = p" ENDS,
    TWO "joint{ name = 'j', type = 'distance', bodies = {'a', 'b'}, at_a = {0, p, 0}, at_b = {0, p, 0}" ENDS,
    "local p = param('p', 0.7)\nbody{ name = 'a', mass = 1, inertia = {0.1, 0.2, 0.1}, position = {0, 0, p} "
    "}\n"
    "joint{ name = 'j', type = 'rolling', bodies = {'ground', 'a'}, axis = {0, 1, 0}, radius = p" ENDS,
    TWO "body{ name = 'c', mass = p, inertia = {0.1, 0.2, 0.3}, position = {3, 0, 0}" ENDS,
    TWO "body{ name = 'c', mass = 1, inertia = {0.1, 0.2, 0.1 + 0.2*p}, position = {3, 0, 0}" ENDS,
    TWO "particle{ name = 'c', mass = p, position = {3, 0, 0} }\n"
        "joint{ name = 'j', type = 'spherical', bodies = {'b', 'c'}, at = {3, 0, 0}" ENDS,
    TWO "particle{ name = 'c', mass = 1, position = {2 + p, 0, 0} }\n"
        "joint{ name = 'j', type = 'spherical', bodies = {'b', 'c'}, at = {2 + p, 0, 0}" ENDS,
    "local p = param('p', 0.7)\ngravity{0, p, -9.81}\nbody{ name = 'a', mass = 1, inertia = {0.1, 0.2, 0.3} "
    "}\n"
    "beam{ name = 'c', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, section = {EA = 1e3, GA = 1e3, GJ = 10, EI = "
    "10},\n"
    "      mass = {rhoA = 1, J = {0.1, 0.05, 0.05}}, mass_model = 'linear' }",
};

/* The sums are those of whole systems, whatever depends on the parameter. */
static void whatever_depends(void **state)
{
    (void)state;
    uint64_t seed = 14;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        fixture r;
        scratch file = scratch_create("others.lua");
        scratch_write(&file, others[k], strlen(others[k]));
        open_fixture(&r, file.path, "p", 0);
        if (!r.near.loads)
            fail_msg("%s: has no sums", others[k]);
        for (int trial = 0; trial < 3; trial++) {
            ph_state s = anywhere(r.sim[0], &seed);
            double most = gap(&r, &s, PH_EVAL_PHI | PH_EVAL_RATE);
            if (!(most <= 1e-14)) /* round-off of what cancels */
                fail_msg("%s: %g", others[k], most);
        }
        close_fixture(&r);
        scratch_remove(&file);
    }
}

/* Actuators that do not depend on the parameter are not asked, whatever of their numbers is not given. */
static void actuators_that_stay(void **state)
{
    (void)state;
    static const double one[PH_NEIGHBOURS] = {1, 0, 0, 0};
    static const char *const own[] = {"effort = 'u', k = 2, rest = 0.1", "effort = 3", "k = 2, rest = 0.1",
                                      "stops = {-0.01, 0.01}, stop_k = 5, d = 1"};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
        fixture r;
        char text[1000];
        uint64_t seed = 15;
        scratch file = scratch_create("stay.lua");
        snprintf(text, sizeof text,
                 TWO "input{ name = 'u', value = 3 }\n"
                     "body{ name = 'c', mass = 1, inertia = {1, 1, 1}, velocity = {p, 0, 0} }\n"
                     "joint{ name = 'j', type = 'prismatic', bodies = {'ground', 'a'}, axis = {1, 0, 0} }\n"
                     "actuator{ name = 'm', joint = 'j', %s }\n",
                 own[k]);
        scratch_write(&file, text, strlen(text));
        open_fixture(&r, file.path, "p", 0);
        const ph_layout *lay = &r.sim[0]->lay;
        double *a = calloc((size_t)(lay->nv + 2 * lay->nl), sizeof *a);
        ph_state s = anywhere(r.sim[0], &seed);
        assert_int_equal(ph_loads_add(&s, one, PH_LOADS_PHI | PH_LOADS_RATE, a, a + lay->nv,
                                      a + lay->nv + lay->nl, r.near.loads),
                         PH_OK);
        check_le(norm2(a, lay->nv + 2 * lay->nl), 0); /* exact */
        free(a);
        close_fixture(&r);
        scratch_remove(&file);
    }
}

/* Neighbours of another structure have no sums of elements. */
static void another_structure(void **state)
{
    (void)state;
    static const char *const text[] = {
        TWO "if p > 0.7 then body{ name = 'c', mass = 1, inertia = {1, 1, 1} } end",
        TWO "if p > 0.7 then spring{ bodies = {'a', 'b'}, k = 1 } end",
        BUSHING "k = {1, 2, 1}, frame = p > 0.7 and 'body' or 'world'" ENDS,
        TWO "spring{ bodies = {'a', p > 0.7 and 'b' or 'ground'}, k = 1 }",
        TWO "if p > 0.7 then spring{ bodies = {'a', 'b'}, k = 1 } else bushing{ bodies = {'a', 'b'}, k = {1, "
            "1, 1} } end",
        TWO
        "if p > 0.7 then joint{ name = 'j', type = 'spherical', bodies = {'a', 'b'}, at = {1.5, 0, 0} } end",
        JOINT "type = p > 0.7 and 'spherical' or 'fixed', at = {1, 0, 0}" ENDS,
        TWO "joint{ name = 'j', type = 'spherical', bodies = {'ground', p > 0.7 and 'a' or 'b'}, at = {1.5, "
            "0, 0} }",
        TWO "if p > 0.7 then constraint{ name = 'c', f = function(t, s) return s.a.position.y end } end",
        JOINT "type = 'revolute', at = {0, 0, 0}, axis = {0, 1, 0},\n"
              "drive = p > 0.7 and function(t) return t^2 end or nil" ENDS,
        JOINT "type = 'distance', drive = p > 0.7 and function(t) return 1 + t^2 end or nil" ENDS,
        TWO "state{ name = 'x', rate = function(t) return t end }",
        JOINT
        "type = 'revolute', at = {0, 0, 0}, axis = {0, 1, 0} }\n"
        "joint{ name = 'k', type = 'revolute', bodies = {'a', 'b'}, at = {1, 0, 0}, axis = {0, 1, 0} }\n"
        "coupling{ name = 'c', joints = {'j', 'k'}, ratio = p" ENDS,
    };
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        ph_run *run;
        ph_neighbours near;
        ph_error err = {0};
        ph_run_config c = ph_run_defaults();
        scratch file = scratch_create("other.lua");
        scratch_write(&file, text[k], strlen(text[k]));
        c.wait = 1;
        if (ph_run_open(&run, file.path, &c, &err) != PH_OK ||
            ph_neighbours_create(&near, run, 0, 1e-3, &err) != PH_OK)
            fail_msg("%s", err.text);
        if (near.loads)
            fail_msg("%s: has sums", text[k]);
        ph_neighbours_destroy(&near);
        ph_run_close(run);
        scratch_remove(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums),
                                       cmocka_unit_test(whatever_depends),
                                       cmocka_unit_test(actuators_that_stay),
                                       cmocka_unit_test(another_structure),
                                       cmocka_unit_test(only_what_differs),
                                       cmocka_unit_test(rows_alone),
                                       cmocka_unit_test(other_spaces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
