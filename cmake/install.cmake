# What `cmake --install` copies: library, headers and tables, program, its manual and completions, models, CMake package and pkg-config file. The
# whole tree may be moved afterwards: every path in it is relative.
include(CMakePackageConfigHelpers)

install(TARGETS libpolhode EXPORT polhode-targets)
install(DIRECTORY include/polhode DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(polhode PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
install(TARGETS polhode)
set(help ${PROJECT_BINARY_DIR}/help)
add_custom_command(OUTPUT ${help}/stamp COMMAND ${CMAKE_COMMAND} -DPOLHODE=$<TARGET_FILE:polhode> -DOUT=${help}
  -P ${PROJECT_SOURCE_DIR}/cmake/help.cmake DEPENDS polhode cmake/help.cmake VERBATIM)
add_custom_target(ph_help ALL DEPENDS ${help}/stamp)
install(DIRECTORY ${help}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${help}/completions/polhode DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${help}/completions/_polhode DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/polhode FILES_MATCHING PATTERN "*.lua" PATTERN "*.csv")

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/polhode)
install(EXPORT polhode-targets NAMESPACE polhode:: DESTINATION ${package})
configure_package_config_file(cmake/polhode-config.cmake.in polhode-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(polhode-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/polhode-config.cmake ${PROJECT_BINARY_DIR}/polhode-config-version.cmake
        DESTINATION ${package})

file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/polhode.pc.in polhode.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/polhode.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE README.md CHANGELOG.md docs/model.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
