/* The checker: every derivative that a system gives, against central differences at one point.
 *
 * Rows of non-holonomic constraints have no Phi, so their A and b(t) are the definition and are not checked;
 * what follows from them (K, Z, convective) is. */
#include <string.h>

#include "la/small.h"
#include "step/eval.h"

typedef struct checker {
    ph_layout lay;
    ph_eval ev;
    ph_point at;
    double *given, *differenced; /* the derivative at work: as many doubles as the largest has */
} checker;

static void take(checker *c, ph_arena *a)
{
    int n = c->lay.size_pairs > c->lay.size_links ? c->lay.size_pairs : c->lay.size_links;
    if (n < c->lay.nv + 2 * c->lay.nl)
        n = c->lay.nv + 2 * c->lay.nl;
    ph_layout_take(&c->lay, a);
    c->ev.differenced = 1;
    ph_eval_take(&c->ev, &c->lay, a);
    ph_point_take(&c->at, &c->lay, a);
    c->given = ph_arena_take(a, (size_t)n, sizeof(double));
    c->differenced = ph_arena_take(a, (size_t)n, sizeof(double));
}

/* One block m x n of the derivative at work; NaN is the worst of all. */
static void compare(const checker *c, const char *what, int row, int col, int m, int n, int at,
                    ph_check *worst)
{
    const double *given = c->given + at, *differenced = c->differenced + at;
    double scale = fmax(1, ph_small_max(m * n, differenced));
    for (int k = 0; k < m * n && !isnan(worst->error); k++) {
        double error = fabs(given[k] - differenced[k]) / scale;
        if (!(error <= worst->error))
            *worst = (ph_check){error, what, row, col, k / n, k % n, given[k], differenced[k]};
    }
}

static void compare_pairs(const checker *c, const char *what, ph_check *worst)
{
    for (const ph_block *b = c->lay.pair, *end = b + c->lay.n_pairs; b < end; b++) {
        if (what[0] == 'C' && !(b->has & PH_HAS_C)) /* steps do not read it */
            memset(c->given + b->at, 0, sizeof(double) * (size_t)(b->m * b->n));
        for (int k = 3; k < 6 && b->has & PH_UPPER; k++) /* nor this */
            memset(c->given + b->at + 6 * k, 0, 3 * sizeof(double));
        compare(c, what, b->row, b->col, b->m, b->n, b->at, worst);
    }
}

static void compare_rows(const checker *c, const char *what, int holonomic_only, ph_check *worst)
{
    for (int i = 0; i < c->lay.C; i++)
        if (!(holonomic_only && c->lay.sys->constraints[i].nonholonomic))
            compare(c, what, i, -1, c->lay.rows[i], 1, c->lay.l_at[i], worst);
}

typedef enum shape { NODES, PAIRS, LINKS, LINKS_TRANSPOSED, LINKS_HOLONOMIC, ROWS, ROWS_HOLONOMIC } shape;

static void compare_all(const checker *c, const char *what, shape s, ph_check *worst)
{
    if (s == PAIRS)
        compare_pairs(c, what, worst);
    else if (s == NODES)
        for (int i = 0; i < c->lay.N; i++)
            compare(c, what, i, -1, c->lay.slot[i].dim, 1, c->lay.v_at[i], worst);
    else if (s == ROWS || s == ROWS_HOLONOMIC)
        compare_rows(c, what, s == ROWS_HOLONOMIC, worst);
    else
        for (const ph_block *b = c->lay.link, *end = b + c->lay.n_links; b < end; b++) {
            int turned = s == LINKS_TRANSPOSED;
            if (s == LINKS_HOLONOMIC && c->lay.sys->constraints[b->row].nonholonomic)
                continue;
            compare(c, what, b->row, b->col, turned ? b->n : b->m, turned ? b->m : b->n, b->at, worst);
        }
}

