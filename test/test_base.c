/* Status codes, error records, arenas, and the algebra of 3-vectors, 3x3 matrices and quaternions. */
#include "base/base.h"
#include "base/words.h"
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

/* ---- status and errors -------------------------------------------------------------------------- */

static void statuses_are_described(void **state)
{
    (void)state;
    for (int s = 0; s < PH_STATUS_COUNT; s++) {
        const char *word = ph_status_word((ph_status)s);
        assert_true(strlen(word) > 1 && strlen(ph_status_text((ph_status)s)) > 3);
        for (const char *c = word; *c; c++) /* a word of JSON output */
            assert_true((*c >= 'a' && *c <= 'z') || *c == '_');
        for (int t = 0; t < s; t++)
            assert_string_not_equal(word, ph_status_word((ph_status)t));
    }
    assert_string_equal(ph_status_word(PH_OK), "ok");
    assert_string_equal(ph_status_word(PH_E_NEWTON), "newton_failed");
    assert_string_equal(ph_status_word(PH_STATUS_COUNT), "unknown");
    assert_non_null(strstr(ph_status_text(PH_STATUS_COUNT), "no status"));
    assert_string_equal(ph_version(), PH_VERSION);
}

static void fail_writes_a_sentence(void **state)
{
    (void)state;
    ph_error e = {0};
    assert_int_equal(ph_fail(&e, PH_E_INPUT, "node '%s': %d rows", "top", -2), PH_E_INPUT);
    assert_int_equal(e.status, PH_E_INPUT);
    assert_string_equal(e.text, "node 'top': -2 rows");
    assert_int_equal(ph_fail(NULL, PH_E_NAN, "nobody %s", "listens"), PH_E_NAN);
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    ph_fail(&e, PH_E_MEMORY, "%s", text);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
}

/* ---- arenas ------------------------------------------------------------------------------------- */

/* Memory that begins offset bytes after what malloc gives. */
typedef struct source {
    int refuse;
    size_t offset;
    long live; /* blocks given out and not given back */
} source;

static void *source_alloc(size_t size, void *ctx)
{
    source *s = ctx;
    if (s->refuse)
        return NULL;
    s->live++;
    return (char *)malloc(size + s->offset) + s->offset;
}

static void source_free(void *p, void *ctx)
{
    source *s = ctx;
    if (p)
        s->live--, free((char *)p - s->offset);
}

static void check_arena(size_t offset)
{
    static const size_t count[] = {1, 0, 7, 64, 3, 1000, 1}, size[] = {1, 8, 8, 1, 24, 4, 72};
    source from = {.offset = offset};
    ph_allocator alloc = {source_alloc, source_free, &from};
    ph_arena a = {0};
    for (int k = 0; k < 7; k++)
        assert_null(ph_arena_take(&a, count[k], size[k]));
    size_t total = a.used;
    assert_int_equal(total % 64, 0);
    assert_true(ph_arena_open(&a, &alloc));
    unsigned char *end = NULL;
    for (int k = 0; k < 7; k++) {
        unsigned char *p = ph_arena_take(&a, count[k], size[k]);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        assert_true(!end || p >= end); /* pieces do not overlap */
        end = p + count[k] * size[k];
        for (size_t i = 0; i < count[k] * size[k]; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xa5, count[k] * size[k]);
    }
    assert_int_equal(a.used, total);
    ph_free(&alloc, a.block);
    ph_free(&alloc, NULL);
    assert_int_equal(from.live, 0);
}

static void arena_hands_out(void **state)
{
    (void)state;
    for (size_t offset = 0; offset <= 64; offset += 16) /* most of which are no multiples of a cache line */
        check_arena(offset);
}

static void arena_refuses(void **state)
{
    (void)state;
    source from = {.refuse = 1};
    ph_allocator alloc = {source_alloc, source_free, &from};
    ph_arena a = {0};
    ph_arena_take(&a, 10, 8);
    assert_false(ph_arena_open(&a, &alloc));
    static const size_t count[][2] = {{SIZE_MAX / 8, 16}, {SIZE_MAX, 1}, {SIZE_MAX / 2, 3}, {1, SIZE_MAX}};
    for (int k = 0; k < 4; k++) {
        ph_arena b = {0};
        ph_arena_take(&b, 10, 8);
        ph_arena_take(&b, count[k][0], count[k][1]);
        assert_true(b.overflow);
        assert_false(ph_arena_open(&b, NULL));
    }
    ph_arena c = {0}; /* each fits, the sum does not */
    for (int k = 0; k < 3; k++)
        ph_arena_take(&c, SIZE_MAX / 4, 1);
    assert_true(c.overflow);
    void *p = ph_alloc(NULL, 8);
    assert_non_null(p);
    ph_free(NULL, p);
}

