/* Operations of a group on many elements, one after the other. */
#include "polhode/lie.h"

typedef void (*one_fn)(int n, const double *a, double *out);
typedef void (*two_fn)(int n, const double *a, const double *b, double *out);

enum { NONE, ELEMENT, VECTOR, MATRIX };

/* What an operation takes and gives. */
static const struct shape {
    int first, second, result;
} shapes[PH_EACH_COUNT] = {
    [PH_EACH_COMPOSE] = {ELEMENT, ELEMENT, ELEMENT},
    [PH_EACH_INVERSE] = {ELEMENT, NONE, ELEMENT},
    [PH_EACH_EXP] = {VECTOR, NONE, ELEMENT},
    [PH_EACH_LOG] = {ELEMENT, NONE, VECTOR},
    [PH_EACH_T] = {VECTOR, NONE, MATRIX},
    [PH_EACH_TINV] = {VECTOR, NONE, MATRIX},
    [PH_EACH_DT] = {VECTOR, VECTOR, MATRIX},
    [PH_EACH_DTINV] = {VECTOR, VECTOR, MATRIX},
    [PH_EACH_DTT] = {VECTOR, VECTOR, MATRIX},
    [PH_EACH_DTINVT] = {VECTOR, VECTOR, MATRIX},
    [PH_EACH_HAT] = {VECTOR, NONE, MATRIX},
    [PH_EACH_AD] = {ELEMENT, NONE, MATRIX},
};

static one_fn unary(const ph_group_ops *g, ph_group_op op)
{
    const one_fn f[PH_EACH_COUNT] = {
        [PH_EACH_INVERSE] = g->inverse, [PH_EACH_EXP] = g->exp, [PH_EACH_LOG] = g->log, [PH_EACH_T] = g->T,
        [PH_EACH_TINV] = g->Tinv,       [PH_EACH_HAT] = g->hat, [PH_EACH_AD] = g->Ad};
    return f[op];
}

static two_fn binary(const ph_group_ops *g, ph_group_op op)
{
    const two_fn f[PH_EACH_COUNT] = {[PH_EACH_COMPOSE] = g->compose,
                                     [PH_EACH_DT] = g->dT,
                                     [PH_EACH_DTINV] = g->dTinv,
                                     [PH_EACH_DTT] = g->dTt,
                                     [PH_EACH_DTINVT] = g->dTinvt};
    return f[op];
}

static int size_of(ph_group g, int n, int what)
{
    int dim = ph_group_dim(g, n);
    return what == ELEMENT ? ph_group_size(g, n) : what == VECTOR ? dim : what == MATRIX ? dim * dim : 0;
}

ph_status ph_group_sizes(ph_group g, int n, ph_group_op op, int *first, int *second, int *result)
{
    const ph_group_ops *ops = ph_group_get(g);
    if (!ops || (unsigned)op >= PH_EACH_COUNT || (ops->dim == 0 && n < 1))
        return PH_E_INPUT;
    *first = size_of(g, n, shapes[op].first);
    *second = size_of(g, n, shapes[op].second);
    *result = size_of(g, n, shapes[op].result);
    return PH_OK;
}

ph_status ph_group_each(ph_group g, int n, ph_group_op op, long count, const double *a, const double *b,
                        double *out)
{
    int first, second, result;
    ph_status s = ph_group_sizes(g, n, op, &first, &second, &result);
    if (s != PH_OK || (second != 0) != (b != NULL))
        return PH_E_INPUT;
    one_fn one = second ? NULL : unary(ph_group_get(g), op);
    two_fn two = second ? binary(ph_group_get(g), op) : NULL;
    for (long k = 0; k < count; k++, a += first, out += result) {
        if (one)
            one(n, a, out);
        else
            two(n, a, b + k * second, out);
    }
    return PH_OK;
}
