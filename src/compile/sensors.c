/* A function for each sensor of the model. */
#include <string.h>

#include "compile/compile.h"

static void print_at(ph_compiler *c, ph_vec3 at)
{
    char text[3][40];
    fprintf(c->out, "ph_v3(ph_k(%s), ph_k(%s), ph_k(%s))", ph_c_number(at.x, text[0]),
            ph_c_number(at.y, text[1]), ph_c_number(at.z, text[2]));
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
        print_at(c, d->at);
        fprintf(c->out, ";\n");
    }
    fprintf(c->out, "    %s;\n", row->op->text);
}

/* Bodies and forces add to E. */
static void print_energy(ph_compiler *c)
{
    char text[4][40];
    fprintf(c->out, "    ph_real E = ph_k(0);\n");
    for (int k = 0; k < c->model->n_bodies; k++) {
        const ph_body *b = &c->mech->body[k];
        fprintf(c->out, "    ph_kin body_%d = ", k);
        ph_compile_kinematics(c, "s->", k);
        fprintf(c->out, ";\n    E += %s * ph_dot(body_%d.v, body_%d.v) / 2 - ph_dot(",
                ph_c_number(b->m, text[0]), k, k);
        print_at(c, b->weight);
        fprintf(c->out, ", body_%d.x);\n", k);
        if (!b->particle)
            fprintf(c->out, "    E += ph_dot(body_%d.w, ph_mul((ph_mat3){ph_k(%s), ph_k(%s), ph_k(%s)", k,
                    ph_c_number(b->J.xx, text[0]), ph_c_number(b->J.xy, text[1]),
                    ph_c_number(b->J.xz, text[2]));
        if (!b->particle)
            fprintf(c->out, ", ph_k(%s), ph_k(%s), ph_k(%s)", ph_c_number(b->J.yx, text[0]),
                    ph_c_number(b->J.yy, text[1]), ph_c_number(b->J.yz, text[2]));
        if (!b->particle)
            fprintf(c->out, ", ph_k(%s), ph_k(%s), ph_k(%s)}, body_%d.w)) / 2;\n",
                    ph_c_number(b->J.zx, text[0]), ph_c_number(b->J.zy, text[1]),
                    ph_c_number(b->J.zz, text[2]), k);
    }
    for (int k = 0; k < c->mech->n_forces; k++)
        if (c->mech->force[k].op->energy)
            ph_compile_force_energy(c, k);
    fprintf(c->out, "    out[0] = E;\n");
}

static void print_value(ph_compiler *c, const ph_sensor_def *d)
{
    const ph_sensor_row *row = ph_sensor_row_of(d);
    switch (row->op->form) {
    case PH_FORM_BODY:
        print_body(c, d, row);
        break;
    case PH_FORM_COORDINATE:
    case PH_FORM_RATE:
        ph_compile_coordinate(c, d->joint, row->op->form == PH_FORM_RATE);
        break;
    case PH_FORM_REACTION:
        ph_compile_reaction(c, d->joint);
        break;
    case PH_FORM_ENERGY:
        print_energy(c);
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
        print_value(c, d);
        fprintf(c->out, "}\n\n");
    }
}
