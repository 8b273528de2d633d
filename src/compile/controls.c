/* What moves a mechanism and what it is told: drives, loads, actuators, couplings, friction, states and inputs. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "compile/compile.h"
#include "mech/coordinate.h"
#include "mech/reach.h"

/* ---- angles over many turns -------------------------------------------------------------------------------- */

/* Where an angle is counted; -1: it is not. */
static int counter_of(const ph_joint *j, int k)
{
    int at = j->turns;
    if (!ph_is_angle(k) || !(j->frees >> k & 1) || (j->frees >> PH_ABOUT & 7) == 7)
        return -1;
    for (int i = PH_ABOUT; i < k; i++)
        at += (int)(j->frees >> i & 1);
    return at;
}

/* A coordinate of the joint whose site is given, with its turns. */
void ph_compile_angle(ph_compiler *c, const ph_joint *j, int k, const char *of, const char *site, ...)
{
    char text[64];
    int at = counter_of(j, k);
    va_list ap;
    va_start(ap, site);
    vsnprintf(text, sizeof text, site, ap);
    va_end(ap);
    if (at < 0)
        fprintf(c->out, "ph_along_value(%s, %d)", text, k);
    else
        fprintf(c->out, "ph_unwound(ph_along_value(%s, %d), ph_along_rate(%s, %d), %st, s->turns[%d])", text,
                k, text, k, of, at);
}

static void need_angle(const ph_compiler *c, const ph_joint *j, int k, unsigned char *needed)
{
    int at = counter_of(j, k);
    (void)c;
    if (at >= 0)
        needed[at] = 1;
}

static void need_arguments(const ph_compiler *c, const ph_function *f, unsigned char *needed)
{
    const ph_program *p = f->call ? f->traced->program : NULL;
    for (int i = 0; p && i < p->n_args; i++)
        if (p->arg[i].kind == PH_ARG_JOINT_POSITION)
            need_angle(c, &c->mech->joint[c->mech->joint_of[p->arg[i].index]], p->arg[i].component, needed);
}

/* Angles that something reads. */
static void list_angles(const ph_compiler *c, unsigned char *needed)
{
    const ph_model *m = c->model;
    for (int k = 0; k < m->n_forces; k++)
        need_arguments(c, &m->force[k].f, needed);
    for (int k = 0; k < m->n_states; k++)
        need_arguments(c, &m->state[k].rate, needed);
    for (int k = 0; k < m->n_events; k++)
        need_arguments(c, &m->event[k].when, needed);
    for (int k = 0; k < m->n_actuators; k++) {
        const ph_force *f = ph_actuator_of(c->mech, k);
        need_arguments(c, &m->actuator[k].f, needed);
        need_angle(c, f->along, f->coordinate, needed);
    }
    for (int k = 0; k < m->n_couplings; k++)
        for (int h = 0; h < 2; h++)
            need_angle(c, c->mech->couple[k].of[h], c->mech->couple[k].coordinate[h], needed);
    for (int k = 0; k < m->n_sensors; k++) {
        const ph_sensor_def *d = &m->sensor[k];
        need_arguments(c, &d->f, needed);
        if (ph_sensor_row_of(d)->op->form == PH_FORM_COORDINATE) {
            const ph_joint *j = &c->mech->joint[c->mech->joint_of[d->joint]];
            need_angle(c, j, ph_compile_sensor_coordinate(c, d), needed);
        }
    }
}

static int is_in(const int *list, int n, int x)
{
    for (int k = 0; k < n; k++)
        if (list[k] == x)
            return 1;
    return 0;
}

/* Bodies of a joint, and those that a function reads, as locals of a function that has the state alone; f NULL: none. */
void ph_compile_bodies_of(ph_compiler *c, const ph_joint *j, const ph_function *f)
{
    const ph_traced *t = f && f->call ? f->traced : NULL;
    int own[2] = {j->body[0], j->body[1]}, n = t ? t->n_bodies : 0;
    for (int k = -2; k < n; k++) {
        int body = k < 0 ? own[k + 2] : t->body[k];
        if (body < 0 || (k == -1 && body == own[0]) || (k >= 0 && is_in(own, 2, body)))
            continue;
        fprintf(c->out, "    ph_kin body_%d = ", body);
        ph_compile_kinematics(c, "s->", body);
        fprintf(c->out, ";\n    (void)body_%d;\n", body);
    }
}

