/* Coefficients of rotation operators at large angles: stumpff_large.h, out of line. */
#include "base/stumpff_large.h"
