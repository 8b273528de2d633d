/* polhode-verify: measure every claim, draw the pictures and write the page docs/verification.md. The pictures are
 * drawn by polhode itself, which lies beside this program. */
#define _XOPEN_SOURCE 700 /* open_memstream */

#include "base/words.h"
#include "claim/claim.h"
#include "io/file.h"
#include "study/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODELS   "models"  /* where the claims find their model files */
#define FIGURES  "figures" /* where pictures are, seen from the page */
#define WORDS    64        /* of a command */
#define ROWS_MAX 64        /* of --row */
#define SLASH    '/'

enum { DONE, FAILED, USAGE }; /* exit codes, those of polhode */

typedef struct request {
    const char *self;   /* argv[0] */
    const char *output; /* the page; NULL: stdout */
    const char *rows;   /* ids with commas between them; NULL: all */
    int all, jobs;      /* also what takes long; processes, 0: as many as there are processors */
} request;

/* One line on stderr. Returns USAGE. */
static int complain(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    ph_text_clean(text);
    fprintf(stderr, "polhode-verify: %s\n", text);
    return USAGE;
}

/* The page is measured first and written at once: nothing is left behind when it is interrupted. */
static int write_page(const char *path, const char *page, size_t size)
{
    ph_file file;
    if (ph_file_open(&file, path)) {
        fwrite(page, 1, size, file.stream);
        if (ph_file_commit(&file))
            return DONE;
    }
    return complain("cannot write '%s': %s", path, strerror(errno));
}

static int page_to_file(const char *path, ph_effort effort, const double (*value)[PH_CLAIM_MAX], int *failed)
{
    char *page = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&page, &size);
    if (!memory)
        return complain("not enough memory for the page");
    *failed = ph_claims_page(memory, effort, value, FIGURES);
    int code =
        fclose(memory) == 0 ? write_page(path, page, size) : complain("not enough memory for the page");
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
    const char *slash = strrchr(page, SLASH);
    int n = snprintf(out, size, "%.*s" FIGURES, slash ? (int)(slash - page) + 1 : 0, page);
    return n > 0 && (size_t)n < size;
}

/* The program beside this one; without a folder that which the shell would find. */
static const char *program(const char *self, char *out, size_t size)
{
    const char *slash = strrchr(self, SLASH);
    int n = snprintf(out, size, "%.*spolhode", slash ? (int)(slash - self) + 1 : 0, self);
    return n > 0 && (size_t)n < size ? out : "polhode";
}

/* In the child: standard streams that nobody reads, then polhode. */
static void become(char **argv, int quiet)
{
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0 && dup2(nowhere, 1) >= 0 && (!quiet || dup2(nowhere, 2) >= 0))
        execvp(argv[0], argv);
    _exit(USAGE);
}

/* The command of a picture, as it would be typed, without its table. */
static int draw(const char *self, const ph_picture *p, const char *path)
{
    char words[512], name[1024], *argv[WORDS + 4] = {(char *)program(self, name, sizeof name)};
    int argc = 1, state;
    snprintf(words, sizeof words, "%s", p->command);
    for (char *word = strtok(words, " "); word && argc < WORDS; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc++] = (char *)"--plot", argv[argc++] = (char *)path;
    pid_t child = fork();
    if (child == 0)
        become(argv, p->kind & PH_PARTLY); /* its failures are known */
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    if (!(child > 0 && WIFEXITED(state)))
        return 0;
    return WEXITSTATUS(state) == DONE || (p->kind & PH_PARTLY && WEXITSTATUS(state) == FAILED);
}

static int draw_all(const request *r)
{
    char folder[1024], path[1200];
    ph_error err = {0};
    if (!folder_of(r->output, folder, sizeof folder))
        return complain("the path '%s' is too long", r->output);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return complain("cannot make the folder '%s': %s", folder, strerror(errno));
    for (int k = 0; ph_picture_get(k); k++) {
        const ph_picture *p = ph_picture_get(k);
        snprintf(path, sizeof path, "%s/%s.svg", folder, p->name);
        if (!ph_plot_ready(path, &err))
            return complain("%s", err.text);
        if ((r->all || !(p->kind & PH_TIMED)) && !draw(r->self, p, path))
            return complain("the picture '%s' could not be drawn", path);
    }
    return DONE;
}

/* ---- the page ----------------------------------------------------------------------------------------- */

static int write_all(const request *r, ph_effort effort, const double (*value)[PH_CLAIM_MAX])
{
    int failed = 0, code = DONE;
    if (r->output)
        code = page_to_file(r->output, effort, value, &failed);
    else
        failed = ph_claims_page(stdout, effort, value, FIGURES);
    if (failed && !code)
        complain("%d %s not hold", failed, ph_plural(failed, "claim does", "claims do"));
    return code ? code : failed ? FAILED : DONE;
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
    complain(near ? "--row: the page has no row '%s'; did you mean '%s'?" : "--row: the page has no row '%s'",
             id, near);
    return -1;
}

