/* Sums of absolute values, as round-off of a sum is judged by. */
#include "step/size.h"

#include <math.h>
#include <string.h>

double ph_size_bodies(const ph_layout *lay, const double *M)
{
    double most[2] = {0, 0};
    for (int i = 0; i < lay->N; i++) {
        const ph_block *b = &lay->pair[lay->diag[i]];
        for (int k = 0; k < b->n; k++) {
            double *m = &most[k >= lay->slot[i].rot];
            *m = ph_larger(*m, M[b->at + k * (b->n + 1)]);
        }
    }
    return most[0] > 0 ? sqrt(most[1] / most[0]) : 0;
}

double ph_size_least_inertia(const ph_layout *lay, const double *M, double length)
{
    double least = HUGE_VAL;
    for (int i = 0; i < lay->N; i++) {
        const ph_block *b = &lay->pair[lay->diag[i]];
        for (int k = 0; k < b->n; k++)
            least = fmin(least, M[b->at + k * (b->n + 1)] * (k < lay->slot[i].rot ? length : 1));
    }
    return least;
}

ph_size ph_size_positions(const ph_layout *lay, const double *q, double body)
{
    ph_size s = {{body, 1}};
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        s.of[0] = ph_small_larger(i->rot, s.of[0], q + i->q_at);
    return s;
}

ph_size ph_size_largest(const ph_layout *lay, const double *x)
{
    ph_size s = {{0, 0}};
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        ph_size_add_node(&s, i, x + i->v_at);
    return s;
}

/* sum_j |A_j| s_j over a row of a block whose column is a node */
static double row_size(const ph_layout *lay, const ph_block *b, const double *A, ph_size s)
{
    int rot = lay->slot[b->col].rot;
    double sum = 0;
    for (int j = 0; j < b->n; j++)
        sum += fabs(A[j]) * s.of[j >= rot];
    return sum;
}

void ph_size_rows(const ph_layout *lay, const double *B, ph_size s, double *rows)
{
    memset(rows, 0, sizeof(double) * (size_t)lay->nl);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        for (int i = 0; i < b->m; i++)
            rows[b->row_at + i] += row_size(lay, b, B + b->at + i * b->n, s);
    for (int c = 0; c < lay->C; c++) {
        double most = ph_small_max(lay->rows[c], rows + lay->l_at[c]);
        for (int i = 0; i < lay->rows[c]; i++)
            rows[lay->l_at[c] + i] = most;
    }
}

void ph_size_add_pairs(const ph_layout *lay, const double *A, ph_size s, double *f)
{
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        for (int i = 0; i < b->m; i++)
            f[b->row_at + i] += row_size(lay, b, A + b->at + i * b->n, s);
}

void ph_size_add_reactions(const ph_layout *lay, const double *B, const double *lambda, double *f)
{
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++)
                f[b->col_at + j] += fabs(B[b->at + i * b->n + j] * lambda[b->row_at + i]);
}

void ph_size_add_turned(const ph_layout *lay, const double *B, const double *lambda, double turn, double *f)
{
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        int rot = lay->slot[b->col].rot;
        double lever = 0;
        for (int i = 0; i < b->m; i++)
            lever = ph_larger(lever, ph_small_max(b->n - rot, B + b->at + i * b->n + rot));
        for (int j = rot; j < b->n; j++)
            f[b->col_at + j] += turn * lever * ph_small_max(b->m, lambda + b->row_at);
    }
}

static double over(double x, double size)
{
    return x == 0 ? 0 : fabs(x) / size;
}

double ph_size_ratio(int n, const double *x, const double *size)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = ph_larger(most, over(x[i], size[i]));
    return most;
}

double ph_size_over(ph_size x, ph_size size)
{
    return ph_larger(over(x.of[0], size.of[0]), over(x.of[1], size.of[1]));
}
