# The page of `polhode view` as a source of the program: viewer/page.html with the style and the modules in their places.
# Run as a script (-P) it writes that source; no other tool is needed. Modules share one scope in the page: `import` lines go,
# and so does the word `export`.
set(modules math data geometry shapes gl beams marks scene camera plots panel record main)
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${FROM}/page.html page)
  file(READ ${FROM}/style.css style)
  string(REGEX REPLACE "([;:{]) +" "\\1" style "${style}")
  set(program "")
  foreach(name ${modules})
    file(READ ${FROM}/${name}.js text)
    string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n) *//[^\n]*" "\\1" text "${text}") # comments stay with the modules
    string(REGEX REPLACE "\n[ \n]+" "\n" text "${text}")
    string(REGEX REPLACE " (=>|===|!==|&&|\\|\\|) " "\\1" text "${text}")
    string(APPEND program "${text}\n")
  endforeach()
  string(REPLACE "/*STYLE*/" "${style}" page "${page}")
  string(REPLACE "/*PROGRAM*/" "${program}" page "${page}")
  file(WRITE ${TO}.html "${page}")
  set(FILES ${TO}.html)
  set(OUT ${TO})
  set(ARRAY ph_viewer_page)
  include(${CMAKE_CURRENT_LIST_DIR}/embed.cmake)
  return()
endif()

set(PH_VIEWER ${PROJECT_BINARY_DIR}/viewer.c)
set(viewer_files ${PROJECT_SOURCE_DIR}/viewer/page.html ${PROJECT_SOURCE_DIR}/viewer/style.css)
foreach(name ${modules})
  list(APPEND viewer_files ${PROJECT_SOURCE_DIR}/viewer/${name}.js)
endforeach()
add_custom_command(
  OUTPUT ${PH_VIEWER}
  COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_SOURCE_DIR}/viewer -DTO=${PH_VIEWER} -P ${PROJECT_SOURCE_DIR}/cmake/viewer.cmake
  DEPENDS ${viewer_files} ${PROJECT_SOURCE_DIR}/cmake/viewer.cmake ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "The page of polhode view")