/* The flag of an event: its function has changed its sign since the last step, in the direction that counts. */
static void print_event(ph_compiler *c, int k)
{
    const ph_event_def *e = &c->model->event[k];
    char field[80], name[32];
    ph_compile_name(e->name, field, sizeof field);
    snprintf(name, sizeof name, "when_%d", k);
    fprintf(c->out, "    {\n");
    ph_compile_function_bodies(c, &e->when, "s->");
    ph_compile_call(c, name, &e->when, "s->");
    fprintf(c->out, "        ph_real last = s->when[%d], now = y_%s[0];\n        ph_mask change = ", k, name);
    if (e->direction != PH_DOWNWARDS)
        fprintf(c->out, "((last < 0) & (now >= 0))");
    fprintf(c->out, e->direction == PH_BOTH_WAYS ? " | " : "");
    if (e->direction != PH_UPWARDS)
        fprintf(c->out, "((last > 0) & (now <= 0))");
    fprintf(c->out,
            ";\n        change = change & (s->steps > 0);\n"
            "        s->event.%s = ph_select(ok, ph_select(change, ph_k(1), ph_k(0)), s->event.%s);\n"
            "        s->when[%d] = ph_select(ok, now, last);\n    }\n",
            field, field, k);
}

ph_status ph_compile_tracking(ph_compiler *c)
{
    const ph_mechanism *m = c->mech;
    unsigned char *needed = ph_alloc(c->alloc, (size_t)m->n_turns + 1);
    if (!needed)
        return PH_E_MEMORY;
    memset(needed, 0, (size_t)m->n_turns + 1);
    list_angles(c, needed);
    fprintf(c->out, "/* Turns of joints and flags of events, of members that have made a step. */\nPH_FN "
                    "void ph_track(PH_MODEL "
                    "*s, ph_mask ok)\n{\n");
    ph_compile_locals(c);
    for (int i = 0; i < c->model->n_joints; i++) {
        const ph_joint *j = &m->joint[m->joint_of[i]];
        for (int k = PH_ABOUT; k < PH_LENGTH; k++) {
            int at = counter_of(j, k);
            if (at < 0 || !needed[at])
                continue;
            fprintf(c->out, "    {\n");
            ph_compile_bodies_of(c, j, NULL);
            ph_compile_open_site(c, m->joint_of[i], "s->");
            fprintf(c->out, "        ph_count_turns(x, %d, s->t, ok, s->turns[%d]);\n    }\n    }\n", k, at);
        }
    }
    for (int k = 0; k < c->model->n_events; k++)
        print_event(c, k);
    fprintf(c->out, "    (void)s, (void)ok;\n}\n\n");
    ph_free(c->alloc, needed);
    return PH_OK;
}

/* ---- data -------------------------------------------------------------------------------------------------- */

static int has_stops(const ph_actuator_def *d)
{
    return !isnan(d->stop[0]);
}

static int swings(const ph_force *f)
{
    return f->op == &ph_force_swing;
}

static void actuator_data(ph_compiler *c, int k)
{
    const ph_force *f = &c->mech->force[k];
    const ph_actuator_def *d = f->actuator;
    const char *fixed = ph_compile_force_is_open(c, k) ? "fixed_" : "";
    fprintf(c->out, "/* actuator '%s' */\nPH_TABLE ph_actuator_def %sactuator_%d = {", d->name, fixed, k);
    ph_c_numbers(c->out, PH_NUMBERS_ACTUATOR, d);
    fprintf(c->out,
            "};\nPH_TABLE ph_force %sforce_%d = {.actuator = &%sactuator_%d, .along = &%sjoint_%d, "
            ".coordinate = %d};\n",
            fixed, k, fixed, k, ph_compile_joint_is_open(c, (int)(f->along - c->mech->joint)) ? "fixed_" : "",
            (int)(f->along - c->mech->joint), f->coordinate);
}

