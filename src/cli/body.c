/* A system as its user sees it: bodies and joints with names. A node R^3 and a node SO(3) after it are a
 * body. */
#include "cli/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bodies and names --------------------------------------------------------------------------------- */

static int is_pair(const ph_system *sys, int i)
{
    return i + 1 < sys->n_nodes && sys->nodes[i].group == PH_RN && sys->nodes[i].n == 3 &&
           sys->nodes[i + 1].group == PH_SO3;
}

static void list_bodies(ph_bodies *all)
{
    const ph_system *sys = all->sys;
    for (int i = 0; i < sys->n_nodes; i++) {
        ph_group group = sys->nodes[i].group;
        ph_body_nodes b = {group == PH_SO3 ? -1 : i, group == PH_RN ? -1 : i};
        if (is_pair(sys, i))
            b.R = ++i;
        all->body[all->n++] = b;
    }
}

ph_bodies *ph_bodies_create(const ph_target *target)
{
    const ph_system *sys = &target->p->sys;
    ph_bodies *all = malloc(sizeof *all + (size_t)sys->n_nodes * sizeof(ph_body_nodes));
    if (!all)
        return NULL;
    *all = (ph_bodies){.run = target->run, .sys = sys, .is_file = target->model != NULL};
    all->space = (int)ph_run_settings(all->run).space;
    all->n_joints = all->is_file ? ph_run_count(all->run, PH_JOINTS) : sys->n_constraints;
    all->n_ties = all->n_joints + (all->is_file ? ph_run_count(all->run, PH_CONSTRAINTS) : 0);
    if (all->is_file)
        all->n = ph_run_count(all->run, PH_BODIES);
    else
        list_bodies(all);
    all->n_own = all->n;
    for (int k = 0; all->is_file && k < all->n; k++)
        all->n_own -= ph_run_is(all->run, PH_IS_MARKER, k);
    return all;
}

