/* Every number of every element (numbers.def): sensitivities see the changes that it makes. */
#include <float.h>

#include "mech_cases.h"
#include "mech/numbers.h"
#include "polhode/sens.h"

/* ---- elements at neighbouring values -------------------------------------------------------------- */

enum { AROUND = 4, POINTED = 3 };
static const double place[AROUND] = {-2, -1, 1, 2}, weight[AROUND] = {1 / 12., -8 / 12., 8 / 12., -1 / 12.};

/* An element: a row of a table, friction in a joint, or an actuator. */
typedef enum kind { JOINT, FRICTION, FORCE, ACTUATOR } kind;

typedef struct element {
    kind kind;
    int type, variant;
} element;

typedef struct bench {
    kit k[AROUND];
    double pointed[AROUND][POINTED][36]; /* what records point to */
    fixture at[AROUND];
} bench;

/* Positive numbers for each row; pointers get diagonal matrices whose first three entries are equal, as masses are. */
static void fill(ph_number_list of, void *record, double pointed[POINTED][36], uint64_t *seed)
{
    int used = 0;
    PH_EACH_NUMBER (row, of) {
        double *x = ph_number_at(row, record);
        if (row->type == PH_NUMBER_POINTER) {
            assert_true(used < POINTED);
            x = pointed[used++];
            for (int i = 0; i < 6; i++)
                x[7 * i] = i < 3 ? 2 : 2 + rnd(seed);
            *(const double **)((char *)record + row->at) = x;
            continue;
        }
        for (int i = 0; i < row->n; i++)
            x[i] = 1.5 + rnd(seed);
    }
}

static void make_joint(kit *k, element e, uint64_t *seed)
{
    const ph_joint_row *row = ph_joint_row_of(&(ph_joint_def){.type = e.type});
    int first = e.type == PH_J_ROLLING ? PH_GROUND : 0;
    ph_vec3 at = rnd3(seed), axis = unit3(seed), other = unit3(seed);
    ph_joint_def *j = kit_joint(k, "joint", e.type, first, 1, at, axis);
    j->at_a = rnd3(seed), j->at_b = rnd3(seed);
    j->axis_b = other;
    if (row->keys & PH_KEY_AXIS_B)
        j->axis_b = ph_scale(1 / ph_norm(ph_cross(axis, other)), ph_cross(axis, other));
    j->radius = 0.7, j->frame = ph_qmat(rnd_turn(2, seed)), j->lock = 0x16;
    j->active = j->switched = 1; /* no copies of its points for loops over many such joints */
    j->friction = e.kind == FRICTION ? 0.4 : 0, j->friction_radius = 0.3, j->friction_speed = 1;
}

static void make(kit *k, element e, double pointed[POINTED][36], uint64_t seed)
{
    kit_open(k);
    for (int i = 0; i < 2; i++)
        k->body[kit_random_body(k, i ? "two" : "one", &seed)].R = rnd_turn(0.3, &seed);
    if (e.kind != FORCE)
        make_joint(k, e, &seed);
    if (e.kind == FORCE) {
        ph_force_def *d = kit_force(k, "force", e.type, 0, 1);
        fill(PH_NUMBERS_LAW, d, pointed, &seed);
        d->in_body = e.variant % 2, d->mass_model = e.variant;
        if (e.variant == 3)
            d->M6 = NULL;
    }
    if (e.kind == ACTUATOR) {
        ph_actuator_def *d = kit_actuator(k, "actuator", 0, e.variant ? PH_ABOUT + 2 : -1);
        if (e.variant) { /* a stop is pressed, beyond its width */
            fill(PH_NUMBERS_ACTUATOR, d, pointed, &seed);
            d->stop[0] = d->stop[1] = e.variant == 1 ? 9 : -9;
        } else
            d->k = 2, d->d = 0.3;
    }
}

static void open_bench(bench *b, element e, uint64_t seed)
{
    for (int k = 0; k < AROUND; k++) {
        memset(b->pointed[k], 0, sizeof b->pointed[k]);
        make(&b->k[k], e, b->pointed[k], seed);
        fixture_open(&b->at[k], &b->k[k].m, PH_SPACE_R3XSO3);
    }
}

static void close_bench(bench *b)
{
    for (int k = 0; k < AROUND; k++)
        fixture_close(&b->at[k]);
}

