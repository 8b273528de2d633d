/* Which conditions of many closed loops repeat others, how long that takes, and runs with them. */
#include "check.h"
#include "model_file.h"
#include "polhode/sim.h"
#include "step/layout.h"
#include "step/rank.h"

#include <time.h>

/* A ladder of N parallelograms of bars with hinges: 4 N joints, of which every fourth closes a loop.
 * disorder: the joints are listed in another order. length: of a bar; heavy: mass of a rung. */
static const char ladder[] =
    "model 'ladder'\n"
    "local N, disorder = math.floor(param('N', 10)), param('disorder', 0)\n"
    "local c, s = math.cos(0.3), math.sin(0.3)\n"
    "local l, heavy = param('length', 1), param('heavy', 1)\n"
    "local function at(x, y) return {l * (c * x - s * y), l * (s * x + c * y), 0} end\n"
    "local function bar(name, p, q, m)\n"
    "  body { name = name, mass = m or 1, inertia = {(m or 1) * l^2 / 100, (m or 1) * l^2 / 12, (m or 1) * "
    "l^2 / 12},\n"
    "         position = {(p[1] + q[1]) / 2, (p[2] + q[2]) / 2, 0},\n"
    "         rotation = {axis = {0, 0, 1}, angle = math.atan(q[2] - p[2], q[1] - p[1])} }\n"
    "end\n"
    "local hinges = {}\n"
    "local function hinge(first, second, p)\n"
    "  hinges[#hinges + 1] = {name = first .. second, type = 'revolute', bodies = {first, second}, at = p,\n"
    "                         axis = {0, 0, 1}}\n"
    "end\n"
    "gravity {1, -9.81, 3}\n"
    "for i = 1, N do\n"
    "  local before = i == 1 and 'ground' or 'rung' .. i - 1\n"
    "  bar('rung' .. i, at(i, 0), at(i, 1), heavy)\n"
    "  bar('low' .. i, at(i - 1, 0), at(i, 0))\n"
    "  bar('high' .. i, at(i - 1, 1), at(i, 1))\n"
    "  hinge(before, 'low' .. i, at(i - 1, 0))\n"
    "  hinge(before, 'high' .. i, at(i - 1, 1))\n"
    "  hinge('low' .. i, 'rung' .. i, at(i, 0))\n"
    "  hinge('high' .. i, 'rung' .. i, at(i, 1))\n"
    "end\n"
    "for i = 1, #hinges do joint(hinges[disorder == 0 and i or 1 + 7919 * i % #hinges]) end\n";

typedef struct fixture {
    ph_model *model;
    ph_mechanism *mech;
    const ph_system *sys;
    const double *q0, *v0;
    double seconds; /* of processor time for the rank */
} fixture;

static fixture open_model(const char *text, const ph_setting *sets, size_t n_sets)
{
    fixture r = {0};
    ph_error err = {0};
    if (read_named(&r.model, "model.lua", text, strlen(text), sets, n_sets, NULL, &err) != PH_OK ||
        ph_mechanism_create(&r.mech, r.model, PH_SPACE_R3XSO3, NULL, &err) != PH_OK ||
        ph_mechanism_initial(r.mech, 0, &r.q0, &r.v0, &err) != PH_OK)
        fail_msg("%s", err.text);
    clock_t before = clock();
    if (ph_mechanism_rank(r.mech, &err) != PH_OK)
        fail_msg("%s", err.text);
    r.seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    r.sys = ph_mechanism_system(r.mech);
    return r;
}

static fixture open_ladder(int N, int disorder)
{
    const ph_setting sets[] = {{"N", N}, {"disorder", disorder}};
    return open_model(ladder, sets, 2);
}

static void close_ladder(fixture *r)
{
    ph_mechanism_destroy(r->mech);
    ph_model_free(r->model);
}

/* Each loop has 3 conditions too many, all of the joint that closes it. 1200 bodies take some 10 ms; rows
 * by rows without regard to zeros took minutes. */
static void many_loops(void **state)
{
    (void)state;
    enum { N = 400 };
    fixture r = open_ladder(N, 0);
    assert_int_equal(r.sys->n_redundant, 3 * N);
    for (int j = 0; j < 4 * N; j++)
        assert_int_equal(ph_mechanism_redundant(r.mech, j), j % 4 == 3 ? 3 : 0);
    check_le(r.seconds, 2); /* ordering: a hundred times what it takes */
    close_ladder(&r);
    r = open_ladder(N, 1);
    assert_int_equal(r.sys->n_redundant, 3 * N);
    check_le(r.seconds, 2); /* ordering: likewise */
    close_ladder(&r);
}

