/* What a command simulates: the model that its arguments name. */
#ifndef PH_CLI_MODEL_H
#define PH_CLI_MODEL_H

#include "cli/cli.h"
#include "problem/problem.h"

/* The model of the first word, with the size asked for. NULL after one line on stderr. */
ph_problem *ph_model_open(const ph_args *args);

#endif
