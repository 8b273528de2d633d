/* A function for each sensor of the model. */
#include <string.h>

#include "compile/compile.h"
#include "mech/coordinate.h"

/* The vector whose numbers stand at first among the constants. */
static void print_at(ph_compiler *c, int first, ph_vec3 at)
{
    char text[3][48];
    fprintf(c->out, "ph_v3(%s, %s, %s)", ph_c_term(c, first, at.x, text[0]),
            ph_c_term(c, first + 1, at.y, text[1]), ph_c_term(c, first + 2, at.z, text[2]));
}

/* What the text of its row is written in. */
static void print_body(ph_compiler *c, const ph_sensor_def *d, const ph_sensor_row *row)
{
    const ph_body *b = d->body < 0 ? NULL : &c->mech->body[d->body];
    fprintf(c->out, "    ph_kin k = ");
    ph_compile_kinematics(c, "s->", d->body);
    fprintf(c->out, ";\n");
    if (row->op->depth == PH_SEEN_ACCELERATION) {
        fprintf(c->out, b ? "    ph_vec3 a = ph_load3(s->vdot + %d), " : "    ph_vec3 a = ph_zero3(), ",
                b ? b->v[0] : 0);
        fprintf(c->out, b && !b->particle ? "alpha = ph_load3(s->vdot + %d);\n" : "alpha = ph_zero3();\n",
                b ? b->v[1] : 0);
    }
    if (row->keys & PH_KEY_AT) {
        fprintf(c->out, "    ph_vec3 at = ");
        print_at(c, ph_constants_at(&c->open->constants, PH_CONSTANT_SENSOR, (int)(d - c->model->sensor)),
                 d->at);
        fprintf(c->out, ";\n");
    }
    fprintf(c->out, "    %s;\n", row->op->text);
}

/* T and V of bodies and forces. */
void ph_compile_energies(ph_compiler *c)
{
    char text[48];
    fprintf(c->out, "    ph_real T = ph_k(0), V = ph_k(0);\n");
    for (int k = 0; k < c->model->n_bodies; k++) {
        const ph_body *b = &c->mech->body[k];
        int at = ph_constants_at(&c->open->constants, PH_CONSTANT_BODY, k);
        double J[9];
        fprintf(c->out, "    ph_kin body_%d = ", k);
        ph_compile_kinematics(c, "s->", k);
        fprintf(c->out, ";\n    T += %s * ph_dot(body_%d.v, body_%d.v) / 2;\n    V -= ph_dot(",
                ph_c_constant(c, at, b->m, text), k, k);
        print_at(c, at + 1, b->weight);
        fprintf(c->out, ", body_%d.x);\n", k);
        if (b->particle)
            continue;
        ph_store33(J, b->J);
        fprintf(c->out, "    T += ph_dot(body_%d.w, ph_mul((ph_mat3){", k);
        for (int i = 0; i < 9; i++)
            fprintf(c->out, "%s%s", i ? ", " : "", ph_c_term(c, at + 4 + i, J[i], text));
        fprintf(c->out, "}, body_%d.w)) / 2;\n", k);
    }
    for (int k = 0; k < c->mech->n_forces; k++)
        if (c->mech->force[k].op->energy && c->mech->force[k].actuator)
            ph_compile_actuator_energy(c, k);
        else if (c->mech->force[k].op->energy)
            ph_compile_force_energy(c, k);
}

/* ---- joints, actuators, couplings -------------------------------------------------------------------- */

int ph_compile_sensor_coordinate(const ph_compiler *c, const ph_sensor_def *d)
{
    const ph_joint *j = &c->mech->joint[c->mech->joint_of[d->joint]];
    return !(ph_sensor_row_of(d)->keys & PH_KEY_COORDINATE) ? j->free
           : d->coordinate >= 0                             ? d->coordinate
                                                            : ph_joint_free(j, 0);
}

/* vdot of the bodies of a joint, slot by slot. */
static void print_accelerations(ph_compiler *c, const ph_joint *j)
{
    for (int slot = 0; slot < PH_SLOTS; slot++) {
        const ph_body *b = j->body[slot / 2] < 0 ? NULL : &c->mech->body[j->body[slot / 2]];
        if (b && b->node[slot % 2] >= 0)
            fprintf(c->out, "%sph_load3(s->vdot + %d)", slot ? ", " : "", b->v[slot % 2]);
        else
            fprintf(c->out, "%sph_zero3()", slot ? ", " : "");
    }
}

