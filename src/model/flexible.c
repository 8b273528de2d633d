/* Flexible bodies of model files: they are reduced here, and become bodies, the frame and the markers. */
#include "model/inside.h"

#include <string.h>

#include "fe/market.h"
#include "fe/reduce.h"
#include "lie/so3.h"

/* ---- what is given --------------------------------------------------------------------------------- */

/* One way to say what the body is; the others must not be there. */
static void check_source(ph_reader *r, const ph_flexible_def *f)
{
    const ph_fe_spec *s = &f->spec;
    int files = s->mass || s->stiffness || s->nodes, members = s->n_members || s->n_points,
        ways = (f->file != NULL) + (f->body != NULL) + files + members;
    if (ways == 0)
        ph_reader_fail(r, "has no elements: give file, beam, points and members, or mass, "
                          "stiffness and nodes");
    if (ways > 1)
        ph_reader_fail(r,
                       "has its elements given twice; keep one of file, beam, points and members, or mass, "
                       "stiffness and nodes");
    if (files && !(s->mass && s->stiffness && s->nodes))
        ph_reader_fail(r, "mass, stiffness and nodes belong together; %s is missing",
                       !s->mass        ? "mass"
                       : !s->stiffness ? "stiffness"
                                       : "nodes");
    if (members && !(s->n_members && s->n_points))
        ph_reader_fail(r, "points and members belong together; one of them is missing");
    if ((f->file || f->body) &&
        (s->modes || s->n || s->n_keep || s->n_interfaces || s->frame || s->frame_id != PH_NO_NODE ||
         s->n_ratios || s->alpha > 0 || s->beta > 0 || s->stiffen != -1))
        ph_reader_fail(
            r,
            "a reduced body has its modes, damping, stiffness and interfaces; only its place can be given");
    if (!f->file && !f->body && !s->modes && !s->n && s->fixed == PH_AS_MANY)
        ph_reader_fail(r, "modes is missing ({type = \"clamped\", n = 6})");
}

static void check_members(ph_reader *r, const ph_fe_spec *s)
{
    long elements = 0;
    for (int k = 0; k < s->n_members; k++) {
        const ph_fe_member *m = &s->member[k];
        if (m->from >= s->n_points || m->to >= s->n_points)
            ph_reader_fail(r, "members[%d] ends at point %d; points are from 0 to %d", k + 1,
                           m->from >= s->n_points ? m->from : m->to, s->n_points - 1);
        elements += m->n;
    }
    if (elements > PH_MODEL_ELEMENTS / 10)
        ph_reader_fail(r, "%ld elements are too many; the limit is %d", elements, PH_MODEL_ELEMENTS / 10);
}

/* ---- finite elements ------------------------------------------------------------------------------- */

static void find_files(ph_reader *r, ph_fe_spec *s)
{
    s->mass = ph_store_path(r, "mass", s->mass);
    s->stiffness = ph_store_path(r, "stiffness", s->stiffness);
    s->nodes = ph_store_path(r, "nodes", s->nodes);
}

static ph_status open_elements(ph_reader *r, const ph_fe_spec *s, ph_fe *fe, ph_error *err)
{
    return s->n_members ? ph_fe_frame(fe, r->alloc, s->n_points, s->points, s->n_members, s->member, err)
                        : ph_market_fe(fe, r->alloc, s, err);
}

/* Time that this takes is not that of the file's program. */
static void reduce_elements(ph_reader *r, int index)
{
    ph_flexible_def *f = ph_store_at(r, PH_K_FLEXIBLE, index);
    ph_error err = {0};
    ph_fe fe = {0};
    ph_vec3 origin = {0, 0, 0};
    double since = ph_sandbox_now();
    if (f->spec.mass)
        find_files(r, &f->spec);
    if (f->spec.stiffen < 0)
        f->spec.stiffen = f->spec.n_members > 0;
    if (f->spec.stiffen && !f->spec.n_members)
        ph_reader_fail(
            r, "geometric_stiffness = true is for beam and members; of other elements it comes from files");
    if (f->spec.n_members && !f->spec.frame && f->spec.frame_id == PH_NO_NODE &&
        f->spec.type != PH_MODES_CRAIG_BAMPTON)
        f->spec.frame_id = 0;
    ph_fe_spec spec = f->spec;
    spec.files = &r->files;
    ph_status s = open_elements(r, &spec, &fe, &err);
    if (s == PH_OK)
        s = ph_fe_reduce(&fe, &spec, PH_FACTOR_AUTO, r->alloc, &f->body, &origin, &f->sound, &err);
    ph_fe_free(&fe);
    ph_sandbox_excuse(r, since);
    if (s == PH_E_MEMORY)
        ph_reader_no_memory(r);
    if (s != PH_OK)
        ph_reader_fail(r, "%s", err.text);
    f->node = origin;
    if (isnan(f->x.x))
        f->x = origin;
}

