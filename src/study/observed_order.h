/* Observed orders: e = C h^p. */
#ifndef PH_STUDY_OBSERVED_ORDER_H
#define PH_STUDY_OBSERVED_ORDER_H

/* One row of a convergence study. r: step size of the run that e was measured against if that is a finer run
 * of the same method; 0: the exact solution. */
typedef struct ph_order_row {
    double h, e, r;
} ph_order_row;

/* p of two rows: log(e1/e2) / log(h1/h2). Against finer runs the measured e is C (h^p - r^p), and p solves
 * e1/e2 = (h1^p - r1^p)/(h2^p - r2^p): as exact as Richardson's extrapolation is. NAN: an error that is not
 * positive and finite, or equal h. */
double ph_order_of_two(ph_order_row a, ph_order_row b);

/* The error itself where e was measured against a finer run: e h^p/(h^p - r^p). */
double ph_order_true_error(ph_order_row a, double p);

/* p and C of least squares in log(e) over log(h), with errors as ph_order_true_error gives them for p; NAN
 * where fewer than two rows are positive and finite. */
double ph_order_fit(int n, const ph_order_row *rows, double p, double *C);

#endif
