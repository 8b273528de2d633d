/* Beams of model files: their own kinds of values, and the bodies, elements and joints that they become.
 *
 * Lumped masses: node i gets half of the mass and of the moments of inertia of the elements next to it. With
 * any other mass elements have it themselves, and nodes are bare.
 * Residual bending flexibility, of a diagonal section and an element of length L:
 *   1/GA2 + L^2/(12 EI3) in place of 1/GA2, 1/GA3 + L^2/(12 EI2) in place of 1/GA3                     (B6)
 * An arc with the unit tangent t at its start, chord c and angle a, half of which is that of t and c:
 *   x(b) = from + r (sin b t + (1 - cos b) m),  r = |c|/(2 sin(a/2)),  m = n x t,  n ~ t x c,  0 <= b <= a */
#include "model/inside.h"

#include <float.h>
#include <lauxlib.h>
#include <string.h>

#include "lie/so3.h"
#include "mech/beam.h"

enum { N6 = 6 };

#define STRAIGHT 1e-9 /* how far nodes may be off a line, relative to their distance */

/* ---- matrices ---------------------------------------------------------------------------------------- */

/* 6 numbers, the diagonal, or 6 rows of 6 */
static void read_matrix(ph_reader *r, lua_State *L, const char *key, double *A)
{
    double x[N6];
    char row[64];
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) != N6)
        ph_reader_fail(r, "%s must be 6 numbers or 6 rows of 6 numbers", key);
    int nested = lua_rawgeti(L, -1, 1) == LUA_TTABLE;
    lua_pop(L, 1);
    memset(A, 0, sizeof(double) * N6 * N6);
    if (!nested) {
        ph_value_numbers(r, L, key, N6, x);
        for (int i = 0; i < N6; i++)
            A[7 * i] = x[i];
        return;
    }
    for (int i = 0; i < N6; i++) {
        snprintf(row, sizeof row, "row %d of %.40s", i + 1, key);
        lua_rawgeti(L, -1, i + 1);
        ph_value_numbers(r, L, row, N6, A + N6 * i);
        lua_pop(L, 1);
    }
}

static void make_symmetric(ph_reader *r, const char *key, double *A)
{
    double size = ph_small_max(N6 * N6, A);
    for (int i = 0; i < N6; i++)
        for (int j = 0; j < i; j++) {
            double a = A[N6 * i + j], b = A[N6 * j + i];
            if (!(fabs(a - b) <= PH_MODEL_SYMMETRY * size))
                ph_reader_fail(r, "%s is not symmetric", key);
            A[N6 * i + j] = A[N6 * j + i] = 0.5 * (a + b);
        }
}

static void read_symmetric(ph_reader *r, lua_State *L, const char *key, double *A)
{
    read_matrix(r, L, key, A);
    make_symmetric(r, key, A);
}

/* The pivots of A = L D L^T: all above 0, or where zero is allowed, 0 with a column of zeros. Scaled by its
 * diagonal first, since stiffnesses of forces and moments have different units. */
static int is_definite(const double *A, int zero_too)
{
    double B[N6 * N6], scale[N6];
    for (int i = 0; i < N6; i++) {
        if (!(A[7 * i] > 0) && !(zero_too && A[7 * i] == 0))
            return 0;
        scale[i] = A[7 * i] > 0 ? 1 / sqrt(A[7 * i]) : 1;
    }
    for (int i = 0; i < N6 * N6; i++)
        B[i] = A[i] * scale[i / N6] * scale[i % N6];
    for (int k = 0; k < N6; k++) {
        double p = B[7 * k];
        int flat = zero_too && fabs(p) <= 1e-12;
        if (!flat && !(p > 1e-12))
            return 0;
        for (int i = k + 1; i < N6; i++) {
            if (flat && !(fabs(B[N6 * i + k]) <= 1e-12))
                return 0;
            double f = flat ? 0 : B[N6 * i + k] / p;
            for (int j = k + 1; j < N6; j++)
                B[N6 * i + j] -= f * B[N6 * k + j];
        }
    }
    return 1;
}

static const double *stiffness(ph_reader *r, lua_State *L, const char *key)
{
    double A[N6 * N6];
    read_symmetric(r, L, key, A);
    if (!is_definite(A, 0))
        ph_reader_fail(r, "%s is not positive definite", key);
    return ph_store_numbers(r, A, N6 * N6);
}

static const double *damping(ph_reader *r, lua_State *L, const char *key)
{
    double A[N6 * N6];
    read_symmetric(r, L, key, A);
    if (!is_definite(A, 1))
        ph_reader_fail(r, "%s is not positive semidefinite: it would add energy", key);
    return ph_store_numbers(r, A, N6 * N6);
}

