/* Plots of a study: the script for gnuplot. Colours tell apart also for those who see few of them (after
 * Okabe and Ito), and so do dashes and markers in print.
 *
 * Triangle of slope p with lower left corner (x, y) and width w = 10^(s/6) on an axis of s decades:
 *   (x, y) -> (w x, y) -> (w x, w^p y)  */
#include "study/plot.h"

#include <math.h>
#include <string.h>

typedef struct range {
    double min, max;
} range;

/* Everything that one panel needs besides its data. */
typedef struct frame {
    const ph_panel *p;
    range x, y;
    double x_base, y_base; /* which are taken off the numbers, since labels have no digits for both */
    int index;             /* of the panel */
    FILE *to;
} frame;

/* ---- texts -------------------------------------------------------------------------------------------- */

/* A string in single quotes, in which gnuplot sees no escapes; a quote is doubled, control characters go. */
static void quote(FILE *to, const char *text)
{
    fputc('\'', to);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', to);
        fputc((unsigned char)*text < 32 ? ' ' : *text, to);
    }
    fputc('\'', to);
}

static void axis_label(FILE *to, const char *which, const ph_axis *a, double base)
{
    char text[192], off[40] = "";
    int has = a->unit && a->unit[0];
    if (base != 0)
        snprintf(off, sizeof off, " %s %.15g", base > 0 ? "−" : "+", fabs(base));
    snprintf(text, sizeof text, "%s%s%s%s%s", a->label ? a->label : "", off, has ? " [" : "",
             has ? a->unit : "", has ? "]" : "");
    fprintf(to, "set %slabel ", which);
    quote(to, text);
    fputs(" noenhanced\n", to);
}

/* ---- ranges ------------------------------------------------------------------------------------------- */

static int shown(const ph_axis *a, double x)
{
    return isfinite(x) && (!a->log || x > 0);
}

static void include(range *r, const ph_axis *a, double x)
{
    if (!shown(a, x))
        return;
    r->min = fmin(r->min, x);
    r->max = fmax(r->max, x);
}

#define LEAST  4     /* ratio of the ends of a logarithmic axis */
#define STILL  1e-10 /* of its size: the least span of a linear axis, on which round-off is no signal */
#define DIGITS 1e4   /* size over span of a linear axis whose labels have six digits */

/* Some room around the data; never an empty range. */
static range finish(range r, const ph_axis *a, double room)
{
    if (a->max > a->min && (!a->log || a->min > 0))
        return (range){a->min, a->max};
    if (!(r.min <= r.max))
        r = a->log ? (range){0.1, 10} : (range){0, 1};
    if (a->log) {
        double f = pow(r.max / r.min, room);
        if (room > 0 || r.max == r.min) /* wide enough for a label: 1, 2 or 5 */
            f = fmax(fmax(f, 1.15), sqrt(LEAST * r.min / r.max));
        return (range){r.min / f, r.max * f};
    }
    double d = (r.max - r.min) * room, still = STILL * fmax(fabs(r.min), fabs(r.max));
    if (r.max == r.min)
        d = r.min != 0 ? 0.1 * fabs(r.min) : 1;
    else if (r.max - r.min < still)
        d = still;
    return (range){r.min - d, r.max + d};
}

/* Edges of cell k: halfway to its neighbours, geometrically on a logarithmic axis; the first and the last cell are as wide on
 * the other side. */
static range cell(const ph_axis *a, int n, const double *x, int k)
{
    double here = x[k], left = k > 0 ? x[k - 1] : NAN, right = k + 1 < n ? x[k + 1] : NAN;
    if (isnan(left))
        left = a->log ? here * here / right : 2 * here - right;
    if (isnan(right))
        right = a->log ? here * here / left : 2 * here - left;
    if (a->log)
        return (range){sqrt(left * here), sqrt(right * here)};
    return (range){(left + here) / 2, (right + here) / 2};
}

/* What to take off the numbers of a linear axis so that labels can tell them apart: a round number near them; mostly 0. */
static double base_of(const ph_axis *a, range *r)
{
    double size = fmax(fabs(r->min), fabs(r->max)), span = r->max - r->min, unit = pow(10, ceil(log10(span)));
    if (a->log || !(size > DIGITS * span))
        return 0;
    double base = round((r->min + r->max) / 2 / unit) * unit;
    r->min -= base, r->max -= base;
    return base;
}

