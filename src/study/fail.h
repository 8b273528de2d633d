/* How studies fail, which see the public headers only. */
#ifndef PH_STUDY_FAIL_H
#define PH_STUDY_FAIL_H

#include "polhode/base.h"

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
/* Fill err (may be NULL) with a sentence and return s. */
ph_status
ph_study_fail(ph_error *err, ph_status s, const char *format, ...);

#endif
