-- Copies only: pageable and pinned both ways, a thousand small ones, one on the device, a memory set. The pageable
-- ones are compared with the pinned ones of this run where there are any of their size, else with the product.
INSERT INTO capture (id, tool_version, command, options, working_directory, started_unix_ns, duration_ns, exit_status, exit_signal, clean) VALUES
  (1, '0.1.0', '["./copies"]', '{}', '/home/user', 1700000000000000000, 640000000, 0, NULL, 1);
INSERT INTO process (id, pid, parent_pid, host, executable, began_ns, ended_ns, driver_version, cupti_version, clean) VALUES
  (1, 4711, 4710, 'node1', '/home/user/app', 21000000, 811000000, 13000, 130001, 1);
INSERT INTO device (id, process_id, ordinal, uuid, name, chip, compute_capability_major, compute_capability_minor, multiprocessors, clock_khz, memory_bytes, memory_clock_khz, memory_bus_bits, ecc, l2_bytes, warp_size, copy_engines) VALUES
  (1, 1, 0, 'GPU-00000000-0000-0000-0000-000000000001', 'NVIDIA H100 80GB HBM3', 'GH100', 9, 0, 132, 1980000, 85017755648, 2619000, 5120, 1, 52428800, 32, 3);
INSERT INTO transfer (id, process_id, device_id, stream, direction, source_memory, destination_memory, bytes, start_ns, gpu_ns, asynchronous, graph_id) VALUES
  (1, 1, 1, 7, 1, 1, 3, 134217728, 30000000, 17207000, 0, NULL),
  (2, 1, 1, 7, 1, 1, 3, 134217728, 60000000, 17107000, 0, NULL),
  (3, 1, 1, 7, 1, 2, 3, 134217728, 90000000, 2440000, 1, NULL),
  (4, 1, 1, 7, 2, 3, 1, 134217728, 120000000, 12662000, 1, NULL),
  (5, 1, 1, 7, 8, 3, 3, 134217728, 150000000, 104000, 1, NULL),
  (6, 1, 1, 7, 100, 0, 3, 134217728, 160000000, 52000, 1, NULL);
INSERT INTO transfer (id, process_id, device_id, stream, direction, source_memory, destination_memory, bytes, start_ns, gpu_ns, asynchronous, graph_id)
WITH RECURSIVE step(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM step WHERE n < 999)
SELECT 100 + n, 1, 1, 7, 1, 2, 3, 4096, 200000000 + n * 10000, 2560, 1, NULL FROM step;