static void find_ranges(frame *f)
{
    const ph_panel *p = f->p;
    const ph_heat *heat = &p->heat;
    f->x = f->y = (range){HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < p->n_series; i++)
        for (int k = 0; k < p->series[i].n; k++)
            if (shown(&p->x, p->series[i].x[k]) && shown(&p->y, p->series[i].y[k])) {
                include(&f->x, &p->x, p->series[i].x[k]);
                include(&f->y, &p->y, p->series[i].y[k]);
            }
    for (int i = 0; heat->nx && i < 2; i++) {
        range x = cell(&p->x, heat->nx, heat->x, i ? heat->nx - 1 : 0);
        range y = cell(&p->y, heat->ny, heat->y, i ? heat->ny - 1 : 0);
        include(&f->x, &p->x, x.min), include(&f->x, &p->x, x.max);
        include(&f->y, &p->y, y.min), include(&f->y, &p->y, y.max);
    }
    for (int i = 0; i < p->n_markers; i++)
        include(p->markers[i].vertical ? &f->x : &f->y, p->markers[i].vertical ? &p->x : &p->y,
                p->markers[i].at);
    f->x = finish(f->x, &p->x, heat->nx ? 0 : 0.08);
    f->y = finish(f->y, &p->y, heat->nx ? 0 : 0.12);
    if (heat->nx)
        return;
    f->x_base = base_of(&p->x, &f->x), f->y_base = base_of(&p->y, &f->y);
}

/* Less than three decades of a logarithmic axis want labels at 1, 2 and 5, or also at 3 and 7; the other whole
 * numbers have short tics. */
static void log_tics(FILE *to, const char *which, range r)
{
    double decades = log10(r.max / r.min);
    if (decades > 3) {
        fprintf(to, "set format %s '10^{%%L}'\nset %stics autofreq\n", which, which);
        return;
    }
    const char *comma = "";
    fprintf(to, "set %stics (", which);
    for (int e = (int)floor(log10(r.min)); e <= (int)ceil(log10(r.max)); e++)
        for (int digit = 1; digit < 10; digit++) {
            double x = digit * pow(10, e);
            int labelled = digit == 1 || (decades < 2 && (digit == 2 || digit == 5)) ||
                           (decades < 0.7 && (digit == 3 || digit == 7));
            if (!(x >= r.min && x <= r.max))
                continue;
            if (!labelled)
                fprintf(to, "%s'' %.17g 1", comma, x);
            else if (digit == 1)
                fprintf(to, "%s'10^{%d}' %.17g", comma, e, x);
            else
                fprintf(to, "%s'%d·10^{%d}' %.17g", comma, digit, e, x);
            comma = ", ";
        }
    fputs(")\n", to);
}

/* Letters of the longest label that %g gives to multiples of step in the range, and how many there are. */
static int longest_label(range r, double step, int *count)
{
    char text[32];
    int longest = 0;
    double first = ceil(r.min / step - 1e-9);
    *count = 0;
    for (double k = first; k * step <= r.max + 1e-9 * step && *count < 100; k++, ++*count) {
        int n = snprintf(text, sizeof text, "%g", fabs(k * step) < 1e-9 * step ? 0 : k * step);
        longest = n > longest ? n : longest;
    }
    return longest;
}

/* The least of 1, 2, 5, 10, ... times a power of ten whose labels fit beside each other; 0: as gnuplot does it.
 * letters: room for labels, each of which has two more between it and the next */
static double linear_step(range r, int letters)
{
    static const double digits[] = {1, 2, 5};
    double span = r.max - r.min;
    if (!(span > 0) || !(span > 1e-9 * fmax(fabs(r.min), fabs(r.max))))
        return 0;
    int first = 3 * ((int)floor(log10(span)) - 1);
    for (int k = first; k < first + 9; k++) {
        int e = (int)floor(k / 3.0), count;
        double step = digits[k - 3 * e] * pow(10, e);
        int longest = longest_label(r, step, &count);
        if (count <= 7 && count * (longest + 2) <= letters)
            return count >= 2 ? step : 0;
    }
    return 0;
}

#define LETTERS 46 /* of a linear axis below a panel among several; a panel alone has more room */

