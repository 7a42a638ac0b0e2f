# Kernels that kernels launch come through unharmed; the parents are all there, and no two readings of them differ.
same "$PROGRAMS/nested"
says right
is 20 "SELECT count(*) FROM launch l JOIN kernel_group g ON g.id = l.group_id JOIN kernel k ON k.id = g.kernel_id
       WHERE k.name LIKE '%parent%'"
is 0 "SELECT count(*) FROM (SELECT m.key FROM $(readings_of parent) AND m.key LIKE 'global_%'
      GROUP BY m.key HAVING count(DISTINCT value) > 1)"
