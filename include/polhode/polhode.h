/* All of the library, in one header. */
#ifndef POLHODE_POLHODE_H
#define POLHODE_POLHODE_H

#include "polhode/language.h"
#include "polhode/run.h"

#endif