static int body_of(const ph_bodies *all, int node)
{
    int low = 0, high = all->n - 1; /* nodes ascend with bodies */
    while (low < high) {
        int mid = (low + high + 1) / 2, first = all->body[mid].x >= 0 ? all->body[mid].x : all->body[mid].R;
        if (first <= node)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* Letters that both begin with, up to a separator: "top" of "top position", "top attitude". */
static int common_prefix(const char *a, const char *b)
{
    int n = 0, end = 0;
    for (; a[n] && a[n] == b[n]; n++)
        if (strchr(" ._:", a[n]))
            end = n;
    return a[n] || b[n] ? end : n;
}

const char *ph_body_name(const ph_bodies *all, int body, char text[PH_LABEL_MAX])
{
    const ph_system *sys = all->sys;
    if (all->is_file) {
        snprintf(text, PH_LABEL_MAX, "%.80s", ph_run_name(all->run, PH_BODIES, body));
        return text;
    }
    const ph_body_nodes b = all->body[body];
    const char *x = b.x >= 0 ? sys->nodes[b.x].name : sys->nodes[b.R].name;
    const char *R = b.R >= 0 ? sys->nodes[b.R].name : x;
    int n = x && R ? common_prefix(x, R) : 0;
    if (n)
        snprintf(text, PH_LABEL_MAX, "%.*s", n < PH_LABEL_MAX ? n : PH_LABEL_MAX - 1, x);
    else
        snprintf(text, PH_LABEL_MAX, "b%d", body + 1);
    return text;
}

const char *ph_constraint_name(const ph_bodies *all, int constraint, char text[PH_LABEL_MAX])
{
    const char *name = all->sys->constraints[constraint].name;
    if (name)
        snprintf(text, PH_LABEL_MAX, "%.80s", name);
    else
        snprintf(text, PH_LABEL_MAX, "j%d", constraint + 1);
    return text;
}

const char *ph_joint_name(const ph_bodies *all, int joint, char text[PH_LABEL_MAX])
{
    if (!all->is_file)
        return ph_constraint_name(all, joint, text);
    snprintf(text, PH_LABEL_MAX, "%.80s",
             joint < all->n_joints ? ph_run_name(all->run, PH_JOINTS, joint)
                                   : ph_run_name(all->run, PH_CONSTRAINTS, joint - all->n_joints));
    return text;
}

const char *ph_node_name(const ph_bodies *all, int node, char text[PH_LABEL_MAX])
{
    if (!all->is_file)
        return ph_body_name(all, body_of(all, node), text);
    snprintf(text, PH_LABEL_MAX, "%.80s", all->sys->nodes[node].name ? all->sys->nodes[node].name : "");
    return text;
}

int ph_joint_multipliers(const ph_bodies *all, int joint, int which, const ph_state *s, double out[PH_ROWS])
{
    int n = ph_run_size(all->run, which, joint);
    return n <= PH_ROWS && ph_run_get_of(all->run, s, which, joint, out) == PH_OK ? n : 0;
}

static const char *space_of(const ph_bodies *all, int body)
{
    const ph_body_nodes b = all->body[body];
    if (b.R < 0)
        return "Rn";
    if (b.x < 0)
        return "SO3";
    return all->sys->nodes[b.R].group == PH_SE3 ? "SE3" : "R3xSO3";
}

const char *ph_bodies_space(const ph_bodies *all)
{
    if (all->is_file)
        return ph_space_word(all->space);
    const char *space = space_of(all, 0);
    for (int i = 1; i < all->n; i++)
        if (strcmp(space, space_of(all, i)) != 0)
            return "mixed";
    return space;
}

/* ---- motion ------------------------------------------------------------------------------------------- */

static const char *const axes_x[] = {"x", "y", "z"}, *const axes_q[] = {"qw", "qx", "qy", "qz"},
                         *const axes_v[] = {"vx", "vy", "vz"}, *const axes_w[] = {"wx", "wy", "wz"},
                         *const axes_a[] = {"ax", "ay", "az"}, *const axes_wd[] = {"wdotx", "wdoty", "wdotz"};

static ph_quantity vector(const char *name, const char *unit, const char *const *axes, ph_vec3 a)
{
    ph_quantity q = {.name = name, .unit = unit, .axes = axes, .n = 3};
    ph_store3(q.own, a);
    return q;
}

/* SE(3) has v = (U, Omega): xdot = R U, xddot = R (Udot + Omega x U) */
static void velocities(const ph_bodies *all, ph_body_nodes b, const ph_state *s, ph_vec3 *v, ph_vec3 *a)
{
    *v = ph_state_v(s, b.x, 0), *a = ph_state_vdot(s, b.x, 0);
    if (all->sys->nodes[b.x].group != PH_SE3)
        return;
    ph_mat3 R = ph_state_R(s, b.R);
    *a = ph_mul(R, ph_add(*a, ph_cross(ph_state_v(s, b.x, 3), *v)));
    *v = ph_mul(R, *v);
}

/* Coordinates of R^n without a rotation may be lengths or angles: only the system's author knows. */
static int plain_motion(const ph_state *s, int node, int n, ph_quantity *out)
{
    out[0] = (ph_quantity){"position", "SI", NULL, "q", n, s->q + s->q_at[node], {0}};
    out[1] = (ph_quantity){"velocity", "SI", NULL, "v", n, s->v + s->v_at[node], {0}};
    out[2] = (ph_quantity){"acceleration", "SI", NULL, "a", n, s->vdot + s->v_at[node], {0}};
    return 3;
}

static int finish(ph_quantity *out, int n)
{
    for (int k = 0; k < n; k++)
        if (!out[k].value)
            out[k].value = out[k].own;
    return n;
}

/* The same of a body of a model, whatever the space: quantities of the run, one after the other. */
static int model_motion(const ph_bodies *all, int body, const ph_state *s, ph_quantity *out)
{
    static const struct {
        int what;
        const char *name, *unit;
        const char *const *axes;
    } parts[] = {{PH_GET_POSITION, "position", "m", axes_x},
                 {PH_GET_ROTATION, "rotation", "1", axes_q},
                 {PH_GET_VELOCITY, "velocity", "m/s", axes_v},
                 {PH_GET_OMEGA, "omega", "rad/s", axes_w},
                 {PH_GET_ACCELERATION, "acceleration", "m/s^2", axes_a},
                 {PH_GET_OMEGA_DOT, "omega_dot", "rad/s^2", axes_wd}};
    double motion[PH_MOTION_MAX], *at = motion;
    int n = 0;
    ph_run_get_of(all->run, s, PH_GET_MOTION, body, motion);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        int size = ph_run_size(all->run, parts[k].what, body);
        if (!size)
            continue;
        out[n] =
            (ph_quantity){.name = parts[k].name, .unit = parts[k].unit, .axes = parts[k].axes, .n = size};
        memcpy(out[n++].own, at, (size_t)size * sizeof *at);
        at += size;
    }
    return finish(out, n);
}

int ph_body_motion(const ph_bodies *all, int body, const ph_state *s, ph_quantity out[PH_QUANTITIES])
{
    if (all->is_file)
        return model_motion(all, body, s, out);
    const ph_body_nodes b = all->body[body];
    const ph_node *nodes = all->sys->nodes;
    ph_vec3 v, a;
    int n = 0;
    if (b.R < 0)
        return plain_motion(s, b.x, nodes[b.x].n, out);
    const ph_group_ops *op = ph_group_get(nodes[b.R].group);
    if (b.x >= 0) {
        velocities(all, b, s, &v, &a);
        out[n++] = vector("position", "m", axes_x, ph_state_x(s, b.x));
    }
    out[n++] = (ph_quantity){"rotation", "1", axes_q, NULL, 4, s->q + s->q_at[b.R] + op->quat, {0}};
    if (b.x >= 0)
        out[n++] = vector("velocity", "m/s", axes_v, v);
    out[n++] = vector("omega", "rad/s", axes_w, ph_state_v(s, b.R, op->rot));
    if (b.x >= 0)
        out[n++] = vector("acceleration", "m/s^2", axes_a, a);
    out[n++] = vector("omega_dot", "rad/s^2", axes_wd, ph_state_vdot(s, b.R, op->rot));
    return finish(out, n);
}
