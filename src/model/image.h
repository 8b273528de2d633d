/* Lua states that are ready to run a file: the sandbox is open and the file loaded. A model that is read again, with other parameters,
 * begins with a copy of one, byte for byte, at the same place; so no reading can leave anything to the next. */
#ifndef PH_MODEL_IMAGE_H
#define PH_MODEL_IMAGE_H

#include "model/inside.h"

/* The images of all models of one text, which share them and count who holds them. Those that no model uses are idle. */
ph_images *ph_images_create(const ph_allocator *alloc); /* NULL: no memory, and none is kept */
ph_images *ph_images_keep(ph_images *all);              /* accepts NULL */
void ph_images_drop(ph_images *all);                    /* the same */

/* An idle one becomes the state of r, as it was when it was taken. 0: there is none. */
int ph_image_enter(ph_reader *r);

/* Memory for a new state of r that becomes an image, where there is any; then its state is ready, outside of any call. */
void ph_image_prepare(ph_reader *r);
void ph_image_take(ph_reader *r);

/* The state is needed no more: its image is idle again. */
void ph_image_leave(ph_reader *r);

/* Blocks of the state. */
void *ph_image_alloc(ph_image *m, size_t size);
void ph_image_free(ph_image *m, void *p, size_t size);

#endif
