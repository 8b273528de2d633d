/* Long vectors, four numbers at a time. Sums have an order that is written down, and so the same bits on
 * every machine. */
#ifndef PH_LA_VECTORS_H
#define PH_LA_VECTORS_H

typedef double ph_four __attribute__((vector_size(32), aligned(8), may_alias));

/* How many of n numbers a loop takes four at a time. Short vectors were just written number by number: a processor waits until it
 * can read four of them at once. */
#define PH_VECTOR_SHORT 16
static inline int ph_vector_fours(int n)
{
    return n > PH_VECTOR_SHORT ? n & ~3 : 0;
}

/* a . b */
static inline double ph_vector_dot(int n, const double *a, const double *b)
{
    ph_four s = {0}, t = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        s += *(const ph_four *)(a + i) * *(const ph_four *)(b + i);
        t += *(const ph_four *)(a + i + 4) * *(const ph_four *)(b + i + 4);
    }
    s += t;
    double sum = (s[0] + s[1]) + (s[2] + s[3]);
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y = x, without a call, which costs more than it does for a few numbers */
static inline void ph_vector_copy(int n, const double *x, double *y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4)
        *(ph_four *)(y + i) = *(const ph_four *)(x + i);
    for (; i < n; i++)
        y[i] = x[i];
}

/* y += f x */
static inline void ph_vector_add(int n, double f, const double *x, double *y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4)
        *(ph_four *)(y + i) += f * *(const ph_four *)(x + i);
    for (; i < n; i++)
        y[i] += f * x[i];
}

/* y += |f x|, by whole fours: up to three numbers beyond n are read and changed, too */
static inline void ph_vector_add_sizes(int n, double f, const double *x, double *y)
{
    typedef long long bits __attribute__((vector_size(32), aligned(8), may_alias));
    const bits but_sign = {0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff};
    for (int i = 0; i < n; i += 4)
        *(ph_four *)(y + i) += (ph_four)((bits)(f * *(const ph_four *)(x + i)) & but_sign);
}

/* y += f[0] x + ... + f[3] of the vector 3 strides further, in this order */
static inline void ph_vector_add4(int n, const double *f, const double *x, long stride, double *y)
{
    const double *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        ph_four s = *(const ph_four *)(y + i) + f[0] * *(const ph_four *)(x + i);
        s += f[1] * *(const ph_four *)(x1 + i);
        s += f[2] * *(const ph_four *)(x2 + i);
        s += f[3] * *(const ph_four *)(x3 + i);
        *(ph_four *)(y + i) = s;
    }
    for (; i < n; i++)
        y[i] = (((y[i] + f[0] * x[i]) + f[1] * x1[i]) + f[2] * x2[i]) + f[3] * x3[i];
}

/* (x, y) = (c x - s y, s x + c y) */
static inline void ph_vector_turn(int n, double c, double s, double *x, double *y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        ph_four a = *(const ph_four *)(x + i), b = *(const ph_four *)(y + i);
        *(ph_four *)(x + i) = c * a - s * b;
        *(ph_four *)(y + i) = s * a + c * b;
    }
    for (; i < n; i++) {
        double a = x[i], b = y[i];
        x[i] = c * a - s * b, y[i] = s * a + c * b;
    }
}

#endif
