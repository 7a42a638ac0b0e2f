# What is installed beside the programs, and the packages that `scripts/package` makes. The programs find their parts
# relative to themselves, so that every tree may lie anywhere.
set(pages ${PROJECT_BINARY_DIR}/pages)
set(COALESCOPE_PAGES man ${pages}/coalescope.1 share/man/man1
                     bash ${pages}/bash/coalescope share/bash-completion/completions
                     zsh ${pages}/_coalescope share/zsh/site-functions
                     fish ${pages}/coalescope.fish share/fish/vendor_completions.d)
set(made "")
while(COALESCOPE_PAGES)
  list(POP_FRONT COALESCOPE_PAGES form file folder)
  get_filename_component(place ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${place})
  add_custom_command(OUTPUT ${file} COMMAND coalescope pages ${form} > ${file} DEPENDS coalescope VERBATIM)
  install(FILES ${file} DESTINATION ${folder})
  list(APPEND made ${file})
endwhile()
# Debian's zsh looks there.
install(FILES ${pages}/_coalescope DESTINATION share/zsh/vendor-completions)
add_custom_target(cli_pages ALL DEPENDS ${made})
install(FILES CHANGELOG.md THIRD_PARTY.md README.md DESTINATION share/doc/coalescope)
install(FILES LICENSE DESTINATION share/doc/coalescope RENAME copyright)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_VENDOR "The coalescope project")
set(CPACK_PACKAGE_CONTACT "The coalescope project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_FILE_NAME coalescope-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 2)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# CUPTI comes with the CUDA Toolkit or with Python packages; the driver from the machine.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS python3)
include(CPack)
