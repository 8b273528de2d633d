/* Models that are read again begin with a copy of a Lua state: nothing of one reading is left to the next, whatever it did. */
#include "model_file.h"

#include <pthread.h>

static ph_model *again(const ph_model *m, double p, const ph_allocator *alloc)
{
    ph_model *out;
    ph_error err = {0};
    if (ph_model_again(&out, m, &(ph_setting){"p", p}, 1, alloc, &err) != PH_OK)
        fail_msg("%s", err.text);
    return out;
}

static ph_model *first(const char *text, const ph_allocator *alloc)
{
    ph_model *m;
    ph_error err = {0};
    if (read_named(&m, "model.lua", text, strlen(text), NULL, 0, alloc, &err) != PH_OK)
        fail_msg("%s", err.text);
    return m;
}

/* A file that changes a library, defines globals and draws random numbers is as it was the first time. */
static void nothing_is_left(void **state)
{
    (void)state;
    ph_model *m =
        first("local p = param('p', 1)\n"
              "math.times = (math.times or 0) + 1\n"
              "table.insert(string, p)\n"
              "math.sin = math.cos\n"
              "seen = p\n"
              "particle { name = 'a', mass = p, position = {math.times, #string, math.random()} }\n",
              NULL);
    double x = m->body[0].x.z;
    for (int k = 2; k < 30; k++) {
        ph_model *n = again(m, k, NULL);
        assert_true(n->body[0].mass == k && n->body[0].x.x == 1 && n->body[0].x.y == 1);
        assert_true(n->body[0].x.z == x && n->n_params == 1 && n->param[0].value == k);
        ph_model_free(n);
    }
    ph_model_free(m);
}

/* A reading that is refused half-way leaves as little, and its sentence is that of a first reading. */
static void refused(void **state)
{
    (void)state;
    static const char text[] = "local p = param('p', 1)\n"
                               "local t = {}\n"
                               "for k = 1, 50 do t[k] = string.rep('x', k) .. k end\n"
                               "particle { name = 'a', mass = p }\n"
                               "if p > 5 then error('p is ' .. p) end\n";
    static const struct {
        double p;
        const char *sentence;
    } row[] = {{-1, "/model.lua:4: particle 'a': mass is -1; it must be above 0"},
               {6, "/model.lua:5: p is 6"}};
    ph_model *m = first(text, NULL), *n;
    ph_error err;
    for (int k = 0; k < 10; k++) {
        assert_int_equal(ph_model_again(&n, m, &(ph_setting){"p", row[k % 2].p}, 1, NULL, &err), PH_E_INPUT);
        assert_string_equal(strrchr(err.text, '/'), row[k % 2].sentence);
        n = again(m, 2, NULL);
        assert_true(n->n_bodies == 1 && n->body[0].mass == 2);
        ph_model_free(n);
    }
    ph_model_free(m);
}

/* Functions that need Lua in a run keep their state: each model has one of its own, as long as it is there. */
static void several_at_once(void **state)
{
    (void)state;
    enum { N = 12 };
    ph_model *m = first("local p, n = param('p', 1), 0\n"
                        "particle { name = 'a', mass = 1 }\n"
                        "force { name = 'f', body = 'a', value = function(t)\n"
                        "  n = n + 1\n"
                        "  return p * tonumber(tostring(t)), n, 0\n"
                        "end }\n",
                        NULL);
    for (int turn = 0; turn < 3; turn++) {
        ph_model *n[N];
        double out[3];
        for (int k = 0; k < N; k++)
            n[k] = again(m, k + 1, NULL);
        for (int k = N - 1; k >= 0; k--) {
            const ph_function *f = &n[k]->force[0].f;
            assert_int_equal(f->call(f, 2, NULL, 3, out), PH_OK);
            assert_true(out[0] == 2 * (k + 1));
            double calls = out[1];
            assert_int_equal(f->call(f, 3, NULL, 3, out), PH_OK);
            assert_true(out[0] == 3 * (k + 1) && out[1] == calls + 1);
        }
        for (int k = 0; k < N; k++)
            ph_model_free(n[(5 * k) % N]);
    }
    ph_model_free(m);
}

/* More than the place of an image holds: the rest stands elsewhere, and goes with the model. */
static void large(void **state)
{
    (void)state;
    counter c = {0};
    ph_allocator alloc = {counter_alloc, counter_free, &c};
    ph_model *m = first("local p, names = param('p', 1), {}\n"
                        "for k = 1, p do names[k] = 'the_particle_of_this_number-' .. k end\n"
                        "names[#names] = string.rep('y', 50) .. #names\n"
                        "for k = 1, p do particle { name = names[k], mass = k } end\n",
                        &alloc);
    for (int k = 0; k < 3; k++)
        for (int p = 2; p <= 20000; p *= 100) {
            ph_model *n = again(m, p, &alloc);
            assert_true(n->n_bodies == p && n->body[p - 1].mass == p && strlen(n->body[p - 1].name) > 50);
            ph_model_free(n);
        }
    ph_model_free(m);
    assert_int_equal(c.live, 0);
}

/* Every allocation of two readings, one after the other, fails once. */
static void memory_ends(void **state)
{
    (void)state;
    static const char text[] =
        "local p = param('p', 1)\n"
        "particle { name = 'a', mass = p }\n"
        "force { name = 'f', body = 'a', value = function(t) return p * t, 0, 0 end }\n";
    long failures = 0, stride = 3;
    for (long k = 1;; k += stride) {
        counter c = {0};
        ph_allocator alloc = {counter_alloc, counter_free, &c};
        ph_model *m = first(text, &alloc);
        long before = c.calls;
        c.fail_at = before + k;
        for (int p = 2; p < 4; p++) {
            ph_model *n;
            ph_error err = {0};
            ph_status s = ph_model_again(&n, m, &(ph_setting){"p", p}, 1, &alloc, &err);
            failures += s == PH_E_MEMORY;
            assert_true(s == PH_OK ? n->body[0].mass == p
                                   : s == PH_E_MEMORY && !n && strstr(err.text, "not enough memory"));
            ph_model_free(n);
        }
        long made = c.calls - before;
        ph_model_free(m);
        assert_int_equal(c.live, 0);
        if (made < k)
            break;
    }
    assert_true(failures > 10);
}

/* One model, read again by several threads. */
static void *read_often(void *model)
{
    long wrong = 0;
    for (int k = 1; k < 200; k++) {
        ph_model *n;
        if (ph_model_again(&n, model, &(ph_setting){"p", k}, 1, NULL, NULL) != PH_OK)
            return (void *)1;
        wrong += n->body[0].mass != k;
        ph_model_free(n);
    }
    return wrong ? (void *)1 : NULL;
}

static void threads(void **state)
{
    (void)state;
    pthread_t thread[4];
    ph_model *m = first("particle { name = 'a', mass = param('p', 1) }\n", NULL);
    for (int k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, read_often, m), 0);
    for (int k = 0; k < 4; k++) {
        void *wrong;
        assert_int_equal(pthread_join(thread[k], &wrong), 0);
        assert_null(wrong);
    }
    ph_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_left), cmocka_unit_test(refused),     cmocka_unit_test(several_at_once),
        cmocka_unit_test(large),           cmocka_unit_test(memory_ends), cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
