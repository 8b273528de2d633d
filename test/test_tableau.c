/* Tableaux: order conditions of every row for all rooted trees, names and aliases. */
#include "method/tableau.h"

#include <float.h>

#include "check.h"
#include "polhode/sim.h"

/* ---- rooted trees ------------------------------------------------------------------------------- */

#define ORDER_MAX 9
#define TREES_MAX 1000 /* there are 486 up to order 9 */

/* A tree is a first subtree grafted to the root of a rest: t = rest o first. Both have fewer vertices. */
typedef struct tree {
    int order;
    int rest, first; /* -1: the single vertex */
    double density;  /* gamma(t) = order times the product of those of the subtrees */
    int same;        /* subtrees of the root that equal the first */
    double symmetry; /* sigma(t): product of those of the subtrees and of the factorials of same */
} tree;

typedef struct forest {
    int n, begin[ORDER_MAX + 2]; /* trees of order p are begin[p] .. begin[p + 1] - 1 */
    tree t[TREES_MAX];
} forest;

/* Each once: the subtrees of a root are grafted in the order of their numbers, the largest last. */
static void grow(forest *f)
{
    f->n = 0;
    f->begin[1] = 0;
    f->t[f->n++] = (tree){1, -1, -1, 1, 0, 1};
    for (int p = 2; p <= ORDER_MAX; p++) {
        f->begin[p] = f->n;
        for (int first = 0; first < f->begin[p]; first++)
            for (int rest = 0; rest < f->begin[p]; rest++) {
                const tree *a = &f->t[first], *r = &f->t[rest];
                if (a->order + r->order != p || (r->first >= 0 && r->first > first))
                    continue;
                assert_true(f->n < TREES_MAX);
                double subtrees = r->density / r->order * a->density;
                int equal = r->first == first ? r->same + 1 : 1;
                f->t[f->n++] = (tree){p, rest, first, p * subtrees, equal, r->symmetry * a->symmetry * equal};
            }
    }
    f->begin[ORDER_MAX + 1] = f->n;
}

/* Elementary weights of the stages: phi_i of a tree is phi_i(rest) sum_j a_ij phi_j(first). The size of the
 * terms, that is the same with absolute values, tells what round-off may do. */
typedef struct weights {
    double phi[TREES_MAX][PH_STAGES_MAX], size[TREES_MAX][PH_STAGES_MAX];
} weights;

static void weigh(const forest *f, const ph_tableau *tab, weights *w)
{
    for (int t = 0; t < f->n; t++)
        for (int i = 0; i < tab->s; i++) {
            double sum = 0, size = 0;
            for (int j = 0; f->t[t].first >= 0 && j < tab->s; j++) {
                sum += tab->A[i][j] * w->phi[f->t[t].first][j];
                size += fabs(tab->A[i][j]) * w->size[f->t[t].first][j];
            }
            w->phi[t][i] = f->t[t].first < 0 ? 1 : w->phi[f->t[t].rest][i] * sum;
            w->size[t][i] = f->t[t].first < 0 ? 1 : w->size[f->t[t].rest][i] * size;
        }
}

/* Largest defect of sum_i b_i phi_i = 1/gamma over the trees of an order; *round: what round-off may do. */
static double defect(const forest *f, const weights *w, int s, const double *b, int order, double *round)
{
    double worst = 0;
    *round = 0;
    for (int t = f->begin[order]; t < f->begin[order + 1]; t++) {
        double sum = 0, size = 0;
        for (int i = 0; i < s; i++)
            sum += b[i] * w->phi[t][i], size += fabs(b[i]) * w->size[t][i];
        double d = fabs(sum - 1 / f->t[t].density);
        if (!(d <= worst))
            worst = d;
        *round = fmax(*round, 4 * order * DBL_EPSILON * size);
    }
    return worst;
}

static void trees_are_counted(void **state)
{
    (void)state;
    static const int known[] = {0, 1, 1, 2, 4, 9, 20, 48, 115, 286};
    forest *f = malloc(sizeof *f);
    assert_non_null(f);
    grow(f);
    for (int p = 1; p <= ORDER_MAX; p++)
        assert_int_equal(f->begin[p + 1] - f->begin[p], known[p]);
    free(f);
}