static void print_coordinate(ph_compiler *c, const ph_sensor_def *d, ph_sensor_form form)
{
    int k = c->mech->joint_of[d->joint], x = ph_compile_sensor_coordinate(c, d);
    const ph_joint *j = &c->mech->joint[k];
    ph_compile_bodies_of(c, j, NULL);
    ph_compile_open_site(c, k, "s->");
    if (form == PH_FORM_ACCELERATION) {
        fprintf(c->out, "        ph_vec3 vdot[PH_SLOTS] = {");
        print_accelerations(c, j);
        fprintf(c->out, "};\n        out[0] = ph_along_acceleration(x, %d, vdot);\n    }\n", x);
        return;
    }
    fprintf(c->out, "        out[0] = ");
    if (form == PH_FORM_RATE)
        fprintf(c->out, "ph_along_rate(x, %d)", x);
    else
        ph_compile_angle(c, j, x, "s->", "x");
    fprintf(c->out, ";\n    }\n");
}

static void print_effort(ph_compiler *c, const ph_sensor_def *d, int power)
{
    const ph_mechanism *m = c->mech;
    const ph_joint *j;
    int k;
    fprintf(c->out, "    ph_real tau = ph_k(0);\n");
    if (d->of_kind == PH_OF_JOINT) {
        j = &m->joint[m->joint_of[d->of]], k = j->drive;
        ph_compile_drive_effort(c, d->of, "tau");
    } else if (d->of_kind == PH_OF_COUPLING) {
        j = m->couple[d->of].of[1], k = m->couple[d->of].coordinate[1];
        fprintf(c->out, "    tau = -s->lambda[%d];\n", m->couple[d->of].l_at);
    } else {
        j = ph_actuator_of(m, d->of)->along, k = ph_actuator_of(m, d->of)->coordinate;
        ph_compile_effort(c, d->of, "tau");
    }
    if (power) {
        if (d->of_kind == PH_OF_COUPLING)
            ph_compile_bodies_of(c, j, NULL);
        ph_compile_open_site(c, (int)(j - m->joint), "s->");
        fprintf(c->out, "        tau = tau * ph_along_rate(x, %d);\n    }\n", k);
    }
    fprintf(c->out, "    out[0] = tau;\n");
}

static void print_function(ph_compiler *c, int k)
{
    const ph_sensor_def *d = &c->model->sensor[k];
    char name[32];
    snprintf(name, sizeof name, "sensor_%d", k);
    ph_compile_function_bodies(c, &d->f, "s->");
    fprintf(c->out, "    {\n");
    ph_compile_call(c, name, &d->f, "s->");
    fprintf(c->out, "        for (int i = 0; i < %d; i++)\n            out[i] = y_%s[i];\n    }\n", d->size,
            name);
}

static void print_sensor(ph_compiler *c, int k)
{
    const ph_sensor_def *d = &c->model->sensor[k];
    const ph_sensor_row *row = ph_sensor_row_of(d);
    ph_sensor_form form = row->op->form;
    switch (form) {
    case PH_FORM_BODY:
        print_body(c, d, row);
        break;
    case PH_FORM_COORDINATE:
    case PH_FORM_RATE:
    case PH_FORM_ACCELERATION:
        print_coordinate(c, d, form);
        break;
    case PH_FORM_REACTION:
        ph_compile_reaction(c, d->joint);
        break;
    case PH_FORM_EFFORT:
    case PH_FORM_POWER:
        print_effort(c, d, form == PH_FORM_POWER);
        break;
    case PH_FORM_ENERGY:
        ph_compile_energies(c);
        fprintf(c->out, "    out[0] = T + V;\n");
        break;
    case PH_FORM_FUNCTION:
        print_function(c, k);
        break;
    case PH_FORM_NONE: /* refused, scope.c */
        break;
    }
}

void ph_compile_sensors(ph_compiler *c, FILE *header)
{
    char name[80];
    for (int k = 0; k < c->model->n_sensors; k++) {
        const ph_sensor_def *d = &c->model->sensor[k];
        ph_compile_name(d->name, name, sizeof name);
        fprintf(header, "void %s_%s(const %s *s, %s_real out[%d]);\n", c->name, name, c->name, c->name,
                d->size);
        fprintf(c->out, "PH_EXPORT void %s_%s(const %s *s, %s_real out[%d])\n{\n", c->name, name, c->name,
                c->name, d->size);
        ph_compile_locals(c);
        print_sensor(c, k);
        fprintf(c->out, "    (void)s;\n}\n\n");
    }
}
