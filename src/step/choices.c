/* The words for the choices of ph_options and of sensitivities, in the order of their enumerations. */
#include "polhode/sens.h"

const char *ph_formulation_word(int k)
{
    return k == PH_INDEX3 ? "index3" : k == PH_INDEX2 ? "index2" : k == PH_GGL ? "ggl" : NULL;
}

const char *ph_newton_word(int k)
{
    static const char *const words[] = {"step", "full", "simplified", "modified"}; /* as in ph_newton */
    return k >= 0 && k < (int)(sizeof words / sizeof *words) ? words[k] : NULL;
}

const char *ph_start_word(int k)
{
    return k == PH_PERTURBED ? "perturbed" : k == PH_PLAIN ? "plain" : NULL;
}

const char *ph_correction_word(int k)
{
    static const char *const words[] = {"exponent", "implicit", "lagged", "extrapolated", "none"};
    return k >= 0 && k <= PH_WITHOUT ? words[k] : NULL;
}

const char *ph_simplification_word(int k)
{
    static const char *const words[] = {"none", "symmetric-k", "reference-free", "without-kg"};
    return k >= 0 && k <= PH_WITHOUT_KG ? words[k] : NULL;
}

const char *ph_solver_word(int k)
{
    static const char *const names[] = {
#define PH_SOLVER(code, ops, name, text) name,
#include "polhode/solvers.def"
#undef PH_SOLVER
    };
    return k >= 0 && k < PH_SOLVER_COUNT ? names[k] : NULL;
}