#ifdef PH_ARENA_GAPS
/* How a child ends that touches a byte of a piece, counted from its end: 0 if well. */
static int touch(volatile unsigned char *end, ptrdiff_t at)
{
    int status;
    pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stderr)) /* the sanitizer's report */
            _exit(2);
        end[at] = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}
#endif

/* A sanitizer stops who leaves a piece, at whichever end, before it comes to the next one. */
static void arena_has_gaps(void **state)
{
    (void)state;
#ifdef PH_ARENA_GAPS
    static const size_t bytes[] = {24, 64, 9, 0, 128};
    ph_arena a = {0};
    for (int again = 0; again < 2; again++) {
        unsigned char *p[5];
        for (int k = 0; k < 5; k++)
            p[k] = ph_arena_take(&a, bytes[k], 1);
        if (!again)
            assert_true(ph_arena_open(&a, NULL));
        for (int k = 0; again && k < 5; k++) {
            unsigned char *end = p[k] + bytes[k];
            assert_true(!bytes[k] || touch(end, -1) == 0);
            assert_true(touch(end, 0) != 0 && touch(end, 63) != 0);
            assert_true(!k || touch(p[k], -1) != 0);
        }
    }
    ph_free(NULL, a.block);
#else
    skip();
#endif
}

/* ---- algebra ------------------------------------------------------------------------------------ */

static ph_vec3 random_vector(uint64_t *seed)
{
    double x = rnd(seed), y = rnd(seed), z = rnd(seed);
    return ph_v3(3 * x, 3 * y, 3 * z);
}

static ph_mat3 random_matrix(uint64_t *seed)
{
    double a[9];
    for (int i = 0; i < 9; i++)
        a[i] = 2 * rnd(seed);
    return ph_load33(a);
}

static double apart(ph_vec3 a, ph_vec3 b)
{
    double x[3], y[3];
    ph_store3(x, a), ph_store3(y, b);
    return max_diff(x, y, 3);
}

static double mapart(ph_mat3 A, ph_mat3 B)
{
    double x[9], y[9];
    ph_store33(x, A), ph_store33(y, B);
    return max_diff(x, y, 9);
}

/* Products by the definition, element by element. */
static ph_mat3 slow_product(ph_mat3 A, ph_mat3 B)
{
    double a[9], b[9], c[9] = {0};
    ph_store33(a, A), ph_store33(b, B);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    return ph_load33(c);
}

static ph_vec3 slow_image(ph_mat3 A, ph_vec3 b)
{
    ph_mat3 B = {b.x, 0, 0, b.y, 0, 0, b.z, 0, 0}, C = slow_product(A, B);
    return ph_v3(C.xx, C.yx, C.zx);
}

#define ROUND 2e-14 /* round-off: sums of a few products of numbers up to 30 */

static void vectors(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int trial = 0; trial < 100; trial++) {
        ph_vec3 a = random_vector(&seed), b = random_vector(&seed), c = random_vector(&seed),
                ab = ph_cross(a, b);
        check_near(ph_dot(ab, a), 0, ROUND);
        check_near(ph_dot(ab, b), 0, ROUND);
        check_near(ph_dot(ab, c), ph_dot(a, ph_cross(b, c)), 3 * ROUND);
        check_near(ph_dot(ab, ab), ph_dot(a, a) * ph_dot(b, b) - ph_dot(a, b) * ph_dot(a, b), 20 * ROUND);
        ph_vec3 grassmann = ph_sub(ph_scale(ph_dot(a, c), b), ph_scale(ph_dot(a, b), c));
        check_le(apart(ph_cross(a, ph_cross(b, c)), grassmann), 5 * ROUND);
        check_le(apart(ph_sub(ph_add(a, b), b), a), ROUND);
        check_near(ph_norm(a) * ph_norm(a), ph_dot(a, a), ROUND);
    }
    ph_vec3 e = ph_cross(ph_v3(1, 0, 0), ph_v3(0, 1, 0));
    assert_true(e.x == 0 && e.y == 0 && e.z == 1); /* exact: right-handed */
}