static void friction_data(ph_compiler *c, int k)
{
    const ph_force *f = &c->mech->force[k];
    fprintf(c->out, "/* friction of joint '%s' */\nPH_TABLE ph_force %sforce_%d = {.joint = &%sjoint_%d, ",
            c->model->joint[f->joint->def].name, ph_compile_force_is_open(c, k) ? "fixed_" : "", k,
            ph_compile_joint_is_open(c, (int)(f->joint - c->mech->joint)) ? "fixed_" : "",
            (int)(f->joint - c->mech->joint));
    ph_c_numbers(c->out, PH_NUMBERS_FRICTION, f);
    fprintf(c->out, "};\n");
}

void ph_compile_control_data(ph_compiler *c, int k)
{
    const ph_force *f = &c->mech->force[k];
    if (f->actuator)
        actuator_data(c, k);
    else
        friction_data(c, k);
    ph_compile_places(c, "force_K_", k, f->K, 16);
}

/* ---- loads that are functions ------------------------------------------------------------------------------ */

/* What depends on the value of the function of force f, at its site s. */
void ph_compile_load_tangent(ph_compiler *c, int k)
{
    const ph_force *f = &c->mech->force[k];
    const ph_body *b = &c->mech->body[f->body[1]];
    int torque = (ph_force_row_of(f->def)->keys & PH_KEY_TORQUE) != 0;
    const char *type = torque ? "torque" : "force";
    char name[32], row[32];
    snprintf(name, sizeof name, "load_%d", (int)(f->def - c->model->force));
    if (!c->marking)
        ph_compile_slopes(c, name, &f->def->f);
    for (int i = 0; i < 3; i++) {
        if (!c->marking)
            fprintf(c->out,
                    "        ph_vec3 by_%d[PH_SLOTS] = {ph_zero3(), ph_zero3(), ph_zero3(), ph_zero3()};\n"
                    "        ph_load_%s_g(&s_, ph_v3(ph_k(%d), ph_k(%d), ph_k(%d)), by_%d);\n        "
                    "(void)by_%d;\n",
                    i, type, i == 0, i == 1, i == 2, i, i);
        for (int half = torque; half < (b->particle ? 1 : 2); half++) {
            snprintf(row, sizeof row, "by_%d[%s]", i, half ? "PH_FB" : "PH_XB");
            ph_compile_tangent(c, name, &f->def->f, i, "", b->node[half], row, -1);
        }
    }
}

/* ---- actuators ------------------------------------------------------------------------------------------------ */

/* The force site s_ of an actuator, in a block that is open; of: where t and v stand. */
static void print_actuator_site(ph_compiler *c, int k, const char *of)
{
    const ph_force *f = &c->mech->force[k];
    const ph_actuator_def *d = f->actuator;
    char name[32];
    snprintf(name, sizeof name, "effort_%d", (int)(d - c->model->actuator));
    if (d->f.call)
        ph_compile_call(c, name, &d->f, of);
    fprintf(c->out, "        ph_force_site s_ = {.f = &force_%d, ", k);
    ph_compile_side(c, "a", f->body[0]), ph_compile_side(c, "b", f->body[1]);
    fprintf(c->out, ".load = ph_k(1)};\n");
    if (swings(f))
        return;
    if (d->f.call)
        fprintf(c->out, "        s_.effort = y_%s[0];\n", name);
    else if (d->input >= 0)
        fprintf(c->out, "        s_.effort = ph_input(s, %d);\n", d->input);
    else
        fprintf(c->out, "        s_.effort = s_.f->actuator->effort;\n");
    fprintf(c->out, "        s_.turns = ph_k(0);\n");
    if (counter_of(f->along, f->coordinate) >= 0) {
        fprintf(c->out, "        ph_site at_ = ph_actuator_site(&s_);\n        s_.turns = ");
        ph_compile_angle(c, f->along, f->coordinate, of, "&at_");
        fprintf(c->out, " - ph_along_value(&at_, %d);\n", f->coordinate);
    }
}