static void linear_tics(FILE *to, const char *which, range r)
{
    double step = which[0] == 'x' ? linear_step(r, LETTERS) : 0;
    fprintf(to, "unset logscale %s\nset format %s '%%g'\n", which, which);
    if (step > 0)
        fprintf(to, "set %stics %.17g\n", which, step);
    else
        fprintf(to, "set %stics autofreq\n", which);
}

static void axis(FILE *to, const char *which, const ph_axis *a, range r, double base)
{
    axis_label(to, which, a, base);
    if (a->log) {
        fprintf(to, "set logscale %s\n", which);
        log_tics(to, which, r);
    } else
        linear_tics(to, which, r);
    fprintf(to, "set %srange [%.17g:%.17g] noextend\n", which, r.min, r.max);
}

/* ---- slope triangles and markers ---------------------------------------------------------------------- */

/* log y of a series at log x, between its points; HUGE_VAL where it has none. */
static double height(const ph_panel *p, const ph_series *s, double lx)
{
    for (int a = 0; a + 1 < s->n; a++) {
        if (!shown(&p->x, s->x[a]) || !shown(&p->y, s->y[a]) || !shown(&p->x, s->x[a + 1]) ||
            !shown(&p->y, s->y[a + 1]))
            continue;
        double x0 = log(s->x[a]), x1 = log(s->x[a + 1]), y0 = log(s->y[a]), y1 = log(s->y[a + 1]);
        double z = x1 != x0 ? (lx - x0) / (x1 - x0) : 0;
        if (z >= -1e-9 && z <= 1 + 1e-9)
            return y0 + z * (y1 - y0);
    }
    return HUGE_VAL;
}

/* Where the data stands, with the usual room; the axis may be wider. */
static range data_range(const frame *f)
{
    const ph_panel *p = f->p;
    range r = {HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < p->n_series; i++)
        for (int k = 0; k < p->series[i].n; k++)
            if (shown(&p->y, p->series[i].y[k]))
                include(&r, &p->x, p->series[i].x[k]);
    if (!(r.min < r.max))
        return f->x;
    double room = pow(r.max / r.min, 0.08);
    return (range){r.min / room, r.max * room};
}

/* Below the lowest series, the k-th of several further to the left. */
static ph_plot_slope place(const frame *f, int k, range x, double lw)
{
    const ph_panel *p = f->p;
    ph_plot_slope s = p->slopes[k];
    double lx = log(x.min) + log(x.max / x.min) * (0.62 - 0.27 * (k % 3)), ly = HUGE_VAL;
    for (int i = 0; i < p->n_series; i++)
        for (int m = 0; m <= 4; m++)
            ly = fmin(ly, height(p, &p->series[i], lx + lw * m / 4) - s.order * lw * m / 4);
    s.x = exp(lx);
    s.y = ly < HUGE_VAL ? exp(ly - 0.07 * log(f->y.max / f->y.min)) : f->y.min;
    return s;
}

static void triangle(const frame *f, int k)
{
    range x = data_range(f);
    double lw = log(x.max / x.min) / 6;
    ph_plot_slope s = f->p->slopes[k];
    if (!(s.x > 0) || !(s.y > 0))
        s = place(f, k, x, lw);
    double x1 = s.x * exp(lw), y1 = s.y * exp(s.order * lw);
    const double c[4][4] = {{s.x, s.y, x1, s.y}, {x1, s.y, x1, y1}, {x1, y1, s.x, s.y}};
    for (int i = 0; i < 3; i++)
        fprintf(f->to,
                "set arrow from first %.17g,%.17g to first %.17g,%.17g nohead lc rgb '#404040' lw 1 front\n",
                c[i][0], c[i][1], c[i][2], c[i][3]);
    fprintf(f->to, "set label '%g' at first %.17g,%.17g left offset 0.5,0 textcolor rgb '#404040' front\n",
            s.order, x1, sqrt(s.y * y1));
}

