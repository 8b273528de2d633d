# The page of `polhode view` as a source of the program: viewer/page.html with the style and the modules in their places.
# Run as a script (-P) it writes that source; no other tool is needed. Modules share one scope in the page: `import` lines go,
# and so does the word `export`. Modules of "further" are part of some pages only: each is a text of its own, ph_viewer_NAME.
set(further live ghosts)
set(modules math data geometry shapes gl beams marks scene camera plots panel record main)
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${FROM}/page.html page)
  file(READ ${FROM}/style.css style)
  string(REGEX REPLACE "([;:{,]) +" "\\1" style "${style}")
  string(REGEX REPLACE ";? +([{}])" "\\1" style "${style}")
  function(read_module name out)
    file(READ ${FROM}/${name}.js text)
    string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n) *//[^\n]*" "\\1" text "${text}") # comments stay with the modules
    string(REGEX REPLACE "\n[ \n]+" "\n" text "${text}")
    string(REGEX REPLACE " (=>|===|!==|&&|\\|\\||<=|>=|\\?|:|\\+=) " "\\1" text "${text}")
    string(REGEX REPLACE "(const|let) ([A-Za-z0-9_]+) = " "\\1 \\2=" text "${text}")
    string(REGEX REPLACE "([;{]) " "\\1" text "${text}") # texts that people read have none of these
    string(REGEX REPLACE " }" "}" text "${text}")
    string(REGEX REPLACE " \\* " "*" text "${text}")
    set(${out} "${text}\n" PARENT_SCOPE)
  endfunction()
  function(add_array name text)
    file(WRITE ${TO}.html "${text}")
    file(READ ${TO}.html bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(0x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x..,)" "\\1\n" bytes "${bytes}")
    file(APPEND ${TO} "
extern const unsigned char ph_viewer_${name}[];
const unsigned char ph_viewer_${name}[] = {${bytes}0};
")
  endfunction()
  set(program "")
  foreach(name ${modules})
    read_module(${name} text)
    string(APPEND program "${text}")
  endforeach()
  string(REPLACE "/*STYLE*/" "${style}" page "${page}")
  string(REPLACE "/*PROGRAM*/" "${program}" page "${page}")
  file(WRITE ${TO} "/* Written by cmake/viewer.cmake from viewer/. */\n")
  foreach(name ${further})
    read_module(${name} text)
    add_array(${name} "${text}")
  endforeach()
  add_array(page "${page}")
  return()
endif()

set(PH_VIEWER ${PROJECT_BINARY_DIR}/viewer.c)
set(viewer_files ${PROJECT_SOURCE_DIR}/viewer/page.html ${PROJECT_SOURCE_DIR}/viewer/style.css)
foreach(name ${modules} ${further})
  list(APPEND viewer_files ${PROJECT_SOURCE_DIR}/viewer/${name}.js)
endforeach()
add_custom_command(
  OUTPUT ${PH_VIEWER}
  COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_SOURCE_DIR}/viewer -DTO=${PH_VIEWER} -P ${PROJECT_SOURCE_DIR}/cmake/viewer.cmake
  DEPENDS ${viewer_files} ${PROJECT_SOURCE_DIR}/cmake/viewer.cmake ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "The page of polhode view")