/* [m I, -m tilde(c); m tilde(c), J] */
static const double *section_mass(ph_reader *r, lua_State *L, const char *key)
{
    double A[N6 * N6];
    read_symmetric(r, L, key, A);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double skew = A[N6 * i + 3 + j] + A[N6 * j + 3 + i], round = PH_MODEL_SYMMETRY * fabs(A[0]);
            if (!(fabs(A[N6 * i + j] - (i == j ? A[0] : 0)) <= round))
                ph_reader_fail(r, "%s: its first 3x3 block must be a mass times the identity", key);
            if (!(fabs(skew) <= round))
                ph_reader_fail(r, "%s: rows 1 to 3, columns 4 to 6 must be -m tilde(c), skew", key);
        }
    if (!is_definite(A, 0))
        ph_reader_fail(r, "%s is not positive definite", key);
    return ph_store_numbers(r, A, N6 * N6);
}

/* ---- section and mass ---------------------------------------------------------------------------------- */

static const char *section_word(int k)
{
    static const char *const words[] = {"EA", "GA", "GJ", "EI"};
    return k >= 0 && k < 4 ? words[k] : NULL;
}

static const double *section(ph_reader *r, lua_State *L, const char *key)
{
    double A[N6 * N6] = {0}, EA, GA[2], GJ, EI[2];
    ph_table_only(r, L, key, section_word);
    ph_table_positive(r, L, key, "EA", 1, &EA);
    ph_table_positive(r, L, key, "GA", 2, GA);
    ph_table_positive(r, L, key, "GJ", 1, &GJ);
    ph_table_positive(r, L, key, "EI", 2, EI);
    A[0] = EA, A[7] = GA[0], A[14] = GA[1], A[21] = GJ, A[28] = EI[0], A[35] = EI[1];
    return ph_store_numbers(r, A, N6 * N6);
}

static const char *mass_word(int k)
{
    static const char *const words[] = {"rhoA", "J"};
    return k >= 0 && k < 2 ? words[k] : NULL;
}

static void mass(ph_reader *r, lua_State *L, const char *key, ph_beam_def *b)
{
    double rhoA;
    ph_table_only(r, L, key, mass_word);
    ph_table_positive(r, L, key, "rhoA", 1, &rhoA);
    ph_table_push(r, L, key, "J");
    ph_mat3 J = ph_value_inertia(r, L, "J of mass");
    lua_pop(L, 1);
    b->mass = rhoA, b->J = J;
}

/* ---- lists ------------------------------------------------------------------------------------------- */

/* A list of points or rotations, size numbers each; leaves it on the stack. */
static int list_size(ph_reader *r, lua_State *L, const char *key)
{
    int n = lua_istable(L, -1) ? (int)lua_rawlen(L, -1) : 0;
    if (n < 2)
        ph_reader_fail(r, "%s must be a list, of two or more", key);
    if (n > PH_MODEL_ELEMENTS)
        ph_reader_fail(r, "%s has more than %d entries", key, PH_MODEL_ELEMENTS);
    return n;
}

static const double *list(ph_reader *r, lua_State *L, const char *key, int size, int *count)
{
    int n = list_size(r, L, key);
    double *all = ph_store_numbers(r, NULL, n * size);
    for (int i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.40s[%d]", key, i + 1);
        lua_rawgeti(L, -1, i + 1);
        if (size == 3)
            ph_value_numbers(r, L, name, 3, all + 3 * i);
        else
            ph_quat_store(all + 4 * i, ph_value_rotation(r, L, name));
        lua_pop(L, 1);
    }
    *count = n;
    return all;
}

static const char *end_word(int k)
{
    static const char *const words[] = {"free", "clamped", "pinned"};
    return k >= 0 && k < 3 ? words[k] : NULL;
}

static void ends(ph_reader *r, lua_State *L, const char *key, int end[2])
{
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) != 2)
        ph_reader_fail(r, "%s must be two words, for the first and the last node", key);
    for (int i = 0; i < 2; i++) {
        if (lua_rawgeti(L, -1, i + 1) != LUA_TSTRING)
            ph_reader_fail(r, "%s must be two words, not a %s", key, luaL_typename(L, -1));
        end[i] = ph_word_find(lua_tostring(L, -1), end_word);
        if (end[i] < 0)
            ph_fail_word(r, "ends cannot be", lua_tostring(L, -1), end_word);
        lua_pop(L, 1);
    }
}

