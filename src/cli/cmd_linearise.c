/* polhode linearise: x' = A x + B u, y = C x + D u about a state of a model. */
#include "cli/deliver.h"
#include "cli/target.h"
#include "io/csv.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct matrices {
    ph_run *run;
    int n, m, p; /* x, u, y */
    double *A, *B, *C, *D;
    double *re, *im; /* eigenvalues of A by rising modulus, n each */
    char (*y)[128];  /* names of the numbers of sensors */
} matrices;

static const char *x_name(const matrices *s, int k)
{
    return ph_run_linear_name(s->run, k);
}

static const char *u_name(const matrices *s, int k)
{
    return ph_run_name(s->run, PH_INPUTS, k);
}

static const char *y_name(const matrices *s, int k)
{
    return s->y[k];
}

typedef const char *name_fn(const matrices *s, int k);

/* The four of them: name, names of rows and columns. */
static int get(const matrices *s, int k, const char **name, const double **x, int size[2], name_fn *of[2])
{
    const struct {
        const char *name;
        const double *x;
        int rows, columns;
        name_fn *row, *column;
    } all[] = {{"A", s->A, s->n, s->n, x_name, x_name},
               {"B", s->B, s->n, s->m, x_name, u_name},
               {"C", s->C, s->p, s->n, y_name, x_name},
               {"D", s->D, s->p, s->m, y_name, u_name}};
    if (k >= 4)
        return 0;
    *name = all[k].name, *x = all[k].x;
    size[0] = all[k].rows, size[1] = all[k].columns;
    of[0] = all[k].row, of[1] = all[k].column;
    return 1;
}

static void name_sensors(matrices *s)
{
    for (int k = 0, at = 0; k < ph_run_count(s->run, PH_SENSORS); k++)
        for (int i = 0, n = ph_run_size(s->run, PH_GET_SENSOR, k); i < n; i++, at++)
            snprintf(s->y[at], sizeof s->y[at], n > 1 ? "%.100s.%d" : "%.100s",
                     ph_run_name(s->run, PH_SENSORS, k), i + 1);
}

/* Eigenvalues come by falling modulus. */
static ph_status find_eigenvalues(matrices *s, ph_error *err)
{
    s->re = calloc(2 * (size_t)s->n + 1, sizeof *s->re);
    if (!s->re)
        return PH_E_MEMORY;
    s->im = s->re + s->n;
    ph_status status = ph_linear_eigenvalues(s->n, s->A, s->re, s->im, err);
    for (int k = 0; k < s->n / 2; k++) {
        int other = s->n - 1 - k;
        double re = s->re[k], im = s->im[k];
        s->re[k] = s->re[other], s->im[k] = s->im[other];
        s->re[other] = re, s->im[other] = im;
    }
    return status;
}

static ph_status find(matrices *s, int modes, ph_error *err)
{
    ph_status status = ph_run_linear_modes(s->run, modes, err);
    if (status == PH_OK)
        status = ph_run_linear_sizes(s->run, &s->n, &s->m, &s->p, err);
    if (status != PH_OK)
        return status;
    s->A = calloc((size_t)(s->n + s->p) * (size_t)(s->n + s->m) + 1, sizeof *s->A);
    s->y = calloc((size_t)s->p + 1, sizeof *s->y);
    if (!s->A || !s->y)
        return PH_E_MEMORY;
    s->B = s->A + s->n * s->n, s->C = s->B + s->n * s->m, s->D = s->C + s->p * s->n;
    name_sensors(s);
    status = ph_run_linearise(s->run, s->A, s->B, s->C, s->D, err);
    return status == PH_OK ? find_eigenvalues(s, err) : status;
}

/* ---- output ------------------------------------------------------------------------------------------- */

static int put_json(const matrices *s, const char *model, FILE *to)
{
    static const char *const lists[] = {"x", "u", "y"};
    name_fn *const names[] = {x_name, u_name, y_name};
    const int counts[] = {s->n, s->m, s->p};
    ph_json j = ph_json_create();
    ph_json_text(&j, j.root, "polhode", ph_version());
    ph_json_text(&j, j.root, "model", model);
    ph_json_text(&j, j.root, "status", "ok");
    ph_json_number(&j, j.root, "t", ph_run_time(s->run));
    for (int k = 0; k < 3; k++) {
        cJSON *list = ph_json_array(&j, j.root, lists[k]);
        for (int i = 0; i < counts[k]; i++)
            ph_json_text(&j, list, NULL, names[k](s, i));
    }
    const char *name;
    const double *x;
    int size[2];
    name_fn *of[2];
    for (int k = 0; get(s, k, &name, &x, size, of); k++) {
        cJSON *list = ph_json_array(&j, j.root, name);
        for (int i = 0; i < size[0]; i++)
            ph_json_numbers(&j, list, NULL, size[1], x + i * size[1]);
    }
    cJSON *list = ph_json_array(&j, j.root, "eigenvalues");
    for (int k = 0; k < s->n; k++)
        ph_json_numbers(&j, list, NULL, 2, (const double[]){s->re[k], s->im[k]});
    return to == stdout ? ph_answer(&j) : ph_json_print(&j, to);
}

