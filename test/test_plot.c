/* Plots of a study: what the script says, and that gnuplot, where there is one, draws it. */
#include "study/plot.h"
#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const double h[] = {4e-3, 2e-3, 1e-3, 5e-4}, one[] = {4e-2, 2e-2, 1e-2, 5e-3},
                    two[] = {1.6e-3, 4e-4, 1e-4, 2.5e-5}, broken[] = {1, NAN, 0, 3e-3};

static const ph_series series[] = {{.label = "it's a_b", .n = 4, .x = h, .y = one},
                                   {.label = "σ = 1", .n = 4, .x = h, .y = two},
                                   {.n = 4, .x = h, .y = broken, .style = PH_POINTS, .look = 7}};
static const ph_plot_slope slopes[] = {{.order = 2}, {.order = 1}};
static const ph_plot_marker markers[] = {{.vertical = 1, .at = 1e-3, .label = "limit"},
                                         {.vertical = 0, .at = 1e-2, .label = "target"}};

static ph_panel convergence(void)
{
    return (ph_panel){.x = {.label = "h", .unit = "s", .log = 1},
                      .y = {.label = "error of q", .log = 1},
                      .n_series = 3,
                      .series = series,
                      .n_slopes = 2,
                      .slopes = slopes,
                      .n_markers = 2,
                      .markers = markers};
}

static double heat_x[12], heat_y[10], heat_z[120];
static const double levels[] = {0.5, 1};

/* A saddle on a grid that is logarithmic in y. */
static ph_panel heat_map(void)
{
    for (int i = 0; i < 12; i++)
        heat_x[i] = i / 11.0;
    for (int j = 0; j < 10; j++)
        heat_y[j] = pow(10, -3 + j / 3.0);
    for (int j = 0; j < 10; j++)
        for (int i = 0; i < 12; i++)
            heat_z[12 * j + i] = i == 3 && j == 3 ? NAN : heat_x[i] * heat_x[i] * 2 + (j - 5.0) / 10;
    return (ph_panel){.title = "heat",
                      .x = {.label = "rho"},
                      .y = {.label = "h", .unit = "s", .log = 1},
                      .heat = {.nx = 12,
                               .ny = 10,
                               .x = heat_x,
                               .y = heat_y,
                               .z = heat_z,
                               .scale = {.label = "z", .unit = "1"},
                               .n_levels = 2,
                               .levels = levels}};
}

typedef struct range_of_axis {
    double min, max;
} range_of_axis;

static void script_of(const ph_plot *plot, char *text, size_t size)
{
    FILE *f = tmpfile();
    ph_plot_script(plot, "svg", f);
    rewind(f);
    text[fread(text, 1, size - 1, f)] = 0;
    fclose(f);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        print_error("no '%s' in the script\n", part);
        fail();
    }
}

static void test_script(void **unused)
{
    (void)unused;
    static char text[1 << 16];
    ph_panel p = convergence();
    ph_plot plot = {.title = "a title", .n_panels = 1, .panels = &p};
    script_of(&plot, text, sizeof text);
    has(text, "set logscale x\n");
    has(text, "set xlabel 'h [s]' noenhanced\n");
    has(text, "title 'it''s a_b' noenhanced");
    has(text, "title 'σ = 1' noenhanced");
    has(text, "with points linetype 7 notitle");
    /* NAN and 0 on a logarithmic axis break the line */
    has(text,
        "$s0_2 << EOD\n0.0040000000000000001 1\n\n\n0.00050000000000000001 0.0030000000000000001\nEOD\n");
    has(text, "set label '2' at");
    has(text, "set label 'limit' at first 0.001");
    has(text, "'2·10^{-3}' 0.002");
}

