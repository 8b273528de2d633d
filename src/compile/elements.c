/* Data and calls of elements: bodies, joints and forces of the model, each at its places in the layout. */
#include <math.h>
#include <string.h>

#include "compile/compile.h"
#include "mech/argument.h"

/* ---- data --------------------------------------------------------------------------------------- */

void ph_compile_places(ph_compiler *c, const char *name, int k, const int *at, int n)
{
    FILE *out = c->out;
    fprintf(out, "PH_TABLE int %s%d[%d] = {", name, k, n);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%d", i ? ", " : "", at[i]);
    fprintf(out, "};\n");
}

static void print_joint(FILE *out, const ph_joint *j)
{
    fprintf(out, "{");
    ph_c_numbers(out, PH_NUMBERS_JOINT, j);
    fprintf(out, ".drive = %d, .free = %d, .frees = %u}", j->drive, j->free, j->frees);
}

static void joint_data(ph_compiler *c, int k)
{
    const ph_joint *j = &c->mech->joint[k];
    FILE *out = c->out;
    fprintf(out, "/* joint '%s' */\nPH_TABLE ph_joint %sjoint_%d = ", c->model->joint[j->def].name,
            ph_compile_joint_is_open(c, k) ? "fixed_" : "", k);
    print_joint(out, j);
    fprintf(out, ";\n");
    if (c->in_loops)
        return;
    ph_compile_places(c, "joint_B_", k, j->B, PH_SLOTS);
    ph_compile_places(c, "joint_K_", k, j->K, 16);
}

static void print_force_def(FILE *out, const ph_force_def *d)
{
    fprintf(out, "{");
    ph_c_numbers(out, PH_NUMBERS_LAW, d);
    fprintf(out, ".in_body = %d}", d->in_body);
}

static void print_force(FILE *out, const ph_force *f)
{
    ph_c_numbers(out, PH_NUMBERS_FORCE, f);
    fprintf(out, "}");
}

static void force_data(ph_compiler *c, int k)
{
    const ph_force *f = &c->mech->force[k];
    const ph_force_def *d = f->def;
    FILE *out = c->out;
    const char *fixed = ph_compile_force_is_open(c, k) ? "fixed_" : "";
    fprintf(out, "/* %s '%s' */\nPH_TABLE ph_force_def %sforce_def_%d = ", ph_force_row_of(d)->name, d->name,
            fixed, k);
    print_force_def(out, d);
    fprintf(out, ";\nPH_TABLE ph_force %sforce_%d = {.def = &%sforce_def_%d, ", fixed, k, fixed, k);
    print_force(out, f);
    fprintf(out, ";\n");
    if (!c->in_loops)
        ph_compile_places(c, "force_K_", k, f->K, 16);
}

static int is_principal(ph_mat3 J)
{
    return fabs(J.xy) + fabs(J.xz) + fabs(J.yz) == 0; /* it is symmetric */
}

static int body_at(const ph_compiler *c, int k)
{
    return ph_constants_at(&c->open->constants, PH_CONSTANT_BODY, k);
}

/* It is written as three numbers. */
static int has_three(const ph_compiler *c, int k)
{
    return is_principal(c->mech->body[k].J) && !ph_compile_is_open(c, body_at(c, k) + 4, 9);
}

static void body_data(ph_compiler *c, int k)
{
    const ph_body *b = &c->mech->body[k];
    if (b->particle || has_three(c, k))
        return;
    fprintf(c->out, "/* moments of inertia of '%s' */\nPH_TABLE ph_mat3 %sinertia_%d = {",
            c->model->body[k].name, ph_compile_is_open(c, body_at(c, k) + 4, 9) ? "fixed_" : "", k);
    double J[9];
    char text[40];
    ph_store33(J, b->J);
    for (int i = 0; i < 9; i++)
        fprintf(c->out, "%sPH_K(%s)", i ? ", " : "", ph_c_number(J[i], text));
    fprintf(c->out, "};\n");
}

