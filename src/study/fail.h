/* How studies fail, which see the public headers only. */
#ifndef PH_STUDY_FAIL_H
#define PH_STUDY_FAIL_H

#include "polhode/run.h"

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
/* Fill err (may be NULL) with a sentence and return s. */
ph_status
ph_study_fail(ph_error *err, ph_status s, const char *format, ...);

/* Where a callback refused, err->text says no more than when: behind that, in the words of the model, why. run NULL:
 * of a built-in problem; other failures keep their text. */
void ph_study_explain(const ph_run *run, ph_status status, ph_error *err);

#endif
