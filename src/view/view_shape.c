/* Shapes for pages: those of the model, and the box of an inertia.
 *
 * A homogeneous box with edges a, b, c has J_x = m (b^2 + c^2)/12, ..., so that
 *   a^2 = 6 (J_y + J_z - J_x)/m, and so on */
#include "view/view_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/keys.h"

/* ---- the box ------------------------------------------------------------------------------------------ */

#define SWEEPS 12   /* of Jacobi's method: quadratic convergence needs five */
#define THIN   0.06 /* of the largest edge: a plate or rod still shows */

/* A <- Q^T A Q, R <- R Q with the rotation in the plane p, q that makes A[p][q] 0 */
static void rotate(double A[3][3], ph_quat *R, int p, int q)
{
    if (A[p][q] == 0)
        return;
    double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1),
           s = t * c, half = sqrt((1 + c) / 2), axis[3] = {0};
    for (int k = 0; k < 3; k++) {
        double a = A[k][p], b = A[k][q];
        A[k][p] = c * a - s * b, A[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        double a = A[p][k], b = A[q][k];
        A[p][k] = c * a - s * b, A[q][k] = s * a + c * b;
    }
    axis[3 - p - q] = (q - p == 1 ? -s : s) / (2 * half); /* x to -y, y to -z, x to -z */
    *R = ph_qmul(*R, (ph_quat){half, axis[0], axis[1], axis[2]});
}

ph_view_box ph_view_box_of(double mass, ph_mat3 J)
{
    double A[3][3] = {{J.xx, J.xy, J.xz}, {J.xy, J.yy, J.yz}, {J.xz, J.yz, J.zz}}, most = 0;
    ph_view_box box = {.R = {1, 0, 0, 0}};
    for (int k = 0; k < SWEEPS; k++)
        rotate(A, &box.R, 0, 1), rotate(A, &box.R, 0, 2), rotate(A, &box.R, 1, 2);
    for (int k = 0; k < 3; k++) {
        double square = 6 * (A[(k + 1) % 3][(k + 1) % 3] + A[(k + 2) % 3][(k + 2) % 3] - A[k][k]) / mass;
        box.edge[k] = square > 0 ? sqrt(square) : 0;
        most = fmax(most, box.edge[k]);
    }
    for (int k = 0; k < 3; k++)
        box.edge[k] = fmax(box.edge[k], THIN * most);
    return box;
}

/* ---- triangles ---------------------------------------------------------------------------------------- */

static unsigned hash_point(const float *x)
{
    unsigned bits[3], h = 2166136261u;
    memcpy(bits, x, sizeof bits);
    for (int k = 0; k < 3; k++)
        h = (h ^ bits[k]) * 16777619u, h ^= h >> 15;
    return h;
}

/* Corners at the same point become one: files of STL repeat each of them about six times. How many are left. */
static int weld(const ph_mesh_def *m, unsigned size, int *table, int *of, int *triangle, float *point)
{
    int n = 0;
    memset(table, 0xff, size * sizeof *table);
    for (int i = 0; i < m->n_points; i++) {
        const float *x = m->point + 3 * (size_t)i;
        unsigned at = hash_point(x) & (size - 1);
        while (table[at] >= 0 && memcmp(point + 3 * (size_t)table[at], x, 12) != 0)
            at = (at + 1) & (size - 1);
        if (table[at] < 0) {
            table[at] = n;
            memcpy(point + 3 * (size_t)n++, x, 12);
        }
        of[i] = table[at];
    }
    for (int i = 0; i < 3 * m->n_triangles; i++)
        triangle[i] = of[m->triangle[i]];
    return n;
}

/* Where there is no memory to weld it, as it is. */
static void put_mesh(FILE *to, const ph_mesh_def *m)
{
    size_t corners = 3 * (size_t)m->n_triangles, points = (size_t)m->n_points;
    unsigned size = 1;
    while (size < 2 * (unsigned)m->n_points)
        size *= 2;
    int *table = malloc((size + points + corners + 3 * points) * 4);
    const int *triangle = m->triangle;
    const float *point = m->point;
    if (table) {
        int *of = table + size, *own = of + points;
        float *x = (float *)(void *)(own + corners);
        points = (size_t)weld(m, size, table, of, own, x), triangle = own, point = x;
    }
    fputs("{\"points\":\"", to);
    ph_view_base64(to, point, 12 * points);
    fputs("\",\"triangles\":\"", to);
    ph_view_base64(to, triangle, 4 * corners);
    fputs("\"}", to);
    free(table);
}

/* ---- shapes ------------------------------------------------------------------------------------------- */

static void put_shape(FILE *to, const ph_shape_def *s)
{
    fputs("{\"type\":", to);
    ph_view_text(to, ph_shape_word(s->type));
    fputs(",\"size\":", to);
    ph_view_numbers(to, 3, s->size);
    fputs(",\"at\":", to);
    ph_view_vector(to, s->at);
    fputs(",\"rotation\":", to);
    ph_view_numbers(to, 4, (double[]){s->R.w, s->R.x, s->R.y, s->R.z});
    if (s->color >= 0)
        fprintf(to, ",\"color\":%d", s->color);
    if (s->type == PH_SHAPE_MESH) {
        fputs(",\"mesh\":", to);
        put_mesh(to, &s->mesh);
    }
    fputc('}', to);
}

void ph_view_shapes(FILE *to, const ph_shape_list *all, const char *marker)
{
    int n = 0;
    fputc('[', to);
    for (int k = 0; k < all->n; k++) {
        const ph_shape_def *s = &all->shape[k];
        if (!s->marker != !marker || (marker && strcmp(s->marker, marker) != 0))
            continue;
        fputs(n++ ? "," : "", to);
        put_shape(to, s);
    }
    fputc(']', to);
}