static void actuator_tangent(ph_compiler *c, int k)
{
    const ph_force *f = &c->mech->force[k];
    char name[32], row[32];
    snprintf(name, sizeof name, "effort_%d", (int)(f->actuator - c->model->actuator));
    if (!c->marking) {
        ph_compile_slopes(c, name, &f->actuator->f);
        fprintf(c->out,
                "        ph_site on_ = ph_actuator_site(&s_);\n        ph_vec3 b_[PH_SLOTS];\n"
                "        ph_along_row(&on_, %d, b_);\n",
                f->coordinate);
    }
    for (int slot = 0; slot < PH_SLOTS; slot++) {
        int body = f->body[slot / 2], node = body < 0 ? -1 : c->mech->body[body].node[slot % 2];
        snprintf(row, sizeof row, "b_[%d]", slot);
        if (node >= 0)
            ph_compile_tangent(c, name, &f->actuator->f, 0, "-", node, row, -1);
    }
}

static void actuator_terms(ph_compiler *c, int k, ph_use use)
{
    const ph_force *f = &c->mech->force[k];
    const ph_actuator_def *d = f->actuator;
    int swing = swings(f), stops = has_stops(d), tangents = use == PH_USE_MATRIX;
    FILE *out = c->out;
    fprintf(out, "    { /* actuator '%s' */\n        ph_vec3 g_[PH_SLOTS];\n", d->name);
    print_actuator_site(c, k, "W->");
    if (swing)
        fprintf(out, "        ph_swing_torque_g(&s_, g_);\n");
    else
        fprintf(out, "        ph_actuator_g(&s_, %d, g_);\n", stops);
    for (int i = 0; i < PH_SLOTS; i++)
        if (f->v[i] >= 0)
            fprintf(out, "        ph_add3(r + %d, g_[%d]);\n", f->v[i], i);
    if (tangents && swing)
        fprintf(out,
                "        ph_swing_torque_C(&s_, &(ph_put){C, force_K_%d, 3, 0});\n"
                "        ph_swing_torque_K(&s_, &(ph_put){K, force_K_%d, 3, 0});\n",
                k, k);
    else if (tangents && !f->still)
        fprintf(out, "        ph_actuator_C(&s_, %d, &(ph_put){C, force_K_%d, 3, 0});\n", stops, k);
    if (tangents && !swing)
        fprintf(out, "        ph_actuator_K(&s_, %d, &(ph_put){K, force_K_%d, 3, 0});\n", stops, k);
    if (tangents && d->f.call)
        actuator_tangent(c, k);
    fprintf(out, "    }\n");
}

/* Its effort with spring, damper and stops, to what is asked for. */
void ph_compile_effort(ph_compiler *c, int actuator, const char *to)
{
    const ph_force *f = ph_actuator_of(c->mech, actuator);
    int k = (int)(f - c->mech->force);
    ph_compile_bodies_of(c, f->along, &f->actuator->f);
    fprintf(c->out, "    {\n");
    print_actuator_site(c, k, "s->");
    fprintf(c->out,
            "        ph_site it_ = ph_actuator_site(&s_);\n        %s = ph_actuator_law(&s_, &it_, "
            "%d).tau;\n    }\n",
            to, has_stops(f->actuator));
}

void ph_compile_actuator_energy(ph_compiler *c, int k)
{
    const ph_force *f = &c->mech->force[k];
    fprintf(c->out, "    {\n");
    print_actuator_site(c, k, "s->");
    if (swings(f))
        fprintf(c->out, "        V += ph_swing_torque_energy(&s_);\n    }\n");
    else
        fprintf(c->out, "        V += ph_actuator_energy(&s_, %d);\n    }\n", has_stops(f->actuator));
}

/* ---- friction ------------------------------------------------------------------------------------------------- */

static const ph_block *link_of(const ph_compiler *c, int constraint, int node)
{
    for (const ph_block *b = c->lay->link, *end = b + c->lay->n_links; b < end; b++)
        if (b->row == constraint && b->col == node)
            return b;
    return NULL;
}

