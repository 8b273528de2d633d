# Pages of the manual and scripts that complete command lines, as the program itself prints them.
# Usage: cmake -DPOLHODE=program -DOUT=folder -P help.cmake
function(keep file)
  execute_process(COMMAND ${POLHODE} help ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${OUT}/${file} "${text}")
endfunction()

execute_process(COMMAND ${POLHODE} list commands OUTPUT_VARIABLE list COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n  [a-z]+" names "\n${list}")
file(REMOVE_RECURSE ${OUT}/man)
keep(man/polhode.1 --man)
foreach(name ${names})
  string(STRIP ${name} name)
  keep(man/polhode-${name}.1 ${name} --man)
endforeach()
keep(completions/polhode --completion bash)
keep(completions/_polhode --completion zsh)
file(TOUCH ${OUT}/stamp)
