-- A capture made by calibrate: its own figures are the machine's, and a wrong count is seen.
INSERT INTO capture (id, tool_version, command, options, working_directory, started_unix_ns, duration_ns, exit_status, exit_signal, clean) VALUES
  (1, '0.1.0', '["coalescope_kernels"]', '{}', '/home/user', 1700000000000000000, 4000000000, 0, NULL, 1);
INSERT INTO process (id, pid, parent_pid, host, executable, began_ns, ended_ns, driver_version, cupti_version, clean) VALUES
  (1, 4711, 4710, 'node1', '/home/user/app', 21000000, 811000000, 13000, 130001, 1);
INSERT INTO device (id, process_id, ordinal, uuid, name, chip, compute_capability_major, compute_capability_minor, multiprocessors, clock_khz, memory_bytes, memory_clock_khz, memory_bus_bits, ecc, l2_bytes, warp_size, copy_engines) VALUES
  (1, 1, 0, 'GPU-00000000-0000-0000-0000-000000000001', 'NVIDIA H100 80GB HBM3', 'GH100', 9, 0, 132, 1980000, 85017755648, 2619000, 5120, 1, 52428800, 32, 3);
INSERT INTO calibration (id, family, case_id, quantity, unit, abscissa, expected, measured, verdict, note) VALUES
  (1, 'A1', 'sequential_copy', 'global_load_sectors', 'sectors', NULL, 8388608, 8388608, 0, NULL),
  (2, 'A1', 'sequential_copy', 'bandwidth_gb_s', 'GB/s', NULL, NULL, 2470.5, 3, NULL),
  (3, 'A3', 'offset_copy/1', 'global_load_sectors', 'sectors', 1, 10485720, 10485721, 1, 'one sector too many'),
  (4, 'A3', 'offset_copy/1', 'global_store_sectors', 'sectors', 1, 10485720, NULL, 1, 'not measured: launched too seldom'),
  (5, 'D1', 'copy_host_to_device_pinned/4096', 'bandwidth_gb_s', 'GB/s', 4096, NULL, 1.7, 3, NULL),
  (6, 'D1', 'copy_host_to_device_pinned/268435456', 'bandwidth_gb_s', 'GB/s', 268435456, NULL, 26.1, 3, NULL);
INSERT INTO transfer (id, process_id, device_id, stream, direction, source_memory, destination_memory, bytes, start_ns, gpu_ns, asynchronous, graph_id) VALUES
  (1, 1, 1, 7, 1, 1, 3, 268435456, 30000000, 34000000, 0, NULL);
