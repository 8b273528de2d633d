/* How studies fail. */
#include "study/fail.h"

#include <stdarg.h>
#include <stdio.h>

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