static void friction_columns(ph_compiler *c, const ph_force *f)
{
    const ph_joint *j = f->joint;
    for (int i = 0; i < j->rows; i++) {
        fprintf(c->out, "        ph_%s_g_lambda(&s_, %d, g_);\n", f->op->text, i);
        for (int slot = 0; slot < PH_SLOTS; slot++) {
            int body = f->body[slot / 2], node = body < 0 ? -1 : c->mech->body[body].node[slot % 2];
            const ph_block *b = node < 0 ? NULL : link_of(c, j->constraint, node);
            for (int k = 0; b && k < 3; k++)
                fprintf(c->out, "        Gl[%d] = g_[%d].%c;\n", b->at + k * b->m + i, slot, "xyz"[k]);
        }
    }
}

/* The force site s_ of a friction, and what it gives, g_. */
static void print_friction(ph_compiler *c, int k, const char *of)
{
    const ph_force *f = &c->mech->force[k];
    fprintf(c->out,
            "        ph_vec3 g_[PH_SLOTS] = {ph_zero3(), ph_zero3(), ph_zero3(), ph_zero3()};\n"
            "        ph_force_site s_ = {.f = &force_%d, ",
            k);
    ph_compile_side(c, "a", f->body[0]), ph_compile_side(c, "b", f->body[1]);
    fprintf(c->out, ".lambda = %slambda + %d};\n        ph_%s_g(&s_, g_);\n", of, f->joint->l_at,
            f->op->text);
}

/* What friction adds to the rows r of a joint's reaction. */
void ph_compile_friction_reaction(ph_compiler *c, const ph_joint *j)
{
    for (int k = 0; k < c->mech->n_forces; k++)
        if (c->mech->force[k].joint == j) {
            fprintf(c->out, "        {\n");
            print_friction(c, k, "s->");
            fprintf(c->out,
                    "        for (int i = 0; i < PH_SLOTS; i++)\n            r[i] = ph_add(r[i], g_[i]);\n"
                    "        }\n");
        }
}

static void friction_terms(ph_compiler *c, int k, ph_use use)
{
    const ph_force *f = &c->mech->force[k];
    const char *name = f->op->text;
    FILE *out = c->out;
    fprintf(out, "    { /* friction of joint '%s' */\n", c->model->joint[f->joint->def].name);
    print_friction(c, k, "W->");
    for (int i = 0; i < PH_SLOTS; i++)
        if (f->v[i] >= 0)
            fprintf(out, "        ph_add3(r + %d, g_[%d]);\n", f->v[i], i);
    if (use == PH_USE_MATRIX)
        fprintf(out,
                "        ph_%s_C(&s_, &(ph_put){C, force_K_%d, 3, 0});\n"
                "        ph_%s_K(&s_, &(ph_put){K, force_K_%d, 3, 0});\n",
                name, k, name, k);
    if (use != PH_USE_RESIDUAL)
        friction_columns(c, f);
    fprintf(out, "    }\n");
}

/* The velocities of one side of d_ become their increments. */
static void print_increment(ph_compiler *c, const char *side, int body)
{
    const ph_body *b = body < 0 ? NULL : &c->mech->body[body];
    if (b)
        fprintf(c->out, "        d_.%s.v = ph_load3(dv + %d);\n", side, b->v[0]);
    if (b && !b->particle)
        fprintf(c->out, "        d_.%s.w = ph_load3(dv + %d);\n", side, b->v[1]);
}

/* least = min(least, kappa) of each friction (CT8), for the increment dv of velocities. */
void ph_compile_friction_cuts(ph_compiler *c)
{
    for (int k = 0; k < c->mech->n_friction; k++) {
        const ph_force *f = c->mech->friction[k];
        fprintf(c->out,
                "    { /* friction of joint '%s' */\n        ph_force_site s_ = {.f = &force_%d, .a = ",
                c->model->joint[f->joint->def].name, (int)(f - c->mech->force));
        ph_compile_kinematics(c, "W->", f->body[0]);
        fprintf(c->out, ", .b = ");
        ph_compile_kinematics(c, "W->", f->body[1]);
        fprintf(c->out, "}, d_ = s_;\n");
        print_increment(c, "a", f->body[0]), print_increment(c, "b", f->body[1]);
        fprintf(c->out,
                "        ph_real kappa = ph_friction_fraction(ph_%s_slip(&s_), "
                "ph_%s_slip(&d_));\n        least = ph_select(kappa < least, kappa, least);\n    }\n",
                f->op->text, f->op->text);
    }
}

