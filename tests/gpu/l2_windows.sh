# L2 windows where they were set, with what they ask for; a launch attribute once a group, not once a launch.
same "$PROGRAMS/l2_windows"
says right
is 'stream|65536|0.5|persisting|streaming
launch|8192|1.0|persisting|normal
graph_node|16384|0.25|streaming|normal
stream|0|0.25|streaming|normal' "SELECT t.name, bytes, hit_ratio, h.name, m.name FROM access_window
  JOIN window_target t ON t.id = target JOIN access_property h ON h.id = hit_property
  JOIN access_property m ON m.id = miss_property ORDER BY set_ns"
is 1 "SELECT count(DISTINCT stream) FROM access_window WHERE stream IS NOT NULL"
is 'set_aside|4194304
reset_persisting|NULL' "SELECT a.name, bytes FROM l2_setting JOIN l2_action a ON a.id = action
  WHERE bytes = 4194304 OR bytes IS NULL ORDER BY set_ns"