/* The order of a row and of its second weights is what it says, no less and no more. */
static void orders_hold(void **state)
{
    (void)state;
    forest *f = malloc(sizeof *f);
    weights *w = malloc(sizeof *w);
    assert_true(f && w);
    grow(f);
    for (int k = 0; ph_tableau_name(k); k++) {
        ph_tableau tab;
        assert_int_equal(ph_tableau_get(ph_tableau_name(k), &tab, NULL), PH_OK);
        weigh(f, &tab, w);
        for (int second = 0; second < 1 + (tab.embedded > 0); second++) {
            double b[PH_STAGES_MAX], round, worst;
            int order = second ? tab.embedded : tab.order;
            for (int i = 0; i < tab.s; i++)
                b[i] = second ? tab.b[i] - tab.e[i] : tab.b[i];
            for (int p = 1; p <= order && p <= ORDER_MAX; p++) {
                worst = defect(f, w, tab.s, b, p, &round);
                check_le(worst, round); /* round-off: of the terms that cancel */
            }
            if (order >= ORDER_MAX)
                continue;
            worst = defect(f, w, tab.s, b, order + 1, &round);
            if (!(worst > 1e-7)) /* ordering: far above round-off, 1e-13 */
                fail_msg("%s: order %d is satisfied too, to %g", tab.name, order + 1, worst);
        }
    }
    free(f), free(w);
}

/* Principal error: the norm over all trees of order p of (sum_i b_i phi_i - 1/gamma)/sigma. */
static double principal(const forest *f, const weights *w, int s, const double *b, int p)
{
    double sum = 0;
    for (int t = f->begin[p]; t < f->begin[p + 1]; t++) {
        double e = -1 / f->t[t].density;
        for (int i = 0; i < s; i++)
            e += b[i] * w->phi[t][i];
        sum += e * e / (f->t[t].symmetry * f->t[t].symmetry);
    }
    return sqrt(sum);
}

static void gains_hold(void **state)
{
    (void)state;
    forest *f = malloc(sizeof *f);
    weights *w = malloc(sizeof *w);
    assert_true(f && w);
    grow(f);
    for (int k = 0; ph_tableau_name(k); k++) {
        ph_tableau t;
        double second[PH_STAGES_MAX];
        assert_int_equal(ph_tableau_get(ph_tableau_name(k), &t, NULL), PH_OK);
        assert_true((t.gain > 0) == (t.embedded > 0));
        if (!t.embedded)
            continue;
        weigh(f, &t, w);
        for (int i = 0; i < t.s; i++)
            second[i] = t.b[i] - t.e[i];
        double b = principal(f, w, t.s, t.b, t.order + 1);
        if (!strcmp(t.name, "dopri5"))
            check_near(b, 3.99e-4, 1e-6); /* reference: Dormand and Prince's own number */
        check_near(t.gain, b / principal(f, w, t.s, second, t.embedded + 1), 1e-5); /* digits of the row */
    }
    free(f), free(w);
}

/* B(p): sum b_i c_i^(k-1) = 1/k, k <= p. C(q): sum_j a_ij c_j^(k-1) = c_i^k/k. D(r): sum_i b_i c_i^(k-1)
 * a_ij = b_j (1 - c_j^k)/k. With B(2 s), C(s), D(s) the order is 2 s. (K5) */
