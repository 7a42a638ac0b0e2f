-- Killed by signal 9 in the middle: what had been written is reported, and said to be incomplete.
INSERT INTO capture (id, tool_version, command, options, working_directory, started_unix_ns, duration_ns, exit_status, exit_signal, clean) VALUES
  (1, '0.1.0', '["./app","--forever"]', '{}', '/home/user', 1700000000000000000, 5000000000, NULL, 9, 0);
INSERT INTO process (id, pid, parent_pid, host, executable, began_ns, ended_ns, driver_version, cupti_version, clean) VALUES
  (1, 4711, 4710, 'node1', '/home/user/app', 21000000, NULL, 13000, 130001, 0);
INSERT INTO device (id, process_id, ordinal, uuid, name, chip, compute_capability_major, compute_capability_minor, multiprocessors, clock_khz, memory_bytes, memory_clock_khz, memory_bus_bits, ecc, l2_bytes, warp_size, copy_engines) VALUES
  (1, 1, 0, 'GPU-00000000-0000-0000-0000-000000000001', 'NVIDIA H100 80GB HBM3', 'GH100', 9, 0, 132, 1980000, 85017755648, 2619000, 5120, 1, 52428800, 32, 3);
INSERT INTO kernel (id, process_id, name, registers_per_thread, static_shared_bytes, local_bytes_per_thread) VALUES
  (1, 1, '_Z4axpyifPKfPf', NULL, NULL, NULL);
INSERT INTO kernel_group (id, process_id, device_id, kernel_id, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes) VALUES
  (1, 1, 1, 1, 4096, 1, 1, 256, 1, 1, 0);
-- Neither coverage nor times had been written yet.
INSERT INTO launch (id, group_id, stream, start_ns, gpu_ns, window_id, graph_id) VALUES
  (1, 1, 7, NULL, NULL, NULL, NULL), (2, 1, 7, NULL, NULL, NULL, NULL);
