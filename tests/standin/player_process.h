#pragma once
// What a script does to its own process, apart from CUDA: files, limits, variables.

#include <functional>
#include <string>

#include "tests/standin/script.h"

namespace standin {

// Closes every descriptor from 3 on, fills files of its own, does `body`, and looks whether the files hold
// what was written into them; so many times over (files N { }). For `files_beside` a second thread does all
// but the body, which goes on meanwhile. Says how many files others had changed.
[[nodiscard]] std::string guard_files(const Statement& statement, const std::function<void()>& body);

// files=N, file_bytes=N, more_memory=N: the most descriptors, file size, and address space beyond what is in
// use; none: no limit any more.
void limit(const Statement& statement);

// Kills the process of this name that has the same parent.
void kill_sibling(const std::string& name);

// NAME=VALUE ...
void set_variables(const Statement& statement);

}  // namespace standin
