/* Model files: read, freeze.
 *
 * A model file is a Lua program in a sandbox or, frozen, JSON; docs/model.md tells its words. The model is
 * complete and checked: names are resolved, rotations and axes have length one, numbers are finite and make
 * sense by themselves. Whether joints fit together is for the mechanism to find out. */
#ifndef PH_MODEL_READER_H
#define PH_MODEL_READER_H

#include <stdio.h>

#include "mech/model.h"

/* A parameter set from outside, in place of its default in the file. */
typedef struct ph_setting {
    const char *name;
    double value;
} ph_setting;

/* Read a model file. sets: the last one of a name counts; all names must be parameters of the model. alloc
 * (NULL: malloc) must outlive the model. On failure *out is NULL and err says "FILE:LINE: sentence". */
PH_API ph_status ph_model_read(ph_model_def **out, const char *path, const ph_setting *sets, int n_sets,
                               const ph_allocator *alloc, ph_error *err);
/* The same from the text of the file, for studies that read it again and again; path is for messages.
 * text NULL: the file is read. */
PH_API ph_status ph_model_read_text(ph_model_def **out, const char *path, const char *text, size_t size,
                                    const ph_setting *sets, int n_sets, const ph_allocator *alloc,
                                    ph_error *err);
PH_API void ph_model_free(ph_model_def *model); /* accepts NULL; only what ph_model_read gave */

/* Why a function of the model failed last (PH_E_CALLBACK), "FILE:LINE: sentence"; "" if none did. */
PH_API const char *ph_model_complaint(const ph_model_def *model);

/* Write the model as JSON, from which ph_model_read gives the same model bit for bit, but for file and lines.
 * Functions of the file cannot be frozen: an error that names the element, and nothing is written. */
PH_API ph_status ph_model_freeze(const ph_model_def *model, FILE *to, ph_error *err);

#endif