/* What repeats what does not depend on the unit of length, nor on how much heavier some bodies are. (R4) */
static void units_cancel(void **state)
{
    (void)state;
    enum { N = 5 };
    static const double length[] = {1e-9, 1e-6, 1e-3, 0.05, 1, 1e3, 1e6, 1e9}, heavy[] = {1e-9, 1, 1e9};
    for (size_t k = 0; k < sizeof length / sizeof *length; k++)
        for (size_t m = 0; m < sizeof heavy / sizeof *heavy; m++) {
            const ph_setting sets[] = {{"N", N}, {"length", length[k]}, {"heavy", heavy[m]}};
            fixture r = open_model(ladder, sets, 3);
            for (int j = 0; j < 4 * N; j++)
                if (ph_mechanism_redundant(r.mech, j) != (j % 4 == 3 ? 3 : 0))
                    fail_msg("length %g, mass %g: joint %d has %d conditions too many", length[k], heavy[m],
                             j, ph_mechanism_redundant(r.mech, j));
            close_ladder(&r);
        }
}

/* kind 0: a chain of short links; 1: a V of them, held at both ends; 2: a tree of hinges with long and
 * short arms; 3: a star of them, one body with all the others; 4: a square net of rods that hardly turn bodies. */
static const char links[] =
    "model 'links'\n"
    "local N, l, kind = math.floor(param('N', 10)), param('l', 0.05), math.floor(param('kind', 0))\n"
    "local function at(s)\n"
    "  return {0.6 * l * s, 0, kind == 1 and s > N / 2 and 0.8 * l * (s - N) or -0.8 * l * s}\n"
    "end\n"
    "local n = math.floor(math.sqrt(N))\n"
    "local function node(i, j) return {i, 0.05 * math.sin(i + 2 * j), -j} end\n"
    "local function rod(i, j, k, m)\n"
    "  local p, q = node(i, j), node(k, m)\n"
    "  joint { name = i .. '_' .. j .. '_' .. k, type = 'distance', bodies = {'b' .. i .. '_' .. j, 'b' .. k "
    ".. '_' .. m},\n"
    "          at_a = {0.9 * p[1] + 0.1 * q[1], p[2] + 0.03, 0.9 * p[3] + 0.1 * q[3]},\n"
    "          at_b = {0.9 * q[1] + 0.1 * p[1], q[2] - 0.03, 0.9 * q[3] + 0.1 * p[3]} }\n"
    "end\n"
    "for i = 1, kind == 4 and n or 0 do for j = 1, n do\n"
    "  body { name = 'b' .. i .. '_' .. j, mass = 1, inertia = {0.02, 0.03, 0.04}, position = node(i, j) }\n"
    "  if i > 1 then rod(i - 1, j, i, j) end\n"
    "  if j > 1 then rod(i, j - 1, i, j) end\n"
    "end end\n"
    "for i = 1, kind < 4 and N or 0 do\n"
    "  local up = kind == 2 and i // 2 or kind == 3 and (i > 1 and 1 or 0) or i - 1\n"
    "  body { name = 'b' .. i, mass = 1, inertia = {l^2 / 100, l^2 / 12, l^2 / 12}, position = at(i - 0.5) "
    "}\n"
    "  joint { name = 'j' .. i, type = kind > 1 and 'revolute' or 'spherical', at = at(i - 1),\n"
    "          axis = kind > 1 and {math.cos(i), math.sin(i), 0.3} or nil,\n"
    "          bodies = {up == 0 and 'ground' or 'b' .. up, 'b' .. i} }\n"
    "end\n"
    "if kind == 1 then joint { name = 'end', type = 'spherical', bodies = {'b' .. N, 'ground'}, at = at(N) } "
    "end\n";

/* Processor time for the rank of N links. */
static double time_links(int kind, int N)
{
    const ph_setting sets[] = {{"N", N}, {"kind", kind}};
    fixture r = open_model(links, sets, 2);
    assert_int_equal(r.sys->n_redundant, 0);
    close_ladder(&r);
    return r.seconds;
}

/* Four times the links take four times as long, whatever their length is: without regard to units and trees
 * it was sixty times. On a busy machine the least of ten tells, both in turn. */
static void cost_is_linear(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        double some = HUGE_VAL, more = HUGE_VAL;
        for (int k = 0; k < 10 && (k < 3 || !(more <= 12 * some)); k++)
            some = fmin(some, time_links(kind, 500)), more = fmin(more, time_links(kind, 2000));
        check_le(more, 12 * some + 5e-3); /* ordering: 4, and what a busy machine adds; 5 ms: of the clock */
    }
}

static ph_status never(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)out, (void)ctx;
    return PH_E_CALLBACK;
}

