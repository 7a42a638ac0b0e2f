# PyTorch's compiler: kernels that Triton makes while the program runs.
has_module triton
command -v gcc >/dev/null || command -v cc >/dev/null || command -v clang >/dev/null ||
  skip "no C compiler here, and Triton needs one"
export TORCHINDUCTOR_CACHE_DIR=$PWD/inductor TRITON_CACHE_DIR=$PWD/triton TORCHINDUCTOR_COMPILE_THREADS=1
alike python3 "$here/programs/torch_compile.py"
says 'True after 30 steps'
is 1 "SELECT count(*) >= 30 FROM launch l JOIN kernel_group g ON g.id = l.group_id JOIN kernel k ON k.id = g.kernel_id
      WHERE k.name LIKE 'triton_%'"
# y = x / 2 + 1 over 4 Mi floats: 16 MiB read, every sector used.
is '16777216|524288' "SELECT (SELECT DISTINCT value FROM $(readings_of triton_) AND m.key = 'global_load_bytes'),
      (SELECT DISTINCT value FROM $(readings_of triton_) AND m.key = 'global_load_sectors')"
