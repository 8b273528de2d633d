/* State files: one line of text for people, then the bytes of ph_run_save; or, of a state at rest, its numbers. */
#include "cli/state_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "io/file.h"
#include "study/fail.h"

#define TITLE "polhode state 1"
#define REST  "polhode rest 1"

/* A state at rest: this, then q and v, which is that of states{}, and what the system remembers. */
typedef struct rest {
    uint64_t key, check; /* of the model; of the numbers */
    double t;
    int64_t nq, nv;
} rest;

static int refuse(const ph_job *r, const char *why)
{
    return ph_complain("--save '%s': %s", r->args->save, why), 0;
}

/* The bytes of the state; NULL: said why. */
static void *bytes_of(const ph_job *r, size_t *size)
{
    *size = ph_run_save_size(r->run);
    void *bytes = malloc(*size);
    if (!bytes) {
        refuse(r, "not enough memory");
        return NULL;
    }
    if (ph_run_save(r->run, bytes, *size) == PH_OK)
        return bytes;
    refuse(r, "functions of the model keep values between calls, which are not part of the state");
    free(bytes);
    return NULL;
}

int ph_state_possible(const ph_job *r)
{
    size_t size;
    if (!ph_file_possible(r->args->save))
        return refuse(r, strerror(errno));
    void *bytes = bytes_of(r, &size);
    free(bytes);
    return bytes != NULL;
}

static int write_bytes(const ph_job *r, const char *title, const void *bytes, size_t size)
{
    ph_file file;
    int done = ph_file_open(&file, r->args->save);
    if (done) {
        fprintf(file.stream, "%s of version %s: %s at t = %.17g s\n", title, ph_version(), r->p->name,
                ph_run_time(r->run));
        done = fwrite(bytes, 1, size, file.stream) == size && ph_file_commit(&file);
        int why = errno;
        ph_file_discard(&file);
        errno = why;
    }
    return done || refuse(r, strerror(errno));
}

int ph_state_write(const ph_job *r)
{
    size_t size;
    void *bytes = bytes_of(r, &size);
    int done = bytes && write_bytes(r, TITLE, bytes, size);
    free(bytes);
    return done;
}

static rest describe(const ph_job *r)
{
    const ph_system *sys = ph_run_system(r->run);
    return (rest){.key = r->target.model ? ph_target_key(r->run) : ph_hash_text(PH_HASH_START, r->p->name),
                  .nq = ph_system_nq(sys),
                  .nv = ph_system_nv(sys)};
}

static size_t numbers_size(const rest *x)
{
    return (size_t)(x->nq + x->nv) * sizeof(double);
}

static size_t size_of(const ph_job *r, const rest *x)
{
    const ph_memory *m = ph_run_system(r->run)->memory;
    return sizeof *x + numbers_size(x) + (m ? m->size : 0);
}

int ph_state_write_rest(const ph_job *r)
{
    ph_state s = ph_run_state(r->run);
    rest x = describe(r);
    size_t q = (size_t)x.nq * sizeof(double), v = (size_t)x.nv * sizeof(double), size = size_of(r, &x);
    const ph_memory *m = ph_run_system(r->run)->memory;
    char *bytes = malloc(size);
    if (!bytes)
        return refuse(r, "not enough memory");
    memcpy(bytes + sizeof x, s.q, q), memcpy(bytes + sizeof x + q, s.v, v);
    if (m)
        m->keep(bytes + sizeof x + q + v, m->ctx);
    x.t = s.t, x.check = ph_hash_bytes(PH_HASH_START, bytes + sizeof x, size - sizeof x);
    memcpy(bytes, &x, sizeof x);
    int done = write_bytes(r, REST, bytes, size);
    free(bytes);
    return done;
}

/* Where the bytes begin, and of which kind they are; NULL: it is no state of this version, *why says so. */
static const char *payload(const char *text, size_t size, int *at_rest, const char **why)
{
    char title[64];
    const char *end = memchr(text, '\n', size);
    *at_rest = size > sizeof REST && !strncmp(text, REST, sizeof REST - 1);
    *why = "it is not the state of a run";
    if (!end || size < sizeof TITLE || (!*at_rest && strncmp(text, TITLE, sizeof TITLE - 1) != 0))
        return NULL;
    snprintf(title, sizeof title, "%s of version %s: ", *at_rest ? REST : TITLE, ph_version());
    *why = "another version of polhode wrote it";
    return strncmp(text, title, strlen(title)) == 0 ? end + 1 : NULL;
}

/* The run starts at rest, with its own options and inputs. */
static ph_status take_rest(ph_job *r, const char *at, size_t size, ph_error *err)
{
    rest x, own = describe(r);
    if (size < sizeof x)
        return ph_study_fail(err, PH_E_INPUT, "the file is damaged");
    memcpy(&x, at, sizeof x);
    if (x.key != own.key || x.nq != own.nq || x.nv != own.nv)
        return ph_study_fail(err, PH_E_INPUT,
                             "the state is that of another model, of other parameters or another space");
    if (size != size_of(r, &x) || ph_hash_bytes(PH_HASH_START, at + sizeof x, size - sizeof x) != x.check)
        return ph_study_fail(err, PH_E_INPUT, "the file is damaged");
    double *q = malloc(size - sizeof x + 1); /* in the file, numbers stand anywhere */
    if (!q)
        return ph_study_fail(err, PH_E_MEMORY, "not enough memory");
    memcpy(q, at + sizeof x, size - sizeof x);
    const void *memory = size > sizeof x + numbers_size(&x) ? at + sizeof x + numbers_size(&x) : NULL;
    ph_status s = ph_run_go_on_at(r->run, x.t, q, q + x.nq, memory, 1, err);
    free(q);
    return s;
}

/* PH_E_INPUT with the reason. */
static ph_status no_state(ph_job *r, const char *why)
{
    snprintf(r->err.text, sizeof r->err.text, "--from '%.200s': %.300s", r->args->state, why);
    return PH_E_INPUT;
}

static ph_status take_bytes(ph_job *r, const char *text, size_t size)
{
    int at_rest;
    const char *why, *at = payload(text, size, &at_rest, &why);
    ph_error err = {0};
    if (!at)
        return no_state(r, why);
    size_t left = size - (size_t)(at - text);
    if ((at_rest ? take_rest(r, at, left, &err) : ph_run_restore(r->run, at, left, &err)) != PH_OK)
        return no_state(r, err.text);
    if (ph_run_time(r->run) < r->t_end)
        return PH_OK;
    snprintf(err.text, sizeof err.text,
             "the state is at t = %.9g s, where the run ends: give a later --t-end", ph_run_time(r->run));
    return no_state(r, err.text);
}

ph_status ph_state_read(ph_job *r)
{
    size_t size;
    char *text = ph_file_read(r->args->state, &size);
    ph_status s = text ? take_bytes(r, text, size) : no_state(r, strerror(errno));
    free(text);
    return s;
}
