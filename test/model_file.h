/* Model files that tests write, and an allocator that counts and fails on demand. */
#ifndef PH_TEST_MODEL_FILE_H
#define PH_TEST_MODEL_FILE_H

#include "mech/model.h"
#include "scratch.h"

/* The status of reading a text as the file NAME; the model, if it is one, is *out. */
static inline ph_status read_named(ph_model **out, const char *name, const char *text, size_t length,
                                   const ph_setting *sets, int n_sets, const ph_allocator *alloc,
                                   ph_error *err)
{
    scratch s = scratch_create(name);
    scratch_write(&s, text, length);
    ph_status status = ph_model_read(out, s.path, sets, n_sets, alloc, err);
    scratch_remove(&s);
    return status;
}

static inline ph_model *read_text(const char *text)
{
    ph_model *m;
    ph_error err = {0};
    if (read_named(&m, "model.lua", text, strlen(text), NULL, 0, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    return m;
}

/* The error must contain the words. */
static inline void refuse_text(const char *name, const char *text, const char *words)
{
    ph_model *m;
    ph_error err = {0};
    assert_int_equal(read_named(&m, name, text, strlen(text), NULL, 0, NULL, &err), PH_E_INPUT);
    assert_null(m);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not contain '%s'", err.text, words);
}

typedef struct counter {
    long calls, live;
    long fail_at; /* 1: the first call; 0: never */
    int for_good; /* and all later ones */
} counter;

static inline void *counter_alloc(size_t size, void *ctx)
{
    counter *c = ctx;
    c->calls++;
    if (c->fail_at && (c->calls == c->fail_at || (c->for_good && c->calls > c->fail_at)))
        return NULL;
    void *p = malloc(size);
    c->live += p != NULL;
    return p;
}

static inline void counter_free(void *p, void *ctx)
{
    ((counter *)ctx)->live -= p != NULL;
    free(p);
}

#endif