/* The record of a list in one mechanism; NULL if the element has none. */
static void *record_of(fixture *r, ph_number_list of)
{
    ph_mechanism *m = r->mech;
    ph_number_record f[PH_FORCE_RECORDS];
    int n = m->n_forces ? ph_force_records(&m->force[0], f) : 0;
    for (int i = 0; i < n; i++)
        if (f[i].of == of)
            return (void *)f[i].record;
    return of == PH_NUMBERS_BODY                   ? (void *)&m->body[1]
           : of == PH_NUMBERS_JOINT && m->n_joints ? &m->joint[0]
                                                   : NULL;
}

/* ---- sums ------------------------------------------------------------------------------------------ */

/* A point at which beam elements do not turn too far. */
static ph_state scatter(bench *b, uint64_t *seed)
{
    fixture *r = &b->at[0];
    ph_state s;
    do {
        fixture_scatter(r, seed);
        s = fixture_state(r);
    } while (fabs(ph_qmul(ph_quat_conj(ph_kin_of(r->mech, &s, 0).q), ph_kin_of(r->mech, &s, 1).q).w) <
             cos(0.9)); /* 1.8 rad */
    for (int i = 0; i < r->nl; i++)
        r->at.lambda[i] += 2;
    return s;
}

/* Return the largest difference between ph_loads_add and sums of whole systems, and how large these are. */
static double gap(bench *b, const ph_state *s, double *change)
{
    const ph_mechanism *m[AROUND];
    fixture *r = b->at;
    ph_loads *loads;
    ph_error err = {0};
    int nv = r->nv, nl = r->nl, n = nv + 2 * nl;
    double sum[64] = {0}, whole[64] = {0}, size = 1;
    assert_true(n <= 64);
    for (int k = 0; k < AROUND; k++)
        m[k] = b->at[k].mech;
    assert_int_equal(ph_loads_create(&loads, AROUND, m, NULL, &err), PH_OK);
    assert_non_null(loads);
    assert_int_equal(
        ph_loads_add(s, weight, PH_LOADS_PHI | PH_LOADS_RATE, sum, sum + nv, sum + nv + nl, loads), PH_OK);
    ph_loads_destroy(loads);
    for (int k = 0; k < AROUND; k++) {
        fixture_residual(&r[k], s);
        for (int i = 0; i < nv; i++)
            whole[i] += weight[k] * r[k].r[i], size = fmax(size, fabs(r[k].r[i]));
        for (int i = 0; i < nl; i++)
            whole[nv + i] += weight[k] * r[k].Phi[i], whole[nv + nl + i] += weight[k] * r[k].rate[i];
    }
    *change = norm2(whole, n);
    return max_diff(sum, whole, n) / size;
}

#define ROWS 64
static int matters[ROWS]; /* for each row: 1 if an element depends on it */

/* The other entry of a matrix that is symmetric. */
static int mirror(const ph_number_row *row, int i)
{
    int m = row->n == 9 ? 3 : row->n == 36 ? 6 : 0;
    return m ? m * (i % m) + i / m : i;
}

static void add_to(bench *b, const ph_number_row *row, int i, double eps)
{
    for (int k = 0; k < AROUND; k++) {
        double *x = ph_number_at(row, record_of(&b->at[k], row->list));
        x[i] += place[k] * eps;
        if (mirror(row, i) != i)
            x[mirror(row, i)] += place[k] * eps;
    }
}

/* A number of a row goes through neighbouring values. */
static void vary_one(bench *b, element e, const ph_number_row *row, int i, uint64_t *seed)
{
    double change;
    ph_state s = scatter(b, seed);
    add_to(b, row, i, 0x1p-8);
    double worst = gap(b, &s, &change);
    add_to(b, row, i, -0x1p-8);
    int reads = change > 1e-9;
    if (!(worst <= 1e-13) || (reads && row->size == PH_NUMBER_TWIN)) /* round-off of what cancels */
        fail_msg("kind %d, type %d, variant %d: number %d of %s %s: %.2e of %.2e", e.kind, e.type, e.variant,
                 i, row->name, reads && row->size == PH_NUMBER_TWIN ? "is evaluated" : "is not in the sums",
                 worst, change);
    matters[row - ph_number_first(0)] |= reads;
}

