/* Flush denormals to zero while stepping: they cost up to a factor of two and carry no information there. */
#ifndef PH_BASE_FTZ_H
#define PH_BASE_FTZ_H

#if defined(__SSE2__)
#include <xmmintrin.h>

/* Returns the mode to restore. */
static inline unsigned ph_ftz_begin(void)
{
    unsigned mode = _mm_getcsr();
    if (!(mode & _MM_FLUSH_ZERO_ON))
        _mm_setcsr(mode | _MM_FLUSH_ZERO_ON);
    return mode;
}

static inline void ph_ftz_end(unsigned mode)
{
    if (!(mode & _MM_FLUSH_ZERO_ON))
        _mm_setcsr(mode);
}
#else
static inline unsigned ph_ftz_begin(void)
{
    return 0;
}

static inline void ph_ftz_end(unsigned mode)
{
    (void)mode;
}
#endif

#endif
