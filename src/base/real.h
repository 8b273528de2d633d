/* The numbers of a compiled model, and of batches of nodes in the library: double, or a vector with a double of each member. */
#ifndef PH_BASE_REAL_H
#define PH_BASE_REAL_H

#if defined(PH_CUDA)
#define PH_FN          static inline __device__
#define PH_COLD        static __device__ __noinline__
#define PH_OUT_OF_LINE static __device__
#define PH_TABLE       static __device__ const
#define PH_EXPORT      static __device__
#elif defined(__GNUC__)
#define PH_FN          static inline __attribute__((always_inline, unused))
#define PH_COLD        static __attribute__((noinline, unused))
#define PH_OUT_OF_LINE static __attribute__((noinline, unused))
#define PH_TABLE       static const __attribute__((unused))
#define PH_EXPORT
#else
#define PH_FN          static inline
#define PH_COLD        static
#define PH_OUT_OF_LINE static
#define PH_TABLE       static const
#define PH_EXPORT
#endif

#define PH_SIGN_BIT 0x7fffffffffffffffLL

#if PH_LANES == 1

typedef double ph_real;
typedef int ph_mask; /* what a comparison gives */
#define PH_K(a) a    /* a constant, in an initialiser */

PH_FN ph_real ph_k(double a) /* a constant */
{
    return a;
}

PH_FN ph_real ph_select(ph_mask m, ph_real a, ph_real b)
{
    return m ? a : b;
}

PH_FN int ph_any(ph_mask m) /* of members */
{
    return m;
}

PH_FN int ph_all(ph_mask m)
{
    return m;
}

PH_FN ph_mask ph_not(ph_mask m)
{
    return !m;
}

PH_FN unsigned ph_bits(ph_mask m) /* a bit for each member */
{
    return m != 0;
}

PH_FN ph_real ph_abs(ph_real a)
{
    return fabs(a);
}

PH_FN ph_real ph_sqrt(ph_real a)
{
    return sqrt(a);
}

PH_FN ph_real ph_sin(ph_real a)
{
    return sin(a);
}

PH_FN ph_real ph_cos(ph_real a)
{
    return cos(a);
}

PH_FN ph_real ph_atan2(ph_real y, ph_real x)
{
    return atan2(y, x);
}

PH_FN ph_real ph_fma(ph_real a, ph_real b, ph_real c)
{
    return fma(a, b, c);
}

PH_FN ph_real ph_round(ph_real a)
{
    return round(a);
}

#else

#pragma GCC diagnostic ignored "-Wpsabi"
typedef double ph_real __attribute__((vector_size(8 * PH_LANES)));
typedef long long ph_mask __attribute__((vector_size(8 * PH_LANES)));
#if PH_LANES == 2
#define PH_K(a)                                                                                              \
    {                                                                                                        \
        a, a                                                                                                 \
    }
#elif PH_LANES == 4
#define PH_K(a)                                                                                              \
    {                                                                                                        \
        a, a, a, a                                                                                           \
    }
#else
#define PH_K(a)                                                                                              \
    {                                                                                                        \
        a, a, a, a, a, a, a, a                                                                               \
    }
#endif

PH_FN ph_real ph_k(double a)
{
    return a - (ph_real){0};
}

PH_FN ph_real ph_select(ph_mask m, ph_real a, ph_real b)
{
    return (ph_real)(((ph_mask)a & m) | ((ph_mask)b & ~m));
}

PH_FN int ph_any(ph_mask m)
{
    long long sum = 0;
    for (int i = 0; i < PH_LANES; i++)
        sum |= m[i];
    return sum != 0;
}

PH_FN int ph_all(ph_mask m)
{
    return !ph_any(~m);
}

PH_FN ph_mask ph_not(ph_mask m)
{
    return ~m;
}

PH_FN unsigned ph_bits(ph_mask m)
{
    unsigned bits = 0;
    for (int i = 0; i < PH_LANES; i++)
        bits |= (m[i] != 0) * (1u << i);
    return bits;
}

PH_FN ph_real ph_abs(ph_real a)
{
    return (ph_real)((ph_mask)a & PH_SIGN_BIT);
}

PH_FN ph_real ph_sqrt(ph_real a)
{
    for (int i = 0; i < PH_LANES; i++)
        a[i] = sqrt(a[i]);
    return a;
}

PH_FN ph_real ph_sin(ph_real a)
{
    for (int i = 0; i < PH_LANES; i++)
        a[i] = sin(a[i]);
    return a;
}

PH_FN ph_real ph_cos(ph_real a)
{
    for (int i = 0; i < PH_LANES; i++)
        a[i] = cos(a[i]);
    return a;
}

PH_FN ph_real ph_atan2(ph_real y, ph_real x)
{
    for (int i = 0; i < PH_LANES; i++)
        y[i] = atan2(y[i], x[i]);
    return y;
}

PH_FN ph_real ph_fma(ph_real a, ph_real b, ph_real c)
{
    for (int i = 0; i < PH_LANES; i++)
        a[i] = fma(a[i], b[i], c[i]);
    return a;
}

PH_FN ph_real ph_round(ph_real a)
{
    for (int i = 0; i < PH_LANES; i++)
        a[i] = round(a[i]);
    return a;
}

#endif

/* The larger of a and b; NaN if any is NaN. */
PH_FN ph_real ph_larger(ph_real a, ph_real b)
{
    return ph_select((b > a) | (b != b), b, a);
}

#endif
