/* Reduced bodies as HDF5: datasets omega, calM, Kf, Df, KG, and markers/NAME/X, Psi, Th. */
#ifndef PH_FE_REDUCED_HDF5_H
#define PH_FE_REDUCED_HDF5_H

#include "base/files.h"
#include "fe/reduced.h"

/* NULL: HDF5 is there. Else what is missing, as half a sentence. */
PH_API const char *ph_reduced_missing_hdf5(void);

/* All bytes of such a file, the same ones for the same body; ferror(to) tells whether they arrived. */
PH_API ph_status ph_reduced_write_hdf5(const ph_reduced *r, FILE *to, ph_error *err);

/* Not checked beyond sizes and numbers of datasets; nothing that is in another file is read. Free it. files keep the bytes. */
ph_status ph_reduced_read_hdf5(ph_reduced **out, ph_files *files, const char *path, const ph_allocator *alloc,
                               ph_error *err);

#endif
