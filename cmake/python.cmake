# The Python package: sources of python/polhode beside two generated modules, in build/PRESET/python/polhode. PH_PYTHON: AUTO
# (where a python3 with cffi is found), ON, OFF. Nothing is compiled; the package loads libpolhode when it is imported.
set(PH_PYTHON AUTO CACHE STRING "Python package on cffi: AUTO (where python3 with cffi and numpy is found), ON, OFF")
set_property(CACHE PH_PYTHON PROPERTY STRINGS AUTO ON OFF)
if(NOT PH_PYTHON OR NOT TARGET polhode)
  return()
endif()

if(NOT PH_PYTHON3) # the system's python has the system's packages
  foreach(candidate "$ENV{PYTHON}" /usr/bin/python3 python3)
    if(candidate)
      execute_process(COMMAND ${candidate} -c "import cffi, pycparser, numpy" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
      if(missing EQUAL 0)
        set(PH_PYTHON3 ${candidate} CACHE STRING "The python3 that has cffi and numpy")
        break()
      endif()
    endif()
  endforeach()
endif()
if(NOT PH_PYTHON3)
  if(NOT PH_PYTHON STREQUAL "AUTO")
    message(FATAL_ERROR "PH_PYTHON is ${PH_PYTHON}, but no python3 has cffi and numpy (python3-cffi, python3-numpy)")
  endif()
  return()
endif()

set(ph_package ${PROJECT_BINARY_DIR}/python/polhode)
set(ph_generate ${PROJECT_SOURCE_DIR}/python/generate.py)
file(GLOB ph_headers CONFIGURE_DEPENDS include/polhode/*.h include/polhode/*.def)
file(GLOB ph_modules CONFIGURE_DEPENDS python/polhode/*.py python/polhode/py.typed)
file(MAKE_DIRECTORY ${ph_package})
foreach(module ${ph_modules}) # links: what is edited is what runs
  get_filename_component(name ${module} NAME)
  file(CREATE_LINK ${module} ${ph_package}/${name} SYMBOLIC)
endforeach()
add_custom_command(OUTPUT ${ph_package}/_declarations.py
  COMMAND ${PH_PYTHON3} ${ph_generate} declarations ${PROJECT_SOURCE_DIR}/include ${ph_package}/_declarations.py ${CMAKE_C_COMPILER}
  DEPENDS ${ph_generate} ${ph_headers} COMMENT "Declarations for Python" VERBATIM)
add_custom_command(OUTPUT ${ph_package}/_elements.py
  COMMAND ${PH_PYTHON3} ${ph_generate} elements $<TARGET_FILE:polhode> ${ph_package}/_elements.py
  DEPENDS ${ph_generate} polhode COMMENT "Elements of models for Python" VERBATIM)
add_custom_target(python ALL DEPENDS ${ph_package}/_declarations.py ${ph_package}/_elements.py libpolhode)

# Where `import polhode` finds it: below the prefix, as virtual environments have it. `cmake --install BUILD --component python`
# copies the package alone; with PH_PYTHON_INSTALL it comes with all else.
option(PH_PYTHON_INSTALL "cmake --install copies the Python package too" OFF)
if(SKBUILD) # a wheel: library, program and models inside of the package
  set(ph_python_dir .)
else()
  execute_process(COMMAND ${PH_PYTHON3} -c "import sys; print('python%d.%d' % sys.version_info[:2])"
                  OUTPUT_VARIABLE ph_python_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(ph_python_dir lib/${ph_python_version}/site-packages/polhode CACHE STRING "Where the Python package goes, below the prefix")
endif()
set(ph_left_out EXCLUDE_FROM_ALL)
if(PH_PYTHON_INSTALL OR SKBUILD)
  set(ph_left_out "")
endif()
install(FILES ${ph_modules} ${ph_package}/_declarations.py ${ph_package}/_elements.py DESTINATION ${ph_python_dir}
        COMPONENT python ${ph_left_out})