void ph_compile_control_terms(ph_compiler *c, int k, ph_use use)
{
    if (c->mech->force[k].actuator)
        actuator_terms(c, k, use);
    else
        friction_terms(c, k, use);
}

/* ---- couplings -------------------------------------------------------------------------------------------------- */

static int couple_at(const ph_compiler *c, const ph_couple *x)
{
    return ph_constants_at(&c->open->constants, PH_CONSTANT_COUPLE, (int)(x - c->mech->couple));
}

/* Rows of one half, its factor included, added to B or Z. */
static void couple_rows(ph_compiler *c, const ph_couple *x, int h, const char *to, const char *row)
{
    const ph_joint *j = x->of[h];
    char text[48];
    for (int slot = 0; slot < PH_SLOTS; slot++) {
        int body = j->body[slot / 2], node = body < 0 ? -1 : c->mech->body[body].node[slot % 2];
        const ph_block *b = node < 0 ? NULL : link_of(c, x->constraint, node);
        if (b)
            fprintf(c->out, "        ph_add3(%s + %d, ph_scale(%s, %s[%d]));\n", to, b->at,
                    ph_c_term(c, couple_at(c, x) + h, x->factor[h], text), row, slot);
    }
}

static void open_half(ph_compiler *c, const ph_couple *x, int h, const char *of)
{
    const ph_joint *j = x->of[h];
    ph_compile_open_site(c, (int)(j - c->mech->joint), of);
    fprintf(c->out, "        ph_vec3 b_[PH_SLOTS];\n        ph_along_row(x, %d, b_);\n", x->coordinate[h]);
}

static void zero_rows(ph_compiler *c, const ph_couple *x, const char *of)
{
    for (const ph_block *b = c->lay->link, *end = b + c->lay->n_links; b < end; b++)
        for (int k = 0; b->row == x->constraint && k < b->m * b->n; k++)
            fprintf(c->out, "    %s[%d] = ph_k(0);\n", of, b->at + k);
}

void ph_compile_couple_B(ph_compiler *c, int k)
{
    const ph_couple *x = &c->mech->couple[k];
    zero_rows(c, x, "B");
    for (int h = 0; h < 2; h++) {
        open_half(c, x, h, "s->");
        couple_rows(c, x, h, "B", "b_");
        fprintf(c->out, "    }\n");
    }
}

/* Turns are added up as whole numbers, as the library does. */
static void couple_Phi(ph_compiler *c, const ph_couple *x, int h)
{
    const ph_joint *j = x->of[h];
    char text[48];
    int k = x->coordinate[h];
    ph_c_constant(c, couple_at(c, x) + h, x->factor[h], text);
    fprintf(c->out, "        ph_real v_ = ph_along_value(x, %d);\n        sum_ += %s * v_;\n", k, text);
    if (counter_of(j, k) < 0)
        return;
    fprintf(c->out, "        turns_ += %s * ph_round((", text);
    ph_compile_angle(c, j, k, "W->", "x");
    fprintf(c->out, " - v_) / 6.28318530717958647693);\n");
}

