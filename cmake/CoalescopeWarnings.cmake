# Warnings for our own code. They are errors only when coalescope is the top-level project: a packager's
# newer compiler must not break his build. A row that names only some of its members leaves the others at their
# defaults on purpose.
function(coalescope_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
                                   -Wno-missing-field-initializers>)
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
endfunction()
