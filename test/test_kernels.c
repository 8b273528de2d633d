/* Kernels against plain loops, and block LU, with vectors and with scalars: the same bits. The library has the
 * vectors where the machine does; the scalars are compiled here, under other names. */
#include "check.h"
#include "block_cases.h"

/* The kernels by their signatures. */
typedef void product_fn(int m, int n, int p, double *restrict C, const double *L, const double *U);
typedef void rest(int m, int n, int p, double *C, const double *A, const double *L, const double *U);
typedef void pivot_rest(int n, int p, double *restrict D, double *restrict M, const double *L,
                        const double *U);
typedef void apply(int m, int n, double *restrict y, const double *A, const double *restrict x);
typedef void square(int n, double *restrict y, const double *A, const double *restrict x);
typedef void transposing(int m, int n, double *restrict B, const double *restrict A);
typedef void copying(int n, double *restrict y, const double *restrict x);
typedef double norming(int n, const double *a);

extern product_fn ph_block_mul, ph_block_mul_add;
extern rest ph_block_rest;
extern pivot_rest ph_block_pivot_rest;
extern apply ph_block_apply_add, ph_block_apply_sub, ph_block_tapply_add, ph_block_tapply_sub;
extern square ph_block_apply, ph_block_tapply;
extern transposing ph_block_transpose;
extern copying ph_block_copy;
extern norming ph_block_norm;

typedef struct kernels {
    product_fn *mul, *mul_add;
    rest *rest;
    pivot_rest *pivot_rest;
    apply *apply_add, *apply_sub, *tapply_add, *tapply_sub;
    square *apply, *tapply;
    transposing *transpose;
    copying *copy;
    norming *norm;
} kernels;

#define KERNELS                                                                                              \
    {                                                                                                        \
        ph_block_mul, ph_block_mul_add, ph_block_rest, ph_block_pivot_rest, ph_block_apply_add,              \
            ph_block_apply_sub, ph_block_tapply_add, ph_block_tapply_sub, ph_block_apply, ph_block_tapply,   \
            ph_block_transpose, ph_block_copy, ph_block_norm                                                 \
    }

static const kernels vector = KERNELS;

#define PH_SCALAR_KERNELS
#define ph_block_ops            scalar_block_ops
#define ph_block_mul            scalar_block_mul
#define ph_block_mul_add        scalar_block_mul_add
#define ph_block_rest           scalar_block_rest
#define ph_block_pivot_rest     scalar_block_pivot_rest
#define ph_block_norm           scalar_block_norm
#define ph_block_apply          scalar_block_apply
#define ph_block_apply_add      scalar_block_apply_add
#define ph_block_tapply_add     scalar_block_tapply_add
#define ph_block_transpose      scalar_block_transpose
#define ph_block_copy           scalar_block_copy
#define ph_block_apply_sub      scalar_block_apply_sub
#define ph_block_tapply         scalar_block_tapply
#define ph_block_tapply_sub     scalar_block_tapply_sub
#define ph_block_invert_pivoted scalar_block_invert_pivoted
#include "../src/la/kernels.c"
#include "../src/la/block.c"

static const kernels scalar = KERNELS;

/* Room of exactly n numbers, so that the sanitizer sees who reads beyond. */
static double *numbers(int n, unsigned *seed)
{
    double *a = malloc(sizeof(double) * (size_t)n);
    assert_non_null(a);
    for (int i = 0; i < n; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        a[i] = (double)*seed / 4294967296.0 - 0.5;
    }
    return a;
}

static double *copy_of(int n, const double *a)
{
    double *b = malloc(sizeof(double) * (size_t)n);
    assert_non_null(b);
    memcpy(b, a, sizeof(double) * (size_t)n);
    return b;
}

static void check_same(int n, const double *a, const double *b)
{
    assert_memory_equal(a, b, sizeof(double) * (size_t)n); /* exact */
}

/* What a kernel did to C, next to what loops did to it: t is the product, from left to right. */
enum { SET, ADD, SUBTRACT };

static double *expected(int m, int n, int p, int how, const double *A, const double *L, const double *U)
{
    double *C = copy_of(m * n, A);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double t = L[i * p] * U[j];
            for (int k = 1; k < p; k++)
                t += L[i * p + k] * U[k * n + j];
            C[i * n + j] = how == SET ? t : how == ADD ? A[i * n + j] + t : A[i * n + j] - t;
        }
    return C;
}