void ph_beam_value(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    void *record = ph_store_at(r, k->kind, index);
    ph_beam_def *b = record;
    const double **at = (const double **)((char *)record + k->at);
    switch (k->value) {
    case PH_V_STIFFNESS:
        *at = stiffness(r, L, k->name);
        break;
    case PH_V_DAMPING:
        if (k->kind == PH_K_BEAM && lua_type(L, -1) == LUA_TNUMBER) {
            b->relaxation = ph_value_number(r, L, k->name);
            if (!(b->relaxation >= 0))
                ph_reader_fail(r, "%s is %g; it must not be negative", k->name, b->relaxation);
        } else {
            *at = damping(r, L, k->name);
        }
        break;
    case PH_V_SECTION_MASS:
        *at = section_mass(r, L, k->name);
        break;
    case PH_V_SECTION:
        *at = section(r, L, k->name);
        break;
    case PH_V_LINE_MASS:
        mass(r, L, k->name, b);
        break;
    case PH_V_POINTS:
        *at = list(r, L, k->name, 3, &b->n_nodes);
        break;
    case PH_V_ROTATIONS:
        *at = list(r, L, k->name, 4, &b->n_rotations);
        break;
    case PH_V_ENDS:
        ends(r, L, k->name, b->end);
        break;
    default:
        break;
    }
}

/* ---- the line ---------------------------------------------------------------------------------------- */

/* What the nodes follow from. */
typedef struct line {
    const ph_beam_def *b;
    int n;
    ph_quat R; /* of the first section */
    ph_vec3 t, m, axis;
    double angle, radius; /* of an arc; 0: straight */
} line;

/* Section axes at the start: the first is t, the second the part of b->frame that is square to it. */
static ph_quat first_section(ph_reader *r, const ph_beam_def *b, ph_vec3 t)
{
    int given = ph_norm(b->frame) > 0;
    ph_vec3 e = given ? b->frame : ph_cross(ph_v3(0, 0, 1), t);
    if (!given && !(ph_norm(e) > 1e-6))
        e = ph_v3(0, 1, 0); /* upright */
    ph_vec3 e2 = ph_sub(e, ph_scale(ph_dot(e, t), t));
    double size = ph_norm(e2);
    if (!(size > 1e-6))
        ph_reader_fail(r, "frame, the second axis of the section, is parallel to the beam");
    e2 = ph_scale(1 / size, e2);
    ph_vec3 e3 = ph_cross(t, e2);
    return ph_rotation_of((ph_mat3){t.x, e2.x, e3.x, t.y, e2.y, e3.y, t.z, e2.z, e3.z});
}

static void limit_turn(ph_reader *r, double turn)
{
    if (!(turn <= PH_BEAM_TURN_MAX))
        ph_reader_fail(r, "an element turns by %.3g rad; the limit is %g; use more elements", turn,
                       PH_BEAM_TURN_MAX);
}

static void bend(ph_reader *r, line *l, ph_vec3 chord)
{
    ph_vec3 t = l->b->tangent, n = ph_cross(t, chord);
    double across = ph_norm(n), along = ph_dot(t, chord), half = atan2(across, along);
    if (!(across > STRAIGHT * ph_norm(chord))) {
        if (!(along > 0))
            ph_reader_fail(r, "tangent points away from to, and no arc leads there");
        return;
    }
    l->axis = ph_scale(1 / across, n);
    l->angle = 2 * half, l->radius = ph_norm(chord) / (2 * sin(half));
    l->m = ph_cross(l->axis, t);
    limit_turn(r, l->angle / l->n);
}

static line line_of(ph_reader *r, const ph_beam_def *b)
{
    line l = {.b = b};
    if (b->n_nodes) {
        if (!isnan(b->from.x) || !isnan(b->to.x) || b->n || ph_norm(b->tangent) > 0)
            ph_reader_fail(r, "with nodes, from, to, n and tangent must not be given");
        if (b->n_rotations && b->n_rotations != b->n_nodes)
            ph_reader_fail(r, "there are %d nodes and %d rotations", b->n_nodes, b->n_rotations);
        l.n = b->n_nodes - 1;
    } else {
        if (isnan(b->from.x) || isnan(b->to.x) || !b->n)
            ph_reader_fail(r, "give from, to and n, or nodes");
        if (b->n_rotations)
            ph_reader_fail(r, "rotations belong to nodes, which are not given");
        if (b->n >= PH_MODEL_ELEMENTS)
            ph_reader_fail(r, "n is %d; a model cannot have more than %d bodies", b->n, PH_MODEL_ELEMENTS);
        l.n = b->n;
    }
    ph_vec3 start = b->n_nodes ? ph_load3(b->nodes) : b->from,
            chord = ph_sub(b->n_nodes ? ph_load3(b->nodes + 3 * l.n) : b->to, start);
    if (b->n_rotations)
        return l;
    double length = ph_norm(chord);
    if (!(length > 0))
        ph_reader_fail(r, "its first and its last node are the same point");
    l.t = ph_norm(b->tangent) > 0 ? b->tangent : ph_scale(1 / length, chord);
    l.R = first_section(r, b, l.t);
    if (ph_norm(b->tangent) > 0)
        bend(r, &l, chord);
    return l;
}