static void couple_terms(ph_compiler *c, int i, ph_use use)
{
    const ph_couple *x = &c->mech->couple[i];
    int start = use == PH_USE_START, tangents = use == PH_USE_MATRIX;
    int slopes = start || (tangents && c->sim->matrix.what & PH_EVAL_RATE);
    char text[48];
    FILE *out = c->out;
    fprintf(out, "    { /* coupling '%s' */\n    ph_real sum_ = ph_k(0), turns_ = ph_k(0);\n",
            c->model->coupling[x->def].name);
    zero_rows(c, x, "B");
    if (slopes && !start)
        zero_rows(c, x, "Z");
    for (int h = 0; h < 2; h++) {
        open_half(c, x, h, "W->");
        couple_Phi(c, x, h);
        couple_rows(c, x, h, "B", "b_");
        ph_c_constant(c, couple_at(c, x) + h, x->factor[h], text);
        if (slopes)
            fprintf(out, "        ph_vec3 z_[PH_SLOTS];\n        ph_along_z(x, %d, z_);\n", x->coordinate[h]);
        if (start)
            fprintf(out, "        convective[%d] += %s * ph_along_times_v(x, z_);\n", x->l_at, text);
        else if (slopes)
            couple_rows(c, x, h, "Z", "z_");
        if (tangents)
            fprintf(out,
                    "        ph_along_K(x, %d, %s * W->lambda[%d], &(ph_put){K, couple_K_%d_%d, 3, 0});\n",
                    x->coordinate[h], text, x->l_at, i, h);
        fprintf(out, "    }\n");
    }
    fprintf(out, "    Phi[%d] = sum_ + (6.28318530717958647693 * turns_ - %s);\n    }\n", x->l_at,
            ph_c_constant(c, couple_at(c, x) + 2, x->offset, text));
}

/* ---- states ------------------------------------------------------------------------------------------------------- */

static void state_terms(ph_compiler *c, int k, ph_use use)
{
    const ph_own_state *x = &c->mech->own[k];
    const ph_function *f = &c->model->state[k].rate;
    char name[32];
    snprintf(name, sizeof name, "rate_%d", k);
    fprintf(c->out, "    { /* state '%s' */\n", c->model->state[k].name);
    ph_compile_call(c, name, f, "W->");
    for (int i = 0; i < x->n; i++)
        fprintf(c->out, "        r[%d] = W->vdot[%d] - y_%s[%d];\n", x->v + i, x->v + i, name, i);
    if (use == PH_USE_MATRIX) {
        ph_compile_slopes(c, name, f);
        for (int i = 0; i < x->n; i++)
            ph_compile_tangent(c, name, f, i, "-", x->node, "", i);
    }
    fprintf(c->out, "    }\n");
}

/* ---- all of them --------------------------------------------------------------------------------------------------- */

void ph_compile_controls(ph_compiler *c, ph_use use)
{
    for (int k = 0; k < c->model->n_states; k++)
        state_terms(c, k, use);
    for (int k = 0; k < c->model->n_couplings; k++)
        couple_terms(c, k, use);
}

void ph_compile_couple_data(ph_compiler *c)
{
    char name[32];
    for (int k = 0; k < c->model->n_couplings; k++)
        for (int h = 0; h < 2; h++) {
            snprintf(name, sizeof name, "couple_K_%d_", k);
            ph_compile_places(c, name, h, c->mech->couple[k].half[h].K, 16);
        }
}

/* Entries of C and K that functions and stops write to: they may be 0 wherever one looks, and not elsewhere. */
void ph_compile_mark(ph_compiler *c)
{
    c->marking = 1;
    for (int k = 0; k < c->mech->n_forces; k++) {
        const ph_force *f = &c->mech->force[k];
        if (f->actuator && f->actuator->f.call)
            actuator_tangent(c, k);
        else if (f->def && f->def->f.call)
            ph_compile_load_tangent(c, k);
        for (int i = 0; f->actuator && has_stops(f->actuator) && i < 16; i++)
            for (int n = 0; f->K[i] >= 0 && n < 9; n++)
                c->K[f->K[i] + n].changes = c->C[f->K[i] + n].changes = 1;
    }
    for (int k = 0; k < c->model->n_states; k++) {
        char name[32];
        snprintf(name, sizeof name, "rate_%d", k);
        for (int i = 0; i < c->mech->own[k].n; i++)
            ph_compile_tangent(c, name, &c->model->state[k].rate, i, "-", c->mech->own[k].node, "", i);
    }
    c->marking = 0;
}
