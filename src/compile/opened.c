/* Elements with numbers that are open: their data stand in the state, and a function that needs such an element makes a copy of it
 * with them. ph_numbers finds data from the parameters. */
#include "compile/compile.h"
#include "run/private.h"

typedef struct field {
    const char *name;
    int n;
} field;

/* In the order of constants.c. */
static const field joint_fields[] = {{"sa", 3}, {"sb", 3}, {"Ca", 4}, {"Cb", 4},     {"Ea", 9},
                                     {"Eb", 9}, {"ea", 3}, {"eb", 3}, {"length", 1}, {"radius", 1}};
static const field def_fields[] = {{"k", 1},   {"d", 1},   {"k3", 3},   {"d3", 3},
                                   {"kr3", 3}, {"dr3", 3}, {"value", 3}};
static const field force_fields[] = {{"sa", 3}, {"sb", 3}, {"length", 1}, {"rest", 4}};
static const field actuator_fields[] = {{"k", 1},      {"d", 1},          {"rest", 1},    {"stop_k", 1},
                                        {"stop_d", 1}, {"stop_width", 1}, {"stop[0]", 1}, {"stop[1]", 1}};
static const field friction_fields[] = {{"friction", 1}, {"speed", 1}};

#define COUNT(list)   ((int)(sizeof(list) / sizeof *(list)))
#define DEF_NUMBERS   17
#define FORCE_NUMBERS 11

static int first_of(const ph_compiler *c, ph_constant_kind kind, int k)
{
    return ph_constants_at(&c->open->constants, kind, k);
}

int ph_compile_is_open(const ph_compiler *c, int first, int n)
{
    for (int i = 0; i < n; i++)
        if (c->open->datum[first + i] >= 0)
            return 1;
    return 0;
}

static int numbers_of(const field *f, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += f[i].n;
    return sum;
}

int ph_compile_joint_is_open(const ph_compiler *c, int k)
{
    return ph_compile_is_open(c, first_of(c, PH_CONSTANT_JOINT, k),
                              numbers_of(joint_fields, COUNT(joint_fields)));
}

/* It, or the joint that it points to. */
int ph_compile_force_is_open(const ph_compiler *c, int k)
{
    const ph_force *f = &c->mech->force[k];
    const ph_joint *j = f->def ? NULL : f->actuator ? f->along : f->joint;
    int n = f->def ? DEF_NUMBERS + FORCE_NUMBERS : f->actuator ? COUNT(actuator_fields) : 2;
    return ph_compile_is_open(c, first_of(c, PH_CONSTANT_FORCE, k), n) ||
           (j && ph_compile_joint_is_open(c, (int)(j - c->mech->joint)));
}

/* Assignments to the fields of a copy that are open. */
static void print_fields(ph_compiler *c, const char *copy, int k, const field *f, int n, int at)
{
    static const char *const vector[] = {".x", ".y", ".z"}, *const quat[] = {".w", ".x", ".y", ".z"};
    static const char *const matrix[] = {".xx", ".xy", ".xz", ".yx", ".yy", ".yz", ".zx", ".zy", ".zz"};
    static const char *const one[] = {""};
    for (int i = 0; i < n; at += f[i++].n) {
        const char *const *part = f[i].n == 1 ? one : f[i].n == 3 ? vector : f[i].n == 4 ? quat : matrix;
        for (int m = 0; m < f[i].n; m++)
            if (c->open->datum[at + m] >= 0)
                fprintf(c->out, "    %s_%d%s%s%s = s->data[%d];\n", copy, k, f[i].name[0] ? "." : "",
                        f[i].name, part[m], c->open->datum[at + m]);
    }
}

static void print_copy(ph_compiler *c, const char *type, const char *name, int k)
{
    fprintf(c->out, "    %s %s_%d = fixed_%s_%d;\n    (void)%s_%d;\n", type, name, k, name, k, name, k);
}

static void force_local(ph_compiler *c, int k)
{
    const ph_force *f = &c->mech->force[k];
    int at = first_of(c, PH_CONSTANT_FORCE, k);
    if (f->def) {
        print_copy(c, "ph_force_def", "force_def", k);
        print_fields(c, "force_def", k, def_fields, COUNT(def_fields), at);
        print_copy(c, "ph_force", "force", k);
        print_fields(c, "force", k, force_fields, COUNT(force_fields), at + DEF_NUMBERS);
        fprintf(c->out, "    force_%d.def = &force_def_%d;\n", k, k);
        return;
    }
    if (f->actuator) {
        print_copy(c, "ph_actuator_def", "actuator", k);
        print_fields(c, "actuator", k, actuator_fields, COUNT(actuator_fields), at);
    }
    print_copy(c, "ph_force", "force", k);
    if (f->actuator)
        fprintf(c->out, "    force_%d.actuator = &actuator_%d, force_%d.along = &joint_%d;\n", k, k, k,
                (int)(f->along - c->mech->joint));
    else
        fprintf(c->out, "    force_%d.joint = &joint_%d;\n", k, (int)(f->joint - c->mech->joint));
    if (!f->actuator)
        print_fields(c, "force", k, friction_fields, COUNT(friction_fields), at);
}