/* What sensors see of a large model; the rest is in tables. */
static int is_seen(const ph_compiler *c, int joint)
{
    int def = c->mech->joint[joint].def;
    for (int k = 0; k < c->model->n_sensors; k++) {
        const ph_sensor_def *d = &c->model->sensor[k];
        const ph_program *p = d->f.call ? d->f.traced->program : NULL;
        int seen = d->joint == def;
        for (int i = 0; p && i < p->n_args; i++)
            seen |= p->arg[i].index == def &&
                    (p->arg[i].kind == PH_ARG_JOINT_POSITION || p->arg[i].kind == PH_ARG_JOINT_RATE);
        if (seen)
            return 1;
    }
    return 0;
}

static int shows_energy(const ph_compiler *c)
{
    for (int k = 0; k < c->model->n_sensors; k++)
        if (ph_sensor_row_of(&c->model->sensor[k])->op->form == PH_FORM_ENERGY)
            return 1;
    return 0;
}

void ph_compile_data(ph_compiler *c)
{
    for (int k = 0; k < c->model->n_bodies && !c->in_loops; k++)
        body_data(c, k);
    for (int k = 0; k < c->mech->n_joints; k++)
        if (!c->in_loops || is_seen(c, k))
            joint_data(c, k);
    for (int k = 0; k < c->mech->n_forces; k++)
        if (!c->mech->force[k].def)
            ph_compile_control_data(c, k);
        else if (!c->in_loops || (shows_energy(c) && c->mech->force[k].op->energy))
            force_data(c, k);
    ph_compile_couple_data(c);
    fprintf(c->out, "\n");
}

/* ---- bodies --------------------------------------------------------------------------------------- */

void ph_compile_kinematics(ph_compiler *c, const char *of, int body)
{
    const ph_body *b = body < 0 ? NULL : &c->mech->body[body];
    if (!b)
        fprintf(c->out, "ph_kin_ground()");
    else if (b->particle)
        fprintf(c->out, "ph_kin_particle(%sq + %d, %sv + %d)", of, b->q[0], of, b->v[0]);
    else
        fprintf(c->out, "ph_kin_rigid(%sq + %d, %sv + %d, %sq + %d, %sv + %d)", of, b->q[0], of, b->v[0], of,
                b->q[1], of, b->v[1]);
}

static void body_kin(ph_compiler *c, int k, ph_use use)
{
    const ph_body *b = &c->mech->body[k];
    fprintf(c->out, "    ph_kin body_%d = ", k);
    if (use == PH_USE_START || b->particle)
        ph_compile_kinematics(c, "W->", k);
    else
        fprintf(c->out, "ph_kin_moved(W->q + %d, W->v + %d, &T%d)", b->q[0], b->v[0], c->turn[b->node[1]]);
    fprintf(c->out, "; /* '%s' */\n", c->model->body[k].name);
}

/* r = m a - weight, J Omegadot + gyroscopic terms; C of the latter */
static void body_terms(ph_compiler *c, int k, ph_use use)
{
    const ph_body *b = &c->mech->body[k];
    const double w[3] = {b->weight.x, b->weight.y, b->weight.z};
    char text[3][40];
    FILE *out = c->out;
    for (int i = 0; i < 3; i++) {
        ph_sum s;
        int first = body_at(c, k), mass = c->open->datum[first], weight = c->open->datum[first + 1 + i];
        fprintf(out, "    r[%d] = ", b->v[0] + i);
        ph_sum_begin(&s, out);
        if (mass >= 0)
            ph_sum_term(&s, 1, "s->data[%d] * W->vdot[%d]", mass, b->v[0] + i);
        else
            ph_sum_term(&s, b->m, "W->vdot[%d]", b->v[0] + i);
        if (weight >= 0)
            ph_sum_term(&s, -1, "s->data[%d]", weight);
        else
            ph_sum_constant(&s, -w[i]);
        ph_sum_end(&s);
        fprintf(out, ";\n");
    }
    if (b->particle)
        return;
    int at = b->v[1];
    if (has_three(c, k)) {
        fprintf(out,
                "    ph_store3(r + %d, ph_principal_g(ph_v3(ph_k(%s), ph_k(%s), ph_k(%s)), body_%d.w));\n",
                at, ph_c_number(b->J.zz - b->J.yy, text[0]), ph_c_number(b->J.xx - b->J.zz, text[1]),
                ph_c_number(b->J.yy - b->J.xx, text[2]), k);
        if (use == PH_USE_MATRIX)
            fprintf(
                out,
                "    ph_store33(C + %d, ph_principal_C(ph_v3(ph_k(%s), ph_k(%s), ph_k(%s)), body_%d.w));\n",
                b->M[3], text[0], text[1], text[2], k);
        fprintf(out, "    r[%d] += %s * W->vdot[%d];\n", at, ph_c_number(b->J.xx, text[0]), at);
        fprintf(out, "    r[%d] += %s * W->vdot[%d];\n", at + 1, ph_c_number(b->J.yy, text[0]), at + 1);
        fprintf(out, "    r[%d] += %s * W->vdot[%d];\n", at + 2, ph_c_number(b->J.zz, text[0]), at + 2);
        return;
    }
    fprintf(out,
            "    ph_store3(r + %d, ph_add(ph_mul(inertia_%d, ph_load3(W->vdot + %d)), ph_rigid_g(inertia_%d, "
            "body_%d.w)));\n",
            at, k, at, k, k);
    if (use == PH_USE_MATRIX)
        fprintf(out, "    ph_store33(C + %d, ph_rigid_C(inertia_%d, body_%d.w));\n", b->M[3], k, k);
}