/* ---- what it becomes ------------------------------------------------------------------------------- */

static void add_body(ph_reader *r, const ph_flexible_def *f, int index, ph_body_def b)
{
    b.flexible = index + 1;
    b.R = f->R, b.origin = f->origin;
    ph_body_def *body = ph_store_element(r, PH_K_BODY);
    *body = b;
    ph_store_name(r, PH_K_BODY, b.name, r->element[PH_K_BODY].n - 1);
}

static const char *marker_name(ph_reader *r, const ph_flexible_def *f, const char *marker)
{
    char name[2 * PH_MODEL_NAME + 2];
    int n = snprintf(name, sizeof name, "%s.%s", f->name, marker);
    if (n > PH_MODEL_NAME)
        ph_reader_fail(r, "the name is too long: with .%s it has %d characters; the limit is %d", marker, n,
                       PH_MODEL_NAME);
    return ph_store_text(r, name, (size_t)n);
}

/* As they are in the undeformed body. */
static void add_bodies(ph_reader *r, int index)
{
    ph_flexible_def f = *(const ph_flexible_def *)ph_store_at(r, PH_K_FLEXIBLE, index);
    const ph_reduced *body = f.body;
    ph_mat3 R = ph_qmat(f.R);
    ph_body_def b = ph_default_body();
    b.name = f.name, b.mass = ph_reduced_mass(body), b.J = ph_reduced_inertia(body);
    b.x = f.x, b.v = f.v, b.omega = f.omega;
    add_body(r, &f, index, b);
    b.mass = 0, b.J = (ph_mat3){0};
    for (int k = 0; k < body->n_markers; k++) {
        ph_vec3 X = body->marker[k].X;
        b.name = marker_name(r, &f, body->marker[k].name);
        b.marker = k + 1;
        b.x = ph_add(f.x, ph_mul(R, X));
        b.v = ph_add(f.v, ph_mul(R, ph_cross(f.omega, X))); /* all NaN where one of them is not given */
        add_body(r, &f, index, b);
    }
}

static void check_markers(ph_reader *r, const ph_flexible_def *f)
{
    for (int k = 0; k < f->shapes.n; k++) {
        const char *name = f->shapes.shape[k].marker;
        ph_near search = {.word = name};
        int i = 0;
        for (; name && i < f->body->n_markers && strcmp(f->body->marker[i].name, name) != 0; i++)
            ph_near_offer(&search, f->body->marker[i].name);
        if (name && i == f->body->n_markers && ph_near_word(&search))
            ph_reader_fail(r, "shape: there is no marker '%s'; did you mean '%s'?", name,
                           ph_near_word(&search));
        if (name && i == f->body->n_markers)
            ph_reader_fail(r, "shape: there is no marker '%s'", name);
    }
}

static const ph_flexible_def *original_of(const ph_reader *r, int index)
{
    return ph_store_at(r->original, PH_K_FLEXIBLE, index);
}

void ph_flexible_expand(ph_reader *r, int index)
{
    ph_flexible_def *f = ph_store_at(r, PH_K_FLEXIBLE, index);
    if (index >= PH_MODEL_FLEXIBLE)
        ph_reader_fail(r, "more than %d flexible bodies; a model cannot have more", PH_MODEL_FLEXIBLE);
    check_source(r, f);
    check_members(r, &f->spec);
    if (r->original && !f->body) /* what was reduced once is the same again */
        f->body = original_of(r, index)->body, f->x = original_of(r, index)->x;
    else if (f->file)
        ph_reduced_read(r, r->L, f->file, index);
    else if (!f->body)
        reduce_elements(r, index);
    if (isnan(f->x.x))
        f->x = ph_v3(0, 0, 0);
    check_markers(r, f);
    add_bodies(r, index);
}