void ph_compile_locals(ph_compiler *c)
{
    static const field inertia[] = {{"", 9}};
    for (int k = 0; k < c->model->n_bodies && c->open->n_data; k++) {
        int at = first_of(c, PH_CONSTANT_BODY, k) + 4;
        if (c->mech->body[k].particle || !ph_compile_is_open(c, at, 9))
            continue;
        print_copy(c, "ph_mat3", "inertia", k);
        print_fields(c, "inertia", k, inertia, 1, at);
    }
    for (int k = 0; k < c->mech->n_joints && c->open->n_data; k++)
        if (ph_compile_joint_is_open(c, k)) {
            print_copy(c, "ph_joint", "joint", k);
            print_fields(c, "joint", k, joint_fields, COUNT(joint_fields), first_of(c, PH_CONSTANT_JOINT, k));
        }
    for (int k = 0; k < c->mech->n_forces && c->open->n_data; k++)
        if (ph_compile_force_is_open(c, k))
            force_local(c, k);
}

/* ---- functions ------------------------------------------------------------------------------------------------ */

int ph_compile_open_constants(const ph_compiler *c, const ph_program *p, int before)
{
    int n = 0, first = ph_constants_of(&c->open->constants, p);
    for (int i = 0; i < before; i++)
        n += c->open->datum[first + i] >= 0;
    return n;
}

void ph_compile_hand_over(ph_compiler *c, const char *to, const ph_program *p)
{
    int n = p->n_args, first = ph_constants_of(&c->open->constants, p);
    for (int i = 0; i < p->n_constants; i++)
        if (c->open->datum[first + i] >= 0)
            fprintf(c->out, "        %s[%d] = s->data[%d];\n", to, n++, c->open->datum[first + i]);
}

/* ---- data ------------------------------------------------------------------------------------------------------- */

static void print_power(ph_compiler *c, const char *name, int e, int divide)
{
    for (int k = 0; k < (divide ? -e : e); k++)
        fprintf(c->out, " %c s->param.%s", divide ? '/' : '*', name);
}

/* to = the sum; nothing where there are no terms. */
static void print_sum(ph_compiler *c, const char *to, int i, const ph_open_sum *x)
{
    char text[40], name[80];
    for (int k = 0; k < x->n; k++) {
        if (k)
            fprintf(c->out, " + ");
        else
            fprintf(c->out, "    s->%s[%d] = ", to, i);
        fprintf(c->out, "ph_k(%s)", ph_c_number(x->term[k].c, text));
        for (int p = 0; p < c->open->n; p++) {
            ph_compile_name(c->open->name[p], name, sizeof name);
            print_power(c, name, x->term[k].e[p], 0), print_power(c, name, x->term[k].e[p], 1);
        }
    }
    if (x->n)
        fprintf(c->out, ";\n");
}

void ph_compile_numbers(ph_compiler *c)
{
    fprintf(c->out, "/* The numbers of the model that depend on open parameters. */\nPH_COLD void "
                    "ph_numbers(PH_MODEL *s)\n{\n");
    for (int i = 0; i < c->open->n_data; i++)
        print_sum(c, "data", i, &c->open->sum[i]);
    fprintf(c->out, "    (void)s;\n}\n\n");
}

void ph_compile_initial(ph_compiler *c)
{
    const ph_run *run = c->nominal;
    const ph_layout *lay = c->lay;
    char text[40];
    fprintf(c->out, "/* The initial values of the model at the present parameters. */\nPH_COLD void "
                    "ph_initial(PH_MODEL *s)\n{\n");
    for (int i = 0; i < c->open->n_start; i++) {
        int k = i < lay->nq ? i : i - lay->nq;
        const char *to = i < lay->nq ? "q" : "v";
        if (c->open->start[i].n)
            print_sum(c, to, k, &c->open->start[i]);
        else
            fprintf(c->out, "    s->%s[%d] = ph_k(%s);\n", to, k,
                    ph_c_number(i < lay->nq ? run->q0[k] : run->v0[k], text));
    }
    fprintf(c->out, "}\n\n");
}
