/* What others see of the flexible bodies of a model. */
#include "base/base.h"
#include "fe/reduced_hdf5.h"
#include "mech/model.h"

static const ph_flexible_def *at(const ph_model *m, int k)
{
    return k >= 0 && k < m->n_flexible ? &m->flexible[k] : NULL;
}

int ph_model_flexible(const ph_model *m, int k, ph_flexible_info *out)
{
    const ph_flexible_def *f = at(m, k);
    if (!f)
        return 0;
    const ph_reduced *r = f->body;
    *out = (ph_flexible_info){.name = f->name,
                              .modes = r->modes,
                              .markers = r->n_markers,
                              .load_cases = r->KG ? PH_KG_MARKERS + 3 * r->n_markers : 0,
                              .omega = r->omega,
                              .mass = ph_reduced_mass(r),
                              .centre = ph_reduced_centre(r),
                              .inertia = ph_reduced_inertia(r),
                              .nodes = f->sound.nodes,
                              .rows = f->sound.rows,
                              .strain = f->sound.strain,
                              .anisotropy = f->sound.isotropy};
    return 1;
}

const char *ph_model_marker(const ph_model *m, int flexible, int marker, ph_vec3 *position)
{
    const ph_flexible_def *f = at(m, flexible);
    if (!f || marker < 0 || marker >= f->body->n_markers)
        return NULL;
    *position = f->body->marker[marker].X;
    return f->body->marker[marker].name;
}

const char *ph_model_missing_hdf5(void)
{
    return ph_reduced_missing_hdf5();
}

ph_status ph_model_write_flexible(const ph_model *m, int k, int hdf5, FILE *to, ph_error *err)
{
    const ph_flexible_def *f = at(m, k);
    if (!f)
        return ph_fail(err, PH_E_INPUT, "there is no flexible body %d", k);
    if (hdf5)
        return ph_reduced_write_hdf5(f->body, to, err);
    ph_reduced_put(f->body, to);
    fputc('\n', to);
    return PH_OK;
}
