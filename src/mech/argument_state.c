/* Inputs, states and the parameter as arguments of functions: they depend on no body. index: which one; component: of a state. */
#include "mech/argument.h"

static double input(ph_scene *at, const ph_argument *a)
{
    return ph_mechanism_input(at->m, a->index, at->t);
}

const ph_argument_ops ph_argument_input = {.value = input};

static double parameter(ph_scene *at, const ph_argument *a)
{
    (void)a;
    return at->m->parameter.value;
}

const ph_argument_ops ph_argument_parameter = {.value = parameter};

static double state(ph_scene *at, const ph_argument *a)
{
    int moved = at->moved == a->index + 1 && at->moved_number == a->component;
    return ph_state_numbers(at->m, at->s, a->index)[a->component] + (moved ? at->moved_by : 0);
}

const ph_argument_ops ph_argument_state = {.value = state};
