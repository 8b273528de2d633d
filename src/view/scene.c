/* The scene of a page: what the model says of bodies, joints, forces, beams and sensors, as the viewer needs it.
 *
 * Points and directions are in the frames of bodies, so that the viewer needs the places of bodies alone:
 * p_a = R_a^T (p - x_a) with the world point p and the place of body a as the model file gives them. */
#include "view/view_inside.h"

#include <math.h>
#include <string.h>

#include "model/keys.h"

#define JSON(to, name) fputs(",\"" name "\":", to)

/* ---- geometry ----------------------------------------------------------------------------------------- */

static ph_vec3 local_point(const ph_model *m, int body, ph_vec3 p)
{
    return body == PH_GROUND ? p : ph_tmul(ph_qmat(m->body[body].R), ph_sub(p, m->body[body].x));
}

static ph_vec3 local_direction(const ph_model *m, int body, ph_vec3 e)
{
    return body == PH_GROUND ? e : ph_tmul(ph_qmat(m->body[body].R), e);
}

static void put_pair(FILE *to, const int *body)
{
    fprintf(to, ",\"a\":%d,\"b\":%d", body[0], body[1]);
}

/* ---- bodies ------------------------------------------------------------------------------------------- */

static int is_node(const ph_body_def *b)
{
    return !b->flexible && strchr(b->name, '.'); /* of a beam: other names have no dot */
}

static const char *kind_of(const ph_body_def *b)
{
    return b->particle                ? "particle"
           : b->flexible && b->marker ? "marker"
           : b->flexible              ? "frame"
           : is_node(b)               ? "node"
                                      : "body";
}

static void put_box(FILE *to, const ph_body_def *b)
{
    ph_view_box box = ph_view_box_of(b->mass, b->J);
    JSON(to, "box");
    ph_view_numbers(to, 3, box.edge);
    JSON(to, "axes");
    ph_view_numbers(to, 4, (double[]){box.R.w, box.R.x, box.R.y, box.R.z});
}

static void put_body(const ph_view *v, FILE *to, const ph_body_def *b)
{
    const ph_shape_list *shapes = b->flexible ? &v->m->flexible[b->flexible - 1].shapes : &b->shapes;
    const char *marker =
        b->flexible && b->marker ? v->m->flexible[b->flexible - 1].body->marker[b->marker - 1].name : NULL;
    fputs("{\"name\":", to);
    ph_view_text(to, b->name);
    JSON(to, "kind");
    ph_view_text(to, kind_of(b));
    if (!(b->flexible && b->marker)) {
        JSON(to, "mass");
        ph_view_number(to, b->mass);
    }
    if (!v->points && !b->particle && !b->flexible && !is_node(b) && !b->shapes.n)
        put_box(to, b);
    if (!v->points && shapes->n) {
        JSON(to, "shapes");
        ph_view_shapes(to, shapes, marker);
    }
    fputc('}', to);
}

/* ---- joints ------------------------------------------------------------------------------------------- */

static void put_joint(const ph_view *v, FILE *to, const ph_joint_def *j)
{
    const ph_model *m = v->m;
    int a = j->body[0], b = j->body[1], free_points = (ph_joint_row_of(j)->keys & PH_KEY_AT_A) != 0;
    fputs("{\"name\":", to);
    ph_view_text(to, j->name);
    JSON(to, "type");
    ph_view_text(to, ph_type_get(PH_K_JOINT, j->type)->name);
    put_pair(to, j->body);
    JSON(to, "pa");
    ph_view_vector(to, free_points ? j->at_a : local_point(m, a, j->at));
    JSON(to, "pb");
    ph_view_vector(to, free_points ? j->at_b : local_point(m, b, j->at));
    ph_vec3 z = ph_norm(j->axis) > 0 ? j->axis : ph_v3(j->frame.xz, j->frame.yz, j->frame.zz);
    if (ph_norm(z) > 0) {
        JSON(to, "za");
        ph_view_vector(to, local_direction(m, a, z));
    }
    if (ph_norm(j->axis_b) > 0) {
        JSON(to, "zb");
        ph_view_vector(to, local_direction(m, b, j->axis_b));
    }
    if (j->radius > 0) {
        JSON(to, "radius");
        ph_view_number(to, j->radius);
    }
    if (j->drive.call)
        fputs(",\"driven\":1", to);
    fputc('}', to);
}

/* ---- forces ------------------------------------------------------------------------------------------- */

