/* Files for ParaView: one of polygons (.vtp) for each frame, and a list of them with their times (.pvd).
 *
 * Bodies are triangles of their shapes, or of the box of their inertia; beams, flexible bodies and springs are lines. Cells
 * have the number of their body ("body", -1: the ground; -2: none) and a colour. All of it is text: every version reads it. */
#include "view/view_inside.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ROUND 24 /* segments of round shapes */

/* ---- what stays: triangles and lines in the frames of bodies ------------------------------------------- */

typedef struct corner {
    float x[3];
    int body;
} corner;

typedef struct cell {
    int corner[3]; /* corner[2] < 0: a line */
    int body, color;
} cell;

typedef struct solid {
    corner *corner;
    cell *cell;
    int n_corners, n_cells, room_corners, room_cells;
    int failed;
} solid;

static int grow(solid *s, void *array, int *room, int n, size_t size)
{
    void *more, **at = array;
    if (n < *room || s->failed)
        return !s->failed;
    more = realloc(*at, (size_t)(2 * *room + 256) * size);
    s->failed = !more;
    if (more)
        *at = more, *room = 2 * *room + 256;
    return !s->failed;
}

/* The place among corners; 0 where memory has ended. */
static int add_corner(solid *s, int body, double x, double y, double z)
{
    if (!grow(s, &s->corner, &s->room_corners, s->n_corners, sizeof *s->corner))
        return 0;
    s->corner[s->n_corners] = (corner){{(float)x, (float)y, (float)z}, body};
    return s->n_corners++;
}

static void add_cell(solid *s, int body, int color, int a, int b, int c)
{
    if (grow(s, &s->cell, &s->room_cells, s->n_cells, sizeof *s->cell))
        s->cell[s->n_cells++] = (cell){{a, b, c}, body, color};
}

/* Where a shape stands: points of its own axes become points of the body. */
typedef struct pen {
    solid *s;
    int body, color;
    ph_vec3 at;
    ph_mat3 R;
} pen;

static int put(const pen *p, double x, double y, double z)
{
    ph_vec3 v = ph_add(p->at, ph_mul(p->R, ph_v3(x, y, z)));
    return add_corner(p->s, p->body, v.x, v.y, v.z);
}

static void put_quad(const pen *p, int a, int b, int c, int d)
{
    add_cell(p->s, p->body, p->color, a, b, c);
    add_cell(p->s, p->body, p->color, a, c, d);
}

static void put_box(const pen *p, const double *edge)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    int at[8];
    for (int k = 0; k < 8; k++)
        at[k] =
            put(p, (k & 1 ? .5 : -.5) * edge[0], (k & 2 ? .5 : -.5) * edge[1], (k & 4 ? .5 : -.5) * edge[2]);
    for (int f = 0; f < 6; f++)
        put_quad(p, at[faces[f][0]], at[faces[f][1]], at[faces[f][2]], at[faces[f][3]]);
}

/* A profile (radius, z) of n points, turned about z. */
static void put_turned(const pen *p, const double (*profile)[2], int n)
{
    const double step = 2 * 3.14159265358979323846 / ROUND;
    for (int i = 0; i + 1 < n; i++) {
        int row[2][ROUND];
        for (int k = 0; k < ROUND; k++)
            for (int e = 0; e < 2; e++)
                row[e][k] = put(p, profile[i + e][0] * cos(k * step), profile[i + e][0] * sin(k * step),
                                profile[i + e][1]);
        for (int k = 0; k < ROUND; k++)
            put_quad(p, row[0][k], row[0][(k + 1) % ROUND], row[1][(k + 1) % ROUND], row[1][k]);
    }
}

/* Spheres are capsules without a cylinder. */
static void put_capsule(const pen *p, double r, double h)
{
    double profile[ROUND + 2][2];
    int half = ROUND / 2;
    for (int k = 0; k <= ROUND + 1; k++) {
        int up = k > half;
        double a = 3.14159265358979323846 * ((double)(up ? k - 1 : k) / ROUND - .5);
        profile[k][0] = r * cos(a), profile[k][1] = r * sin(a) + (up ? h / 2 : -h / 2);
    }
    put_turned(p, (const double(*)[2])profile, ROUND + 2);
}

static void put_mesh(const pen *p, const ph_mesh_def *m, double scale)
{
    int first = p->s->n_corners;
    for (int k = 0; k < m->n_points; k++) {
        const float *x = m->point + 3 * (size_t)k;
        put(p, scale * (double)x[0], scale * (double)x[1], scale * (double)x[2]);
    }
    for (int k = 0; k < m->n_triangles; k++) {
        const int *t = m->triangle + 3 * (size_t)k;
        add_cell(p->s, p->body, p->color, first + t[0], first + t[1], first + t[2]);
    }
}

