/* HDF5, loaded when it is first used. A new call of it needs its name in the list and its line below. */
#ifndef PH_BASE_HDF5_CALLS_H
#define PH_BASE_HDF5_CALLS_H

/* NULL: it is loaded. Else what is missing, as half a sentence. */
const char *ph_hdf5_missing(void);

#ifdef PH_HDF5_FILE /* its name, if this was built with it */

#include <hdf5.h>

#include "base/shared.h"

/* HDF5 1.12 has two versions of this call, and its plain name is a macro for one of them. */
#if !H5_VERSION_GE(1, 12, 0)
#define H5Lget_info2 H5Lget_info
#define H5L_info2_t  H5L_info_t
#endif

/* Functions, and what stands behind H5T_NATIVE_DOUBLE, H5P_FILE_CREATE and the like. */
/* clang-format off */
#define PH_HDF5_NAMES(X) \
    X(H5Aclose) X(H5Acreate2) X(H5Aexists) X(H5Aget_space) X(H5Aopen) X(H5Aread) X(H5Awrite) \
    X(H5check_version) X(H5close) X(H5Dclose) X(H5Dcreate2) X(H5Dget_create_plist) \
    X(H5Dget_offset) X(H5Dget_space) X(H5dont_atexit) X(H5Dopen2) X(H5Dread) X(H5Dset_extent) \
    X(H5Dwrite) X(H5Eset_auto2) X(H5Fclose) X(H5Fcreate) X(H5Fflush) X(H5Fopen) X(H5Gclose) \
    X(H5Gcreate2) X(H5Gget_info) X(H5Gopen2) X(H5Lexists) X(H5Lget_info2) X(H5Lget_name_by_idx) \
    X(H5open) X(H5Pclose) X(H5Pcreate) X(H5Pget_external_count) X(H5Pget_layout) \
    X(H5Pget_mdc_config) X(H5Pset_alloc_time) X(H5Pset_chunk) X(H5Pset_chunk_cache) \
    X(H5Pset_create_intermediate_group) X(H5Pset_fapl_core) X(H5Pset_file_image) \
    X(H5Pset_file_image_callbacks) X(H5Pset_fill_time) X(H5Pset_libver_bounds) \
    X(H5Pset_link_creation_order) X(H5Pset_mdc_config) X(H5Pset_meta_block_size) \
    X(H5Pset_obj_track_times) X(H5Sclose) X(H5Screate) X(H5Screate_simple) \
    X(H5Sget_simple_extent_npoints) X(H5Sselect_hyperslab) X(H5Tclose) X(H5Tcopy) X(H5Tset_cset) \
    X(H5Tset_size) \
    X(H5T_NATIVE_DOUBLE_g) X(H5T_NATIVE_INT_g) X(H5T_IEEE_F64LE_g) X(H5T_STD_I32LE_g) \
    X(H5T_C_S1_g) X(H5P_CLS_FILE_CREATE_ID_g) X(H5P_CLS_FILE_ACCESS_ID_g) \
    X(H5P_CLS_GROUP_CREATE_ID_g) X(H5P_CLS_LINK_CREATE_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g) \
    X(H5P_CLS_DATASET_ACCESS_ID_g)
/* clang-format on */

typedef struct ph_hdf5_calls {
    PH_HDF5_NAMES(PH_CALL_MEMBER)
} ph_hdf5_calls;

extern ph_hdf5_calls ph_hdf5; /* constant once it is loaded */

