/* Save a run, go on, and go back: the steps after the saved moment are repeated with the same bits.
 *
 * cc go_on.c $(pkg-config --cflags --libs polhode) */
#include <polhode/polhode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const ph_error *err)
{
    return fprintf(stderr, "%s\n", err->text), 1;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "models/double_pendulum.lua";
    ph_run *first, *second;
    ph_error err;
    double once[3], again[3];

    if (ph_run_open(&first, path, NULL, &err) || ph_run_until(first, 1, &err))
        return fail(&err);
    size_t size = ph_run_save_size(first);
    void *state = malloc(size); /* a file does as well: the bytes are all there is */
    if (!state || ph_run_save(first, state, size))
        return 1;
    if (ph_run_until(first, 2, &err))
        return fail(&err);
    ph_run_get(first, PH_GET_POSITION, 0, once);

    /* another run of the same file, which has seen nothing of the first second */
    if (ph_run_open(&second, path, NULL, &err) || ph_run_restore(second, state, size, &err))
        return fail(&err);
    printf("saved at t = %g s in %zu bytes\n", ph_run_time(second), size);
    if (ph_run_until(second, 2, &err))
        return fail(&err);
    ph_run_get(second, PH_GET_POSITION, 0, again);
    printf("t = 2 s: %.17g %.17g %.17g m\n         %.17g %.17g %.17g m\n", once[0], once[1], once[2],
           again[0], again[1], again[2]);

    ph_run_close(first), ph_run_close(second);
    free(state);
    return memcmp(once, again, sizeof once) ? 1 : 0; /* to the bit */
}