static void node_of(const line *l, int i, ph_body_def *out)
{
    const ph_beam_def *b = l->b;
    double s = (double)i / l->n, a = s * l->angle;
    out->R = l->R;
    if (b->n_nodes) {
        out->x = ph_load3(b->nodes + 3 * i);
        if (b->n_rotations)
            out->R = ph_quat_load(b->rotations + 4 * i);
    } else if (l->angle == 0) {
        out->x = i == l->n ? b->to : ph_add(b->from, ph_scale(s, ph_sub(b->to, b->from)));
    } else {
        double c = sin(a / 2);
        ph_vec3 w = ph_scale(a, l->axis);
        out->x =
            ph_add(b->from, ph_scale(l->radius, ph_add(ph_scale(sin(a), l->t), ph_scale(2 * c * c, l->m))));
        out->R = ph_quat_fix(ph_qmul(ph_so3_exp(ph_stumpff_of(w), w), l->R));
    }
}

/* Length of the arc from node to node. */
static double length_of(ph_reader *r, const line *l, int k, const ph_body_def *a, const ph_body_def *b)
{
    double d[N6];
    ph_beam_reference(a, b, d);
    double length = ph_norm(ph_load3(d)), turn = ph_norm(ph_load3(d + 3));
    if (!(length > 0))
        ph_reader_fail(r, "nodes %d and %d are the same point", k - 1, k);
    limit_turn(r, turn);
    if (l->b->n_nodes && !l->b->n_rotations && !(d[0] > 0 && hypot(d[1], d[2]) <= STRAIGHT * length))
        ph_reader_fail(r, "nodes %d and %d are off the line from the first to the last; give rotations",
                       k - 1, k);
    return length;
}

/* ---- what it becomes --------------------------------------------------------------------------------- */

static const char *part_name(ph_reader *r, const ph_beam_def *b, const char *part)
{
    char name[PH_MODEL_NAME + 16];
    int n = snprintf(name, sizeof name, "%s.%s", b->name, part);
    if (n > PH_MODEL_NAME)
        ph_reader_fail(r, "the name is too long: with .%s it has %d characters; the limit is %d", part, n,
                       PH_MODEL_NAME);
    return ph_store_text(r, name, (size_t)n);
}

static const char *number_name(ph_reader *r, const ph_beam_def *b, int k)
{
    char part[16];
    snprintf(part, sizeof part, "%d", k);
    return part_name(r, b, part);
}

/* start: position of the first node */
static void add_node(ph_reader *r, const ph_beam_def *b, int i, ph_vec3 start, ph_body_def at, double length)
{
    at.name = number_name(r, b, i);
    at.mass = b->mass * length;
    at.J = ph_mscale(length, b->J);
    at.bare = b->M6 != NULL;
    if (!isnan(b->v.x)) { /* omega in body axes */
        at.v = ph_add(b->v, ph_cross(b->omega, ph_sub(at.x, start)));
        at.omega = ph_quat_rotate(ph_quat_conj(at.R), b->omega);
    }
    at.origin = b->origin;
    ph_body_def *body = ph_store_element(r, PH_K_BODY);
    *body = at;
    ph_store_name(r, PH_K_BODY, at.name, r->element[PH_K_BODY].n - 1);
}

/* The section of an element, with (B6) where it is wanted. */
static const double *section_of(ph_reader *r, const ph_beam_def *b, double L)
{
    double A[N6 * N6];
    if (!b->rbf)
        return b->K6;
    memcpy(A, b->K6, sizeof A);
    for (int i = 0; i < N6 * N6; i++)
        if (i % 7 && A[i] != 0)
            ph_reader_fail(r, "rbf needs a section without coupling");
    A[7] = 1 / (1 / A[7] + L * L / (12 * A[35]));
    A[14] = 1 / (1 / A[14] + L * L / (12 * A[28]));
    return ph_store_numbers(r, A, N6 * N6);
}

