/* An ensemble of MODEL on a device: one thread for each member.
 *
 *   cc -std=c17 -O2 -ffp-contract=off -c MODEL.c
 *   nvcc -std=c++20 -O3 -fmad=false -arch=native MODEL.cu MODEL.o -o MODEL_ensemble
 *   ./MODEL_ensemble MEMBERS STEPS [SPREAD]
 *
 * Member i starts from velocities (1 + SPREAD u_i) times those of the model, u_i in [-1, 1]. The first members are computed
 * on the host too, by MODEL.o, and compared bit by bit; without -fmad=false they agree to round-off. */
#include <chrono>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "MODEL.h"

namespace device { // functions of its own, on the struct of the header
#define PH_CUDA 1
#define restrict __restrict__
#include "MODEL.c"
#undef restrict
} // namespace device

typedef MODEL member;

enum { BLOCK = 64, HOST_MEMBERS = 8, NUMBERS = sizeof(member::q) / sizeof(double) };

static void check(cudaError_t e)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "device: %s\n", cudaGetErrorString(e));
    exit(1);
}

/* In [-1, 1], of member i; the same on both sides (splitmix64). */
static __host__ __device__ double u_of(long i)
{
    unsigned long long z = (unsigned long long)(i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (double)((z ^ z >> 31) >> 11) / (double)(1ull << 52) - 1;
}

static __host__ __device__ void spread_out(member *s, long i, double spread)
{
    for (double &v : s->v)
        v = (1 + spread * u_of(i)) * v;
}

static __global__ void start(member *all, long members, double spread, unsigned long long *failed)
{
    long i = (long)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= members)
        return;
    device::MODEL_init(&all[i]);
    spread_out(&all[i], i, spread);
    if (spread != 0 && device::MODEL_restart(&all[i]))
        atomicAdd(failed, 1ull);
}

static __global__ void __launch_bounds__(BLOCK) run(member *all, long members, long steps, unsigned long long *failed)
{
    long i = (long)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= members)
        return;
    member s = all[i];
    unsigned bad = 0;
    for (long k = 0; k < steps && !bad; k++)
        bad = device::MODEL_step(&s);
    all[i] = s;
    if (bad)
        atomicAdd(failed, 1ull);
}

/* Sums of numbers of q, and of their squares, over members. */
static __global__ void sum(const member *all, long members, double *sums)
{
    for (int k = 0; k < NUMBERS; k++) {
        double a = 0, b = 0;
        for (long i = (long)blockIdx.x * BLOCK + threadIdx.x; i < members; i += (long)gridDim.x * BLOCK)
            a += all[i].q[k], b += all[i].q[k] * all[i].q[k];
        atomicAdd(&sums[2 * k], a), atomicAdd(&sums[2 * k + 1], b);
    }
}

/* How many of the first members have the bits of the host. */
static int compare(const member *all, long members, long steps, double spread, int n, double *apart)
{
    std::vector<member> first(n);
    int same = 0;
    check(cudaMemcpy(first.data(), all, sizeof(member) * n, cudaMemcpyDeviceToHost));
    *apart = 0;
    for (int i = 0; i < n && i < members; i++) {
        MODEL s;
        memset(&s, 0, sizeof s);
        MODEL_init(&s);
        spread_out(&s, i, spread);
        if (spread != 0)
            MODEL_restart(&s);
        for (long k = 0; k < steps; k++)
            MODEL_step(&s);
        same += !memcmp(s.q, first[i].q, sizeof s.q) && !memcmp(s.v, first[i].v, sizeof s.v);
        for (int k = 0; k < NUMBERS; k++)
            *apart = fmax(*apart, fabs(s.q[k] - first[i].q[k]));
    }
    return same;
}

int main(int argc, char **argv)
{
    long members = argc > 1 ? atol(argv[1]) : 0, steps = argc > 2 ? atol(argv[2]) : 0;
    double spread = argc > 3 ? atof(argv[3]) : 0, apart, sums[2 * NUMBERS];
    member *all;
    double *device_sums;
    unsigned long long *failed, n_failed;
    if (members < 1 || steps < 1)
        return fprintf(stderr, "MODEL_ensemble MEMBERS STEPS [SPREAD]\n"), 2;
    check(cudaMalloc(&all, sizeof(member) * members));
    check(cudaMalloc(&failed, sizeof *failed));
    check(cudaMalloc(&device_sums, sizeof sums));
    check(cudaMemset(failed, 0, sizeof *failed));
    check(cudaMemset(device_sums, 0, sizeof sums));
    unsigned blocks = (unsigned)((members + BLOCK - 1) / BLOCK);
    start<<<blocks, BLOCK>>>(all, members, spread, failed);
    check(cudaDeviceSynchronize());
    auto before = std::chrono::steady_clock::now();
    run<<<blocks, BLOCK>>>(all, members, steps, failed);
    check(cudaDeviceSynchronize());
    double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    sum<<<256, BLOCK>>>(all, members, device_sums);
    check(cudaMemcpy(sums, device_sums, sizeof sums, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(&n_failed, failed, sizeof n_failed, cudaMemcpyDeviceToHost));
    int n = members < HOST_MEMBERS ? (int)members : HOST_MEMBERS;
    int same = compare(all, members, steps, spread, n, &apart);
    printf("members %ld  steps %ld  failed %llu  wall %.4f s  %.4e steps/s  %zu bytes/member\n", members, steps, n_failed, s,
           (double)members * (double)steps / s, sizeof(member));
    printf("host: %d of %d members have the same bits, q differs by %.3g\n", same, n, apart);
    for (int k = 0; k < NUMBERS; k++) {
        double mean = sums[2 * k] / (double)members;
        printf("q[%d] mean %.15g  deviation %.6g\n", k, mean, sqrt(fmax(0, sums[2 * k + 1] / (double)members - mean * mean)));
    }
    return n_failed ? 1 : 0;
}
