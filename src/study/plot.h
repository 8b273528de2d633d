/* Plots of a study. A plot is data: panels with axes, series, slope triangles, marker lines, a heat map. It
 * becomes a script, and gnuplot draws it: SVG or PNG, by the ending of the file.
 *
 *   double x[] = {1e-3, 5e-4}, y[] = {4e-6, 1e-6};
 *   ph_series s = {.label = "genalpha", .n = 2, .x = x, .y = y};
 *   ph_plot_slope two = {.order = 2};
 *   ph_panel p = {.x = {.label = "h", .unit = "s", .log = 1}, .y = {.label = "error", .log = 1},
 *                 .n_series = 1, .series = &s, .n_slopes = 1, .slopes = &two};
 *   ph_plot plot = {.title = "heavy top", .n_panels = 1, .panels = &p};
 *   if (!ph_plot_ready("error.svg", &err)) ...            before the study runs
 *   if (!ph_plot_write(&plot, "error.svg", &err)) ...     after it
 *
 * All pointers belong to the caller. Texts may hold UTF-8. Points that are not finite, or not positive on a
 * logarithmic axis, are left out and break their line. */
#ifndef PH_STUDY_PLOT_H
#define PH_STUDY_PLOT_H

#include "polhode/base.h"

#include <stdio.h>

typedef struct ph_axis {
    const char *label, *unit; /* unit NULL: none */
    int log;
    double min, max; /* max <= min: as the data is */
} ph_axis;

typedef enum ph_style { PH_LINES_POINTS, PH_LINES, PH_POINTS } ph_style;

typedef struct ph_series {
    const char *label; /* in the legend; NULL: not there */
    ph_style style;
    int look; /* number of colour, dash and marker; 0: by the place in the list, 1, 2, ... */
    int n;
    const double *x, *y;
} ph_series;

/* A triangle that shows the slope of y = c x^order on logarithmic axes. */
typedef struct ph_plot_slope {
    double order;
    double x, y; /* its lower left corner; 0: below the series */
} ph_plot_slope;

/* A line across the panel. */
typedef struct ph_plot_marker {
    int vertical;
    double at;
    const char *label; /* NULL: none */
} ph_plot_marker;

/* Cells of colour around points of a grid, which need not be equidistant; NAN stays white. */
typedef struct ph_heat {
    int nx, ny;          /* at least 2 each; nx = 0: no heat map */
    const double *x, *y; /* ascending */
    const double *z;     /* ny rows of nx: z[j nx + i] stands at x[i], y[j] */
    ph_axis scale;       /* of z: label, unit, log, range */
    int n_levels;
    const double *levels; /* lines of constant z */
} ph_heat;

typedef enum ph_legend {
    PH_LEGEND_TOP_LEFT,
    PH_LEGEND_TOP_RIGHT,
    PH_LEGEND_BOTTOM_LEFT,
    PH_LEGEND_BOTTOM_RIGHT,
    PH_LEGEND_BELOW, /* once, in a strip below all panels */
    PH_LEGEND_NONE
} ph_legend;

typedef struct ph_panel {
    const char *title; /* NULL: none */
    ph_axis x, y;
    ph_legend legend;
    int n_series;
    const ph_series *series;
    int n_slopes;
    const ph_plot_slope *slopes;
    int n_markers;
    const ph_plot_marker *markers;
    ph_heat heat;
} ph_panel;

typedef struct ph_plot {
    const char *title; /* NULL: none */
    int n_panels;
    const ph_panel *panels;
    int columns; /* panels beside each other; 0: 3 at most, of 4 panels 2 */
} ph_plot;

/* 0 with a sentence in err: the ending of the path is none of .svg and .png, gnuplot is not installed, or the
 * folder cannot be written to. */
int ph_plot_ready(const char *path, ph_error *err);

/* Draw; the file appears whole or not at all. 0 with a sentence in err. */
int ph_plot_write(const ph_plot *plot, const char *path, ph_error *err);

/* The script alone, for a terminal of gnuplot: "svg" or "pngcairo". */
void ph_plot_script(const ph_plot *plot, const char *terminal, FILE *to);

#endif