/* Difference one derivative; the residuals of the point are evaluated already. */
static ph_status difference(checker *c, const char *what, const ph_state *s)
{
    ph_eval *ev = &c->ev;
    double *out = c->differenced;
    switch (what[0]) {
    case 'B':
        return ph_eval_difference_q(ev, s, NULL, NULL, out);
    case 'K':
        return ph_eval_difference_q(ev, s, out, NULL, NULL);
    case 'Z':
        return ph_eval_difference_q(ev, s, NULL, out, NULL);
    case 'C':
        return ph_eval_difference_v(ev, s, out);
    case 'g':
        return ph_eval_difference_lambda(ev, s, out);
    case 'P':
        return ph_eval_difference_t(ev, s, out);
    default:
        return ph_eval_difference_motion(ev, s, out);
    }
}

/* r, Phi and rate, one after the other: by products, and from the blocks. */
static ph_status check_products(checker *c, const ph_state *s, ph_check *worst, ph_error *err)
{
    const ph_layout *lay = &c->lay;
    const ph_system *sys = lay->sys;
    int Phi = lay->nv, rate = Phi + lay->nl;
    size_t size = sizeof(double) * (size_t)(rate + lay->nl);
    memset(c->given, 0, size), memset(c->differenced, 0, size);
    if (lay->C && ph_eval_links(&c->ev, s, c->ev.B) != PH_OK)
        return ph_fail(err, PH_E_CALLBACK, "the callback B refused");
    if (ph_eval_block_products(&c->ev, s, c->differenced, sys->Phi ? c->differenced + Phi : NULL,
                               c->differenced + rate) != PH_OK)
        return ph_fail(err, PH_E_CALLBACK, "the callback %s refused", c->ev.refused);
    if (lay->products(s, c->given, sys->Phi ? c->given + Phi : NULL, c->given + rate, sys->ctx) != PH_OK)
        return ph_fail(err, PH_E_CALLBACK, "the callback products refused");
    for (int i = 0; i < lay->N; i++)
        compare(c, "products", i, -1, lay->slot[i].dim, 1, lay->v_at[i], worst);
    for (int i = 0; i < lay->C; i++)
        for (int k = 0; k < 2; k++)
            compare(c, "products", i, -1, lay->rows[i], 1, (k ? rate : Phi) + lay->l_at[i], worst);
    return PH_OK;
}

/* What came at once, next to what its callback gives. */
typedef struct part {
    const char *name;
    ph_callback alone;
    const double *at_once;
    shape shape;
    int size;
} part;

static ph_status check_parts(checker *c, const ph_state *s, const char *what, const part *p, int count,
                             ph_check *worst, ph_error *err)
{
    for (const part *end = p + count; p < end; p++) {
        size_t size = sizeof(double) * (size_t)p->size;
        memset(c->differenced, 0, size), memcpy(c->given, p->at_once, size);
        if (p->alone(s, c->differenced, c->lay.sys->ctx) != PH_OK)
            return ph_fail(err, PH_E_CALLBACK, "the callback %s refused", p->name);
        compare_all(c, what, p->shape, worst);
    }
    return PH_OK;
}

static ph_status check_tangents(checker *c, const ph_state *s, ph_check *worst, ph_error *err)
{
    const ph_layout *lay = &c->lay;
    const ph_system *sys = lay->sys;
    ph_eval *ev = &c->ev;
    const part all[] = {{"g", sys->g, ev->g, NODES, lay->nv},
                        {"C", sys->C, ev->C, PAIRS, lay->size_pairs},
                        {"K", sys->K, ev->K, PAIRS, lay->size_pairs}};
    if (lay->tangents(s, ev->g, ev->C, ev->K, sys->ctx) != PH_OK)
        return ph_fail(err, PH_E_CALLBACK, "the callback tangents refused");
    return check_parts(c, s, "tangents", all, 3, worst, err);
}

