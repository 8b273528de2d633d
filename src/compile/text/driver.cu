/* An ensemble of MODEL: on a device one thread for each member, in plain C one member after the other.
 *
 *   cc -std=c17 -O2 -ffp-contract=off -fno-math-errno -c MODEL.c
 *   nvcc -std=c++20 -O3 -fmad=false -arch=native MODEL.cu MODEL.o -o MODEL_ensemble
 *   cc -std=c17 -O2 -ffp-contract=off -fno-math-errno -x c MODEL.cu -x none MODEL.o -lm -o MODEL_ensemble    (no device)
 *
 *   ./MODEL_ensemble MEMBERS STEPS [SPREAD] [NAME=LOW:HIGH] [NAME=VALUE] [TABLE.csv]
 *
 * Member i starts from velocities (1 + SPREAD u_i) times those of the model, u_i in [-1, 1]. NAME is an open parameter, an input,
 * q[k] or v[k]; members have values from LOW to HIGH, each as likely as any other. A table has names in its first line and the
 * numbers of one member in each that follows. The program prints mean, deviation, extremes and quantiles, over all members that did
 * not fail, of sensors and of q at the end; they are found where the members are, and no member is copied. Quantiles are those
 * of a histogram: right to a BINS-th part of what lies between the extremes.
 *
 * The first members are computed on the host too, by MODEL.o, and compared bit by bit; without -fmad=false they agree to round-off.
 *
 * PH_LIBRARY: no program, but functions for members that somebody else has. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "MODEL.h"

#ifdef __CUDACC__
namespace device { // functions of its own, on the struct of the header
#define PH_CUDA 1
#ifdef PH_LIBRARY /* a Jacobian that is kept leaves the registers of a thread: every iteration has its own */
#define PH_FULL 1
#endif
#define restrict __restrict__
#include "MODEL.c"
#undef restrict
} // namespace device
#define ON_DEVICE(f)            device::f
#define DEVICE                  static __device__
#define BOTH                    static __host__ __device__
#define KERNEL                  static __global__ void
#define THREAD                  ((long)blockIdx.x * BLOCK + threadIdx.x)
#define LAUNCH(f, threads, ...) f<<<(unsigned)(((threads) + BLOCK - 1) / BLOCK), BLOCK>>>(__VA_ARGS__)
#define COUNT_ONE_MORE(p)       atomicAdd(p, 1ull)
#define EXPORT                  extern "C"
#else
static long the_thread;
#define ON_DEVICE(f) f
#define DEVICE       static
#define BOTH         static
#define KERNEL       static void
#define THREAD       the_thread
#define LAUNCH(f, threads, ...)                                                                              \
    for (the_thread = 0; the_thread < (threads); the_thread++)                                               \
    f(__VA_ARGS__)
#define COUNT_ONE_MORE(p) (++*(p))
#define EXPORT
#endif

typedef MODEL member;
typedef unsigned char byte;
typedef unsigned long long count;

/* What can be set, and where it stands in the struct, counted in numbers. */
typedef struct settable {
    const char *name;
    int place;
} settable;

#define PLACE_OF(field) (int)(offsetof(member, field) / sizeof(double))

