# ARPACK, called as Fortran: the library is all that is needed. Gives the target ARPACK::ARPACK.
find_library(ARPACK_LIBRARY arpack)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ARPACK REQUIRED_VARS ARPACK_LIBRARY)
if(ARPACK_FOUND AND NOT TARGET ARPACK::ARPACK)
  add_library(ARPACK::ARPACK UNKNOWN IMPORTED)
  set_target_properties(ARPACK::ARPACK PROPERTIES IMPORTED_LOCATION "${ARPACK_LIBRARY}")
endif()
mark_as_advanced(ARPACK_LIBRARY)