/* Two rows of a node with an angle of 1e-5 between them depend on each other where 1e-4 is none, and only there. */
static void near_dependence(void **state)
{
    (void)state;
    const ph_node node = {.group = PH_RN, .n = 2, .name = "x"};
    const ph_constraint joint[] = {{.rows = 1, .name = "a"}, {.rows = 1, .name = "b"}};
    const ph_place link[] = {{0, 0}, {1, 0}}, pair = {0, 0};
    const double B[] = {1, 0, 1, 1e-5}, M[] = {1, 0, 0, 1};
    const ph_system sys = {.name = "near",
                           .n_nodes = 1,
                           .nodes = &node,
                           .n_constraints = 2,
                           .constraints = joint,
                           .n_pairs = 1,
                           .pairs = &pair,
                           .n_links = 2,
                           .links = link,
                           .M = never,
                           .g = never,
                           .Phi = never,
                           .B = never};
    ph_skeleton *skeleton;
    ph_error err;
    unsigned char dependent[2];
    assert_int_equal(ph_skeleton_create(&skeleton, &sys, NULL, &err), PH_OK);
    assert_int_equal(ph_rank_rows(&skeleton->lay, B, M, 1e-4, NULL, dependent), PH_OK);
    assert_true(!dependent[0] && dependent[1]);
    assert_int_equal(ph_rank_rows(&skeleton->lay, B, M, 1e-8, NULL, dependent), PH_OK);
    assert_true(!dependent[0] && !dependent[1]);
    ph_skeleton_release(skeleton);
}

/* How far lambda is from the range of B(q), relative to its size: 0 for multipliers of least norm.
 * Gram-Schmidt on the columns of B as dense numbers. */
static double outside_range(const ph_system *sys, const ph_state *s)
{
    ph_layout lay;
    ph_arena a = {0};
    assert_int_equal(ph_layout_measure(&lay, sys, NULL), PH_OK);
    ph_layout_take(&lay, &a);
    assert_true(ph_arena_open(&a, NULL));
    ph_layout_take(&lay, &a);
    assert_int_equal(ph_layout_fill(&lay, NULL), PH_OK);
    int nl = lay.nl, rank = 0;
    double *B = calloc((size_t)lay.size_links, sizeof(double)), rest = 0;
    double *Q = calloc((size_t)(nl * (lay.nv + 1)), sizeof(double));
    assert_int_equal(sys->B(s, B, sys->ctx), PH_OK);
    for (const ph_block *b = lay.link, *end = b + lay.n_links; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++)
                Q[(b->col_at + j) * nl + b->row_at + i] = B[b->at + i * b->n + j];
    memcpy(Q + lay.nv * nl, s->lambda, sizeof(double) * (size_t)nl);
    for (int k = 0; k <= lay.nv; k++) {
        double *q = Q + k * nl, before = norm2(q, nl);
        for (int twice = 0; twice < 2; twice++)
            for (int m = 0; m < rank; m++) {
                double dot = 0;
                for (int i = 0; i < nl; i++)
                    dot += q[i] * Q[m * nl + i];
                for (int i = 0; i < nl; i++)
                    q[i] -= dot * Q[m * nl + i];
            }
        double after = norm2(q, nl);
        rest = after / before;
        for (int i = 0; i < nl && after > 1e-9 * before; i++)
            Q[rank * nl + i] = q[i] / after;
        rank += after > 1e-9 * before;
    }
    free(B), free(Q), ph_free(NULL, a.block);
    return rest;
}

/* Gravity has a part out of the plane, which the redundant conditions share. */
static void least_norm_of_many(void **state)
{
    (void)state;
    for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3) {
        fixture r = open_ladder(25, 0);
        ph_sim *sim;
        ph_error err = {0};
        ph_options o = ph_default_options();
        o.h = 1e-3, o.formulation = (ph_formulation)f;
        if (ph_sim_create(&sim, r.sys, &o, 0, r.q0, r.v0, &err) != PH_OK ||
            ph_sim_run(sim, 5, NULL, NULL, &err) != PH_OK)
            fail_msg("%s", err.text);
        ph_state s = ph_sim_state(sim);
        double position, velocity;
        check_le(outside_range(r.sys, &s),
                 1e-8); /* round-off of the null space, over the smallest eigenvalue */
        assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
        check_le(position, 1e-12); /* invariant: Newton's tolerance of positions */
        assert_true(ph_sim_stats(sim).iterations <= 3 * 5);
        ph_sim_destroy(sim);
        close_ladder(&r);
    }
}

/* ---- rows of small numbers ------------------------------------------------------------------------------- */

#define NODES  5
#define JOINTS 4
#define ROWS   (3 * JOINTS)
#define COLS   (3 * NODES)

/* Nodes of one to three coordinates, and constraints of one to three rows between two or three of them. */
typedef struct web {
    ph_node node[NODES];
    ph_constraint joint[JOINTS];
    ph_place link[3 * JOINTS], pair[NODES];
    ph_system sys;
    ph_skeleton *skeleton;
    double B[3 * JOINTS * 9], M[NODES * 9];
    long A[ROWS * COLS]; /* the rows of B */
} web;