/* The length at rest that the file leaves to the initial configuration. */
static double rest_length(const ph_model *m, const ph_force_def *f)
{
    ph_vec3 p[2] = {f->at_a, f->at_b};
    for (int k = 0; k < 2; k++)
        if (f->body[k] != PH_GROUND)
            p[k] = ph_add(m->body[f->body[k]].x, ph_mul(ph_qmat(m->body[f->body[k]].R), p[k]));
    return isnan(f->length) ? ph_norm(ph_sub(p[1], p[0])) : f->length;
}

static void put_force(const ph_view *v, FILE *to, const ph_force_def *f)
{
    fputs("{\"name\":", to);
    ph_view_text(to, f->name);
    JSON(to, "type");
    ph_view_text(to, ph_type_get(PH_K_FORCE, f->type)->name);
    put_pair(to, f->body);
    JSON(to, "pa");
    ph_view_vector(to, f->at_a);
    JSON(to, "pb");
    ph_view_vector(to, f->at_b);
    ph_keys keys = ph_force_row_of(f)->keys;
    if (keys & (PH_KEY_K | PH_KEY_TORSION_K)) {
        JSON(to, "k");
        ph_view_number(to, f->k);
        JSON(to, "d");
        ph_view_number(to, f->d);
    }
    if (keys & PH_KEY_LENGTH) {
        JSON(to, "length");
        ph_view_number(to, rest_length(v->m, f));
    }
    if (keys & PH_KEY_VALUE && !f->f.call) {
        JSON(to, "value");
        ph_view_vector(to, f->value);
        fprintf(to, ",\"in_body\":%d", f->in_body);
    }
    fputc('}', to);
}

/* ---- beams -------------------------------------------------------------------------------------------- */

#define STOUT 0.15 /* edge of a section over the length of its element: stiffnesses may say anything */

/* Two elements of one beam: NAME.1 ends where NAME.2 begins. */
static int goes_on(const ph_force_def *f, const ph_force_def *next)
{
    const char *dot = strrchr(f->name, '.');
    size_t n = dot ? (size_t)(dot - f->name) + 1 : 0;
    return ph_force_is_beam(next) && n && !strncmp(f->name, next->name, n) && f->body[1] == next->body[0];
}

/* A rectangle with the same EI over EA: h^2 = 12 EI/EA; no stouter than a beam of this length can be. */
static void put_section(FILE *to, const ph_force_def *f, double length)
{
    double edge[2] = {sqrt(12 * f->K6[35] / f->K6[0]), sqrt(12 * f->K6[28] / f->K6[0])};
    if (f->shapes.n) {
        ph_view_shapes(to, &f->shapes, NULL);
        return;
    }
    for (int k = 0; k < 2; k++)
        edge[k] = fmin(fmax(edge[k], 0.006 * length), STOUT * length);
    fputs("[{\"type\":\"box\",\"size\":", to);
    ph_view_numbers(to, 2, edge);
    fputs("}]", to);
}

static double distance(const ph_model *m, const ph_force_def *f)
{
    return ph_norm(ph_sub(m->body[f->body[1]].x, m->body[f->body[0]].x));
}

/* Elements f[0 ... n-1] in a row: bodies, what the section is, and what is unstressed. */
static void put_beam(const ph_model *m, FILE *to, const ph_force_def *f, int n)
{
    const char *dot = strrchr(f->name, '.');
    double whole = 0;
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(dot ? dot - f->name : (long)strlen(f->name)), f->name);
    for (int k = 0; k < n; k++)
        whole += distance(m, &f[k]);
    fputs("{\"name\":", to);
    ph_view_text(to, name);
    JSON(to, "section");
    put_section(to, f, whole);
    fprintf(to, ",\"stiffness\":");
    ph_view_numbers(to, 6, (double[]){f->K6[0], f->K6[7], f->K6[14], f->K6[21], f->K6[28], f->K6[35]});
    fprintf(to, ",\"bodies\":[%d", f->body[0]);
    for (int k = 0; k < n; k++)
        fprintf(to, ",%d", f[k].body[1]);
    fputs("],\"length\":[", to);
    for (int k = 0; k < n; k++) {
        fputs(k ? "," : "", to);
        ph_view_number(to, isnan(f[k].length) ? distance(m, &f[k]) : f[k].length);
    }
    fputs("],\"rest\":[", to); /* relative rotations */
    for (int k = 0; k < n; k++) {
        ph_quat a = m->body[f[k].body[0]].R, b = m->body[f[k].body[1]].R;
        ph_quat q = ph_qmul((ph_quat){a.w, -a.x, -a.y, -a.z}, b);
        fputs(k ? "," : "", to);
        ph_view_numbers(to, 4, (double[]){q.w, q.x, q.y, q.z});
    }
    fputs("]}", to);
}

