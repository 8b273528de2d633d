/* Abilities of elements. Joints, forces and sensors have the abilities that the members of their records give; other elements have a row
 * below, and test_rows compares these rows with the lists of ph_model. */
#include "mech/support.h"

#include <string.h>

#define BIT(ability) (1u << PH_CAN_##ability)

const char *ph_ability_word(int k)
{
    static const char *const words[PH_ABILITIES + 1] = {"compile", "sens", "linearise", "static", "energy"};
    return words[k];
}

/* ---- records ------------------------------------------------------------------------------------------ */

static unsigned by_text(int tangents, const char *text)
{
    return (tangents ? BIT(SENS) | BIT(LINEARISE) | BIT(STATIC) : 0) | (tangents && text ? BIT(COMPILE) : 0);
}

static unsigned part_can(const ph_part *p)
{
    return p ? by_text(p->K && p->Z && p->convective, p->text) : ~0u;
}

unsigned ph_joint_can(const ph_joint_ops *op)
{
    const ph_recipe *r = &op->recipe;
    return part_can(r->first) & part_can(r->last) & part_can(r->turn ? &ph_part_turn : NULL);
}

unsigned ph_force_can(const ph_force_ops *op)
{
    return by_text(op->K && op->C, op->text) | (op->energy ? BIT(ENERGY) : 0);
}

unsigned ph_sensor_can(const ph_sensor_ops *op)
{
    return BIT(LINEARISE) | BIT(STATIC) | (op->form == PH_FORM_NONE ? 0 : BIT(COMPILE)) |
           (op->depth == PH_NOT_SEEN ? 0 : BIT(SENS));
}

/* ---- elements without records ------------------------------------------------------------------------- */

#define MOVES (BIT(SENS) | BIT(LINEARISE) | BIT(STATIC))
#define ALL   (MOVES | BIT(COMPILE))

typedef struct other {
    const char *word;
    size_t n, list, size, name, origin; /* in ph_model; in its elements */
    unsigned can;
} other;

#define OTHER(member, word, type, can)                                                                       \
    {                                                                                                        \
        word, offsetof(ph_model, n_##member), offsetof(ph_model, type), sizeof(*((ph_model *)0)->type),      \
            offsetof(ph_##type##_def, name), offsetof(ph_##type##_def, origin), can                          \
    }

static const other others[] = {
    OTHER(bodies, "body", body, ALL | BIT(ENERGY)),
    OTHER(flexible, "flexible", flexible, MOVES | BIT(ENERGY)),
    OTHER(inputs, "input", input, ALL),
    OTHER(states, "state", state, ALL),
    OTHER(couplings, "coupling", coupling, ALL),
    OTHER(events, "event", event, BIT(COMPILE) | BIT(LINEARISE) | BIT(STATIC)),
    OTHER(objectives, "objective", objective, ALL),
    OTHER(params, "param", param, ALL),
    {"constraint", offsetof(ph_model, n_constraints), offsetof(ph_model, constraint),
     sizeof(ph_user_constraint_def), offsetof(ph_user_constraint_def, name),
     offsetof(ph_user_constraint_def, origin), MOVES},
};

#define OTHERS ((int)(sizeof others / sizeof *others))

unsigned ph_other_can(const char *word)
{
    for (int k = 0; k < OTHERS; k++)
        if (!strcmp(others[k].word, word))
            return others[k].can;
    return 0;
}

/* ---- a mechanism -------------------------------------------------------------------------------------- */

typedef struct question {
    const ph_mechanism *m;
    ph_ability what;
    ph_error *err;
} question;

static ph_status refuse(const question *q, ph_origin at, const char *kind, const char *name, const char *type)
{
    static const char *const words[] = {[PH_CAN_COMPILE] = "cannot be compiled",
                                        [PH_CAN_SENS] = "has no exact derivatives; use differences of runs",
                                        [PH_CAN_LINEARISE] = "has no tangents and cannot be linearised",
                                        [PH_CAN_STATIC] = "has no tangents, which an equilibrium needs",
                                        [PH_CAN_ENERGY] = "stores no energy"};
    return ph_mech_fail(q->err, PH_E_INPUT, q->m->model, at, "%s '%s'%s%s %s", kind, name ? name : "",
                        *type ? ": " : "", type, words[q->what]);
}

static ph_status ask_joint(const question *q, const ph_joint *j)
{
    const ph_joint_def *d = &q->m->model->joint[j->def];
    unsigned can = ~0u;
    for (int i = 0; i < j->n_parts; i++)
        can &= part_can(j->part[i].op);
    if (q->what == PH_CAN_COMPILE && j->switched)
        return refuse(q, d->origin, "joint", d->name, "a joint that events release or engage");
    return can >> q->what & 1 ? PH_OK : refuse(q, d->origin, "joint", d->name, "a joint of this type");
}

static ph_status ask_force(const question *q, const ph_force *f)
{
    const ph_joint_def *j = f->joint ? &q->m->model->joint[f->joint->def] : NULL;
    if (ph_force_can(f->op) >> q->what & 1)
        return PH_OK;
    return j             ? refuse(q, j->origin, "joint", j->name, "its friction")
           : f->actuator ? refuse(q, f->actuator->origin, "actuator", f->actuator->name, "")
                         : refuse(q, f->def->origin, ph_force_row_of(f->def)->name, f->def->name,
                                  f->op->variant ? f->op->variant : "");
}

static ph_status ask_sensor(const question *q, const ph_sensor_def *d)
{
    int can = ph_sensor_can(ph_sensor_row_of(d)->op) >> q->what & 1;
    return can || q->what == PH_CAN_SENS /* runs have derivatives without it */
               ? PH_OK
               : refuse(q, d->origin, "sensor", d->name, "a sensor of this type");
}

static ph_status ask_others(const question *q, const other *o)
{
    const char *model = (const char *)q->m->model, *list;
    memcpy(&list, model + o->list, sizeof list);
    if (!*(const int *)(model + o->n) || o->can >> q->what & 1)
        return PH_OK;
    return refuse(q, *(const ph_origin *)(list + o->origin), o->word, *(const char *const *)(list + o->name),
                  "");
}

ph_status ph_mechanism_can(const ph_mechanism *m, ph_ability what, ph_error *err)
{
    const question q = {m, what, err};
    ph_status s = PH_OK;
    if (!m)
        return PH_OK;
    for (int k = 0; k < OTHERS && s == PH_OK; k++)
        s = ask_others(&q, &others[k]);
    for (int k = 0; k < m->n_joints && s == PH_OK; k++)
        s = ask_joint(&q, &m->joint[k]);
    for (int k = 0; k < m->n_forces && s == PH_OK; k++)
        s = ask_force(&q, &m->force[k]);
    for (int k = 0; k < m->model->n_sensors && s == PH_OK; k++)
        s = ask_sensor(&q, &m->model->sensor[k]);
    return s;
}