#ifndef PH_HDF5_PLAIN
#define H5Aclose                         ph_hdf5.H5Aclose
#define H5Acreate2                       ph_hdf5.H5Acreate2
#define H5Aexists                        ph_hdf5.H5Aexists
#define H5Aget_space                     ph_hdf5.H5Aget_space
#define H5Aopen                          ph_hdf5.H5Aopen
#define H5Aread                          ph_hdf5.H5Aread
#define H5Awrite                         ph_hdf5.H5Awrite
#define H5check_version                  ph_hdf5.H5check_version
#define H5close                          ph_hdf5.H5close
#define H5Dclose                         ph_hdf5.H5Dclose
#define H5Dcreate2                       ph_hdf5.H5Dcreate2
#define H5Dget_create_plist              ph_hdf5.H5Dget_create_plist
#define H5Dget_offset                    ph_hdf5.H5Dget_offset
#define H5Dget_space                     ph_hdf5.H5Dget_space
#define H5dont_atexit                    ph_hdf5.H5dont_atexit
#define H5Dopen2                         ph_hdf5.H5Dopen2
#define H5Dread                          ph_hdf5.H5Dread
#define H5Dset_extent                    ph_hdf5.H5Dset_extent
#define H5Dwrite                         ph_hdf5.H5Dwrite
#define H5Eset_auto2                     ph_hdf5.H5Eset_auto2
#define H5Fclose                         ph_hdf5.H5Fclose
#define H5Fcreate                        ph_hdf5.H5Fcreate
#define H5Fflush                         ph_hdf5.H5Fflush
#define H5Fopen                          ph_hdf5.H5Fopen
#define H5Gclose                         ph_hdf5.H5Gclose
#define H5Gcreate2                       ph_hdf5.H5Gcreate2
#define H5Gget_info                      ph_hdf5.H5Gget_info
#define H5Gopen2                         ph_hdf5.H5Gopen2
#define H5Lexists                        ph_hdf5.H5Lexists
#define H5Lget_name_by_idx               ph_hdf5.H5Lget_name_by_idx
#define H5open                           ph_hdf5.H5open
#define H5Pclose                         ph_hdf5.H5Pclose
#define H5Pcreate                        ph_hdf5.H5Pcreate
#define H5Pget_external_count            ph_hdf5.H5Pget_external_count
#define H5Pget_layout                    ph_hdf5.H5Pget_layout
#define H5Pget_mdc_config                ph_hdf5.H5Pget_mdc_config
#define H5Pset_alloc_time                ph_hdf5.H5Pset_alloc_time
#define H5Pset_chunk                     ph_hdf5.H5Pset_chunk
#define H5Pset_chunk_cache               ph_hdf5.H5Pset_chunk_cache
#define H5Pset_create_intermediate_group ph_hdf5.H5Pset_create_intermediate_group
#define H5Pset_fapl_core                 ph_hdf5.H5Pset_fapl_core
#define H5Pset_file_image                ph_hdf5.H5Pset_file_image
#define H5Pset_file_image_callbacks      ph_hdf5.H5Pset_file_image_callbacks
#define H5Pset_fill_time                 ph_hdf5.H5Pset_fill_time
#define H5Pset_libver_bounds             ph_hdf5.H5Pset_libver_bounds
#define H5Pset_link_creation_order       ph_hdf5.H5Pset_link_creation_order
#define H5Pset_mdc_config                ph_hdf5.H5Pset_mdc_config
#define H5Pset_meta_block_size           ph_hdf5.H5Pset_meta_block_size
#define H5Pset_obj_track_times           ph_hdf5.H5Pset_obj_track_times
#define H5Sclose                         ph_hdf5.H5Sclose
#define H5Screate                        ph_hdf5.H5Screate
#define H5Screate_simple                 ph_hdf5.H5Screate_simple
#define H5Sget_simple_extent_npoints     ph_hdf5.H5Sget_simple_extent_npoints
#define H5Sselect_hyperslab              ph_hdf5.H5Sselect_hyperslab
#define H5Tclose                         ph_hdf5.H5Tclose
#define H5Tcopy                          ph_hdf5.H5Tcopy
#define H5Tset_cset                      ph_hdf5.H5Tset_cset
#define H5Tset_size                      ph_hdf5.H5Tset_size
#define H5T_NATIVE_DOUBLE_g              (*ph_hdf5.H5T_NATIVE_DOUBLE_g)
#define H5T_NATIVE_INT_g                 (*ph_hdf5.H5T_NATIVE_INT_g)
#define H5T_IEEE_F64LE_g                 (*ph_hdf5.H5T_IEEE_F64LE_g)
#define H5T_STD_I32LE_g                  (*ph_hdf5.H5T_STD_I32LE_g)
#define H5T_C_S1_g                       (*ph_hdf5.H5T_C_S1_g)
#define H5P_CLS_FILE_CREATE_ID_g         (*ph_hdf5.H5P_CLS_FILE_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g         (*ph_hdf5.H5P_CLS_FILE_ACCESS_ID_g)
#define H5P_CLS_GROUP_CREATE_ID_g        (*ph_hdf5.H5P_CLS_GROUP_CREATE_ID_g)
#define H5P_CLS_LINK_CREATE_ID_g         (*ph_hdf5.H5P_CLS_LINK_CREATE_ID_g)
#define H5P_CLS_DATASET_CREATE_ID_g      (*ph_hdf5.H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_DATASET_ACCESS_ID_g      (*ph_hdf5.H5P_CLS_DATASET_ACCESS_ID_g)

#if H5_VERSION_GE(1, 12, 0)
#define H5Lget_info2 ph_hdf5.H5Lget_info2
#else
#define H5Lget_info ph_hdf5.H5Lget_info
#endif
#endif

#endif /* PH_HDF5_FILE */

#endif