/* One legend for several panels, in a strip of its own. */
static void test_strip(void **unused)
{
    (void)unused;
    static char text[1 << 16];
    ph_panel p = convergence(), both[2];
    p.legend = PH_LEGEND_BELOW;
    both[0] = both[1] = p;
    ph_plot plot = {.title = "two", .n_panels = 2, .panels = both};
    script_of(&plot, text, sizeof text);
    has(text, "set key at screen 0.5,");
    has(text, "plot NaN with linespoints linetype 1 title 'it''s a_b' noenhanced, \\\n  NaN with linespoints "
              "linetype 2");
    plot.n_panels = 1; /* also of one panel: below the axes it would meet their label */
    script_of(&plot, text, sizeof text);
    has(text, "set key at screen 0.5,");
    has(text, "set title 'two'");
    p.title = "above one panel"; /* both are there */
    plot.panels = &p;
    script_of(&plot, text, sizeof text);
    has(text, "set title 'above one panel'");
    has(text, "set multiplot title 'two'");
}

/* A logarithmic axis has labels, also where there is one point; 8 and 9 would meet 1. */
static void test_log_tics(void **unused)
{
    (void)unused;
    static char text[1 << 16];
    static const double x[] = {0.011}, y[] = {0.031}, near[] = {0.01, 0.02};
    ph_series s = {.n = 1, .x = x, .y = y};
    ph_panel p = {.x = {.label = "h", .log = 1}, .y = {.label = "e", .log = 1}, .n_series = 1, .series = &s};
    ph_plot plot = {.n_panels = 1, .panels = &p};
    script_of(&plot, text, sizeof text);
    has(text, "'10^{-2}' 0.01");
    has(text, "'5·10^{-2}' 0.05");
    s.x = s.y = near, s.n = 2;
    script_of(&plot, text, sizeof text);
    has(text, "'' 0.009");
    has(text, "'2·10^{-2}' 0.02");
}

/* Labels of a linear axis do not meet: steps of 0.001 would be too narrow for theirs. */
static void test_tics(void **unused)
{
    (void)unused;
    static char text[1 << 16];
    static const double x[] = {0.001, 0.01}, y[] = {1, 2}, far[] = {1e6, 1e6 + 1e-4};
    ph_series s = {.n = 2, .x = x, .y = y};
    ph_panel p = {.x = {.label = "h"}, .n_series = 1, .series = &s};
    ph_plot plot = {.n_panels = 1, .panels = &p};
    script_of(&plot, text, sizeof text);
    has(text, "set xtics 0.002");
    p.x.unit = ""; /* as that of a function of the user */
    script_of(&plot, text, sizeof text);
    has(text, "set xlabel 'h' noenhanced");
    s.x = far; /* no labels of six digits tell these apart */
    script_of(&plot, text, sizeof text);
    has(text, "set xlabel 'h − 1000000' noenhanced");
    assert_null(strstr(text, "set xtics autofreq"));
    static const double energy[] = {5435.69679, 5435.69691}, down[] = {-5435.69679, -5435.69691};
    s.x = x, s.y = energy, p.y.label = "E", p.y.unit = "J";
    script_of(&plot, text, sizeof text);
    has(text, "set ylabel 'E − 5435.697 [J]' noenhanced");
    has(text, "0.001 -0.0002");
    s.y = down;
    script_of(&plot, text, sizeof text);
    has(text, "set ylabel 'E + 5435.697 [J]' noenhanced");
}

static range_of_axis find_range(const char *text, const char *axis)
{
    range_of_axis r = {NAN, NAN};
    char what[32];
    snprintf(what, sizeof what, "set %srange [", axis);
    const char *at = strstr(text, what);
    if (at)
        sscanf(at + strlen(what), "%lf:%lf", &r.min, &r.max);
    return r;
}

/* Numbers that differ by round-off are one number: the axis is wide beside them. */
static void test_still(void **unused)
{
    (void)unused;
    static char text[1 << 16];
    static const double x[] = {0, 1, 2}, y[] = {7, 7 + 3e-15, 7 - 2e-15};
    ph_series s = {.n = 3, .x = x, .y = y};
    ph_panel p = {.n_series = 1, .series = &s};
    ph_plot plot = {.n_panels = 1, .panels = &p};
    script_of(&plot, text, sizeof text);
    range_of_axis r = find_range(text, "y");
    assert_true(r.max - r.min > 1e-10 && r.max - r.min < 1e-7);
}