static void vary_all(element e, uint64_t *seed)
{
    bench b;
    open_bench(&b, e, *seed);
    for (int of = 0; of < PH_NUMBER_LISTS; of++)
        PH_EACH_NUMBER (row, (ph_number_list)of)
            for (int i = 0; i < row->n && record_of(&b.at[0], row->list); i++)
                if (ph_number_at(row, record_of(&b.at[0], row->list)))
                    vary_one(&b, e, row, i, seed);
    close_bench(&b);
}

/* (W4). Systems with couplings have no sums, and sensors are evaluated in each neighbour. */
static int has_sums(const ph_number_row *row)
{
    return row->list != PH_NUMBERS_COUPLE && row->list != PH_NUMBERS_SENSOR && row->size != PH_NUMBER_TWIN;
}

static void every_number_is_in_the_sums(void **state)
{
    (void)state;
    uint64_t seed = 51;
    for (int type = 0; type < PH_JOINT_COUNT; type++) {
        vary_all((element){JOINT, type, 0}, &seed);
        if (ph_joint_row_of(&(ph_joint_def){.type = type})->op->friction)
            vary_all((element){FRICTION, type, 0}, &seed);
    }
    for (int type = 0; type < PH_FORCE_COUNT; type++)
        for (int variant = 0; variant < 4; variant++)
            vary_all((element){FORCE, type, variant}, &seed);
    vary_all((element){ACTUATOR, PH_J_SPHERICAL, 0}, &seed);
    for (int variant = 1; variant < 3; variant++)
        vary_all((element){ACTUATOR, PH_J_REVOLUTE, variant}, &seed);
    const ph_number_row *first = ph_number_first(0), *end = ph_number_first(PH_NUMBER_LISTS);
    assert_true(end - first <= ROWS);
    for (const ph_number_row *row = first; row < end; row++)
        if (has_sums(row) && !matters[row - first])
            fail_msg("no element depends on %s of list %d", row->name, (int)row->list);
}

/* ---- agreement ---------------------------------------------------------------------------------------- */

static void numbers_agree_up_to_round_off(void **state)
{
    (void)state;
    ph_force_def a = {.k = 2, .d = NAN}, b = a;
    double K6[36] = {1}, other[36] = {1};
    assert_true(ph_numbers_agree(PH_NUMBERS_LAW, &a, &b, 1, 0)); /* NaN in both: not given */
    b.k = 2 * (1 + 4 * DBL_EPSILON);
    assert_true(ph_numbers_agree(PH_NUMBERS_LAW, &a, &b, 1, 0));
    b.k = 2 * (1 + 1e-12);
    assert_false(ph_numbers_agree(PH_NUMBERS_LAW, &a, &b, 1, 0));
    assert_true(ph_numbers_agree(PH_NUMBERS_LAW, &a, &b, 0, 0)); /* it is linear */
    b = a, a.K6 = K6, b.K6 = other;
    assert_true(ph_numbers_agree(PH_NUMBERS_LAW, &a, &b, 1, 0));
    b.K6 = NULL; /* whether there is a matrix is not linear */
    assert_false(ph_numbers_agree(PH_NUMBERS_LAW, &a, &b, 0, 0));
    ph_quat q = {0.6, 0, 0.8, 0}, p = {-0.6, 0, -0.8, 0}, r = {0.6, 0, -0.8, 0};
    assert_true(ph_turns_agree(q, p));
    assert_false(ph_turns_agree(q, r));
    ph_joint x = {.sa = {1, 0, 0}}, y = {.sa = {1 + 1e-12, 0, 0}};
    assert_false(ph_numbers_agree(PH_NUMBERS_JOINT, &x, &y, 0, 0));
    assert_true(ph_numbers_agree(PH_NUMBERS_JOINT, &x, &y, 0, 1e3)); /* points of a large model */
}

static void numbers_that_are_not_given(void **state)
{
    (void)state;
    ph_force_def d = {0};
    ph_numbers_open(PH_NUMBERS_LAW, &d);
    assert_true(isnan(d.k) && isnan(d.length));
    assert_false(ph_numbers_close(PH_NUMBERS_LAW, &d));
    assert_true(d.k == 0 && isnan(d.length)); /* exact; later: as it is initially */
    ph_numbers_open(PH_NUMBERS_LAW, &d);
    d.d3 = ph_v3(0, 0, 0);
    assert_true(ph_numbers_close(PH_NUMBERS_LAW, &d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_number_is_in_the_sums),
                                       cmocka_unit_test(numbers_agree_up_to_round_off),
                                       cmocka_unit_test(numbers_that_are_not_given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