static void check_and_free(int n, double *got, double *want)
{
    check_same(n, got, want);
    free(got);
    free(want);
}

static void check_products(const kernels *k, int m, int n, int p)
{
    unsigned seed = (unsigned)(100 * m + 10 * n + p);
    double *A = numbers(m * n, &seed), *L = numbers(m * p, &seed), *U = numbers(p * n, &seed), *C;
    C = copy_of(m * n, A);
    k->mul(m, n, p, C, L, U);
    check_and_free(m * n, C, expected(m, n, p, SET, A, L, U));
    C = copy_of(m * n, A);
    k->mul_add(m, n, p, C, L, U);
    check_and_free(m * n, C, expected(m, n, p, ADD, A, L, U));
    C = numbers(m * n, &seed);
    k->rest(m, n, p, C, A, L, U);
    check_and_free(m * n, C, expected(m, n, p, SUBTRACT, A, L, U));
    C = copy_of(m * n, A);
    k->rest(m, n, p, C, C, L, U);
    check_and_free(m * n, C, expected(m, n, p, SUBTRACT, A, L, U));
    if (m == n) {
        double *M = numbers(m * n, &seed), *size = copy_of(m * n, M), *t = expected(m, n, p, SET, A, L, U);
        for (int i = 0; i < m * n; i++)
            size[i] += fabs(t[i]);
        C = copy_of(m * n, A);
        k->pivot_rest(n, p, C, M, L, U);
        check_and_free(m * n, C, expected(m, n, p, SUBTRACT, A, L, U));
        check_and_free(m * n, M, size);
        free(t);
    }
    free(A), free(L), free(U);
}

/* A vector is a matrix of one column; A^T is what ph_block_transpose would make. */
static void check_vectors(const kernels *k, int m, int n)
{
    unsigned seed = (unsigned)(10 * m + n);
    double *A = numbers(m * n, &seed), *x = numbers(n, &seed), *z = numbers(m, &seed), *y;
    double *At = numbers(m * n, &seed);
    k->transpose(m, n, At, A);
    for (int i = 0; i < m * n; i++)
        assert_true(At[i % n * m + i / n] == A[i]); /* exact */
    y = copy_of(m, z);
    k->apply_add(m, n, y, A, x);
    check_and_free(m, y, expected(m, 1, n, ADD, z, A, x));
    y = copy_of(m, z);
    k->apply_sub(m, n, y, A, x);
    check_and_free(m, y, expected(m, 1, n, SUBTRACT, z, A, x));
    y = copy_of(n, x);
    k->tapply_add(m, n, y, A, z);
    check_and_free(n, y, expected(n, 1, m, ADD, x, At, z));
    y = copy_of(n, x);
    k->tapply_sub(m, n, y, A, z);
    check_and_free(n, y, expected(n, 1, m, SUBTRACT, x, At, z));
    if (m == n) {
        y = numbers(n, &seed);
        k->apply(n, y, A, x);
        check_and_free(n, y, expected(n, 1, n, SET, x, A, x));
        y = numbers(n, &seed);
        k->tapply(n, y, A, x);
        check_and_free(n, y, expected(n, 1, n, SET, x, At, x));
        k->copy(n, z, x);
        check_same(n, z, x);
    }
    free(A), free(At), free(x), free(z);
}

/* Every size that is a constant in the kernels, and one beyond. */
static void test_products(void **state)
{
    (void)state;
    for (int m = 1; m <= 7; m++)
        for (int n = 1; n <= 7; n++) {
            check_vectors(&vector, m, n);
            check_vectors(&scalar, m, n);
            for (int p = 1; p <= 7; p++) {
                check_products(&vector, m, n, p);
                check_products(&scalar, m, n, p);
            }
        }
}

static void test_norm(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int n = 1; n <= 49; n++) {
        double *a = numbers(n, &seed), sum = 0;
        for (int i = 0; i < n; i++)
            sum += fabs(a[i]);
        check_le(fabs(vector.norm(n, a) - sum), 4e-16 * n * sum); /* round-off */
        assert_true(vector.norm(n, a) == scalar.norm(n, a));      /* exact */
        a[n / 2] = NAN;
        assert_true(isnan(vector.norm(n, a)) && isnan(scalar.norm(n, a)));
        free(a);
    }
}