/* ---- joints --------------------------------------------------------------------------------------- */

/* A body at one of the sides. */
void ph_compile_side(ph_compiler *c, const char *side, int body)
{
    if (body < 0)
        fprintf(c->out, ".%s = ph_kin_ground(), ", side);
    else
        fprintf(c->out, ".%s = body_%d, ", side, body);
}

/* The joint with its bodies; a brace stays open. */
void ph_compile_open_site(ph_compiler *c, int k, const char *of)
{
    const ph_joint *j = &c->mech->joint[k];
    fprintf(c->out, "    { /* joint '%s' */\n        ph_site s_%d = {.j = &joint_%d, ",
            c->model->joint[j->def].name, k, k);
    ph_compile_side(c, "a", j->body[0]), ph_compile_side(c, "b", j->body[1]);
    fprintf(c->out, ".f = {ph_k(0), ph_k(0), ph_k(0)}}, *x = &s_%d;\n", k);
    if (j->drive < 0)
        return;
    const ph_program *p = j->f->traced->program;
    char to[32];
    snprintf(to, sizeof to, "t_%d", k);
    fprintf(c->out, "        ph_real t_%d[%d];\n        t_%d[0] = %st;\n", k,
            p->n_args + ph_compile_open_constants(c, p, p->n_constants) + 1, k, of);
    ph_compile_hand_over(c, to, p);
    fprintf(c->out, "        ph_drive_%d(t_%d, s_%d.f);\n", j->def, k, k);
}

/* ---- what sensors see of joints ---- */

void ph_compile_reaction(ph_compiler *c, int joint)
{
    const ph_mechanism *m = c->mech;
    const ph_joint *last = &m->joint[m->joint_of[joint + 1] - 1];
    int second = last->body[1] >= 0;
    ph_compile_bodies_of(c, last, NULL);
    fprintf(c->out, "    static const int slots[PH_SLOTS] = {0, 3, 6, 9};\n"
                    "    ph_vec3 r[PH_SLOTS] = {ph_zero3(), ph_zero3(), ph_zero3(), ph_zero3()};\n");
    for (int k = m->joint_of[joint]; k < m->joint_of[joint + 1]; k++) {
        const ph_joint *j = &m->joint[k];
        ph_compile_open_site(c, k, "s->");
        fprintf(c->out, "        ph_real B[%d];\n        ph_zeros(B, %d);\n", 12 * j->rows, 12 * j->rows);
        for (int i = 0; i < j->n_parts; i++)
            fprintf(c->out, "        x->pick = %u;\n        ph_%s_B(x, &(ph_put){B, slots, 12, %d});\n",
                    j->part[i].pick, j->part[i].op->text, j->part[i].row);
        fprintf(c->out, "        ph_add_pull(B, s->lambda + %d, %d, r);\n", j->l_at, j->rows);
        ph_compile_friction_reaction(c, j);
        if (j == last && j->part[0].op == &ph_part_roll)
            fprintf(c->out, "        ph_reaction(x, 1, r, ph_mul(x->b.R, ph_roll_disc_of(x).c), out);\n");
        else if (j == last)
            fprintf(c->out, "        ph_reaction(x, %d, r, ph_mul(x->%c.R, x->j->s%c), out);\n", second,
                    second ? 'b' : 'a', second ? 'b' : 'a');
        fprintf(c->out, "    }\n");
    }
}