static int one_to_three(uint64_t *seed)
{
    return 1 + (int)(1.499 * (rnd(seed) + 1));
}

static void web_open(web *w, uint64_t *seed)
{
    int n_links = 0;
    ph_error err = {0};
    for (int i = 0; i < NODES; i++) {
        w->node[i] = (ph_node){.group = PH_RN, .n = one_to_three(seed), .name = "x"};
        w->pair[i] = (ph_place){i, i};
    }
    for (int c = 0; c < JOINTS; c++) {
        int from = (int)(2.499 * (rnd(seed) + 1)), many = rnd(seed) > 0.4 ? 3 : 2;
        w->joint[c] = (ph_constraint){.rows = one_to_three(seed), .name = "c"};
        for (int k = 0; k < many; k++)
            w->link[n_links++] = (ph_place){c, (from + k * (1 + c % 2)) % NODES};
    }
    w->sys = (ph_system){
        .name = "rows", .n_nodes = NODES, .nodes = w->node, .n_constraints = JOINTS, .constraints = w->joint};
    w->sys.n_pairs = NODES, w->sys.pairs = w->pair, w->sys.n_links = n_links, w->sys.links = w->link;
    w->sys.M = w->sys.g = w->sys.Phi = w->sys.B = never;
    if (ph_skeleton_create(&w->skeleton, &w->sys, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
}

/* Numbers -1, 0, 1, and masses of any size or of zero. */
static void web_fill(web *w, uint64_t *seed, int massless)
{
    const ph_layout *lay = &w->skeleton->lay;
    for (int i = 0; i < NODES; i++) {
        const ph_block *m = &lay->pair[lay->diag[i]];
        for (int k = 0; k < m->n * m->n; k++)
            w->M[m->at + k] = k % (m->n + 1) || (massless && k) ? 0 : exp2(round(10 * rnd(seed)));
    }
    memset(w->A, 0, sizeof w->A);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        for (int k = 0; k < b->m * b->n; k++) {
            long x = lround(1.4 * rnd(seed));
            w->B[b->at + k] = (double)x;
            w->A[(b->row_at + k / b->n) * lay->nv + b->col_at + k % b->n] = x;
        }
}

/* The rank by elimination modulo a prime that is larger than any minor would need. */
static int rank_of(int rows, int cols, const long *given)
{
    const long prime = 1000003;
    long A[ROWS * COLS];
    int rank = 0;
    for (int i = 0; i < rows * cols; i++)
        A[i] = (given[i] + prime) % prime;
    for (int j = 0; j < cols && rank < rows; j++) {
        int at = rank;
        while (at < rows && !A[at * cols + j])
            at++;
        if (at == rows)
            continue;
        for (int k = 0; k < cols; k++) {
            long x = A[at * cols + k];
            A[at * cols + k] = A[rank * cols + k], A[rank * cols + k] = x;
        }
        for (int i = rank + 1; i < rows; i++)
            for (int k = cols - 1; k >= j; k--)
                A[i * cols + k] =
                    (A[i * cols + k] * A[rank * cols + j] + (prime - A[rank * cols + k]) * A[i * cols + j]) %
                    prime;
        rank++;
    }
    return rank;
}

/* As many rows depend on others as the rank says, and those that do not have all of it. */
static void rows_of_small_numbers(void **state)
{
    (void)state;
    uint64_t seed = 21;
    int found = 0;
    for (int trial = 0; trial < 1000; trial++) {
        web w;
        unsigned char dependent[ROWS + 1];
        long kept[ROWS * COLS];
        web_open(&w, &seed);
        web_fill(&w, &seed, trial % 3 == 0);
        const ph_layout *lay = &w.skeleton->lay;
        dependent[lay->nl] = 7;
        assert_int_equal(ph_rank_rows(lay, w.B, w.M, 1e-9, NULL, dependent), PH_OK);
        int rows = 0, rank = rank_of(lay->nl, lay->nv, w.A);
        for (int i = 0; i < lay->nl; i++)
            if (!dependent[i])
                memcpy(kept + rows++ * lay->nv, w.A + i * lay->nv, sizeof(long) * (size_t)lay->nv);
        if (rows != rank || rank_of(rows, lay->nv, kept) != rank)
            fail_msg("trial %d: %d rows of %d are kept, the rank is %d", trial, rows, lay->nl, rank);
        assert_int_equal(dependent[lay->nl], 7);
        found += lay->nl - rank;
        ph_skeleton_release(w.skeleton);
    }
    assert_true(found > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_small_numbers), cmocka_unit_test(many_loops),
        cmocka_unit_test(units_cancel),          cmocka_unit_test(cost_is_linear),
        cmocka_unit_test(least_norm_of_many),    cmocka_unit_test(near_dependence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
