/* Elements with numbers that are open: their data stand in the state, and a function that needs such an element makes a copy of it
 * with them. ph_numbers finds data from the parameters. */
#include "compile/compile.h"
#include "run/private.h"

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

/* Return how many numbers of a record the file has. */
static int count(ph_number_list of)
{
    int sum = 0;
    PH_EACH_NUMBER (row, of)
        sum += row->use & PH_NUMBER_TEXT ? row->n : 0;
    return sum;
}

int ph_compile_joint_is_open(const ph_compiler *c, int k)
{
    return ph_compile_is_open(c, first_of(c, PH_CONSTANT_JOINT, k), count(PH_NUMBERS_JOINT));
}

/* It, or the joint that it points to. */
int ph_compile_force_is_open(const ph_compiler *c, int k)
{
    const ph_force *f = &c->mech->force[k];
    const ph_joint *j = f->def ? NULL : f->actuator ? f->along : f->joint;
    ph_number_record r[PH_FORCE_RECORDS];
    int all = 0, n = ph_force_records(f, r);
    for (int i = 0; i < n; i++)
        all += count(r[i].of);
    return ph_compile_is_open(c, first_of(c, PH_CONSTANT_FORCE, k), all) ||
           (j && ph_compile_joint_is_open(c, (int)(j - c->mech->joint)));
}

/* Assignments to the numbers of a copy that are open; at: the first of the record. */
static void print_fields(ph_compiler *c, const char *copy, int k, ph_number_list of, int at)
{
    PH_EACH_NUMBER (row, of)
        for (int i = 0; row->use & PH_NUMBER_TEXT && i < row->n; i++, at++)
            if (c->open->datum[at] >= 0)
                fprintf(c->out, "    %s_%d.%s%s = s->data[%d];\n", copy, k, row->name,
                        ph_c_component(row->type, i), c->open->datum[at]);
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
        print_fields(c, "force_def", k, PH_NUMBERS_LAW, at);
        print_copy(c, "ph_force", "force", k);
        print_fields(c, "force", k, PH_NUMBERS_FORCE, at + count(PH_NUMBERS_LAW));
        fprintf(c->out, "    force_%d.def = &force_def_%d;\n", k, k);
        return;
    }
    if (f->actuator) {
        print_copy(c, "ph_actuator_def", "actuator", k);
        print_fields(c, "actuator", k, PH_NUMBERS_ACTUATOR, at);
    }
    print_copy(c, "ph_force", "force", k);
    if (f->actuator)
        fprintf(c->out, "    force_%d.actuator = &actuator_%d, force_%d.along = &joint_%d;\n", k, k, k,
                (int)(f->along - c->mech->joint));
    else
        fprintf(c->out, "    force_%d.joint = &joint_%d;\n", k, (int)(f->joint - c->mech->joint));
    if (!f->actuator)
        print_fields(c, "force", k, PH_NUMBERS_FRICTION, at);
}

void ph_compile_locals(ph_compiler *c)
{
    for (int k = 0; k < c->model->n_bodies && c->open->n_data; k++) {
        int at = first_of(c, PH_CONSTANT_BODY, k) + 4;
        if (c->mech->body[k].particle || !ph_compile_is_open(c, at, 9))
            continue;
        print_copy(c, "ph_mat3", "inertia", k);
        for (int i = 0; i < 9; i++)
            if (c->open->datum[at + i] >= 0)
                fprintf(c->out, "    inertia_%d%s = s->data[%d];\n", k, ph_c_component(PH_NUMBER_MATRIX, i),
                        c->open->datum[at + i]);
    }
    for (int k = 0; k < c->mech->n_joints && c->open->n_data; k++)
        if (ph_compile_joint_is_open(c, k)) {
            print_copy(c, "ph_joint", "joint", k);
            print_fields(c, "joint", k, PH_NUMBERS_JOINT, first_of(c, PH_CONSTANT_JOINT, k));
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