static ph_status check_positions(checker *c, const ph_state *s, ph_check *worst, ph_error *err)
{
    const ph_layout *lay = &c->lay;
    const ph_system *sys = lay->sys;
    ph_eval *ev = &c->ev;
    const part all[] = {{"Phi", sys->Phi, ev->Phi, ROWS_HOLONOMIC, lay->nl},
                        {"B", sys->B, ev->B, LINKS, lay->size_links}};
    if (lay->positions(s, ev->Phi, ev->B, sys->ctx) != PH_OK)
        return ph_fail(err, PH_E_CALLBACK, "the callback positions refused");
    return check_parts(c, s, "positions", all, 2, worst, err);
}

static ph_status check_all(checker *c, ph_check *worst, ph_error *err)
{
    const ph_system *sys = c->lay.sys;
    ph_state s = ph_point_view(&c->at, &c->lay);
    int constrained = c->lay.C > 0;
    const struct {
        ph_callback f;
        const char *what;
        shape shape;
        int size;
    } row[] = {{constrained && sys->Phi ? sys->B : NULL, "B", LINKS_HOLONOMIC, c->lay.size_links},
               {sys->C, "C", PAIRS, c->lay.size_pairs},
               {sys->K, "K", PAIRS, c->lay.size_pairs},
               {constrained ? sys->Z : NULL, "Z", LINKS, c->lay.size_links},
               {constrained ? sys->g_lambda : NULL, "g_lambda", LINKS_TRANSPOSED, c->lay.size_links},
               {constrained && sys->Phi ? sys->Phi_t : NULL, "Phi_t", ROWS_HOLONOMIC, c->lay.nl},
               {constrained ? sys->convective : NULL, "convective", ROWS, c->lay.nl}};
    *worst = (ph_check){.what = "nothing", .row = -1, .col = -1};
    if (ph_eval_mass(&c->ev, &s) != PH_OK)
        return ph_fail(err, PH_E_CALLBACK, "the callback M refused");
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        if (!row[k].f)
            continue;
        memset(c->given, 0, sizeof(double) * (size_t)row[k].size);
        if (row[k].f(&s, c->given, sys->ctx) != PH_OK)
            return ph_fail(err, PH_E_CALLBACK, "the callback %s refused", row[k].what);
        if (difference(c, row[k].what, &s) != PH_OK)
            return ph_fail(err, PH_E_CALLBACK, "the callback %s refused", c->ev.refused);
        compare_all(c, row[k].what, row[k].shape, worst);
    }
    ph_status status = c->lay.products ? check_products(c, &s, worst, err) : PH_OK;
    if (status == PH_OK && c->lay.tangents)
        status = check_tangents(c, &s, worst, err);
    return status == PH_OK && c->lay.positions ? check_positions(c, &s, worst, err) : status;
}

ph_status ph_system_check(const ph_system *sys, double t, const double *q, const double *v,
                          const double *vdot, const double *lambda, ph_check *worst, ph_error *err)
{
    checker c = {0};
    ph_arena a = {0};
    ph_status s = ph_layout_measure(&c.lay, sys, err);
    if (s != PH_OK)
        return s;
    take(&c, &a);
    if (!ph_arena_open(&a, NULL))
        return ph_fail(err, PH_E_MEMORY, "not enough memory to check the system");
    take(&c, &a);
    s = ph_layout_fill(&c.lay, err);
    if (s == PH_OK)
        s = ph_layout_check(&c.lay, t, q, v, err);
    if (s == PH_OK) {
        size_t d = sizeof(double), nv = (size_t)c.lay.nv;
        ph_eval_prepare(&c.ev);
        c.at.t = t;
        memcpy(c.at.q, q, d * (size_t)c.lay.nq);
        memcpy(c.at.v, v, d * nv);
        memcpy(c.at.vdot, vdot, d * nv);
        if (c.lay.nl) /* lambda may be NULL where there is none */
            memcpy(c.at.lambda, lambda, d * (size_t)c.lay.nl);
        ph_point_rotations(&c.at, &c.lay);
        s = check_all(&c, worst, err);
    }
    ph_free(NULL, a.block);
    return s;
}