/* Cells at the edge of a map are as wide as the others: 11 steps of 1/11 and two halves; 10 of a third of a decade. */
static void test_edges(void **unused)
{
    (void)unused;
    static char text[1 << 16];
    ph_panel p = heat_map();
    ph_plot plot = {.n_panels = 1, .panels = &p};
    script_of(&plot, text, sizeof text);
    range_of_axis x = find_range(text, "x"), y = find_range(text, "y");
    check_near(x.min, -0.5 / 11, 1e-14), check_near(x.max, 11.5 / 11, 1e-14);                /* round-off */
    check_near(log10(y.min), -3 - 0.5 / 3, 1e-14), check_near(log10(y.max), 0.5 / 3, 1e-14); /* round-off */
    has(text, "0 0.001 -0.0454545455 0.0472727273 0.000681292069 0.0014"); /* centre, edges and the hair */
}

/* The triangle has the slope it says: round-off of 17 printed digits. */
static void test_triangle(void **unused)
{
    (void)unused;
    static char text[1 << 16];
    ph_panel p = convergence();
    ph_plot plot = {.n_panels = 1, .panels = &p};
    script_of(&plot, text, sizeof text);
    const char *at = text;
    for (int k = 0; k < 2; k++) {
        double c[3][4];
        for (int i = 0; i < 3; i++) {
            at = strstr(at, "set arrow from first ");
            assert_non_null(at);
            assert_int_equal(sscanf(at, "set arrow from first %lf,%lf to first %lf,%lf", &c[i][0], &c[i][1],
                                    &c[i][2], &c[i][3]),
                             4);
            at++;
        }
        check_near(log(c[2][1] / c[2][3]) / log(c[2][0] / c[2][2]), slopes[k].order, 1e-12);
        /* invariant: it touches none of the first two series: below both */
        double y_data = 1e-4 * pow(c[0][0] / 1e-3, 2);
        assert_true(c[0][1] < y_data);
    }
}

/* Nothing to show, ranges that are given, one point, points that no axis can show, triangles with a place of their own. */
static void test_odd_panels(void **unused)
{
    (void)unused;
    static char text[1 << 16];
    static const double x[] = {1, 2, 2, 3}, y[] = {1, 10, 100, 1000}, none[] = {-1, 0, NAN, -2};
    static const ph_series two_at_once = {.n = 4, .x = x, .y = y}, hidden = {.n = 4, .x = none, .y = y},
                           point = {.n = 1, .x = x, .y = y};
    static const ph_plot_slope placed = {.order = 2, .x = 1.5, .y = 7};
    static const ph_plot_marker plain = {.vertical = 1, .at = 2};
    ph_panel p[] = {
        {.x = {.log = 1}},
        {.x = {.label = "a\tb"}},
        {.x = {.log = 1, .min = 0.5, .max = 4},
         .y = {.log = 1, .min = -1, .max = 1},
         .n_series = 1,
         .series = &two_at_once,
         .n_slopes = 1,
         .slopes = &placed,
         .n_markers = 1,
         .markers = &plain},
        {.x = {.log = 1}, .y = {.log = 1}, .n_series = 1, .series = &hidden, .n_slopes = 1, .slopes = slopes},
        {.x = {.log = 1}, .y = {.log = 1}, .n_series = 1, .series = &point, .n_slopes = 1, .slopes = slopes},
        {.y = {.log = 1}, .n_series = 1, .series = &two_at_once, .n_slopes = 1, .slopes = slopes},
        {.x = {.log = 1}, .n_series = 1, .series = &two_at_once, .n_slopes = 1, .slopes = slopes},
    };
    static const double ends[][2] = {{0.1, 10}, {0, 1}, {0.5, 4}, {0.1, 10}, {0.5, 2}};
    for (int k = 0; k < (int)(sizeof p / sizeof *p); k++) {
        ph_plot plot = {.title = "odd", .n_panels = 1, .panels = &p[k]};
        script_of(&plot, text, sizeof text);
        range_of_axis r = find_range(text, "x");
        if (k < 5) { /* at least as wide */
            assert_true(r.min <= ends[k][0] && r.max >= ends[k][1]);
            assert_true(r.min >= 0.5 * ends[k][0] - 0.5 && r.max <= 2 * ends[k][1]);
        }
        assert_int_equal(strstr(text, "set label '2'") != NULL, k > 1 && k < 5);
        if (k == 1)
            has(text, "set xlabel 'a b'");
        if (k == 2) {
            has(text, "set arrow from first 1.5,7 to");
            has(text, "set arrow from first 2, graph 0");
        }
    }
    ph_plot plot = {.n_panels = 4,
                    .panels = p}; /* four stand two by two, five three by two; or as they are told to */
    script_of(&plot, text, sizeof text);
    has(text, "size 960,");
    plot.n_panels = 5;
    script_of(&plot, text, sizeof text);
    has(text, "size 1440,");
    plot.columns = 1;
    script_of(&plot, text, sizeof text);
    has(text, "size 640,");
    plot = (ph_plot){.title = "none"};
    script_of(&plot, text, sizeof text);
    has(text, "size 640,460");
}

