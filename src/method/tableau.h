/* Runge-Kutta tableaux: data, looked up by name. */
#ifndef PH_METHOD_TABLEAU_H
#define PH_METHOD_TABLEAU_H

#include "base/base.h"

#define PH_STAGES_MAX 13

/* How the stages depend on each other. */
typedef enum ph_stage_kind {
    PH_STAGES_EXPLICIT, /* each on those before it */
    PH_STAGES_DIAGONAL, /* each on itself too */
    PH_STAGES_FULL      /* all on all */
} ph_stage_kind;

typedef struct ph_tableau {
    const char *name;
    ph_stage_kind kind;
    int s;        /* stages */
    int order;    /* of b */
    int embedded; /* order of the second weights; 0: there are none */
    double gain;  /* principal error of b over that of the second weights */
    double A[PH_STAGES_MAX][PH_STAGES_MAX], b[PH_STAGES_MAX], c[PH_STAGES_MAX];
    double e[PH_STAGES_MAX]; /* b minus the second weights */
} ph_tableau;

/* The tableau of a name, see ph_tableau_find. PH_E_INPUT lists what there is. */
ph_status ph_tableau_get(const char *name, ph_tableau *out, ph_error *err);

#endif