static void gauss_simplifies(void **state)
{
    (void)state;
    static const char *const names[] = {"midpoint", "gauss2", "gauss3", "gauss4", "gauss5", "gauss6"};
    for (int n = 0; n < 6; n++) {
        ph_tableau t;
        assert_int_equal(ph_tableau_get(names[n], &t, NULL), PH_OK);
        int s = t.s;
        assert_true(s == n + 1 && t.order == 2 * s);
        for (int k = 1; k <= 2 * s + 1; k++) {
            double B = -1.0 / k;
            for (int i = 0; i < s; i++)
                B += t.b[i] * pow(t.c[i], k - 1);
            if (k <= 2 * s)
                check_le(fabs(B), 1e-16 * s); /* round-off */
            else
                assert_true(fabs(B) > 1e-9); /* ordering: (s!)^4/((2 s)!^2 (2 s + 1)), 9e-8 for s = 6 */
        }
        for (int k = 1; k <= s; k++)
            for (int i = 0; i < s; i++) {
                double C = -pow(t.c[i], k) / k, D = -t.b[i] * (1 - pow(t.c[i], k)) / k;
                for (int j = 0; j < s; j++) {
                    C += t.A[i][j] * pow(t.c[j], k - 1);
                    D += t.b[j] * pow(t.c[j], k - 1) * t.A[j][i];
                }
                check_le(fabs(C), 4e-16); /* round-off */
                check_le(fabs(D), 4e-16);
            }
    }
}

/* Row sums, the shape of A, and zeros past the stages. */
static void shapes_hold(void **state)
{
    (void)state;
    for (int k = 0; ph_tableau_name(k); k++) {
        ph_tableau t;
        assert_int_equal(ph_tableau_get(ph_tableau_name(k), &t, NULL), PH_OK);
        assert_true(t.s >= 1 && t.s <= PH_STAGES_MAX);
        for (int i = 0; i < PH_STAGES_MAX; i++) {
            double sum = 0, size = 0;
            for (int j = 0; j < PH_STAGES_MAX; j++) {
                sum += t.A[i][j], size += fabs(t.A[i][j]);
                if (i >= t.s || j >= t.s || (t.kind != PH_STAGES_FULL && j > i) ||
                    (t.kind == PH_STAGES_EXPLICIT && j == i))
                    assert_true(t.A[i][j] == 0);
            }
            check_near(sum, t.c[i], 4 * DBL_EPSILON * (1 + size)); /* round-off */
        }
    }
}

/* ---- names -------------------------------------------------------------------------------------- */

static void names_are_found(void **state)
{
    (void)state;
    static const char *const same[][2] = {{"dp5", "dopri5"},
                                          {"DormandPrince", "dopri5"},
                                          {"Dormand-Prince 5", "dopri5"},
                                          {"RadauIIA-3", "radau3"},
                                          {"radau_iia_2", "radau2"},
                                          {"Gauss-2", "gauss2"},
                                          {"GAUSS 6", "gauss6"},
                                          {"RK4", "rk4"},
                                          {"implicit-midpoint", "midpoint"},
                                          {"gauss1", "midpoint"},
                                          {"Lobatto IIIC", "lobatto3c"},
                                          {"backward euler", "implicit_euler"},
                                          {"implicit euler", "implicit_euler"},
                                          {"Euler", "euler"},
                                          {"SDIRK-3", "sdirk3"}};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        ph_tableau t;
        assert_int_equal(ph_tableau_get(same[k][0], &t, NULL), PH_OK);
        assert_string_equal(t.name, same[k][1]);
    }
    static const char *const none[] = {"", " ", "rk", "dopri", "gauss22", "gauss", "rk4,", "Heun2, rk2", ","};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        ph_tableau t;
        ph_error err = {0};
        assert_int_equal(ph_tableau_get(none[k], &t, &err), PH_E_INPUT);
        assert_non_null(strstr(err.text, "; there are: euler, heun, "));
        assert_non_null(strstr(err.text, "dopri5"));
        assert_non_null(strstr(err.text, "sdirk3"));
    }
    assert_int_equal(ph_tableau_find(NULL), -1);
    int count = 0;
    for (; ph_tableau_name(count); count++) {
        assert_int_equal(ph_tableau_find(ph_tableau_name(count)), count);
        assert_true(strlen(ph_tableau_text(count)) > 10 && ph_tableau_cite(count));
    }
    for (int k = -1; k <= count; k += count + 1)
        assert_true(!ph_tableau_name(k) && !ph_tableau_text(k) && !ph_tableau_cite(k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_counted), cmocka_unit_test(orders_hold),
        cmocka_unit_test(gauss_simplifies),  cmocka_unit_test(shapes_hold),
        cmocka_unit_test(names_are_found),   cmocka_unit_test(gains_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
