/* How studies fail. */
#include "study/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ph_status ph_study_fail(ph_error *err, ph_status s, const char *format, ...)
{
    va_list list;
    if (!err)
        return s;
    va_start(list, format);
    vsnprintf(err->text, sizeof err->text, format, list);
    va_end(list);
    return err->status = s;
}

void ph_study_explain(const ph_run *run, ph_status status, ph_error *err)
{
    char why[384] = "";
    const char *end = strncmp(err->text, "t = ", 4) ? NULL : strstr(err->text, ": ");
    if (status != PH_E_CALLBACK || !run)
        return;
    ph_run_complaint(run, why, sizeof why);
    size_t at = end ? (size_t)(end - err->text) + 2 : 0;
    if (why[0])
        snprintf(err->text + at, sizeof err->text - at, "%s", why);
}