static void matrices(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int trial = 0; trial < 100; trial++) {
        ph_mat3 A = random_matrix(&seed), B = random_matrix(&seed), I = ph_diag3(1, 1, 1);
        ph_vec3 b = random_vector(&seed), c = random_vector(&seed);
        check_le(mapart(ph_mmul(A, B), slow_product(A, B)), ROUND);
        check_le(apart(ph_mul(A, b), slow_image(A, b)), ROUND);
        check_le(apart(ph_tmul(A, b), slow_image(ph_transpose(A), b)), ROUND);
        check_le(mapart(ph_transpose(ph_mmul(A, B)), ph_mmul(ph_transpose(B), ph_transpose(A))), ROUND);
        check_le(apart(ph_mul(ph_tilde(b), c), ph_cross(b, c)), ROUND);
        check_le(mapart(ph_mtilde(A, b), ph_mmul(A, ph_tilde(b))), ROUND);
        check_le(apart(ph_mul(ph_outer(b, c), b), ph_scale(ph_dot(c, b), b)), 5 * ROUND);
        check_le(mapart(ph_msub(ph_madd(A, B), B), A), ROUND);
        check_le(mapart(ph_mscale(3, A), ph_madd(A, ph_madd(A, A))), ROUND);
        ph_mat3 D = ph_madd(A, ph_diag3(8, 8, 8)); /* well conditioned */
        check_le(mapart(ph_mmul(D, ph_minv(D)), I), ROUND);
        check_le(mapart(ph_mmul(ph_minv(D), D), I), ROUND);
    }
}

static void quaternions(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int trial = 0; trial < 100; trial++) {
        double p[8];
        for (int i = 0; i < 8; i++)
            p[i] = rnd(&seed);
        double m = norm2(p, 4), n = norm2(p + 4, 4);
        ph_quat a = {p[0] / m, p[1] / m, p[2] / m, p[3] / m}, b = {p[4] / n, p[5] / n, p[6] / n, p[7] / n};
        ph_quat ab = ph_qmul(a, b), conj = {a.w, -a.x, -a.y, -a.z}, one = ph_qmul(a, conj);
        ph_mat3 A = ph_qmat(a), B = ph_qmat(b);
        check_le(mapart(ph_qmat(ab), ph_mmul(A, B)), 2e-15); /* round-off of numbers up to 1 */
        check_le(mapart(ph_mmul(A, ph_transpose(A)), ph_diag3(1, 1, 1)), 2e-15);
        check_near(
            ph_dot(ph_cross(ph_v3(A.xx, A.yx, A.zx), ph_v3(A.xy, A.yy, A.zy)), ph_v3(A.xz, A.yz, A.zz)), 1,
            2e-15);
        check_near(one.w, 1, 5e-16);
        check_near(fabs(one.x) + fabs(one.y) + fabs(one.z), 0, 5e-16);
    }
    ph_vec3 e = ph_mul(ph_qmat((ph_quat){sqrt(0.5), 0, 0, sqrt(0.5)}), ph_v3(1, 0, 0));
    check_le(apart(e, ph_v3(0, 1, 0)), 3e-16); /* a quarter turn about z takes x to y */
}

/* Texts become characters that can be shown: bytes that are no UTF-8, and what controls a terminal, are question marks. */
static void texts_are_clean(void **state)
{
    (void)state;
    static const struct {
        const char *given, *clean;
        int found;
    } row[] = {
        {"plain", "plain", 0},
        {"a\tb\x7f", "a?b?", 2},
        {"\xc3\xa9", "\xc3\xa9", 0},                                 /* two bytes */
        {"\xe2\x82\xac", "\xe2\x82\xac", 0},                         /* three */
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 0},                 /* four */
        {"\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80", 0}, /* beside the halves of pairs */
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", 0},                 /* the last one */
        {"\xe0\xa0\x80", "\xe0\xa0\x80", 0},                         /* the first of three bytes */
        {"\xf0\x90\x80\x80", "\xf0\x90\x80\x80", 0},                 /* the first of four */
        {"\xc1\xbf", "??", 2},                                       /* too long for its code: of two, */
        {"\xe0\x9f\xbf", "???", 3},                                  /* three, */
        {"\xf0\x8f\xbf\xbf", "????", 4},                             /* four bytes */
        {"\xed\xa0\x80", "???", 3},                                  /* half of a pair */
        {"\xf4\x90\x80\x80", "????", 4},                             /* past the last one */
        {"\xf5\x80", "??", 2},
        {"\x80", "?", 1},      /* goes on where nothing began */
        {"\xe2\x82", "??", 2}, /* ends too early */
        {"\xe2\x82"
         "a",
         "??a", 2},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char text[32];
        snprintf(text, sizeof text, "%s", row[k].given);
        assert_int_equal(ph_text_clean(text), row[k].found);
        assert_string_equal(text, row[k].clean);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_clean),
        cmocka_unit_test(statuses_are_described),
        cmocka_unit_test(fail_writes_a_sentence),
        cmocka_unit_test(arena_hands_out),
        cmocka_unit_test(arena_refuses),
        cmocka_unit_test(arena_has_gaps),
        cmocka_unit_test(vectors),
        cmocka_unit_test(matrices),
        cmocka_unit_test(quaternions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
