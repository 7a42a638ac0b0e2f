# The program's environment differs only in what brings the library to it.
export EMPTY= LINES_IN_IT=$'a\nb' EQUALS='=a=b=' ODD=$'\xff' "NOT A NAME"=1 2>/dev/null
ours='^(LD_PRELOAD|COALESCOPE_[A-Z_]*|CUDA_INJECTION64_PATH|NVTX_INJECTION64_PATH|_)='
list="tr '\\0' '\\n' </proc/self/environ | grep -avE '$ours' | sort"
same env -i EMPTY= "NOT A NAME=1" "=nameless" ODD=$'\xff' HOME=/ PATH="$PATH" bash -c "$list"
same bash -c "$list"
same env -u PATH /bin/sh -c 'echo "${PATH-none}"'
