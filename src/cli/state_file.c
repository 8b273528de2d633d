/* State files: one line of text for people, then the bytes of ph_run_save. */
#include "cli/state_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

#define TITLE "polhode state 1"

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

int ph_state_write(const ph_job *r)
{
    ph_file file;
    size_t size;
    void *bytes = bytes_of(r, &size);
    if (!bytes)
        return 0;
    int done = ph_file_open(&file, r->args->save);
    if (done) {
        fprintf(file.stream, TITLE " of version %s: %s at t = %.17g s\n", ph_version(), r->p->name,
                ph_run_time(r->run));
        done = fwrite(bytes, 1, size, file.stream) == size && ph_file_commit(&file);
        int why = errno;
        ph_file_discard(&file);
        errno = why;
    }
    free(bytes);
    return done || refuse(r, strerror(errno));
}

/* Where the bytes begin; NULL: it is no state of this version, *why says so. */
static const char *payload(const char *text, size_t size, const char **why)
{
    char title[64];
    const char *end = memchr(text, '\n', size);
    snprintf(title, sizeof title, TITLE " of version %s: ", ph_version());
    *why = "it is not the state of a run";
    if (!end || size < sizeof TITLE || strncmp(text, TITLE, sizeof TITLE - 1) != 0)
        return NULL;
    *why = "another version of polhode wrote it";
    return strncmp(text, title, strlen(title)) == 0 ? end + 1 : NULL;
}

/* PH_E_INPUT with the reason. */
static ph_status no_state(ph_job *r, const char *why)
{
    snprintf(r->err.text, sizeof r->err.text, "--from '%.200s': %.300s", r->args->state, why);
    return PH_E_INPUT;
}

static ph_status take_bytes(ph_job *r, const char *text, size_t size)
{
    const char *why, *at = payload(text, size, &why);
    ph_error err = {0};
    if (!at)
        return no_state(r, why);
    if (ph_run_restore(r->run, at, size - (size_t)(at - text), &err) != PH_OK)
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
