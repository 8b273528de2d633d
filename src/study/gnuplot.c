/* Plots of a study: gnuplot reads the script from a file without a name and writes the picture to one that
 * appears when it is complete. */
#define _XOPEN_SOURCE 700 /* pread */

#include "study/plot.h"
#include "io/file.h"
#include "io/retry.h"
#include "study/fail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *ending, *terminal;
} formats[] = {{".svg", "svg"}, {".png", "pngcairo"}};

/* The terminal for the ending; NULL: none of ours. */
static const char *terminal_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof formats / sizeof *formats; k++)
        if (!strcmp(dot, formats[k].ending))
            return formats[k].terminal;
    return NULL;
}

static int is_program(const char *folder, int length)
{
    char path[4096];
    struct stat st;
    int n = snprintf(path, sizeof path, "%.*s/gnuplot", length, folder);
    return n > 0 && (size_t)n < sizeof path && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           access(path, X_OK) == 0;
}

static int have_gnuplot(void)
{
    const char *path = getenv("PATH");
    for (const char *end; path; path = *end ? end + 1 : NULL) {
        end = strchr(path, ':');
        end = end ? end : path + strlen(path);
        if (end > path && is_program(path, (int)(end - path)))
            return 1;
    }
    return 0;
}

int ph_plot_ready(const char *path, ph_error *err)
{
    if (!terminal_of(path))
        return ph_study_fail(err, PH_E_INPUT, "'%s': a picture ends in .svg or .png", path) == PH_OK;
    if (!have_gnuplot())
        return ph_study_fail(err, PH_E_INPUT,
                             "'%s' needs gnuplot, which is not installed; a table (-o FILE.csv) does not",
                             path) == PH_OK;
    if (!ph_file_possible(path))
        return ph_study_fail(err, PH_E_INPUT, "cannot write '%s': %s", path, strerror(errno)) == PH_OK;
    return 1;
}

static void become_gnuplot(int script, int picture, int errors)
{
    static const char *const argv[] = {"gnuplot", NULL};
    if (dup2(script, 0) == 0 && dup2(picture, 1) == 1 && dup2(errors, 2) == 2)
        execvp(argv[0], (char *const *)argv);
    _exit(127);
}

/* The line in which gnuplot says what it does not like: the last one that is no echo. */
static void last_words(FILE *errors, char *text, size_t size)
{
    char line[256];
    rewind(errors);
    snprintf(text, size, "the picture is not complete; is there room for it?");
    while (fgets(line, sizeof line, errors)) {
        line[strcspn(line, "\n")] = 0;
        if (line[strspn(line, " \t^")])
            snprintf(text, size, "%s", line);
    }
}

/* gnuplot does not look whether what it writes arrives: a picture that a full disk cut off has no end. */
static int is_complete(FILE *picture)
{
    char end[64];
    struct stat st;
    int fd = fileno(picture);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return 1; /* a device or a pipe cannot be read back */
    off_t from = st.st_size > (off_t)sizeof end ? st.st_size - (off_t)sizeof end : 0;
    ssize_t n = pread(fd, end, sizeof end, from);
    for (ssize_t k = 0; k < n; k++)
        if ((n - k >= 6 && !memcmp(end + k, "</svg>", 6)) || (n - k >= 4 && !memcmp(end + k, "IEND", 4)))
            return 1;
    return 0;
}

static int run_gnuplot(FILE *script, FILE *picture, FILE *errors, char *why, size_t size)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        become_gnuplot(fileno(script), fileno(picture), fileno(errors));
    if (pid < 0) {
        snprintf(why, size, "%s", strerror(errno));
        return 0;
    }
    int status = ph_retry_wait(pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && is_complete(picture))
        return 1;
    last_words(errors, why, size);
    return 0;
}

/* gnuplot's SVG without its empty groups, which are half of it: "<g ...>" and "</g>" in two lines. */
static int squeeze(FILE *from, FILE *to)
{
    char *line = NULL, *group = NULL; /* group: a line that waits for what follows */
    size_t size = 0, room = 0;
    rewind(from);
    for (ssize_t n; (n = getline(&line, &size, from)) > 0;) {
        int opens = !strncmp(line, "<g ", 3) && n > 2 && line[n - 2] == '>' && !strstr(line, "</g>");
        if (group && group[0] && strcmp(line, "</g>\n") != 0)
            fputs(group, to);
        else if (group && group[0])
            line[0] = 0;
        if (group)
            group[0] = 0;
        if (!opens) {
            fputs(line, to);
            continue;
        }
        char *kept = group;
        group = line, line = kept;
        size_t had = size;
        size = room, room = had;
    }
    if (group)
        fputs(group, to);
    free(line), free(group);
    return feof(from) && !ferror(from) && fflush(to) == 0; /* memory for a line may not suffice */
}

int ph_plot_write(const ph_plot *plot, const char *path, ph_error *err)
{
    char why[256] = "";
    const char *terminal = terminal_of(path);
    ph_file file = {0};
    FILE *script = tmpfile(), *errors = tmpfile(), *raw = tmpfile();
    int ok = 0;
    if (!terminal)
        ph_study_fail(err, PH_E_INPUT, "'%s': a picture ends in .svg or .png", path);
    else if (!script || !errors || !raw || !ph_file_open(&file, path))
        ph_study_fail(err, PH_E_INPUT, "cannot write '%s': %s", path, strerror(errno));
    else {
        ph_plot_script(plot, terminal, script);
        rewind(script);
        int svg = !strcmp(terminal, "svg");
        ok = run_gnuplot(script, svg ? raw : file.stream, errors, why, sizeof why);
        if (!ok)
            ph_study_fail(err, PH_E_INPUT, "gnuplot cannot draw '%s': %s", path, why);
        else if ((svg && !squeeze(raw, file.stream)) || !ph_file_commit(&file))
            ok = ph_study_fail(err, PH_E_INPUT, "cannot write '%s': %s", path, strerror(errno)) == PH_OK;
    }
    ph_file_discard(&file);
    if (script)
        fclose(script);
    if (errors)
        fclose(errors);
    if (raw)
        fclose(raw);
    return ok;
}
