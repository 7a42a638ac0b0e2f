-- The driver refuses the counters: times are there, nothing else is, and every gap has its remedy.
INSERT INTO capture (id, tool_version, command, options, working_directory, started_unix_ns, duration_ns, exit_status, exit_signal, clean) VALUES
  (1, '0.1.0', '["./app"]', '{}', '/home/user', 1700000000000000000, 640000000, 0, NULL, 1);
INSERT INTO process (id, pid, parent_pid, host, executable, began_ns, ended_ns, driver_version, cupti_version, clean) VALUES
  (1, 4711, 4710, 'node1', '/home/user/app', 21000000, 811000000, 13000, 130001, 1);
INSERT INTO device (id, process_id, ordinal, uuid, name, chip, compute_capability_major, compute_capability_minor, multiprocessors, clock_khz, memory_bytes, memory_clock_khz, memory_bus_bits, ecc, l2_bytes, warp_size, copy_engines) VALUES
  (1, 1, 0, 'GPU-00000000-0000-0000-0000-000000000001', 'NVIDIA H100 80GB HBM3', 'GH100', 9, 0, 132, 1980000, 85017755648, 2619000, 5120, 1, 52428800, 32, 3);
INSERT INTO kernel (id, process_id, name, registers_per_thread, static_shared_bytes, local_bytes_per_thread) VALUES
  (1, 1, '_Z4axpyifPKfPf', 12, 0, 0);
INSERT INTO kernel_group (id, process_id, device_id, kernel_id, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes) VALUES
  (1, 1, 1, 1, 4096, 1, 1, 256, 1, 1, 0);
INSERT INTO launch (id, group_id, stream, start_ns, gpu_ns, window_id, graph_id)
WITH RECURSIVE step(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM step WHERE n < 50)
SELECT n, 1, 7, 100000000 + n * 100000, 9000 + n, NULL, NULL FROM step;
INSERT INTO coverage (group_id, phase, launches_seen, launches_measured, reason) VALUES
  (1, 0, 50, 50, 0), (1, 1, 50, 0, 7), (1, 2, 50, 0, 7), (1, 3, 50, 0, 7), (1, 4, 50, 0, 7);
INSERT INTO diagnostic (id, process_id, severity, origin, code, count, text) VALUES
  (1, 1, 1, 'bytes', 'cupti_35', 1, 'The driver does not let this user read GPU counters (CUPTI 35); run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0.');