static void add_element(ph_reader *r, const ph_beam_def *b, int k, double L)
{
    const double *K6 = section_of(r, b, L), *D6 = b->D6;
    double A[N6 * N6];
    for (int i = 0; i < N6 * N6; i++)
        A[i] = b->relaxation * K6[i];
    if (b->relaxation > 0)
        D6 = ph_store_numbers(r, A, N6 * N6);
    int last = r->element[PH_K_BODY].n - 1;
    const char *name = number_name(r, b, k);
    ph_force_def *f = ph_store_element(r, PH_K_FORCE);
    f->type = ph_type_find(PH_K_FORCE, "beam_element"), f->name = name, f->origin = b->origin;
    f->body[0] = last - 1, f->body[1] = last;
    f->K6 = K6, f->D6 = D6, f->M6 = b->M6, f->mass_model = b->mass_model;
    f->shapes = b->shapes;
    ph_store_name(r, PH_K_FORCE, name, r->element[PH_K_FORCE].n - 1);
}

static void add_support(ph_reader *r, const ph_beam_def *b, int last, int body, ph_vec3 at)
{
    if (b->end[last] == PH_END_FREE)
        return;
    const char *name = part_name(r, b, last ? "last" : "first");
    ph_joint_def *j = ph_store_element(r, PH_K_JOINT);
    j->type = ph_type_find(PH_K_JOINT, b->end[last] == PH_END_CLAMPED ? "fixed" : "spherical");
    j->name = name, j->origin = b->origin;
    j->body[0] = PH_GROUND, j->body[1] = body;
    j->at = at;
    ph_store_name(r, PH_K_JOINT, name, r->element[PH_K_JOINT].n - 1);
}

/* Elements have mass, M6, where it is not that of rigid bodies at the nodes; mass and J are there always. */
static void distribute(ph_reader *r, ph_beam_def *b)
{
    if (!b->M6 && !(b->mass > 0))
        ph_reader_fail(r, "mass is missing (rhoA, J; or M, 6x6)");
    if (b->M6) {
        const double *J = b->M6 + 21;
        b->mass = b->M6[0];
        b->J = (ph_mat3){J[0], J[1], J[2], J[6], J[7], J[8], J[12], J[13], J[14]};
        int centred = b->M6[4] == 0 && b->M6[11] == 0 && b->M6[15] == 0;
        if (b->mass_model == PH_LUMPED_MASS && centred)
            b->M6 = NULL;
    } else if (b->mass_model != PH_LUMPED_MASS) {
        double A[N6 * N6] = {0}, m = b->mass;
        A[0] = A[7] = A[14] = m;
        for (int i = 0; i < 3; i++)
            ph_store3(A + 21 + N6 * i, i == 0   ? ph_v3(b->J.xx, b->J.xy, b->J.xz)
                                       : i == 1 ? ph_v3(b->J.yx, b->J.yy, b->J.yz)
                                                : ph_v3(b->J.zx, b->J.zy, b->J.zz));
        b->M6 = ph_store_numbers(r, A, N6 * N6);
    }
}

/* Nodes and elements in turn: a node knows its mass when the element behind it has its length. */
void ph_beam_expand(ph_reader *r, int index)
{
    ph_beam_def b = *(const ph_beam_def *)ph_store_at(r, PH_K_BEAM, index);
    if (!b.K6)
        ph_reader_fail(r, "section is missing (EA, GA, GJ, EI; or K, 6x6)");
    distribute(r, &b);
    b.v = isnan(b.v.x) && !isnan(b.omega.x) ? ph_v3(0, 0, 0) : b.v;
    b.omega = isnan(b.omega.x) ? ph_v3(0, 0, 0) : b.omega;
    line l = line_of(r, &b);
    ph_body_def at = ph_default_body(), next = at;
    int first = r->element[PH_K_BODY].n;
    double before = 0;
    node_of(&l, 0, &at);
    ph_vec3 start = at.x;
    for (int i = 0; i <= l.n; i++) {
        double behind = 0;
        if (i < l.n) {
            node_of(&l, i + 1, &next);
            behind = length_of(r, &l, i + 1, &at, &next);
        }
        add_node(r, &b, i, start, at, (before + behind) / 2);
        if (i > 0)
            add_element(r, &b, i, before);
        if (i % 1024 == 0)
            ph_sandbox_tick(r, r->L);
        before = behind, at = i < l.n ? next : at;
    }
    add_support(r, &b, 0, first, start);
    add_support(r, &b, 1, first + l.n, at.x);
}
