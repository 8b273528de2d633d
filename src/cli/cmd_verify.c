/* polhode verify: measure every figure, draw the pictures and write the page docs/verification.md. */
#define _XOPEN_SOURCE 700 /* open_memstream */

#include "cli/cli.h"
#include "io/file.h"
#include "study/claim.h"
#include "study/plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODELS   "models"  /* where the figures find their model files */
#define FIGURES  "figures" /* where pictures are, seen from the page */
#define WORDS    64        /* of a command */
#define ROWS_MAX 64        /* of --row */

/* The page is measured first and written at once: nothing is left behind when it is interrupted. */
static int write_page(const char *path, const char *page, size_t size)
{
    ph_file file;
    if (ph_file_open(&file, path)) {
        fwrite(page, 1, size, file.stream);
        if (ph_file_commit(&file))
            return PH_EXIT_OK;
    }
    return ph_complain("cannot write '%s': %s", path, strerror(errno));
}

static int page_to_file(const char *path, ph_effort effort, const double (*value)[PH_CLAIM_MAX], int *failed)
{
    char *page = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&page, &size);
    if (!memory)
        return ph_complain("not enough memory for the page");
    *failed = ph_claims_page(memory, effort, value, FIGURES);
    int code =
        fclose(memory) == 0 ? write_page(path, page, size) : ph_complain("not enough memory for the page");
    free(page);
    return code;
}

static int has_models(void)
{
    FILE *f = fopen(MODELS "/heavy_top.lua", "r");
    if (f)
        fclose(f);
    return f != NULL;
}

/* ---- pictures ----------------------------------------------------------------------------------------- */

/* FOLDER/figures beside the page; 0: too long */
static int folder_of(const char *page, char *out, size_t size)
{
    const char *slash = strrchr(page, '/');
    int n = snprintf(out, size, "%.*s" FIGURES, slash ? (int)(slash - page) + 1 : 0, page);
    return n > 0 && (size_t)n < size;
}

/* The command of a picture, as it would be typed, in a process of its own without its table. */
static int draw(const ph_picture *p, const char *path)
{
    char words[512], *argv[WORDS + 4] = {(char *)"polhode"};
    int argc = 1, state;
    snprintf(words, sizeof words, "%s", p->command);
    for (char *word = strtok(words, " "); word && argc < WORDS; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc++] = (char *)"--plot", argv[argc++] = (char *)path;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int quiet = !(p->kind & PH_PARTLY) || freopen("/dev/null", "w", stderr); /* its failures are known */
        int code = quiet && freopen("/dev/null", "w", stdout) ? ph_program(argc, argv) : PH_EXIT_USAGE;
        fflush(stdout);
        _exit(code);
    }
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    if (!(child > 0 && WIFEXITED(state)))
        return 0;
    return WEXITSTATUS(state) == PH_EXIT_OK || (p->kind & PH_PARTLY && WEXITSTATUS(state) == PH_EXIT_FAILED);
}

static int draw_all(const char *page, int timed)
{
    char folder[1024], path[1200];
    ph_error err = {0};
    if (!folder_of(page, folder, sizeof folder))
        return ph_complain("the path '%s' is too long", page);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ph_complain("cannot make the folder '%s': %s", folder, strerror(errno));
    for (int k = 0; ph_picture_get(k); k++) {
        const ph_picture *p = ph_picture_get(k);
        snprintf(path, sizeof path, "%s/%s.svg", folder, p->name);
        if (!ph_plot_ready(path, &err))
            return ph_complain("%s", err.text);
        if ((timed || !(p->kind & PH_TIMED)) && !draw(p, path))
            return ph_complain("the picture '%s' could not be drawn", path);
    }
    return PH_EXIT_OK;
}

/* ---- the command -------------------------------------------------------------------------------------- */

static int write_all(const ph_args *args, ph_effort effort, const double (*value)[PH_CLAIM_MAX])
{
    int failed = 0, code = PH_EXIT_OK;
    if (args->output)
        code = page_to_file(args->output, effort, value, &failed);
    else
        failed = ph_claims_page(stdout, effort, value, FIGURES);
    if (failed && !code)
        ph_complain("%d %s not hold", failed, ph_plural(failed, "figure does", "figures do"));
    return code ? code : failed ? PH_EXIT_FAILED : PH_EXIT_OK;
}

/* Which row the first n characters of text name; -1 after one line on stderr. */
static int find_row(const char *text, size_t n)
{
    char id[64];
    ph_near search = {.word = id};
    snprintf(id, sizeof id, "%.*s", (int)n, text);
    for (int k = 0; ph_claim_get(k); k++) {
        const ph_claim *f = ph_claim_get(k);
        if (f->id && !strcmp(f->id, id))
            return k;
        if (f->id)
            ph_near_offer(&search, f->id);
    }
    const char *near = ph_near_word(&search);
    ph_complain(near ? "--row: the page has no row '%s'; did you mean '%s'?"
                     : "--row: the page has no row '%s'",
                id, near);
    return -1;
}

/* Some rows alone, of any effort, one after the other. */
static int verify_rows(const char *ids)
{
    static const char comma[] = ",";
    int row[ROWS_MAX], n = 0;
    double value[ROWS_MAX][PH_CLAIM_MAX] = {{0}};
    for (const char *at = ids; at; at = strchr(at, *comma), at += at != NULL, n++) {
        if (n == ROWS_MAX)
            return ph_complain("--row: more than %d of them", ROWS_MAX);
        row[n] = find_row(at, strcspn(at, comma));
        if (row[n] < 0)
            return PH_EXIT_USAGE;
    }
    ph_study *study = ph_study_create(MODELS);
    if (!study)
        return ph_complain("not enough memory for the studies");
    for (int i = 0; i < n; i++)
        ph_claim_measure(study, ph_claim_get(row[i]), value[i]);
    ph_study_destroy(study);
    int failed = ph_claims_table(stdout, n, row, (const double(*)[PH_CLAIM_MAX])value);
    if (failed)
        ph_complain("%d %s not hold", failed, ph_plural(failed, "figure does", "figures do"));
    return failed ? PH_EXIT_FAILED : PH_EXIT_OK;
}

int ph_cmd_verify(const ph_args *args)
{
    if (!has_models())
        return ph_complain("verify measures the model files of the source tree, and there is no '" MODELS
                           "/heavy_top.lua' here: run it in the root of that tree");
    if (args->rows)
        return args->output || args->all
                   ? ph_complain("--row shows a few rows and writes no page: leave out -o and --all")
                   : verify_rows(args->rows);
    ph_effort effort = args->all ? PH_SLOW : PH_LONG;
    ph_claims_def def = {.models = MODELS, .effort = effort, .jobs = args->jobs, .title = "verify"};
    ph_error err = {0};
    double(*value)[PH_CLAIM_MAX] = calloc((size_t)ph_claim_count(), sizeof *value);
    if (!value)
        return ph_complain("not enough memory for the studies");
    int code = args->output ? draw_all(args->output, args->all) : PH_EXIT_OK;
    if (!code && ph_claims_measure(&def, value, &err) != PH_OK)
        code = ph_complain("%s", err.text[0] ? err.text : "not enough memory for the studies");
    if (!code)
        code = write_all(args, effort, (const double(*)[PH_CLAIM_MAX])value);
    free(value);
    return code;
}