/* Some rows alone, of any effort, one after the other. */
static int verify_rows(const char *ids)
{
    static const char comma[] = ",";
    int row[ROWS_MAX], n = 0;
    double value[ROWS_MAX][PH_CLAIM_MAX] = {{0}};
    for (const char *at = ids, *end; at; at = end ? end + 1 : NULL, n++) {
        end = strchr(at, *comma);
        if (n == ROWS_MAX)
            return complain("--row: more than %d of them", ROWS_MAX);
        row[n] = find_row(at, strcspn(at, comma));
        if (row[n] < 0)
            return USAGE;
    }
    ph_study *study = ph_study_create(MODELS);
    if (!study)
        return complain("not enough memory for the studies");
    for (int i = 0; i < n; i++)
        ph_claim_measure(study, ph_claim_get(row[i]), value[i]);
    ph_study_destroy(study);
    int failed = ph_claims_table(stdout, n, row, (const double(*)[PH_CLAIM_MAX])value);
    if (failed)
        complain("%d %s not hold", failed, ph_plural(failed, "claim does", "claims do"));
    return failed ? FAILED : DONE;
}

static int verify_page(const request *r)
{
    ph_effort effort = r->all ? PH_SLOW : PH_LONG;
    ph_claims_def def = {.models = MODELS, .effort = effort, .jobs = r->jobs, .title = "verify"};
    ph_error err = {0};
    double(*value)[PH_CLAIM_MAX] = calloc((size_t)ph_claim_count(), sizeof *value);
    if (!value)
        return complain("not enough memory for the studies");
    int code = r->output ? draw_all(r) : DONE;
    if (!code && ph_claims_measure(&def, value, &err) != PH_OK)
        code = complain("%s", err.text[0] ? err.text : "not enough memory for the studies");
    if (!code)
        code = write_all(r, effort, (const double(*)[PH_CLAIM_MAX])value);
    free(value);
    return code;
}

/* ---- the command line --------------------------------------------------------------------------------- */

static const char help[] =
    "usage: polhode-verify [options]\n\n"
    "Published numbers beside ours: measures the rows of verify/claim/claims.def and writes the page\n"
    "docs/verification.md. Run it in the root of the source tree.\n\n"
    "options:\n"
    "  -o FILE        write the page to a file and draw its pictures in the folder figures beside it\n"
    "  --row ID,...   measure these rows of the page alone\n"
    "  --all          also claims that take long, and pictures of CPU times\n"
    "  --jobs N       worker processes; default: as many as there are processors\n"
    "  --help         this help\n\n"
    "exit codes: 0 all claims hold, 1 a claim does not hold, 2 bad input or usage\n";

static int read_jobs(const char *text, int *jobs)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (end == text || *end || errno || n < 1 || n > INT_MAX)
        return complain("--jobs: '%s' is not a whole number from 1", text);
    *jobs = (int)n;
    return DONE;
}

static const char *option_name(int k)
{
    static const char *const names[] = {"-o", "--row", "--jobs", "--all", "--help"};
    return k >= 0 && k < (int)(sizeof names / sizeof *names) ? names[k] : NULL;
}

/* The value of the options that have one. */
static int take(request *r, const char *name, const char *value)
{
    if (!value || ph_word_find(value, option_name) >= 0)
        return complain("%s: its value is missing", name);
    if (!value[0])
        return complain("%s: its value is empty", name);
    if (!strcmp(name, "--jobs"))
        return read_jobs(value, &r->jobs);
    *(!strcmp(name, "-o") ? &r->output : &r->rows) = value;
    return DONE;
}

static int refuse(const char *word)
{
    ph_near search = {.word = word};
    for (int k = 0; option_name(k); k++)
        ph_near_offer(&search, option_name(k));
    const char *near = ph_near_word(&search);
    return word[0] != '-' ? complain("'%s' is one argument too many", word)
           : near         ? complain("there is no option '%s'; did you mean '%s'?", word, near)
                          : complain("there is no option '%s'; see 'polhode-verify --help'", word);
}

static int parse(request *r, int argc, char **argv)
{
    int code = DONE;
    for (int i = 1; i < argc && !code; i++)
        switch (ph_word_find(argv[i], option_name)) {
        case 0:
        case 1:
        case 2:
            code = take(r, argv[i], i + 1 < argc ? argv[i + 1] : NULL), i++;
            break;
        case 3:
            r->all = 1;
            break;
        default:
            code = refuse(argv[i]);
        }
    if (!code && r->rows && (r->output || r->all))
        code = complain("--row shows a few rows and writes no page: leave out -o and --all");
    return code;
}

int main(int argc, char **argv)
{
    request r = {.self = argc > 0 ? argv[0] : ""};
    if (ph_processor_lacks()) {
        fprintf(
            stderr,
            "polhode-verify: this processor lacks '%s', which the program was built for: build it here, or "
            "with -DPH_PORTABLE=ON\n",
            ph_processor_lacks());
        return USAGE;
    }
    signal(SIGPIPE, SIG_IGN);
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return fputs(help, stdout) >= 0 && fflush(stdout) == 0 ? DONE : USAGE;
    int code = parse(&r, argc, argv);
    if (!code && !has_models())
        code = complain("it measures the model files of the source tree, and there is no '" MODELS
                        "/heavy_top.lua' here: run it in the root of that tree");
    if (!code)
        code = r.rows ? verify_rows(r.rows) : verify_page(&r);
    if (fflush(stdout) != 0 || ferror(stdout))
        code = complain("cannot write to standard output");
    return code;
}
