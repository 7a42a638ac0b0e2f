# CuPy: a kernel that is compiled while the program runs.
has_module cupy
alike python3 "$here/programs/cupy_strided.py"
says True
strided_is_exact
is 40 "SELECT count(*) FROM launch l JOIN kernel_group g ON g.id = l.group_id JOIN kernel k ON k.id = g.kernel_id
       WHERE k.name LIKE '%strided%'"