/* A drive gives the part of B^T lambda along its coordinate, with minus sign; Phi_t at f' = 1 is -dPhi/dx. */
void ph_compile_drive_effort(ph_compiler *c, int joint, const char *to)
{
    int k = c->mech->joint_of[joint];
    const ph_joint *j = &c->mech->joint[k];
    ph_compile_bodies_of(c, j, NULL);
    ph_compile_open_site(c, k, "s->");
    fprintf(c->out, "        ph_real by[%d];\n        x->f[1] = ph_k(1);\n        ph_zeros(by, %d);\n",
            j->rows, j->rows);
    for (int i = 0; i < j->n_parts; i++)
        if (j->part[i].op->Phi_t)
            fprintf(c->out, "        x->pick = %u;\n        ph_%s_Phi_t(x, by + %d);\n", j->part[i].pick,
                    j->part[i].op->text, j->part[i].row);
    fprintf(c->out,
            "        for (int i = 0; i < %d; i++)\n            %s += s->lambda[%d + i] * by[i];\n    }\n",
            j->rows, to, j->l_at);
}

void ph_compile_joint_B(ph_compiler *c, int k)
{
    const ph_joint *j = &c->mech->joint[k];
    ph_compile_open_site(c, k, "s->");
    for (int i = 0; i < j->n_parts; i++)
        fprintf(c->out, "        x->pick = %u;\n        ph_%s_B(x, &(ph_put){B, joint_B_%d, 3, %d});\n",
                j->part[i].pick, j->part[i].op->text, k, j->part[i].row);
    fprintf(c->out, "    }\n");
}

static void joint_terms(ph_compiler *c, int k, ph_use use)
{
    const ph_joint *j = &c->mech->joint[k];
    int start = use == PH_USE_START, rates = start || (c->sim->matrix.what & PH_EVAL_RATE);
    FILE *out = c->out;
    ph_compile_open_site(c, k, use == PH_USE_WATCH ? "s->" : "W->");
    for (int i = 0; i < j->n_parts; i++) {
        const ph_part *op = j->part[i].op;
        const char *name = op->text;
        int l = j->l_at + j->part[i].row, row = j->part[i].row;
        fprintf(out, "        x->pick = %u;\n", j->part[i].pick);
        if (!j->nonholonomic)
            fprintf(out, "        ph_%s_Phi(x, Phi + %d);\n", name, l);
        fprintf(out, "        ph_%s_B(x, &(ph_put){B, joint_B_%d, 3, %d});\n", name, k, row);
        if (rates && j->drive >= 0 && op->Phi_t)
            fprintf(out, "        ph_%s_Phi_t(x, Phi_t + %d);\n", name, l);
        if (start) {
            fprintf(out, "        ph_%s_convective(x, convective + %d);\n", name, l);
            continue;
        }
        if (use == PH_USE_RESIDUAL || use == PH_USE_WATCH)
            continue;
        fprintf(out, "        ph_%s_K(x, W->lambda + %d, &(ph_put){K, joint_K_%d, 3, 0});\n", name, l, k);
        if (rates)
            fprintf(out, "        ph_%s_Z(x, &(ph_put){Z, joint_B_%d, 3, %d});\n", name, k, row);
    }
    fprintf(out, "    }\n");
}

/* ---- forces --------------------------------------------------------------------------------------- */

void ph_compile_force_energy(ph_compiler *c, int k)
{
    const ph_force *f = &c->mech->force[k];
    fprintf(c->out, "    ph_force_site force_site_%d = {.f = &force_%d, ", k, k);
    ph_compile_side(c, "a", f->body[0]), ph_compile_side(c, "b", f->body[1]);
    fprintf(c->out, ".load = ph_k(1)};\n    V += ph_%s_energy(&force_site_%d);\n", f->op->text, k);
}