/* One table of [A B; C D], with the names of columns on top and of rows at the left. */
static int put_csv(const matrices *s, FILE *to)
{
    ph_csv csv = {.to = to};
    ph_csv_comment(&csv, "rows x' and y, columns x and u: [A B; C D]");
    ph_csv_name(&csv, NULL, "row", NULL);
    for (int k = 0; k < s->n + s->m; k++)
        ph_csv_name(&csv, NULL, k < s->n ? x_name(s, k) : u_name(s, k - s->n), NULL);
    ph_csv_end_header(&csv);
    for (int i = 0; i < s->n + s->p; i++) {
        ph_csv_word(&csv, i < s->n ? x_name(s, i) : y_name(s, i - s->n));
        for (int k = 0; k < s->n + s->m; k++) {
            const double *left = i < s->n ? s->A + i * s->n : s->C + (i - s->n) * s->n;
            const double *right = i < s->n ? s->B + i * s->m : s->D + (i - s->n) * s->m;
            ph_csv_number(&csv, k < s->n ? left[k] : right[k - s->n]);
        }
        ph_csv_end_row(&csv);
    }
    return !ferror(to);
}

/* Pairs are printed once. */
static void print_eigenvalues(const matrices *s)
{
    if (s->n)
        printf("\n  %-20s %13s %13s %13s\n", "eigenvalues", "real [1/s]", "imag [rad/s]", "damping");
    for (int k = 0; k < s->n; k++) {
        double size = hypot(s->re[k], s->im[k]);
        if (s->im[k] < 0)
            continue;
        printf("  %20s %13.6g %13.6g", "", s->re[k], s->im[k]);
        if (s->im[k] > 0)
            printf(" %13.6g", -s->re[k] / size);
        printf("\n");
    }
}

static void print_text(const matrices *s, const char *model)
{
    const char *name;
    const double *x;
    int size[2];
    name_fn *of[2];
    printf("%s: linearised at t = %g s; %d states, %d inputs, %d outputs\n", model, ph_run_time(s->run), s->n,
           s->m, s->p);
    for (int k = 0; get(s, k, &name, &x, size, of); k++) {
        if (!size[0] || !size[1])
            continue;
        printf("\n  %-20s", name);
        for (int i = 0; i < size[1]; i++)
            printf(" %13.13s", of[1](s, i));
        printf("\n");
        for (int i = 0; i < size[0]; i++) {
            printf("  %-20.20s", of[0](s, i));
            for (int l = 0; l < size[1]; l++)
                printf(" %13.6g", x[i * size[1] + l]);
            printf("\n");
        }
    }
    print_eigenvalues(s);
}

static int write_file(const matrices *s, const char *model, const char *path)
{
    size_t n = strlen(path);
    int json = n > 5 && !strcmp(path + n - 5, ".json"), csv = n > 4 && !strcmp(path + n - 4, ".csv");
    ph_file file = {0};
    if (!json && !csv)
        return ph_complain("-o: '%s' ends neither in .json nor in .csv", path);
    if (!ph_file_open(&file, path))
        return ph_complain_write(path);
    int ok = json ? put_json(s, model, file.stream) : put_csv(s, file.stream);
    ok = ok && ph_file_commit(&file);
    ph_file_discard(&file);
    return ok ? PH_EXIT_OK : ph_complain_write(path);
}

/* ---- the command --------------------------------------------------------------------------------------- */

/* To the state that the line asks for. */
static ph_status move(ph_run *run, const ph_args *args, ph_error *err)
{
    ph_status s = ph_run_start(run, err);
    if (s == PH_OK && args->about)
        s = ph_run_static(run, NULL, NULL, err);
    if (s == PH_OK && args->at > 0) /* not if NAN */
        s = ph_run_until(run, args->at, err);
    return s;
}

int ph_cmd_linearise(const ph_args *args)
{
    ph_args own = *args;
    ph_target target;
    ph_error err = {0};
    int code = PH_EXIT_USAGE;
    if (args->about && !isnan(args->at))
        return ph_complain("--at and --about exclude each other");
    if (args->at < 0)
        return ph_complain("--at must not be negative, not '%g'", args->at);
    if (!ph_target_open(&target, &own, &code))
        return code;
    matrices s = {.run = target.run};
    ph_status status = target.model ? move(s.run, args, &err) : PH_E_INPUT;
    if (!target.model)
        snprintf(err.text, sizeof err.text, "linearise takes a model file");
    if (status == PH_OK)
        status = find(&s, args->modes, &err);
    const char *name = status == PH_OK ? target.p->name : "";
    if (status != PH_OK)
        ph_complain("%s", status == PH_E_MEMORY ? "not enough memory to linearise the system" : err.text);
    code = ph_status_exit(status);
    if (status == PH_OK && args->output)
        code = write_file(&s, name, args->output);
    if (status == PH_OK && args->json && !put_json(&s, name, stdout))
        code = ph_complain("not enough memory for the report");
    if (status == PH_OK && !args->json && !args->output)
        print_text(&s, name);
    free(s.A), free(s.re), free(s.y);
    ph_target_close(&target);
    return code;
}
