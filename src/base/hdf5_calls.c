/* HDF5, loaded when it is first used. */
#define PH_HDF5_PLAIN /* names are those of the library here */
#include "base/hdf5_calls.h"

#include "base/shared.h"

#ifdef PH_HDF5_FILE

#include <pthread.h>

ph_hdf5_calls ph_hdf5;

static const char *missing;

/* Who brings the library in decides how it ends: not by cleaning up at exit, which crashes after a file that could
 * not be written. */
static void load(void)
{
    static const char *const names[] = {PH_HDF5_NAMES(PH_CALL_NAME) NULL};
    ph_shared s = ph_shared_load(PH_HDF5_FILE, 0, names, &ph_hdf5);
    missing = s == PH_SHARED_NONE ? "HDF5 (" PH_HDF5_FILE ") is not on this machine" : NULL;
    if (s == PH_SHARED_LOADED)
        ph_hdf5.H5dont_atexit();
}

const char *ph_hdf5_missing(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return missing;
}

#else

const char *ph_hdf5_missing(void)
{
    return "this program was built without HDF5";
}

#endif