static void put_beams(const ph_model *m, FILE *to)
{
    int count = 0;
    for (int k = 0, n; k < m->n_forces; k += n) {
        n = 1;
        if (!ph_force_is_beam(&m->force[k]))
            continue;
        while (k + n < m->n_forces && goes_on(&m->force[k + n - 1], &m->force[k + n]))
            n++;
        fputs(count++ ? "," : "", to);
        put_beam(m, to, &m->force[k], n);
    }
}

/* ---- flexible bodies ---------------------------------------------------------------------------------- */

/* Members as they are at rest, in the frame of the body, and the markers that lie on them. */
static void put_flexible(const ph_model *m, FILE *to, int k)
{
    const ph_flexible_def *f = &m->flexible[k];
    int frame = 0, separator = 0;
    while (m->body[frame].flexible != k + 1)
        frame++;
    fputs("{\"name\":", to);
    ph_view_text(to, f->name);
    fprintf(to, ",\"frame\":%d,\"markers\":[", frame);
    for (int i = 0; i < f->body->n_markers; i++)
        fprintf(to, "%s%d", i ? "," : "", frame + 1 + i);
    fputs("],\"at\":[", to);
    for (int i = 0; i < f->body->n_markers; i++) {
        fputs(i ? "," : "", to);
        ph_view_vector(to, f->body->marker[i].X);
    }
    fputs("],\"members\":[", to);
    for (int i = 0; i < f->spec.n_members; i++) {
        const ph_fe_member *e = &f->spec.member[i];
        ph_vec3 a = ph_load3(f->spec.points + 3 * e->from), b = ph_load3(f->spec.points + 3 * e->to);
        double length = ph_norm(ph_sub(b, a)),
               edge = sqrt(12 * fmax(e->section.EI[0], e->section.EI[1]) / e->section.EA);
        fputs(separator++ ? "," : "", to);
        fputs("{\"from\":", to);
        ph_view_vector(to, ph_sub(a, f->node));
        fputs(",\"to\":", to);
        ph_view_vector(to, ph_sub(b, f->node));
        fputs(",\"edge\":", to);
        ph_view_number(to, fmin(fmax(edge, 0.006 * length), STOUT * length));
        fputc('}', to);
    }
    fputs("]}", to);
}

/* ---- sensors and plots -------------------------------------------------------------------------------- */

static void put_channel(const ph_view *v, FILE *to, const ph_view_channel *c)
{
    static const char *const whats[] = {
        "position",   "rotation",  "velocity",    "omega",     "acceleration", "omega_dot", "joint_position",
        "joint_rate", "reaction",  "multipliers", "sensor",    "input",        "state",     "effort",
        "parameter",  "objective", "energy",      "violation", "step"};
    fprintf(to, "{\"what\":\"%s\",\"index\":%d,\"first\":%d,\"labels\":[", whats[c->what], c->index,
            c->first);
    for (int k = 0; k < c->n; k++) {
        fputs(k ? "," : "", to);
        ph_view_text(to, ph_run_label(v->run, c->what, c->index, k));
    }
    fputs("],\"units\":[", to);
    for (int k = 0; k < c->n; k++) {
        fputs(k ? "," : "", to);
        ph_view_text(to, ph_run_unit(v->run, c->what, c->index, k));
    }
    fputs("]}", to);
}

static void put_actuator(FILE *to, const ph_actuator_def *a)
{
    fputs("{\"name\":", to);
    ph_view_text(to, a->name);
    fprintf(to, ",\"joint\":%d}", a->joint);
}