static void marker(const frame *f, const ph_plot_marker *m)
{
    const char *line = "nohead dt (6,4) lc rgb '#606060' lw 1 back\n";
    double at = m->at - (m->vertical ? f->x_base : f->y_base);
    if (m->vertical)
        fprintf(f->to, "set arrow from first %.17g, graph 0 to first %.17g, graph 1 %s", at, at, line);
    else
        fprintf(f->to, "set arrow from graph 0, first %.17g to graph 1, first %.17g %s", at, at, line);
    if (!m->label)
        return;
    fputs("set label ", f->to);
    quote(f->to, m->label);
    if (m->vertical) /* at the foot, where growth is not */
        fprintf(f->to, " at first %.17g, graph 0.04 right offset -0.5,0", at);
    else
        fprintf(f->to, " at graph 0.98, first %.17g right offset 0,0.5", at);
    fputs(" noenhanced textcolor rgb '#606060' front\n", f->to);
}

/* ---- data --------------------------------------------------------------------------------------------- */

static void series_data(const frame *f, int i)
{
    const ph_series *s = &f->p->series[i];
    fprintf(f->to, "$s%d_%d << EOD\n", f->index, i);
    for (int k = 0; k < s->n; k++)
        if (shown(&f->p->x, s->x[k]) && shown(&f->p->y, s->y[k]))
            fprintf(f->to, "%.17g %.17g\n", s->x[k] - f->x_base, s->y[k] - f->y_base);
        else
            fputs("\n", f->to); /* an empty line breaks the curve */
    fputs("EOD\n", f->to);
}

/* x y x_low x_high y_low y_high z, an empty line after each row of the grid. Cells overlap by a hair, or thin
 * white lines would show between them. */
static void heat_data(const frame *f)
{
    const ph_heat *h = &f->p->heat;
    double hair = 0.02;
    fprintf(f->to, "$h%d << EOD\n", f->index);
    for (int j = 0; j < h->ny; j++) {
        range y = cell(&f->p->y, h->ny, h->y, j);
        for (int i = 0; i < h->nx; i++) {
            range x = cell(&f->p->x, h->nx, h->x, i);
            double z = h->z[j * h->nx + i];
            double more_x = i + 1 < h->nx ? hair * (x.max - x.min) : 0,
                   more_y = j + 1 < h->ny ? hair * (y.max - y.min) : 0;
            fprintf(f->to, "%.9g %.9g %.9g %.9g %.9g %.9g ", h->x[i], h->y[j], x.min, x.max + more_x, y.min,
                    y.max + more_y);
            if (shown(&h->scale, z))
                fprintf(f->to, "%.9g\n", z);
            else
                fputs("NaN\n", f->to);
        }
        fputs("\n", f->to);
    }
    fputs("EOD\n", f->to);
}

static void heat_scale(const frame *f)
{
    const ph_heat *h = &f->p->heat;
    range r = {HUGE_VAL, -HUGE_VAL};
    for (int k = 0; k < h->nx * h->ny; k++)
        include(&r, &h->scale, h->z[k]);
    axis(f->to, "cb", &h->scale, finish(r, &h->scale, 0), 0);
    /* violet to yellow by way of green (viridis), of lightness that grows evenly: also right in grey */
    fputs("set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n"
          "set colorbox\nset rmargin 11\n", /* for numbers and the name of the scale, which gnuplot forgets */
          f->to);
}

/* Lines of constant z, found by gnuplot on the grid. */
static void contours(const frame *f)
{
    const ph_heat *h = &f->p->heat;
    if (!h->n_levels)
        return;
    fputs("set contour base\nunset surface\nset cntrparam linear\nset cntrparam levels discrete ", f->to);
    for (int k = 0; k < h->n_levels; k++)
        fprintf(f->to, "%s%.17g", k ? ", " : "", h->levels[k]);
    fprintf(f->to, "\nset table $c%d\nsplot $h%d using 1:2:7 notitle\nunset table\nunset contour\n", f->index,
            f->index);
}

/* ---- a panel ------------------------------------------------------------------------------------------ */

static void legend(const frame *f)
{
    static const char *const where[] = {
        [PH_LEGEND_TOP_LEFT] = "set key inside top left Left reverse",
        [PH_LEGEND_TOP_RIGHT] = "set key inside top right Left reverse",
        [PH_LEGEND_BOTTOM_LEFT] = "set key inside bottom left Left reverse",
        [PH_LEGEND_BOTTOM_RIGHT] = "set key inside bottom right Left reverse",
        [PH_LEGEND_BELOW] = "unset key", /* a strip of its own has it */
        [PH_LEGEND_NONE] = "unset key",
    };
    fprintf(f->to, "%s\n", where[f->p->legend]);
    if (f->p->legend != PH_LEGEND_NONE && f->p->legend != PH_LEGEND_BELOW)
        fputs("set key noenhanced opaque samplen 2.5 spacing 1.1\n", f->to);
}

