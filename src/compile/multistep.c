/* BLieDF in compiled models: its constants, and where its text differs from that of generalized-alpha steps. The first steps, which
 * need a one-step method, are the library's. */
#include <string.h>

#include "compile/compile.h"
#include "method/bliedf.h"
#include "run/private.h"

int ph_sim_is_multistep(const ph_sim *sim)
{
    return !strcmp(sim->stepper->name, "bliedf");
}

int ph_multistep_order(const ph_sim *sim)
{
    return ph_sim_is_multistep(sim) ? sim->opt.order : 0;
}

long ph_multistep_first(const ph_sim *sim)
{
    const ph_bliedf *m = ph_sim_is_multistep(sim) ? sim->method : NULL;
    return !m ? 0 : m->start_steps > m->order ? m->start_steps : m->order;
}

/* 1: (D3), 2: (D4), 0: nothing of the Lie term depends on v1. */
static int lie_of(const ph_options *o)
{
    return o->order < 3 ? 0 : o->correction == PH_IN_EXP ? 1 : o->correction == PH_IN_VELOCITY ? 2 : 0;
}

int ph_multistep_has_F(const ph_compiler *c)
{
    return ph_sim_is_multistep(c->sim) && lie_of(&c->sim->opt) != 0;
}

static void print_row(ph_compiler *c, const double *a, int n)
{
    char text[40];
    fprintf(c->out, "{");
    for (int i = 0; i < n; i++)
        fprintf(c->out, "%s%s", i ? ", " : "", ph_c_number(a[i], text));
    fprintf(c->out, "}");
}

static void print_table(ph_compiler *c, const char *name, const double *a, int n)
{
    fprintf(c->out, "PH_TABLE double ph_bdf_%s[%d] = ", name, n);
    print_row(c, a, n);
    fprintf(c->out, ";\n");
}

void ph_multistep_constants(ph_compiler *c)
{
    const ph_options *o = &c->sim->opt;
    const ph_bliedf *m = c->sim->method;
    const ph_bdf_formula *f = &m->f[m->order];
    int k = m->order, lie = lie_of(o), fourth = lie && k >= 5,
        is_explicit = k >= 3 && (o->correction == PH_LAGGED || o->correction == PH_EXTRAPOLATED);
    double guess[PH_BDF_MAX + 2] = {k + 1};
    static const double b[2][3] = {{1, 0, 0}, {2, -1, 0}}, a[2][3] = {{0, -4, 1}, {5, -8, 3}};
    for (int j = 1; j <= k; j++)
        guess[j] = -guess[j - 1] * (k + 1 - j) / (j + 1);
    fprintf(c->out,
            "#define PH_BDF %d /* order */\n#define PH_BDF_LIE %d /* 1: (D3), 2: (D4) */\n"
            "#define PH_BDF_FOURTH %d /* with E */\n#define PH_BDF_EXPLICIT %d /* (D5), (D12) */\n",
            k, lie, fourth, is_explicit);
    print_table(c, "gamma", f->gamma, k + 1);
    print_table(c, "guess", guess, k + 1);
    print_table(c, "a", a[o->correction == PH_EXTRAPOLATED], 3);
    print_table(c, "b", b[o->correction == PH_EXTRAPOLATED], 3);
    fprintf(c->out, "PH_TABLE double ph_bdf_w[4][%d] = {", PH_BDF_MAX + 1);
    for (int d = 0; d < 4; d++) {
        fprintf(c->out, d ? ", " : "");
        print_row(c, f->w[d], PH_BDF_MAX + 1);
    }
    fprintf(c->out, "};\n\n");
}

void ph_multistep_predict(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    for (int i = 0; i < lay->N; i++) {
        int v = lay->slot[i].v_at, t = c->turn[i];
        fprintf(c->out, "    ph_bdf_predict(s, %d, %d, W->w, W->c, W->theta);\n", v, lay->slot[i].dim);
        if (t < 0)
            fprintf(c->out, "    ph_bdf_flat(%d, W->w + %d, W->theta + %d);\n", lay->slot[i].dim, v, v);
        else
            fprintf(c->out,
                    "    W->Jinv[%d] = ph_bdf_lie(s, %d, W->w + %d, W->c + %d, W->theta + %d, W->G + %d);\n",
                    t, v, v, v, v, v);
    }
}

void ph_multistep_remember(ph_compiler *c)
{
    fprintf(c->out, "/* What later steps need of this one. */\n"
                    "PH_FN void ph_remember(PH_MODEL *s, const ph_work *W, ph_mask failed)\n{\n");
    if (ph_sim_is_multistep(c->sim))
        fprintf(c->out, "    ph_bdf_remember(s, W->v, W->theta, W->w, %s, failed);\n",
                c->sim->matrix.n_eta > 0 ? "W->y" : "NULL");
    fprintf(c->out, "    (void)s, (void)W, (void)failed;\n}\n\n");
}

/* ---- the state --------------------------------------------------------------------------------------------------- */

/* Number by number: the velocities, then the increments. */
void ph_multistep_past(const ph_sim *sim, double *past)
{
    const ph_bliedf *m = sim->method;
    size_t nv = (size_t)sim->lay.nv;
    for (int j = 0; j < m->order; j++)
        memcpy(past + (size_t)j * nv, m->v[j], nv * sizeof *past);
    for (int j = 0; j + 1 < m->order; j++)
        memcpy(past + (size_t)(m->order + j) * nv, m->D[j], nv * sizeof *past);
}

void ph_multistep_accept(ph_sim *sim, const double *D)
{
    ph_bliedf *m = sim->method;
    if (m->order > 1)
        memcpy(m->D[m->order - 1], D, (size_t)sim->lay.nv * sizeof *D);
    ph_bliedf_remember(sim);
}

/* A method that needs a past has no restart. */
ph_status ph_multistep_refuse(const ph_run *run, const char *what, ph_error *err)
{
    return ph_sim_is_multistep(run->sim)
               ? ph_fail(err, PH_E_INPUT,
                         "a compiled model of bliedf cannot start anew, as %s must: --method genalpha", what)
               : PH_OK;
}