static void put_sensor(FILE *to, const ph_sensor_def *s)
{
    fputs("{\"name\":", to);
    ph_view_text(to, s->name);
    JSON(to, "type");
    ph_view_text(to, ph_type_get(PH_K_SENSOR, s->type)->name);
    fprintf(to, ",\"body\":%d,\"joint\":%d}", s->body, s->joint);
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

#define LIST(name, count, put)                                                                               \
    do {                                                                                                     \
        fputs(",\n\"" name "\":[", to);                                                                      \
        for (int k = 0; k < (count); k++) {                                                                  \
            fputs(k ? ",\n" : "\n", to);                                                                     \
            put;                                                                                             \
        }                                                                                                    \
        fputc(']', to);                                                                                      \
    } while (0)

/* By column: a number, or null where it changes. */
static void put_still(const ph_view *v, FILE *to)
{
    JSON(to, "still");
    for (int c = 0; c < v->columns; c++) {
        double x;
        int still = ph_view_still(v, c, &x);
        fputc(c ? ',' : '[', to);
        ph_view_number(to, still ? x : NAN);
    }
    fputc(']', to);
}

static void put_ghost(FILE *to, const ph_view_ghost *g)
{
    fputs("{\"label\":", to);
    ph_view_text(to, g->label);
    JSON(to, "reason");
    ph_view_text(to, g->reason);
    fprintf(to, ",\"frames\":%ld", ph_view_frames(g->view));
    put_still(g->view, to);
    fputc('}', to);
}

static void put_head(const ph_view *v, const ph_view_words *w, FILE *to)
{
    const ph_model *m = v->m;
    fputs("{\"polhode\":", to);
    ph_view_text(to, ph_version());
    JSON(to, "model");
    ph_view_text(to, m->name);
    JSON(to, "file");
    ph_view_text(to, w->file);
    JSON(to, "settings");
    ph_view_text(to, w->settings);
    JSON(to, "status");
    ph_view_text(to, w->status);
    JSON(to, "reason");
    ph_view_text(to, w->reason);
    if (w->live) {
        fprintf(to, ",\"live\":{\"scene\":%ld,\"run\":%ld,\"capacity\":%ld,\"speed\":", w->live->scene,
                w->live->run, v->capacity);
        ph_view_number(to, w->live->speed);
        fputc('}', to);
    }
    static const char *const kinds[] = {"run", "static", "modes"};
    JSON(to, "kind");
    ph_view_text(to, kinds[v->kind]);
    LIST("modes", v->n_modes, ph_view_numbers(to, 2, v->value + 2 * k));
    JSON(to, "gravity");
    ph_view_vector(to, m->gravity);
    JSON(to, "t_end");
    ph_view_number(to, ph_run_end(v->run));
    fprintf(to, ",\"steps\":%ld", ph_run_summarise(v->run).stats.steps);
    fprintf(to, ",\"frames\":%ld,\"per_body\":%d", v->n, v->per_body);
    put_still(v, to);
    if (w->n_ghosts) {
        JSON(to, "label");
        ph_view_text(to, w->label);
        LIST("ghosts", w->n_ghosts, put_ghost(to, &w->ghosts[k]));
    }
    LIST("parameters", m->n_params,
         (ph_view_text((fputs("[", to), to), m->param[k].name), fputc(',', to),
          ph_view_number(to, m->param[k].value), fputc(']', to)));
}

void ph_view_scene(const ph_view *v, const ph_view_words *words, FILE *to)
{
    const ph_model *m = v->m;
    const ph_shape_list none = {0};
    put_head(v, words, to);
    fputs(",\n\"ground\":", to);
    ph_view_shapes(to, m->ground ? &m->ground->shapes : &none, NULL);
    LIST("bodies", m->n_bodies, put_body(v, to, &m->body[k]));
    LIST("joints", v->points ? 0 : m->n_joints, put_joint(v, to, &m->joint[k]));
    fputs(",\n\"beams\":[", to);
    put_beams(m, to);
    fputc(']', to);
    int n = 0;
    fputs(",\n\"forces\":[", to);
    for (int k = 0; k < m->n_forces && !v->points; k++)
        if (!ph_force_is_beam(&m->force[k]))
            fputs(n++ ? ",\n" : "\n", to), put_force(v, to, &m->force[k]);
    fputc(']', to);
    LIST("flexible", m->n_flexible, put_flexible(m, to, k));
    LIST("sensors", m->n_sensors, put_sensor(to, &m->sensor[k]));
    LIST("actuators", v->points ? 0 : m->n_actuators, put_actuator(to, &m->actuator[k]));
    LIST("inputs", ph_run_count(v->run, PH_INPUTS), ph_view_text(to, ph_run_name(v->run, PH_INPUTS, k)));
    LIST("states", ph_run_count(v->run, PH_STATES), ph_view_text(to, ph_run_name(v->run, PH_STATES, k)));
    LIST("constraints", m->n_constraints, ph_view_text(to, m->constraint[k].name));
    LIST("channels", v->n_channels, put_channel(v, to, &v->channel[k]));
    fputs("}\n", to);
}