static void check_bits(block_case c)
{
    ph_graph g = case_graph(&c);
    ph_solver *s;
    size_t n = (size_t)c.total;
    double *b = malloc(5 * n * sizeof(double)), *x = b + n;
    assert_non_null(b);
    for (int i = 0; i < c.total; i++)
        b[i] = case_rnd(&c);
    assert_int_equal(ph_solver_analyse(&s, PH_BLOCK, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
    double growth = ph_solver_get_info(s).growth;
    assert_int_equal(ph_solver_solve(s, b, x), PH_OK);
    assert_int_equal(ph_solver_solve_transposed(s, b, x + n), PH_OK);
    assert_int_equal(scalar_block_ops.factor(s, c.value), PH_OK);
    assert_int_equal(scalar_block_ops.solve(s, b, x + 2 * n, 0), PH_OK);
    assert_int_equal(scalar_block_ops.solve(s, b, x + 3 * n, 1), PH_OK);
    assert_true(ph_solver_get_info(s).growth == growth);       /* exact */
    assert_memory_equal(x, x + 2 * n, 2 * n * sizeof(double)); /* exact */
    ph_solver_destroy(s);
    free(b);
    case_free(&c);
}

static void test_bits(void **state)
{
    (void)state;
    static const int sizes[] = {3, 1, 6, 3, 5, 2, 7, 4};
    for (int ggl = 0; ggl < 2; ggl++) {
        check_bits(case_chain(50, ggl));
        check_bits(case_hinges(50, ggl));
        check_bits(case_upper(20, 3, ggl));
        check_bits(case_upper(20, 5, ggl));
    }
    for (int size = 1; size <= 8; size++)
        check_bits(case_lattice(5, 6, size));
    check_bits(case_full(8, sizes));
}

/* T = A^-T and work[2] = A^-1 as block LU finds them; growth in h. A is destroyed. */
PH_INLINE void invert_sized(int n, const ph_block_lu *b, harm *h, double *A, const double *M, double *T)
{
    line D[6], m[6];
    load_lines(n, n, D, A);
    load_lines(n, n, m, M);
    invert_pivot(n, b, h, D, m, T);
}

static void invert_large(int n, const ph_block_lu *b, harm *h, double *A, const double *M, double *T)
{
    h->growth = ph_block_invert_pivoted(n, A, M, T, b->swap);
    ph_block_transpose(n, n, b->work[2], T);
}

/* Inverses of ill-conditioned blocks: each takes the way with row exchanges at some point. */
static void test_ill_conditioned(void **state)
{
    (void)state;
    for (int size = 1; size <= 8; size++)
        for (int k = 0, turn = 0; k < 10; k += turn, turn = !turn) {
            block_case c = case_full(1, &size);
            for (int i = 0; i < size * size; i++)
                if (turn) /* nearly of rank one, first entry small */
                    c.value[i] =
                        (1 + i / size) * (2 + i % size) + pow(10, -k) * c.value[i] - (i == 0 ? 2 : 0);
                else if (i / size < 3 && i % size < 3) /* only the first 3 rows and columns are small */
                    c.value[i] *= pow(10, -k);
            double T[64], M[64], D[64], inverse[64], work[2][64], worst = 0;
            int swap[8];
            ph_block_lu lu = {.work = {work[0], work[1], inverse}, .swap = swap};
            harm h = {0, 0};
            memcpy(D, c.value, sizeof(double) * (size_t)(size * size));
            for (int i = 0; i < size * size; i++)
                M[i] = fabs(D[i]);
            PH_CONSTANT(size, invert_sized, invert_large, &lu, &h, D, M, T);
            for (int i = 0; i < size * size; i++)
                assert_true(inverse[i] == T[i % size * size + i / size]); /* exact */
            for (int i = 0; i < size; i++) /* D^-1 D = I, judged by |D^-1| |D| */
                for (int j = 0; j < size; j++) {
                    double sum = -(i == j), scale = 0;
                    for (int l = 0; l < size; l++) {
                        double product = T[l * size + i] * c.value[l * size + j];
                        sum += product, scale += fabs(product);
                    }
                    worst = !(fabs(sum) <= worst * scale) ? fabs(sum) / scale : worst;
                }
            check_le(worst, 1e-13); /* round-off */
            assert_true(h.growth >= 0.99 * size &&
                        h.growth < INFINITY); /* sum |D^-1| |D| over the diagonal */
            case_free(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_norm),
                                       cmocka_unit_test(test_bits), cmocka_unit_test(test_ill_conditioned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