static void draw(const frame *f)
{
    static const char *const styles[] = {
        [PH_LINES_POINTS] = "linespoints", [PH_LINES] = "lines", [PH_POINTS] = "points"};
    const ph_panel *p = f->p;
    const char *comma = "plot ";
    if (p->heat.nx) {
        fprintf(f->to, "%s$h%d using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 noborder fc palette notitle",
                comma, f->index);
        comma = ", \\\n  ";
        if (p->heat.n_levels)
            fprintf(f->to, "%s$c%d using 1:2 with lines lw 2 dt solid lc rgb 'black' notitle", comma,
                    f->index);
    }
    for (int i = 0; i < p->n_series; i++) {
        const ph_series *s = &p->series[i];
        fprintf(f->to, "%s$s%d_%d using 1:2 with %s linetype %d ", comma, f->index, i, styles[s->style],
                s->look ? s->look : i + 1);
        if (s->label) {
            fputs("title ", f->to);
            quote(f->to, s->label);
            fputs(" noenhanced", f->to);
        } else
            fputs("notitle", f->to);
        comma = ", \\\n  ";
    }
    fputs(p->n_series || p->heat.nx ? "\n" : "plot NaN notitle\n", f->to);
}

static void panel(const frame *f)
{
    const ph_panel *p = f->p;
    fputs("unset arrow\nunset label\nset title ", f->to);
    quote(f->to, p->title ? p->title : "");
    fputs(" noenhanced\n", f->to);
    if (p->heat.nx)
        heat_scale(f);
    else
        fputs("set rmargin -1\n", f->to);
    axis(f->to, "x", &p->x, f->x, f->x_base);
    axis(f->to, "y", &p->y, f->y, f->y_base);
    for (int i = 0; i < p->n_slopes && p->x.log && p->y.log; i++)
        triangle(f, i);
    for (int i = 0; i < p->n_markers; i++)
        marker(f, &p->markers[i]);
    legend(f);
    draw(f);
}

/* Data goes first: gnuplot finds no contours between the panels of a plot. */
static void data(const frame *f)
{
    for (int i = 0; i < f->p->n_series; i++)
        series_data(f, i);
    if (f->p->heat.nx) {
        heat_data(f);
        contours(f);
    }
}

/* ---- looks -------------------------------------------------------------------------------------------- */

static void looks(FILE *to)
{
    static const char *const colour[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                         "#000000", "#e69f00", "#56b4e9", "#7f7f7f"};
    static const char *const dash[] = {"solid", "(12,4)", "(4,3)", "(12,4,3,4)"};
    static const int marker_type[] = {6, 4, 8, 10, 12, 1, 2, 3};
    for (int k = 0; k < 32; k++)
        fprintf(to, "set linetype %d lc rgb '%s' dt %s pt %d ps 1.1 lw 1.6\n", k + 1, colour[k % 8],
                dash[(k + k / 8) % 4], marker_type[k % 8]);
    fputs("set linetype cycle 32\n", to);
}

/* ---- one legend below all panels ---------------------------------------------------------------------- */

typedef struct strip {
    const ph_panel *of; /* whose series it names; NULL: there is none */
    int rows;
    double height; /* of the picture's own size, in dots */
} strip;

/* As many columns as the longest label leaves room for. */
static strip find_strip(const ph_plot *plot, int width)
{
    strip s = {0};
    size_t longest = 1;
    int labels = 0;
    for (int i = 0; i < plot->n_panels && !s.of; i++)
        if (plot->panels[i].legend == PH_LEGEND_BELOW)
            s.of = &plot->panels[i];
    for (int i = 0; s.of && i < s.of->n_series; i++)
        if (s.of->series[i].label) {
            size_t n = strlen(s.of->series[i].label);
            longest = n > longest ? n : longest;
            labels++;
        }
    int columns = width / (int)(8 * longest + 70);
    s.rows = labels ? (labels + (columns > 0 ? columns : 1) - 1) / (columns > 0 ? columns : 1) : 0;
    s.height = s.rows ? 20.0 * s.rows + 12 : 0;
    return s;
}