static void force_terms(ph_compiler *c, int k, ph_use use)
{
    const ph_force *f = &c->mech->force[k];
    const ph_force_row *row = ph_force_row_of(f->def);
    int load = (row->keys & PH_KEY_VALUE) != 0;
    FILE *out = c->out;
    const char *name = f->op->text;
    char function[32], value[48] = "";
    snprintf(function, sizeof function, "load_%d", (int)(f->def - c->model->force));
    if (load && f->def->f.call)
        snprintf(value, sizeof value, "ph_load3(y_%s), ", function);
    else if (load)
        snprintf(value, sizeof value, "s_.f->def->value, ");
    fprintf(out,
            "    { /* %s '%s' */\n        ph_vec3 g_[PH_SLOTS] = {ph_zero3(), ph_zero3(), ph_zero3(), "
            "ph_zero3()};\n",
            row->name, f->def->name);
    if (f->def->f.call)
        ph_compile_call(c, function, &f->def->f, "W->");
    fprintf(out, "        ph_force_site s_ = {.f = &force_%d, ", k);
    ph_compile_side(c, "a", f->body[0]), ph_compile_side(c, "b", f->body[1]);
    fprintf(out, ".load = ph_k(1)};\n        ph_%s_g(&s_, %sg_);\n", name, value);
    for (int i = 0; i < PH_SLOTS; i++)
        if (f->v[i] >= 0)
            fprintf(out, "        ph_add3(r + %d, g_[%d]);\n", f->v[i], i);
    if (use == PH_USE_MATRIX) {
        if (!f->still && !load)
            fprintf(out, "        ph_%s_C(&s_, &(ph_put){C, force_K_%d, 3, 0});\n", name, k);
        fprintf(out, "        ph_%s_K(&s_, %s&(ph_put){K, force_K_%d, 3, 0});\n", name, value, k);
        if (f->def->f.call)
            ph_compile_load_tangent(c, k);
    }
    fprintf(out, "    }\n");
}

/* ---- all of them ------------------------------------------------------------------------------------ */

/* An entry of B times a name: of rows and columns of a link. */
void ph_compile_B_times(const ph_compiler *c, ph_sum *s, int at, const char *name, int k)
{
    if (c->B[at].changes)
        ph_sum_term(s, 1, "B[%d] * %s[%d]", at, name, k);
    else
        ph_sum_term(s, c->B[at].value, "%s[%d]", name, k);
}

/* An entry of B that is not always 0. */
static int is_there(const ph_compiler *c, int at)
{
    return c->B[at].changes || c->B[at].value != 0;
}

int ph_compile_is_pulled(const ph_compiler *c, int v)
{
    for (const ph_block *b = c->lay->link, *end = b + c->lay->n_links; b < end; b++)
        for (int i = 0; i < b->m && v >= b->col_at && v < b->col_at + b->n; i++)
            if (is_there(c, b->at + i * b->n + v - b->col_at))
                return 1;
    return 0;
}

void ph_compile_reactions(const ph_compiler *c, const char *to, const char *of, int unknowns)
{
    const ph_layout *lay = c->lay;
    for (int v = 0; v < lay->nv; v++) {
        ph_sum s;
        if (!ph_compile_is_pulled(c, v))
            continue;
        fprintf(c->out, "    %s[%d] = ", to, v);
        ph_sum_begin(&s, c->out);
        for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
            for (int i = 0; i < b->m && v >= b->col_at && v < b->col_at + b->n; i++) {
                int row = unknowns ? c->unknown[lay->nv + b->row_at + i] : b->row_at + i;
                if (row >= 0)
                    ph_compile_B_times(c, &s, b->at + i * b->n + v - b->col_at, of, row);
            }
        ph_sum_end(&s);
        fprintf(c->out, ";\n");
    }
}

/* r += B^T lambda */
static void print_reactions(ph_compiler *c)
{
    ph_compile_reactions(c, "f", "W->lambda", 0);
    for (int v = 0; v < c->lay->nv; v++)
        if (ph_compile_is_pulled(c, v))
            fprintf(c->out, "    r[%d] += f[%d];\n", v, v);
}

