/* Rows of up to 6 numbers in registers, their count a constant. Written twice, with vectors of 4 and with scalars,
 * as rows.h is: the same operations number by number, and sums in the same order, so that both give the same bits. */
#ifndef PH_LA_LINES_H
#define PH_LA_LINES_H

#include "la/rows.h"

/* f(n, ...) with n a constant from 1 to 6, any(n, ...) beyond; f must be PH_INLINE. */
#define PH_CONSTANT(n, f, any, ...)                                                                          \
    ((n) == 1   ? f(1, __VA_ARGS__)                                                                          \
     : (n) == 2 ? f(2, __VA_ARGS__)                                                                          \
     : (n) == 3 ? f(3, __VA_ARGS__)                                                                          \
     : (n) == 4 ? f(4, __VA_ARGS__)                                                                          \
     : (n) == 5 ? f(5, __VA_ARGS__)                                                                          \
     : (n) == 6 ? f(6, __VA_ARGS__)                                                                          \
                : any((n), __VA_ARGS__))

#if defined(__AVX2__) && !defined(PH_SCALAR_KERNELS)

/* The first n numbers at p and zeros, n <= 4. */
PH_INLINE ph_row quad_load(int n, const double *p)
{
    return n == 4 ? ph_row_load4(p) : n == 3 ? ph_row_load3(p) : (ph_row){p[0], n > 1 ? p[1] : 0, 0, 0};
}

PH_INLINE void quad_store(int n, double *p, ph_row a)
{
    if (n == 4)
        ph_row_store4(p, a);
    else
        for (int i = 0; i < n; i++)
            p[i] = a[i];
}

typedef struct line {
    ph_row a, b; /* numbers 0 .. 3 and 4 .. 7; those from n on are zero */
} line;

PH_INLINE line line_zero(void)
{
    return (line){ph_row_splat(0), ph_row_splat(0)};
}

PH_INLINE line line_load(int n, const double *p)
{
    return n > 4 ? (line){ph_row_load4(p), quad_load(n - 4, p + 4)} : (line){quad_load(n, p), {0}};
}

PH_INLINE void line_store(int n, double *p, line x)
{
    quad_store(n < 4 ? n : 4, p, x.a);
    if (n > 4)
        quad_store(n - 4, p + 4, x.b);
}

PH_INLINE line line_scale(int n, double s, line x)
{
    ph_row v = ph_row_splat(s);
    return (line){v * x.a, n > 4 ? v * x.b : x.b};
}

PH_INLINE line line_add(int n, line x, line y)
{
    return (line){x.a + y.a, n > 4 ? x.b + y.b : x.b};
}

PH_INLINE line line_sub(int n, line x, line y)
{
    return (line){x.a - y.a, n > 4 ? x.b - y.b : x.b};
}

PH_INLINE line line_mul(int n, line x, line y)
{
    return (line){x.a * y.a, n > 4 ? x.b * y.b : x.b};
}

PH_INLINE line line_abs(int n, line x)
{
    return (line){ph_row_abs(x.a), n > 4 ? ph_row_abs(x.b) : x.b};
}

/* ((x0 + x1) + (x2 + x3)) + (x4 + x5) */
PH_INLINE double line_sum(int n, line x)
{
    double low = (x.a[0] + x.a[1]) + (x.a[2] + x.a[3]);
    return n > 4 ? low + (x.b[0] + x.b[1]) : low;
}

/* line_sum of each of four */
PH_INLINE ph_row four_sums(line x, line y, line z, line w)
{
    ph_row p = PH_SHUFFLE(x.a, y.a, 0, 4, 2, 6) + PH_SHUFFLE(x.a, y.a, 1, 5, 3, 7),
           q = PH_SHUFFLE(z.a, w.a, 0, 4, 2, 6) + PH_SHUFFLE(z.a, w.a, 1, 5, 3, 7),
           r = PH_SHUFFLE(x.b, y.b, 0, 4, 2, 6) + PH_SHUFFLE(x.b, y.b, 1, 5, 3, 7),
           s = PH_SHUFFLE(z.b, w.b, 0, 4, 2, 6) + PH_SHUFFLE(z.b, w.b, 1, 5, 3, 7);
    return (PH_SHUFFLE(p, q, 0, 1, 4, 5) + PH_SHUFFLE(p, q, 2, 3, 6, 7)) + PH_SHUFFLE(r, s, 0, 1, 4, 5);
}

/* line_sum of each of m lines of 6 */
PH_INLINE line line_sums(int m, const line *x)
{
    line o = line_zero();
    return (line){four_sums(x[0], m > 1 ? x[1] : o, m > 2 ? x[2] : o, m > 3 ? x[3] : o),
                  m > 4 ? four_sums(x[4], m > 5 ? x[5] : o, o, o) : o.b};
}

/* Numbers 0 .. 2 and 3 .. 5 */
PH_INLINE ph_row line_left(line x)
{
    return x.a;
}

PH_INLINE ph_row line_right(line x)
{
    return PH_SHUFFLE(x.a, x.b, 3, 4, 5, 6);
}

PH_INLINE line line_of(ph_row left, ph_row right)
{
    return (line){PH_SHUFFLE(left, right, 0, 1, 2, 4), PH_SHUFFLE(right, ph_row_splat(0), 1, 2, 4, 5)};
}

#else

typedef struct line {
    double x[6];
} line;

PH_INLINE line line_zero(void)
{
    line y = {0};
    return y;
}

PH_INLINE line line_load(int n, const double *p)
{
    line y = line_zero();
    for (int i = 0; i < n; i++)
        y.x[i] = p[i];
    return y;
}

PH_INLINE void line_store(int n, double *p, line x)
{
    for (int i = 0; i < n; i++)
        p[i] = x.x[i];
}

PH_INLINE line line_scale(int n, double s, line x)
{
    for (int i = 0; i < n; i++)
        x.x[i] *= s;
    return x;
}

PH_INLINE line line_add(int n, line x, line y)
{
    for (int i = 0; i < n; i++)
        x.x[i] += y.x[i];
    return x;
}

PH_INLINE line line_sub(int n, line x, line y)
{
    for (int i = 0; i < n; i++)
        x.x[i] -= y.x[i];
    return x;
}

PH_INLINE line line_mul(int n, line x, line y)
{
    for (int i = 0; i < n; i++)
        x.x[i] *= y.x[i];
    return x;
}

PH_INLINE line line_abs(int n, line x)
{
    for (int i = 0; i < n; i++)
        x.x[i] = fabs(x.x[i]);
    return x;
}

PH_INLINE double line_sum(int n, line x)
{
    double y[6] = {0};
    for (int i = 0; i < n; i++)
        y[i] = x.x[i];
    double low = (y[0] + y[1]) + (y[2] + y[3]);
    return n > 4 ? low + (y[4] + y[5]) : low;
}

PH_INLINE line line_sums(int m, const line *x)
{
    line y = line_zero();
    for (int i = 0; i < m; i++)
        y.x[i] = line_sum(6, x[i]);
    return y;
}

PH_INLINE ph_row line_left(line x)
{
    return ph_row_of(x.x[0], x.x[1], x.x[2]);
}

PH_INLINE ph_row line_right(line x)
{
    return ph_row_of(x.x[3], x.x[4], x.x[5]);
}

PH_INLINE line line_of(ph_row left, ph_row right)
{
    return (line){{left.x, left.y, left.z, right.x, right.y, right.z}};
}

#endif

#endif
