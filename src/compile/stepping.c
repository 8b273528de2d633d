/* What the text of a step asks a model for: constants of the method, first guess, the system of an iteration, correction. */
#include <float.h>
#include <math.h>

#include "compile/compile.h"
#include "method/bliedf.h"
#include "method/genalpha.h"
#include "method/method_limits.h"

/* ---- constants ------------------------------------------------------------------------------------ */

static void define(ph_compiler *c, const char *name, double a)
{
    char text[40];
    fprintf(c->out, a < 0 ? "#define PH_%s (%s)\n" : "#define PH_%s %s\n", name, ph_c_number(a, text));
}

static void define_count(ph_compiler *c, const char *name, int n, const char *what)
{
    fprintf(c->out, "#define PH_%s %d /* %s */\n", name, n, what);
}

static int is_inside(const ph_options *o)
{
    return o->ggl_form == PH_GGL_INSIDE || (o->ggl_form == PH_GGL_AUTO && o->sigma == 0);
}

int ph_compile_has_F(const ph_compiler *c)
{
    const ph_options *o = &c->sim->opt;
    return ph_sim_is_multistep(c->sim) ? ph_multistep_has_F(c) : o->sigma != (is_inside(o) ? 0 : 1);
}

/* Numbers of BLieDF by the names that steps have them: the form (G7) with sigma 0, and no starting values. */
static void define_multistep(ph_compiler *c)
{
    static const char *const none[] = {"E",       "W_V",     "W_A",     "C_A",   "C_D", "THETA_V",
                                       "THETA_A", "THETA_0", "THETA_1", "V_A",   "V_0", "V_1",
                                       "LIE",     "A_A",     "A_0",     "SHIFT", "L_Q", "L_LIE"};
    const ph_options *o = &c->sim->opt;
    double gp = ((const ph_bliedf *)c->sim->method)->f[o->order].alpha[0] / o->h;
    const struct {
        const char *name;
        double value;
    } all[] = {{"T0", c->sim->t0},
               {"H", o->h},
               {"SIGMA", 0},
               {"GP", gp},
               {"EPS", gp},
               {"INV_GP", 1 / gp},
               {"INV_EPS", 1 / gp},
               {"S", 1 / (gp * gp)},
               {"A_1", 1},
               {"BH2", 1 / (gp * gp)},
               {"ATOL", o->atol},
               {"RTOL", o->rtol},
               {"BODY_SIZE", c->sim->matrix.body}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        define(c, all[k].name, all[k].value);
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        define(c, none[k], 0);
}

static void define_alpha(ph_compiler *c)
{
    const ph_options *o = &c->sim->opt;
    double am = o->alpha_m, af = o->alpha_f, beta = o->beta, gamma = o->gamma, h = o->h, bh2 = beta * h * h;
    double inv_f = 1 / (1 - af), inv_m = 1 / (1 - am), gp = gamma / (h * beta);
    double eps = (1 - am) / (h * gamma * (1 - af)), C_q = (1 - 6 * beta - 3 * (am - af)) / 6;
    double a_a = -am * inv_m, a_0 = af * inv_m, a_1 = (1 - af) * inv_m,
           lie = -o->sigma * h * beta / (2 * gamma);
    const struct {
        const char *name;
        double value;
    } all[] = {{"T0", c->sim->t0},
               {"H", h},
               {"SIGMA", o->sigma},
               {"GP", gp},
               {"EPS", eps},
               {"INV_GP", 1 / gp},
               {"INV_EPS", 1 / eps},
               {"S", 1 / (eps * gp)},
               {"E", gamma / beta},
               {"W_V", 1 - gamma / beta},
               {"W_A", h * (1 - gamma / (2 * beta))},
               {"C_A", (am - (1 - am) * (1 - gamma) / gamma) * inv_f},
               {"C_D", -af * inv_f},
               {"THETA_V", h},
               {"THETA_A", h * h / 2 - bh2 + bh2 * a_a},
               {"THETA_0", bh2 * a_0},
               {"THETA_1", bh2 * a_1},
               {"V_A", h - gamma * h + gamma * h * a_a},
               {"V_0", gamma * h * a_0},
               {"V_1", gamma * h * a_1},
               {"LIE", lie},
               {"A_A", a_a},
               {"A_0", a_0},
               {"A_1", a_1},
               {"SHIFT", (am - af) * h},
               {"L_Q", C_q * h * h},
               {"L_LIE", h * h / 4 * (1.0 / 3 - o->sigma * beta / gamma)},
               {"BH2", bh2},
               {"ATOL", o->atol},
               {"RTOL", o->rtol},
               {"BODY_SIZE", c->sim->matrix.body}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        define(c, all[k].name, all[k].value);
}

/* Starting values are those of (S2), (RB2). */
static int is_perturbed(const ph_compiler *c)
{
    return !ph_sim_is_multistep(c->sim) && c->sim->opt.start == PH_PERTURBED;
}

static void define_method(ph_compiler *c)
{
    const ph_options *o = &c->sim->opt;
    int several = ph_sim_is_multistep(c->sim);
    if (several)
        define_multistep(c);
    else
        define_alpha(c);
    define_count(c, "INSIDE", several || is_inside(o), "form (G7) of the stabilised equations");
    define_count(c, "PERTURBED", is_perturbed(c), "starting values (S2), (S3), (RB2)");
    define(c, "STIFF", PH_ALPHA_START_STIFF * PH_ALPHA_START_STIFF);
    define_count(c, "FROM_START", (c->lay->sys->flags & PH_FROM_START) != 0, "which look at nothing before");
    define_count(c, "FRICTION", c->lay->friction, "forces depend on multipliers");
    define_count(c, "TURNS_COUNTED", c->mech->n_turns, "angles that are counted over many turns");
    define_count(c, "INPUTS", c->model->n_inputs, "numbers from outside");
    define_count(c, "ETA", c->sim->matrix.n_eta > 0, "the stabilised form");
    fprintf(c->out, "#ifndef PH_FULL\n");
    define_count(c, "FULL", o->newton == PH_FULL, "a Jacobian for every iteration");
    fprintf(c->out, "#endif\n");
    define_count(c, "RATES", (c->sim->matrix.what & PH_EVAL_RATE) != 0, "velocities have conditions");
    define_count(c, "BY_POSITION", o->formulation == PH_INDEX3 && c->lay->C > 0, "index-3");
    define_count(c, "MAX_ITERATIONS",
                 c->config->max_iterations ? c->config->max_iterations : o->max_iterations,
                 "of Newton's method in a step");
}

static void define_sizes(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    define_count(c, "NQ", lay->nq, "numbers of q");
    define_count(c, "NV", lay->nv, "of v");
    define_count(c, "NL", lay->nl, "of lambda");
    define_count(c, "TURNS", c->turns, "rotations");
    define_count(c, "NODES", lay->N, "vectors and rotations");
    define_count(c, "NP", lay->size_pairs, "numbers of C and K");
    define_count(c, "NB", lay->size_links, "of B and Z");
    fprintf(c->out,
            "/* of each node: where it stands in q and in v, whether it is a rotation, its numbers */\n"
            "PH_TABLE int ph_node[PH_NODES][4] = {");
    for (int i = 0; i < lay->N; i++)
        fprintf(c->out, "%s{%d, %d, %d, %d}", i ? ", " : "", lay->slot[i].q_at, lay->slot[i].v_at,
                c->turn[i] >= 0, lay->slot[i].dim);
    fprintf(c->out, "};\n\n");
}

/* The largest row of M, of translations and of rotations: what a change of positions makes of forces. */
static double largest_mass(const ph_compiler *c, int turns)
{
    double most = 0;
    for (const ph_block *b = c->lay->pair, *end = b + c->lay->n_pairs; b < end; b++)
        for (int i = 0; i < b->m; i++) {
            double sum = 0;
            for (int j = 0; j < b->n; j++)
                sum += fabs(c->M[b->at + i * b->n + j].value);
            if ((c->turn[b->row] >= 0) == turns)
                most = fmax(most, sum);
        }
    return most;
}

void ph_compile_work(ph_compiler *c)
{
    char text[40];
    int eta = c->sim->matrix.n_eta > 0;
    if (c->in_loops) {
        define_count(c, "N", c->n, "unknowns of a step");
        define_count(c, "UNKNOWNS", c->n / 3, "three at a time");
        define_count(c, "BLOCKS", c->n_ids, "of the matrix, with fill");
        define(c, "MASS", largest_mass(c, 0)), define(c, "INERTIA", largest_mass(c, 1));
        define_count(c, "HAS_F", ph_compile_has_F(c), "F of (G6) is not the identity");
        fprintf(c->out, "#define PH_TURN_UNIT %s /* of rotations, (N5) */\n",
                ph_c_number(c->sim->matrix.turn, text));
        fprintf(c->out, eta ? "#define PH_BN(W) (W)->Bn\n#define PH_Y(W) (W)->y\n\n"
                            : "#define PH_BN(W) (W)->v\n#define PH_Y(W) (W)->v\n\n");
    }
    fprintf(c->out, "/* A step at work. Sizes are at least 1. */\n"
                    "typedef struct ph_work {\n"
                    "    const PH_MODEL *s; /* the state before it */\n"
                    "    int still; /* theta is 0 and L and F are the identity, for starting values; */\n"
                    "    ph_real stiff; /* (RB8) is found with them */\n"
                    "    ph_real t, iterations, violation[2], loose, size, tol_x, tol_R;\n"
                    "    ph_real drift, pull[2], bound[2]; /* of ph_settled */\n"
                    "    ph_real theta[PH_NV], w[PH_NV], c[PH_NV];\n"
                    "    ph_real q[PH_NQ], v[PH_NV], vdot[PH_NV], lambda[PH_NL + 1], x[PH_N];\n");
    if (c->sim->matrix.n_eta > 0)
        fprintf(c->out,
                "    ph_real y[PH_NV], Bn[PH_NB]; /* gamma/beta B_n^T eta; B at the start of the step */\n");
    if (ph_sim_is_multistep(c->sim))
        fprintf(c->out, "    ph_mat3 Jinv[%d];\n    ph_real G[%s]; /* of Lie terms */\n", c->turns + 1,
                ph_multistep_has_F(c) && c->sim->opt.order >= 5 ? "4 * PH_NV" : "PH_NV");
    fprintf(c->out,
            "} ph_work;\n\n/* What iterations of a step with one Jacobian share: its factors. */\n"
            "typedef struct ph_factors {\n    %s\n    ph_mat3 Tinv[%d];\n} ph_factors;\n\n",
            c->in_loops ? "ph_mat3 A[PH_BLOCKS];" : "ph_real A[PH_NA], p[PH_N];", c->turns + 1);
}

/* ---- nodes -------------------------------------------------------------------------------------- */

static void print_y(ph_compiler *c, int at)
{
    if (c->sim->matrix.n_eta > 0)
        fprintf(c->out, "ph_load3(W->y + %d)", at);
    else
        fprintf(c->out, "ph_zero3()");
}

static void print_moves(ph_compiler *c, int keep)
{
    for (int i = 0; i < c->lay->N; i++) {
        const ph_slot *n = &c->lay->slot[i];
        int q = n->q_at, v = n->v_at, t = c->turn[i];
        if (t < 0 && n->dim != 3) {
            fprintf(
                c->out,
                "    ph_alpha_numbers(%d, s->q + %d, W->theta + %d, W->w + %d, W->c + %d, W->q + %d, W->v "
                "+ %d, W->vdot + %d);\n",
                n->dim, q, v, v, v, q, v, v);
            continue;
        }
        if (t < 0) {
            fprintf(c->out, "    ph_alpha_flat(s->q + %d, W->theta + %d, W->w + %d, W->c + %d, ", q, v, v, v);
            print_y(c, v);
            fprintf(c->out, ", W->q + %d, W->v + %d, W->vdot + %d);\n", q, v, v);
            continue;
        }
        int several = ph_sim_is_multistep(c->sim);
        fprintf(c->out, "    ph_moved T%d = ph_%s_turn(s->q + %d, W->theta + %d, W->w + %d, W->c + %d, ", t,
                several ? "bdf" : "alpha", q, v, v, v);
        print_y(c, v);
        if (several)
            fprintf(c->out, ", W->Jinv[%d], W->G + %d", t, v);
        fprintf(c->out,
                ");\n    ph_quat_store(W->q + %d, T%d.q), ph_store3(W->v + %d, T%d.v), ph_store3(W->vdot + "
                "%d, T%d.vdot);\n",
                q, t, v, t, v, t);
        if (keep)
            fprintf(c->out, "    F->Tinv[%d] = T%d.Tinv;\n", t, t);
        if (keep && is_perturbed(c))
            fprintf(c->out, "    if (W->still)\n        T%d.L = T%d.F = ph_one33();\n", t, t);
    }
}

static void print_predict(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    fprintf(c->out, "/* First guess, and Newton's tolerances (N3). */\n"
                    "PH_FN void ph_predict(const PH_MODEL *s, ph_work *W)\n{\n    W->still = 0;\n"
                    "    ph_real size = ph_k(PH_BODY_SIZE), speed = ph_k(0), acc = ph_k(0), spin = ph_k(0), "
                    "turn = ph_k(0);\n");
    int several = ph_sim_is_multistep(c->sim);
    if (several)
        ph_multistep_predict(c);
    for (int i = 0; i < lay->N; i++) {
        int q = lay->slot[i].q_at, v = lay->slot[i].v_at, turns = c->turn[i] >= 0, n = lay->slot[i].dim;
        if (n != 3) {
            if (!several)
                fprintf(
                    c->out,
                    "    ph_alpha_predict_numbers(%d, s->v + %d, s->a + %d, s->vdot + %d, s->last_vdot + %d, "
                    "s->slope, W->w + %d, W->c + %d, W->theta + %d);\n",
                    n, v, v, v, v, v, v, v);
            fprintf(c->out,
                    "    size = ph_most(size, s->q + %d, %d), speed = ph_most(speed, s->v + %d, %d), acc = "
                    "ph_most(acc, s->vdot + %d, %d);\n",
                    q, n, v, n, v, n);
            continue;
        }
        if (!several)
            fprintf(
                c->out,
                "    ph_alpha_predict(%d, s->v + %d, s->a + %d, s->vdot + %d, s->last_vdot + %d, s->slope, "
                "W->w + %d, "
                "W->c + %d, W->theta + %d);\n",
                turns, v, v, v, v, v, v, v);
        if (!turns)
            fprintf(c->out, "    size = ph_alpha_most(size, s->q + %d);\n", q);
        fprintf(c->out, "    %s = ph_alpha_most(%s, s->v + %d), %s = ph_alpha_most(%s, s->vdot + %d);\n",
                turns ? "spin" : "speed", turns ? "spin" : "speed", v, turns ? "turn" : "acc",
                turns ? "turn" : "acc", v);
    }
    fprintf(c->out, "    W->size = size;\n");
    fprintf(c->out,
            "    W->tol_x = PH_BH2 * (PH_ATOL + PH_RTOL * acc) + 4 * DBL_EPSILON * (size + PH_H * speed) + "
            "DBL_MIN;\n"
            "    W->tol_R = PH_BH2 * (PH_ATOL + PH_RTOL * turn) + 4 * DBL_EPSILON * (1 + PH_H * spin);\n"
            "    for (int i = 0; i < PH_NL; i++)\n"
            "        W->lambda[i] = s->lambda[i] + s->slope * (s->lambda[i] - s->last_lambda[i]);\n");
    if (c->sim->matrix.n_eta > 0)
        fprintf(c->out, "    ph_zeros(W->y, PH_NV);\n    ph_links(s, W->Bn);\n");
    fprintf(c->out, "}\n\n");
}

/* B(q_n) W of the stabilised form. */
static void print_links(ph_compiler *c)
{
    const ph_mechanism *m = c->mech;
    char text[40];
    fprintf(c->out, "/* B at the start of a step, in the units of (N5) */\n"
                    "PH_FN void ph_links(const PH_MODEL *s, ph_real *B)\n{\n    ph_zeros(B, PH_NB);\n");
    ph_compile_locals(c);
    for (int k = 0; k < c->model->n_bodies; k++) {
        fprintf(c->out, "    ph_kin body_%d = ", k);
        ph_compile_kinematics(c, "s->", k);
        fprintf(c->out, ";\n");
    }
    for (int k = 0; k < m->n_joints; k++)
        if (!m->joint[k].nonholonomic)
            ph_compile_joint_B(c, k);
    for (int k = 0; k < c->model->n_couplings; k++)
        ph_compile_couple_B(c, k);
    if (c->sim->matrix.turn != 1)
        for (const ph_block *b = c->lay->link, *end = b + c->lay->n_links; b < end; b++)
            if (c->turn[b->col] >= 0)
                fprintf(c->out, "    for (int i = %d; i < %d; i++)\n        B[i] = %s * B[i];\n", b->at,
                        b->at + b->m * b->n, ph_c_number(c->sim->matrix.turn, text));
    for (int k = 0; k < c->model->n_bodies; k++)
        fprintf(c->out, "    (void)body_%d;\n", k);
    fprintf(c->out, "}\n\n");
}

/* ---- one iteration -------------------------------------------------------------------------------- */

/* Entries that elements add to: one by one, so that those which nothing reads are no work. */
static void print_zeros(ph_compiler *c, const char *name, int n)
{
    for (int k = 0; k < n; k++)
        fprintf(c->out, "%s%s[%d] = ", k % 8 ? "" : k ? "ph_k(0);\n    " : "    ", name, k);
    fprintf(c->out, n ? "ph_k(0);\n" : "");
}

static void print_arrays(ph_compiler *c, ph_use use)
{
    int rates = use == PH_USE_START || (c->sim->matrix.what & PH_EVAL_RATE);
    fprintf(c->out, "    ph_real b[PH_N], r[PH_NV], f[PH_NV], B[PH_NB + 1], Phi[PH_NL + 1]%s;\n",
            rates ? ", rate[PH_NL + 1]" : "");
    fprintf(c->out,
            rates ? "    (void)B, (void)f, (void)Phi, (void)rate;\n" : "    (void)B, (void)f, (void)Phi;\n");
    if (rates)
        fprintf(c->out, "    ph_real Phi_t[PH_NL + 1];\n    ph_zeros(Phi_t, PH_NL);\n    (void)Phi_t;\n");
    if (c->lay->friction && use != PH_USE_RESIDUAL)
        fprintf(c->out, "    ph_real Gl[PH_NB + 1];\n    ph_zeros(Gl, PH_NB);\n");
    if (use == PH_USE_START)
        fprintf(
            c->out,
            "    ph_real convective[PH_NL + 1];\n    ph_zeros(convective, PH_NL), ph_zeros(Phi, PH_NL);\n");
    if (use != PH_USE_MATRIX)
        return;
    fprintf(c->out, "    ph_real *A = F->A, G[PH_NP], C[PH_NP], K[PH_NP];\n    (void)G;\n");
    print_zeros(c, "C", c->lay->size_pairs);
    print_zeros(c, "K", c->lay->size_pairs);
    if (rates)
        fprintf(c->out, "    ph_real Z[PH_NB + 1];\n    (void)Z;\n");
    if (c->sim->matrix.n_eta > 0)
        fprintf(c->out, "    ph_real FB[PH_NB + 1];\n    (void)FB;\n");
}

static void print_loose(ph_compiler *c)
{
    const ph_newton_matrix *nm = &c->sim->matrix;
    fprintf(c->out, "    W->loose = ph_k(0);\n");
    for (int i = 0; i < c->lay->nl && nm->redundant; i++)
        if (nm->out[i])
            fprintf(c->out, "    W->loose = ph_larger(W->loose, ph_abs(Phi[%d]));\n", i);
}

static void print_unused(ph_compiler *c)
{
    for (int k = 0; k < c->model->n_bodies; k++)
        fprintf(c->out, "    (void)body_%d;\n", k);
}

/* The largest violation of velocities. */
static void print_drift(ph_compiler *c)
{
    if (c->sim->matrix.what & PH_EVAL_RATE)
        fprintf(c->out, "    W->drift = ph_most(ph_k(0), rate, PH_NL);\n");
}

/* Forces that the increment of lambda makes, and what they may be. */
static void print_pull(ph_compiler *c)
{
    char text[40];
    fprintf(c->out, "    ph_real d[PH_NV], most[2];\n");
    ph_compile_reactions(c, "d", "W->x", 1);
    for (int turns = 0; turns < 2; turns++) {
        fprintf(c->out, "    W->pull[%d] = most[%d] = ph_k(0);\n", turns, turns);
        for (int i = 0; i < c->lay->N; i++)
            for (int k = 0; k < c->lay->slot[i].dim && (c->turn[i] >= 0) == turns; k++)
                if (ph_compile_is_pulled(c, c->lay->slot[i].v_at + k))
                    fprintf(c->out,
                            "    W->pull[%d] = ph_max_abs(W->pull[%d], d[%d]), most[%d] = "
                            "ph_max_abs(most[%d], f[%d]);\n",
                            turns, turns, c->lay->slot[i].v_at + k, turns, turns, c->lay->slot[i].v_at + k);
        fprintf(
            c->out,
            "    W->bound[%d] = PH_S * PH_RTOL * most[%d] + %s * (PH_S * PH_ATOL + 64 * DBL_EPSILON * %s);\n",
            turns, turns, ph_c_number(largest_mass(c, turns), text), turns ? "1" : "W->size");
    }
    fprintf(c->out, "    (void)d;\n");
}

/* (RB8), node by node. */
static void print_stiffness(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    char text[40];
    if (!is_perturbed(c))
        return;
    fprintf(c->out, "    if (W->still) {\n        W->stiff = ph_k(0);\n");
    for (int i = 0; i < lay->N; i++) {
        const ph_block *b = &lay->pair[lay->diag[i]];
        fprintf(c->out, "        ph_real m_%d[] = {", i);
        for (int k = b->at; k < b->at + b->m * b->n; k++)
            if (c->M[k].open)
                fprintf(c->out, "s->data[%d], ", c->M[k].open - 1);
            else
                fprintf(c->out, "ph_k(%s), ", ph_c_number(c->M[k].value, text));
        fprintf(c->out, "}, x_%d[] = {", i);
        for (int k = b->at; k < b->at + b->m * b->n; k++)
            fprintf(c->out, "PH_INV_EPS * C[%d] + PH_S * K[%d], ", k, k);
        fprintf(c->out, "};\n        W->stiff = ph_alpha_stiffness(W->stiff, %d, %d, m_%d, x_%d);\n", b->n,
                c->turn[i] >= 0, i, i);
    }
    fprintf(c->out, "    }\n");
}

static void print_system(ph_compiler *c)
{
    fprintf(c->out,
            "/* The increment W->x of Newton's method at theta and lambda, with the Jacobian there. */\n"
            "PH_OUT_OF_LINE void ph_increment(const PH_MODEL *s, ph_work *W, ph_factors *F)\n{\n");
    print_arrays(c, PH_USE_MATRIX);
    ph_compile_locals(c);
    print_moves(c, 1);
    ph_compile_elements(c, PH_USE_MATRIX);
    print_stiffness(c);
    print_loose(c);
    print_drift(c);
    ph_compile_assembly(c, PH_USE_MATRIX);
    print_unused(c);
    fprintf(c->out, "    ph_factor(A, F->p);\n    ph_solve(A, F->p, b, W->x);\n}\n\n");
    fprintf(c->out,
            "/* The same with a Jacobian that is kept. */\n"
            "PH_OUT_OF_LINE void ph_increment_kept(const PH_MODEL *s, ph_work *W, const ph_factors *F)\n{\n");
    print_arrays(c, PH_USE_RESIDUAL);
    ph_compile_locals(c);
    print_moves(c, 0);
    ph_compile_elements(c, PH_USE_RESIDUAL);
    print_loose(c);
    print_drift(c);
    ph_compile_assembly(c, PH_USE_RESIDUAL);
    print_unused(c);
    fprintf(c->out, "    ph_solve(F->A, F->p, b, W->x);\n");
    print_pull(c);
    fprintf(c->out, "}\n\n");
    fprintf(c->out, "/* The point of theta. */\nPH_FN void ph_move(const PH_MODEL *s, ph_work *W)\n{\n");
    print_moves(c, 0);
    fprintf(c->out, "}\n\n");
}

/* dy += B_n^T x_eta */
static void print_dy(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    const ph_newton_matrix *nm = &c->sim->matrix;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        for (int i = 0; i < b->m && nm->eta_at[b->row] >= 0; i++) {
            int x = c->unknown[lay->nv + lay->nl + nm->eta_at[b->row] + i];
            for (int j = 0; x >= 0 && j < b->n; j++)
                if (c->B[b->at + i * b->n + j].changes || c->B[b->at + i * b->n + j].value != 0)
                    fprintf(c->out, "    dy[%d] += W->Bn[%d] * W->x[%d];\n", b->col_at + j,
                            b->at + i * b->n + j, x);
        }
}

/* The increment of velocities is that of (N1) with L = F = 1, up to the turn of the step. */
static void print_fraction(ph_compiler *c)
{
    if (!c->lay->friction)
        return;
    fprintf(c->out, "/* The fraction of the increment W->x that friction lets a step take (CT8). */\n"
                    "PH_FN ph_real ph_kappa(const PH_MODEL *s, const ph_work *W)\n{\n"
                    "    ph_real least = ph_k(1), dy[PH_NV], dv[PH_NV];\n    ph_zeros(dy, PH_NV);\n");
    ph_compile_locals(c);
    if (c->sim->matrix.n_eta > 0)
        print_dy(c);
    fprintf(c->out, "    for (int i = 0; i < PH_NV; i++)\n        dv[i] = PH_GP * (W->x[i] + dy[i]);\n");
    ph_compile_friction_cuts(c);
    fprintf(c->out, "    (void)s;\n    return least;\n}\n\n");
}

static void print_correct(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    fprintf(c->out, "/* Apply the increment to members at work; its size in units of the tolerances. */\n"
                    "PH_FN ph_real ph_correct(ph_work *W, const ph_factors *F, ph_mask active)\n{\n"
                    "    ph_real moved = ph_k(0), turned = ph_k(0), far = ph_k(0);\n    ph_vec3 d;\n");
    if (c->sim->matrix.n_eta > 0) {
        fprintf(c->out, "    ph_real dy[PH_NV];\n    ph_zeros(dy, PH_NV);\n");
        print_dy(c);
        fprintf(c->out, "    for (int i = 0; i < PH_NV; i++)\n        W->y[i] = ph_select(active, W->y[i] + "
                        "PH_GP * dy[i], W->y[i]);\n");
    }
    for (int i = 0; i < lay->N; i++) {
        int v = lay->slot[i].v_at, t = c->turn[i];
        if (lay->slot[i].dim != 3) {
            fprintf(c->out,
                    "    moved = ph_most(moved, W->x + %d, %d);\n    for (int i = %d; i < %d; i++)\n        "
                    "W->theta[i] = ph_select(active, W->theta[i] + W->x[i], W->theta[i]);\n"
                    "    far = ph_most(far, W->theta + %d, %d);\n",
                    v, lay->slot[i].dim, v, v + lay->slot[i].dim, v, lay->slot[i].dim);
            continue;
        }
        if (t < 0)
            fprintf(c->out, "    d = ph_load3(W->x + %d);\n", v);
        else
            fprintf(c->out, "    d = ph_mul(F->Tinv[%d], ph_load3(W->x + %d));\n", t, v);
        const char *most = t < 0 ? "moved" : "turned";
        fprintf(c->out, "    %s = ph_alpha_most(%s, W->x + %d);\n", most, most, v);
        if (c->sim->matrix.n_eta > 0)
            fprintf(c->out, "    %s = ph_alpha_most(%s, dy + %d);\n", most, most, v);
        for (int k = 0; k < 3; k++)
            fprintf(c->out, "    W->theta[%d] = ph_select(active, W->theta[%d] + d.%c, W->theta[%d]);\n",
                    v + k, v + k, "xyz"[k], v + k);
        if (t < 0)
            fprintf(c->out, "    far = ph_alpha_most(far, W->theta + %d);\n", v);
    }
    for (int i = 0; i < lay->nl; i++)
        if (c->unknown[lay->nv + i] >= 0)
            fprintf(c->out,
                    "    W->lambda[%d] = ph_select(active, W->lambda[%d] + W->x[%d] * (1 / PH_S), "
                    "W->lambda[%d]);\n",
                    i, i, c->unknown[lay->nv + i], i);
    fprintf(c->out, "    (void)F;\n    return ph_larger(moved / (W->tol_x + 4 * DBL_EPSILON * far), turned / "
                    "W->tol_R);\n}\n\n");
    fprintf(c->out, "/* Rows that are left out, because others imply them, are violated. */\n"
                    "PH_FN ph_mask ph_loose(const ph_work *W)\n{\n"
                    "    return ph_not(W->loose <= 1e-7 * W->size);\n}\n\n");
}

/* ---- start ---------------------------------------------------------------------------------------- */

/* Friction depends on the multipliers, which are found anew: g(lambda) + g_lambda (x - lambda). */
static void print_friction_start(ph_compiler *c)
{
    fprintf(c->out, "    if (what != PH_ACCELERATIONS)\n        ph_zeros(Gl, PH_NB);\n");
    for (const ph_block *b = c->lay->link, *end = b + c->lay->n_links; b < end; b++)
        for (int j = 0; j < b->n; j++)
            for (int i = 0; i < b->m; i++) {
                const ph_entry *e = &c->Gl[b->at + j * b->m + i];
                if (e->changes || e->value != 0)
                    fprintf(c->out, "    r[%d] -= Gl[%d] * W->lambda[%d];\n", b->col_at + j,
                            b->at + j * b->m + i, b->row_at + i);
            }
}

static int is_holonomic(const ph_layout *lay, int row)
{
    int k = 0;
    while (row >= lay->l_at[k] + lay->rows[k])
        k++;
    return !lay->sys->constraints[k].nonholonomic;
}

static void print_start(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    const ph_newton_matrix *nm = &c->sim->matrix;
    fprintf(c->out,
            "/* [M B^T; B 0] at q and v, for one of the right-hand sides of start.h; l of PH_LIFT and "
            "PH_GIVE_BACK. */\n"
            "PH_COLD void ph_start_system(const PH_MODEL *s, ph_work *W, int what, const ph_real *l, ph_real "
            "*x)\n{\n"
            "    ph_real y[PH_N], rows[PH_NL + 1], big[2] = {ph_k(PH_BODY_SIZE), ph_k(0)};\n");
    fprintf(c->out, "    ph_real A[PH_NA], p[PH_N];\n");
    print_arrays(c, PH_USE_START);
    ph_compile_locals(c);
    fprintf(
        c->out,
        "    for (int i = 0; i < PH_NV && what == PH_ACCELERATIONS; i++)\n        W->vdot[i] = ph_k(0);\n");
    ph_compile_elements(c, PH_USE_START);
    if (c->lay->friction)
        print_friction_start(c);
    ph_compile_assembly(c, PH_USE_START);
    print_unused(c);
    fprintf(c->out,
            "    for (int i = 0; i < PH_NODES; i++) {\n"
            "        if (!ph_node[i][2])\n            big[0] = ph_most(big[0], W->q + ph_node[i][0], "
            "ph_node[i][3]);\n"
            "        big[1] = ph_most(big[1], W->v + ph_node[i][1], ph_node[i][3]);\n    }\n"
            "    for (int i = 0; i < PH_NL; i++)\n"
            "        rows[i] = what == PH_ACCELERATIONS ? -convective[i] : what == PH_POSITIONS ? -Phi[i] : "
            "what == PH_VELOCITIES ? -rate[i] : ph_k(0);\n");
    fprintf(c->out, "    if (what == PH_LIFT || what == PH_GIVE_BACK) {\n");
    for (int i = 0; i < lay->nl; i++) {
        ph_sum s;
        fprintf(c->out,
                is_holonomic(lay, i) ? "        rows[%d] = "
                                     : "        if (what == PH_GIVE_BACK)\n            rows[%d] = ",
                i);
        ph_sum_begin(&s, c->out);
        for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
            for (int j = 0; j < b->n && i >= b->row_at && i < b->row_at + b->m; j++)
                ph_compile_B_times(c, &s, b->at + (i - b->row_at) * b->n + j, "l", b->col_at + j);
        ph_sum_end(&s);
        fprintf(c->out, ";\n");
    }
    fprintf(c->out,
            "    }\n    W->violation[0] = W->violation[1] = ph_k(0);\n    for (int i = 0; i < PH_NL; i++) {\n"
            "        W->violation[0] = ph_larger(W->violation[0], ph_abs(Phi[i]) / (big[0] + DBL_MIN));\n"
            "        W->violation[1] = ph_larger(W->violation[1], ph_abs(rate[i]) / (big[1] + DBL_MIN));\n   "
            " }\n");
    for (int i = 0; i < lay->nv; i++)
        fprintf(c->out, "    b[%d] = what == PH_ACCELERATIONS ? -r[%d] : ph_k(0);\n", c->unknown[i], i);
    for (int k = 0; k < lay->C; k++)
        for (int i = 0; i < lay->rows[k]; i++) {
            int l = lay->l_at[k] + i,
                eta = nm->eta_at[k] < 0 ? -1 : c->unknown[lay->nv + lay->nl + nm->eta_at[k] + i];
            if (c->unknown[lay->nv + l] >= 0)
                fprintf(c->out, "    b[%d] = rows[%d];\n", c->unknown[lay->nv + l], l);
            if (eta >= 0)
                fprintf(c->out, "    b[%d] = rows[%d];\n", eta, l);
        }
    fprintf(c->out, "    ph_factor(A, p);\n    ph_solve(A, p, b, y);\n    ph_zeros(x, PH_NV + PH_NL);\n");
    for (int i = 0; i < lay->nv + lay->nl; i++)
        if (c->unknown[i] >= 0)
            fprintf(c->out, "    x[%d] = y[%d];\n", i, c->unknown[i]);
    fprintf(c->out, "    (void)l, (void)rows, (void)s;\n}\n\n");
}

void ph_compile_constants(ph_compiler *c)
{
    define_sizes(c);
    define_method(c);
    if (ph_sim_is_multistep(c->sim))
        ph_multistep_constants(c);
    if (ph_compile_many_coordinates(c))
        fprintf(c->out, "#define PH_ALONG_FN PH_OUT_OF_LINE\n");
    fprintf(c->out, "\n");
}

void ph_compile_stepping(ph_compiler *c)
{
    if (c->sim->matrix.n_eta > 0)
        print_links(c);
    print_predict(c);
    print_system(c);
    print_fraction(c);
    print_correct(c);
    print_start(c);
}