static int is_driven(const ph_compiler *c, int row)
{
    for (int k = 0; k < c->mech->n_joints; k++) {
        const ph_joint *j = &c->mech->joint[k];
        if (j->drive >= 0 && row >= j->l_at && row < j->l_at + j->rows)
            return 1;
    }
    return 0;
}

/* rate = B v + Phi_t */
static void print_rates(ph_compiler *c, const char *v)
{
    const ph_layout *lay = c->lay;
    for (int i = 0; i < lay->nl; i++) {
        ph_sum s;
        fprintf(c->out, "    rate[%d] = ", i);
        ph_sum_begin(&s, c->out);
        if (is_driven(c, i))
            ph_sum_term(&s, 1, "Phi_t[%d]", i);
        for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
            for (int j = 0; j < b->n && i >= b->row_at && i < b->row_at + b->m; j++)
                ph_compile_B_times(c, &s, b->at + (i - b->row_at) * b->n + j, v, b->col_at + j);
        ph_sum_end(&s);
        fprintf(c->out, ";\n");
    }
}

void ph_compile_elements(ph_compiler *c, ph_use use)
{
    const ph_mechanism *m = c->mech;
    for (int k = 0; k < c->model->n_bodies; k++)
        body_kin(c, k, use);
    for (int k = 0; k < c->model->n_bodies; k++)
        body_terms(c, k, use);
    for (int k = 0; k < m->n_joints; k++)
        joint_terms(c, k, use);
    for (int k = 0; k < m->n_forces; k++)
        if (m->force[k].def)
            force_terms(c, k, use);
        else
            ph_compile_control_terms(c, k, use);
    ph_compile_controls(c, use);
    if (use != PH_USE_START)
        print_reactions(c);
    if (use == PH_USE_START || (c->sim->matrix.what & PH_EVAL_RATE))
        print_rates(c, "W->v");
}

/* ---- what a run watches ----------------------------------------------------------------------------- */

/* A mechanism that keeps its energy, and whose constraints are all of positions: there is nothing else to see. */
int ph_compile_is_watched(const ph_compiler *c)
{
    const ph_mechanism *m = c->mech;
    int plain = c->open->watched && !c->in_loops && !c->lay->nonholonomic && !m->model->n_states &&
                !m->model->n_couplings; /* functions as constraints are not compiled at all */
    for (int k = 0; k < m->n_joints; k++)
        plain = plain && m->joint[k].drive < 0;
    for (int k = 0; k < m->n_forces; k++) {
        const ph_force *f = &m->force[k];
        plain = plain && f->def && f->op->energy && !f->op->kinetic && !f->n_pairs && f->still;
    }
    return plain;
}

/* The numbers of ph_sighting of run/private.h. */
void ph_compile_watch(ph_compiler *c)
{
    if (!ph_compile_is_watched(c))
        return;
    fprintf(c->out,
            "/* What is watched of a step. */\nPH_EXPORT void ph_seen(const PH_MODEL *s, ph_real *out)\n{\n"
            "    ph_real B[PH_NB + 1], Phi[PH_NL + 1], rate[PH_NL + 1];\n");
    ph_compile_locals(c);
    ph_compile_energies(c);
    for (int k = 0; k < c->mech->n_joints; k++)
        joint_terms(c, k, PH_USE_WATCH);
    print_rates(c, "s->v");
    fprintf(c->out, "    out[0] = ph_most(ph_k(0), Phi, PH_NL), out[1] = ph_most(ph_k(0), rate, PH_NL);\n"
                    "    out[2] = T, out[3] = V, out[4] = ph_k(0);\n    (void)B;\n");
    for (int k = 0; k < c->model->n_bodies; k++)
        if (!c->mech->body[k].particle)
            fprintf(c->out, "    out[4] = ph_larger(out[4], ph_dot(body_%d.w, body_%d.w));\n", k, k);
    fprintf(c->out, "}\n\n");
}

/* ---- tables of a large model ------------------------------------------------------------------------ */

