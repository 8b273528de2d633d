/* The table of methods. */
#include <string.h>

#include "method/tableau.h"
#include "step/sim.h"

#define PH_STEPPER(ops) extern const ph_stepper ops;
#include "method/steppers.def"
#undef PH_STEPPER

static const ph_stepper *const steppers[] = {
#define PH_STEPPER(ops) &ops,
#include "method/steppers.def"
#undef PH_STEPPER
};

#define N_STEPPERS ((int)(sizeof steppers / sizeof *steppers))

const char *ph_method_name(int k)
{
    return k >= 0 && k < N_STEPPERS ? steppers[k]->name : NULL;
}

const char *ph_method_cite(int k)
{
    return k >= 0 && k < N_STEPPERS ? steppers[k]->cite : NULL;
}

const char *ph_method_text(int k)
{
    return k >= 0 && k < N_STEPPERS ? steppers[k]->text : NULL;
}

const ph_stepper *ph_stepper_find(const char *method)
{
    for (int k = 0; method && k < N_STEPPERS; k++)
        if (!strcmp(method, steppers[k]->name))
            return steppers[k];
    return NULL;
}

unsigned ph_method_reads(const char *method)
{
    const ph_stepper *s = ph_stepper_find(method);
    return s ? s->reads : 0;
}

unsigned ph_options_reads(const ph_options *o)
{
    unsigned reads = ph_method_reads(o->method);
    ph_tableau t;
    int explicit = (reads & PH_READS_TABLEAU) && ph_tableau_get(o->tableau, &t, NULL) == PH_OK &&
                   t.kind == PH_STAGES_EXPLICIT;
    return explicit ? reads & ~(unsigned)PH_READS_NEWTON : reads;
}
