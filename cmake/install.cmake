# The engine as a library for other programs: find_package(paretrain), target paretrain::engine. The component `engine` is
# that library alone, for which the target paretrain_engine is all that has to be built; the component `program` is paretrain.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS paretrain_base paretrain_engine project_options EXPORT paretrain
  ARCHIVE COMPONENT engine
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/paretrain" COMPONENT engine)
install(TARGETS paretrain RUNTIME COMPONENT program)
install(EXPORT paretrain NAMESPACE paretrain:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/paretrain" COMPONENT engine)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/paretrain-config.cmake.in"
  "${PROJECT_BINARY_DIR}/paretrain-config.cmake" INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/paretrain")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/paretrain-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/paretrain-config.cmake" "${PROJECT_BINARY_DIR}/paretrain-config-version.cmake"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/paretrain" COMPONENT engine)