static void put_shape(solid *s, int body, int color, const ph_shape_def *f)
{
    pen p = {s, body, f->color >= 0 ? f->color : color, f->at, ph_qmat(f->R)};
    double a = f->size[0], b = f->size[1], c = f->size[2];
    switch (f->type) {
    case PH_SHAPE_BOX:
        put_box(&p, f->size);
        break;
    case PH_SHAPE_SPHERE:
        put_capsule(&p, a, 0);
        break;
    case PH_SHAPE_CAPSULE:
        put_capsule(&p, a, b);
        break;
    case PH_SHAPE_CYLINDER:
        put_turned(&p, (const double[][2]){{0, -b / 2}, {a, -b / 2}, {a, b / 2}, {0, b / 2}}, 4);
        break;
    case PH_SHAPE_CONE:
        put_turned(&p, (const double[][2]){{0, -b / 2}, {a, -b / 2}, {0, b / 2}}, 3);
        break;
    case PH_SHAPE_TUBE:
        put_turned(&p, (const double[][2]){{b, -c / 2}, {a, -c / 2}, {a, c / 2}, {b, c / 2}, {b, -c / 2}}, 5);
        break;
    default:
        put_mesh(&p, &f->mesh, a);
    }
}

/* ---- the scene ---------------------------------------------------------------------------------------- */

static const int palette[] = {0x4477aa, 0xee8833, 0x22a088, 0xccb544, 0xb04a8c, 0x55b4e0, 0xe0606e, 0x7a8f3c};

static void put_shapes(solid *s, int body, int color, const ph_shape_list *all, const char *marker)
{
    for (int k = 0; k < all->n; k++)
        if (!all->shape[k].marker == !marker && (!marker || !strcmp(marker, all->shape[k].marker)))
            put_shape(s, body, color, &all->shape[k]);
}

static void put_body(solid *s, const ph_model *m, int k)
{
    const ph_body_def *b = &m->body[k];
    int color = palette[k % 8];
    if (b->flexible) {
        const ph_flexible_def *f = &m->flexible[b->flexible - 1];
        put_shapes(s, k, color, &f->shapes, b->marker ? f->body->marker[b->marker - 1].name : NULL);
    } else if (b->shapes.n) {
        put_shapes(s, k, color, &b->shapes, NULL);
    } else if (!b->particle && !strchr(b->name, '.')) {
        ph_view_box box = ph_view_box_of(b->mass, b->J);
        put_box(&(pen){s, k, color, {0, 0, 0}, ph_qmat(box.R)}, box.edge);
    }
}

/* From a point of one body to a point of another. */
static void put_line(solid *s, int a, ph_vec3 p, int b, ph_vec3 q, int of, int color)
{
    int from = add_corner(s, a, p.x, p.y, p.z), to = add_corner(s, b, q.x, q.y, q.z);
    add_cell(s, of, color, from, to, -1);
}

static ph_vec3 local_point(const ph_model *m, int body, ph_vec3 p)
{
    return body == PH_GROUND ? p : ph_tmul(ph_qmat(m->body[body].R), ph_sub(p, m->body[body].x));
}

/* Lines in the order of cells: VTK wants them before triangles. */
static void put_lines(solid *s, const ph_model *m)
{
    const ph_vec3 here = {0, 0, 0};
    for (int k = 0; k < m->n_forces; k++) {
        const ph_force_def *f = &m->force[k];
        if (ph_force_is_beam(f))
            put_line(s, f->body[0], here, f->body[1], here, f->body[0], palette[1]);
        else if (ph_force_row_of(f)->keys & PH_KEY_LENGTH)
            put_line(s, f->body[0], f->at_a, f->body[1], f->at_b, -2, palette[3]);
    }
    for (int k = 0; k < m->n_joints; k++) {
        const ph_joint_def *j = &m->joint[k];
        const ph_joint_row *row = ph_joint_row_of(j);
        int free_points = (row->keys & PH_KEY_AT_A) != 0;
        if (free_points)
            put_line(s, j->body[0], j->at_a, j->body[1], j->at_b, -2, 0x59636e);
        for (int e = 0; e < 2 && !free_points && !row->op->recipe.nonholonomic; e++)
            if (j->body[e] != PH_GROUND) /* from the centre to the joint */
                put_line(s, j->body[e], here, j->body[e], local_point(m, j->body[e], j->at), j->body[e],
                         palette[j->body[e] % 8]);
    }
    for (int k = 0; k < m->n_bodies; k++)
        if (m->body[k].flexible && m->body[k].marker > 1) /* from marker to marker */
            put_line(s, k - 1, here, k, here, k, palette[2]);
}