static int exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_size > 0;
}

static void test_ready(void **unused)
{
    (void)unused;
    ph_error err;
    assert_false(ph_plot_ready("x.jpg", &err));
    has(err.text, ".svg or .png");
    assert_false(ph_plot_ready("x", &err));
    char *path = strdup(getenv("PATH"));
    char folder[] = "/tmp/ph_plot_XXXXXX", file[64], several[200];
    assert_non_null(mkdtemp(folder)); /* a folder, and a file that is no program, of that name */
    static char longest[5000];
    memset(longest, 'x', sizeof longest - 1), longest[0] = '/';
    snprintf(file, sizeof file, "%s/gnuplot", folder);
    snprintf(several, sizeof several, "::/nowhere:%s", folder);
    for (int k = 0; k < 4; k++) {
        if (k == 2)
            assert_int_equal(mkdir(file, 0700), 0);
        if (k == 3)
            assert_true(rmdir(file) == 0 && close(open(file, O_CREAT | O_WRONLY, 0600)) == 0);
        setenv("PATH", k == 0 ? "/nowhere" : k == 1 ? longest : several, 1);
        assert_false(ph_plot_ready("x.svg", &err));
        has(err.text, "gnuplot");
    }
    unsetenv("PATH");
    assert_false(ph_plot_ready("x.svg", &err));
    setenv("PATH", path, 1);
    unlink(file), rmdir(folder);
    free(path);
}

static void test_draw(void **unused)
{
    (void)unused;
    ph_error err;
    ph_panel panels[] = {convergence(), heat_map()};
    ph_plot plot = {.title = "two panels", .n_panels = 2, .panels = panels};
    const char *keep = getenv("PH_KEEP_PLOTS"); /* a folder, for whoever wants to look */
    char path[512];
    if (!ph_plot_ready("x.svg", &err))
        skip();
    assert_false(ph_plot_ready("no/such/folder/x.svg", &err));
    for (int png = 0; png < 2; png++) {
        snprintf(path, sizeof path, "%s/plot_%ld.%s", keep ? keep : ".", (long)getpid(), png ? "png" : "svg");
        if (!ph_plot_write(&plot, path, &err)) {
            print_error("%s\n", err.text);
            fail();
        }
        assert_true(exists(path));
        if (!keep)
            unlink(path);
    }
    ph_panel bad = {.x = {.label = "x", .log = 1, .min = 1, .max = 2}};
    ph_plot empty = {.n_panels = 1, .panels = &bad};
    snprintf(path, sizeof path, "empty_%ld.svg", (long)getpid());
    assert_true(ph_plot_write(&empty, path, &err)); /* axes alone */
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_script),   cmocka_unit_test(test_strip),
                                       cmocka_unit_test(test_tics),     cmocka_unit_test(test_log_tics),
                                       cmocka_unit_test(test_triangle), cmocka_unit_test(test_odd_panels),
                                       cmocka_unit_test(test_ready),    cmocka_unit_test(test_draw),
                                       cmocka_unit_test(test_still),    cmocka_unit_test(test_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