static void print_ints(FILE *out, const int *a, int n)
{
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%d%s", i ? ", " : "{", a[i], i == n - 1 ? "}" : "");
}

static void body_table(ph_compiler *c)
{
    char text[40];
    fprintf(c->out, "PH_TABLE ph_body_entry ph_body[PH_BODIES] = {\n");
    for (int k = 0; k < c->model->n_bodies; k++) {
        const ph_body *b = &c->mech->body[k];
        const double w[3] = {b->weight.x, b->weight.y, b->weight.z};
        double J[9] = {0};
        if (!b->particle)
            ph_store33(J, b->J);
        fprintf(c->out, "    {{%d, %d}, {%d, %d}, %d, %d, %s, {", b->q[0], b->particle ? -1 : b->q[1],
                b->v[0], b->particle ? -1 : b->v[1], b->particle ? -1 : c->turn[b->node[1]],
                b->particle ? -1 : b->M[3], ph_c_number(b->m, text));
        for (int i = 0; i < 9; i++)
            fprintf(c->out, "%s%s", i ? ", " : "", ph_c_number(J[i], text));
        for (int i = 0; i < 3; i++)
            fprintf(c->out, "%s%s", i ? ", " : "}, {", ph_c_number(w[i], text));
        fprintf(c->out, "}},\n");
    }
    fprintf(c->out, "};\n\n");
}

/* Joints of the same parts are a kind. */
static int same_kind(const ph_joint *a, const ph_joint *b)
{
    int same = a->n_parts == b->n_parts && a->nonholonomic == b->nonholonomic;
    for (int i = 0; same && i < a->n_parts; i++)
        same = a->part[i].op == b->part[i].op && a->part[i].pick == b->part[i].pick;
    return same;
}

static int is_first_joint(const ph_compiler *c, int k)
{
    for (int i = 0; i < k; i++)
        if (same_kind(&c->mech->joint[i], &c->mech->joint[k]))
            return 0;
    return 1;
}

static void joint_table(ph_compiler *c, int kind)
{
    const ph_mechanism *m = c->mech;
    FILE *out = c->out;
    fprintf(out, "PH_TABLE ph_joint_entry ph_joint_%d[] = {\n", kind);
    for (int k = kind; k < m->n_joints; k++) {
        const ph_joint *j = &m->joint[k];
        if (!same_kind(j, &m->joint[kind]))
            continue;
        fprintf(out, "    {");
        print_joint(out, j);
        fprintf(out, ", {%d, %d}, ", j->body[0] + 1, j->body[1] + 1);
        print_ints(out, j->B, PH_SLOTS), fprintf(out, ", "), print_ints(out, j->K, 16);
        fprintf(out, ", %d},\n", j->l_at);
    }
    fprintf(out, "};\n\n");
}

static void joint_loop(ph_compiler *c, int kind)
{
    const ph_joint *j = &c->mech->joint[kind];
    FILE *out = c->out;
    fprintf(out, "    for (size_t i = 0; i < sizeof ph_joint_%d / sizeof *ph_joint_%d; i++) {\n", kind, kind);
    fprintf(out, "        const ph_joint_entry *t = &ph_joint_%d[i];\n", kind);
    fprintf(out, "        ph_site s = {.j = &t->j, .a = e->body[t->body[0]], .b = e->body[t->body[1]], .f = "
                 "{ph_k(0), ph_k(0), "
                 "ph_k(0)}};\n");
    for (int i = 0; i < j->n_parts; i++) {
        const char *name = j->part[i].op->text;
        int row = j->part[i].row;
        fprintf(out, "        s.pick = %u;\n", j->part[i].pick);
        if (!j->nonholonomic)
            fprintf(out, "        ph_%s_Phi(&s, e->Phi + t->l + %d);\n", name, row);
        fprintf(out, "        ph_%s_B(&s, &(ph_put){e->B, t->B, 3, %d});\n", name, row);
        fprintf(
            out,
            "        if (use == PH_START)\n            ph_%s_convective(&s, e->convective + t->l + %d);\n",
            name, row);
        fprintf(out,
                "        if (use == PH_MATRIX)\n            ph_%s_K(&s, W->lambda + t->l + %d, "
                "&(ph_put){e->slopes->K, t->K, 3, 0});\n",
                name, row);
        if (c->sim->matrix.what & PH_EVAL_RATE)
            fprintf(out,
                    "        if (use == PH_MATRIX)\n            ph_%s_Z(&s, &(ph_put){e->slopes->Z, t->B, 3, "
                    "%d});\n",
                    name, row);
    }
    fprintf(out, "    }\n");
}