/* A panel without axes that draws nothing but its key. */
static void draw_strip(const strip *s, double part, FILE *to)
{
    static const char *const styles[] = {
        [PH_LINES_POINTS] = "linespoints", [PH_LINES] = "lines", [PH_POINTS] = "points"};
    const char *comma = "plot ";
    fprintf(to,
            "unset arrow\nunset label\nset title ''\nunset xlabel\nunset ylabel\nunset tics\nunset border\n"
            "unset logscale\nunset grid\nset origin 0,0\nset size 1,%.6g\nset margins 0,0,0,0\n"
            "set xrange [0:1]\nset yrange [0:1]\n"
            "set key at screen 0.5,%.6g center center horizontal maxrows %d Left reverse noenhanced samplen "
            "2.5\n",
            part, part / 2, s->rows);
    for (int i = 0; i < s->of->n_series; i++) {
        const ph_series *x = &s->of->series[i];
        if (!x->label)
            continue;
        fprintf(to, "%sNaN with %s linetype %d title ", comma, styles[x->style], x->look ? x->look : i + 1);
        quote(to, x->label);
        fputs(" noenhanced", to);
        comma = ", \\\n  ";
    }
    fputs("\n", to);
}

/* ---- the plot ----------------------------------------------------------------------------------------- */

static void set_terminal(const char *terminal, int width, int height_px, FILE *to)
{
    if (strcmp(terminal, "pngcairo") == 0) /* twice as fine */
        fprintf(to, "set terminal pngcairo enhanced font 'sans,11' fontscale 1.7 linewidth 1.6 size %d,%d\n",
                2 * width, 2 * height_px);
    else
        fprintf(to, "set terminal svg enhanced font 'sans-serif,13' size %d,%d background rgb 'white'\n",
                width, height_px);
    fputs("set encoding utf8\nset border lw 0.8\nset tics nomirror\nset mxtics default\n"
          "set grid xtics ytics mxtics mytics lt 1 lc rgb '#c0c0c0' lw 0.5 dt solid, "
          "lt 1 lc rgb '#e4e4e4' lw 0.4 dt solid\n",
          to);
    looks(to);
}

/* Panel i among rows and columns, in the part of the picture from bottom to top. */
static void place_panel(int i, int rows, int columns, double bottom, double top, FILE *to)
{
    double h = (top - bottom) / rows;
    fprintf(to, "set origin %.6g,%.6g\nset size %.6g,%.6g\n", (double)(i % columns) / columns,
            bottom + (rows - 1 - i / columns) * h, 1.0 / columns, h);
}

void ph_plot_script(const ph_plot *plot, const char *terminal, FILE *to)
{
    int n = plot->n_panels, columns = plot->columns > 0 ? plot->columns : n < 3 ? n : n == 4 ? 2 : 3;
    if (columns < 1)
        columns = 1;
    int rows = n > columns ? (n + columns - 1) / columns : 1;
    int width = columns == 1 ? 640 : 480 * columns;
    strip legend_strip = find_strip(plot, width);
    int titled = plot->title && (n > 1 || (n == 1 && plot->panels[0].title)); /* both, one above the other */
    double title = titled ? 26 : 0, panels = (columns == 1 ? 460 : 420) * rows;
    double total = panels + title + legend_strip.height;
    set_terminal(terminal, width, (int)total, to);
    for (int i = 0; i < n; i++) {
        frame f = {.p = &plot->panels[i], .index = i, .to = to};
        find_ranges(&f);
        data(&f);
    }
    int several = n > 1 || titled || legend_strip.rows;
    if (several) {
        fputs("set multiplot title ", to);
        quote(to, titled ? plot->title : "");
        fputs(" noenhanced\n", to);
    }
    for (int i = 0; i < n; i++) {
        ph_panel p = plot->panels[i];
        if (n == 1 && plot->title && !p.title)
            p.title = plot->title;
        frame f = {.p = &p, .index = i, .to = to};
        find_ranges(&f);
        if (several)
            place_panel(i, rows, columns, legend_strip.height / total, 1 - title / total, to);
        panel(&f);
    }
    if (legend_strip.rows)
        draw_strip(&legend_strip, legend_strip.height / total, to);
    if (several)
        fputs("unset multiplot\n", to);
}