static void put_all(solid *s, const ph_model *m)
{
    put_lines(s, m);
    if (m->ground)
        put_shapes(s, PH_GROUND, 0xb8bec6, &m->ground->shapes, NULL);
    for (int k = 0; k < m->n_bodies; k++)
        put_body(s, m, k);
}

/* ---- files -------------------------------------------------------------------------------------------- */

static void put_point(FILE *to, const ph_view *v, const float *frame, const corner *c)
{
    ph_vec3 x = ph_v3((double)c->x[0], (double)c->x[1], (double)c->x[2]);
    if (c->body >= 0) {
        const float *b = frame + (size_t)c->body * (size_t)v->per_body;
        if (!v->points)
            x = ph_mul(ph_qmat((ph_quat){(double)b[3], (double)b[4], (double)b[5], (double)b[6]}), x);
        x = ph_add(x, ph_v3((double)b[0], (double)b[1], (double)b[2]));
    }
    fprintf(to, "%.7g %.7g %.7g\n", x.x, x.y, x.z);
}

static void put_cells(FILE *to, const char *name, const solid *s, int first, int n, int corners)
{
    fprintf(to, "<%s>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\n", name);
    for (int k = first; k < first + n; k++)
        for (int i = 0; i < corners; i++)
            fprintf(to, "%d%c", s->cell[k].corner[i], i + 1 < corners ? ' ' : '\n');
    fputs("</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">\n", to);
    for (int k = 0; k < n; k++)
        fprintf(to, "%d\n", corners * (k + 1));
    fprintf(to, "</DataArray>\n</%s>\n", name);
}

static void put_frame(FILE *to, const ph_view *v, const solid *s, const float *frame)
{
    int lines = 0;
    while (lines < s->n_cells && s->cell[lines].corner[2] < 0)
        lines++;
    fprintf(to,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" "
            "byte_order=\"LittleEndian\">\n<PolyData>\n"
            "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"%d\" NumberOfStrips=\"0\" "
            "NumberOfPolys=\"%d\">\n"
            "<Points>\n<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n",
            s->n_corners, lines, s->n_cells - lines);
    for (int k = 0; k < s->n_corners; k++)
        put_point(to, v, frame, &s->corner[k]);
    fputs("</DataArray>\n</Points>\n", to);
    put_cells(to, "Lines", s, 0, lines, 2);
    put_cells(to, "Polys", s, lines, s->n_cells - lines, 3);
    fputs("<CellData Scalars=\"color\">\n<DataArray type=\"Int32\" Name=\"body\" format=\"ascii\">\n", to);
    for (int k = 0; k < s->n_cells; k++)
        fprintf(to, "%d\n", s->cell[k].body);
    fputs(
        "</DataArray>\n<DataArray type=\"UInt8\" Name=\"color\" NumberOfComponents=\"3\" format=\"ascii\">\n",
        to);
    for (int k = 0; k < s->n_cells; k++)
        fprintf(to, "%d %d %d\n", s->cell[k].color >> 16 & 255, s->cell[k].color >> 8 & 255,
                s->cell[k].color & 255);
    fputs("</DataArray>\n</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n", to);
}

/* A file that is there whole or not at all; 0: errno says why. */
static int close_whole(FILE *f, const char *path)
{
    int good = !ferror(f);
    good = fclose(f) == 0 && good;
    if (!good)
        remove(path);
    return good;
}

static int write_frames(const ph_view *v, const solid *s, const char *folder)
{
    char path[4300];
    int good = 1;
    for (long k = 0; k < v->n && good; k++) {
        snprintf(path, sizeof path, "%.4096s/frame_%05ld.vtp", folder, k);
        FILE *f = fopen(path, "wb");
        if (f)
            put_frame(f, v, s, v->data + (size_t)k * v->size);
        good = f && close_whole(f, path);
    }
    return good;
}

/* The frames and their times; last, so that what it names is there. */
static int write_list(const ph_view *v, const char *folder)
{
    char path[4300];
    snprintf(path, sizeof path, "%.4096s/motion.pvd", folder);
    FILE *list = fopen(path, "wb");
    if (!list)
        return 0;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          list);
    for (long k = 0; k < v->n; k++)
        fprintf(list, "<DataSet timestep=\"%.7g\" part=\"0\" file=\"frame_%05ld.vtp\"/>\n",
                (double)v->data[(size_t)(k + 1) * v->size - (size_t)v->columns], k);
    fputs("</Collection>\n</VTKFile>\n", list);
    return close_whole(list, path);
}

int ph_view_vtk(const ph_view *v, const char *folder)
{
    solid s = {0};
    put_all(&s, v->m);
    errno = s.failed ? ENOMEM : 0;
    int good = !s.failed && (mkdir(folder, 0777) == 0 || errno == EEXIST) && write_frames(v, &s, folder) &&
               write_list(v, folder);
    free(s.corner), free(s.cell);
    return good;
}