static int is_first_force(const ph_compiler *c, int k)
{
    for (int i = 0; i < k; i++)
        if (c->mech->force[i].def->type == c->mech->force[k].def->type)
            return 0;
    return 1;
}

static void force_table(ph_compiler *c, int kind)
{
    const ph_mechanism *m = c->mech;
    FILE *out = c->out;
    fprintf(out, "PH_TABLE ph_force_entry ph_force_%d[] = {\n", kind);
    for (int k = kind; k < m->n_forces; k++) {
        const ph_force *f = &m->force[k];
        if (f->def->type != m->force[kind].def->type)
            continue;
        fprintf(out, "    {{.def = NULL, ");
        print_force(out, f);
        fprintf(out, ", "), print_force_def(out, f->def);
        fprintf(out, ", {%d, %d}, ", f->body[0] + 1, f->body[1] + 1);
        print_ints(out, f->v, PH_SLOTS), fprintf(out, ", "), print_ints(out, f->K, 16);
        fprintf(out, "},\n");
    }
    fprintf(out, "};\n\n");
}

static void force_loop(ph_compiler *c, int kind)
{
    const ph_force *f = &c->mech->force[kind];
    int load = (ph_force_row_of(f->def)->keys & PH_KEY_VALUE) != 0;
    const char *value = load ? "t->def.value, " : "", *name = f->op->text;
    FILE *out = c->out;
    fprintf(out, "    for (size_t i = 0; i < sizeof ph_force_%d / sizeof *ph_force_%d; i++) {\n", kind, kind);
    fprintf(out,
            "        const ph_force_entry *t = &ph_force_%d[i];\n        ph_force f = t->f;\n        f.def = "
            "&t->def;\n",
            kind);
    fprintf(out, "        ph_vec3 g[PH_SLOTS] = {ph_zero3(), ph_zero3(), ph_zero3(), ph_zero3()};\n"
                 "        ph_force_site s = {.f = &f, .a = e->body[t->body[0]], .b = e->body[t->body[1]], "
                 ".load = ph_k(1)};\n");
    fprintf(out,
            "        ph_%s_g(&s, %sg);\n        for (int k = 0; k < PH_SLOTS; k++)\n            if (t->v[k] "
            ">= 0)\n"
            "                ph_add3(e->r + t->v[k], g[k]);\n        if (use != PH_MATRIX)\n            "
            "continue;\n",
            name, value);
    if (!load)
        fprintf(out, "        ph_%s_C(&s, &(ph_put){e->slopes->C, t->K, 3, 0});\n", name);
    fprintf(out, "        ph_%s_K(&s, %s&(ph_put){e->slopes->K, t->K, 3, 0});\n    }\n", name, value);
}

void ph_compile_element_tables(ph_compiler *c)
{
    body_table(c);
}

void ph_compile_element_loops(ph_compiler *c)
{
    const ph_mechanism *m = c->mech;
    for (int k = 0; k < m->n_joints; k++)
        if (is_first_joint(c, k))
            joint_table(c, k);
    for (int k = 0; k < m->n_forces; k++)
        if (is_first_force(c, k))
            force_table(c, k);
    fprintf(c->out, "PH_FN void ph_joints(const ph_work *W, ph_values *e, int use)\n{\n");
    for (int k = 0; k < m->n_joints; k++)
        if (is_first_joint(c, k))
            joint_loop(c, k);
    fprintf(c->out,
            "    (void)W, (void)e, (void)use;\n}\n\nPH_FN void ph_forces(ph_values *e, int use)\n{\n");
    for (int k = 0; k < m->n_forces; k++)
        if (is_first_force(c, k))
            force_loop(c, k);
    fprintf(c->out, "    (void)e, (void)use;\n}\n\n");
}
