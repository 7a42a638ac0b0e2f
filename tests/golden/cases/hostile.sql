-- Names that a hostile program could choose, files that must not be read, and counts near the end of their range.
INSERT INTO capture (id, tool_version, command, options, working_directory, started_unix_ns, duration_ns, exit_status, exit_signal, clean) VALUES
  (1, '0.1.0', '["./app","\u001b[31mred","</script>"]', '{}', '/home/user', 1700000000000000000, 640000000, 0, NULL, 1);
INSERT INTO process (id, pid, parent_pid, host, executable, began_ns, ended_ns, driver_version, cupti_version, clean) VALUES
  (1, 4711, 4710, 'node1', '/home/user/<b>app</b>', 21000000, 811000000, 13000, 130001, 1);
INSERT INTO device (id, process_id, ordinal, uuid, name, chip, compute_capability_major, compute_capability_minor, multiprocessors, clock_khz, memory_bytes, memory_clock_khz, memory_bus_bits, ecc, l2_bytes, warp_size, copy_engines) VALUES
  (1, 1, 0, 'GPU-00000000-0000-0000-0000-000000000001', 'NVIDIA H100 80GB HBM3', 'GH100', 9, 0, 132, 1980000, 85017755648, 2619000, 5120, 1, 52428800, 32, 3);
INSERT INTO kernel (id, process_id, name, registers_per_thread, static_shared_bytes, local_bytes_per_thread) VALUES
  (1, 1, 'bell' || char(7) || ' clear' || char(27) || '[2J line' || char(10) || 'break', 12, 0, 0),
  (2, 1, '<script>alert("x")</script>', 12, 0, 0),
  (3, 1, CAST(x'62616420fffe20c328207574662d38' AS TEXT), 12, 0, 0),
  (4, 1, 'turned ' || char(8238) || 'gnirts', 12, 0, 0),
  (5, 1, '', 12, 0, 0);
INSERT INTO kernel_group (id, process_id, device_id, kernel_id, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes)
WITH RECURSIVE step(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM step WHERE n < 5)
SELECT n, 1, 1, n, 9007199254740992, 1, 1, 256, 1, 1, 0 FROM step;
INSERT INTO phase_window (id, process_id, phase, began_ns, ended_ns, launches, cost_ns, outcome) VALUES
  (1, 1, 2, 50000000, 51000000, 1, 400000, 0);
INSERT INTO launch (id, group_id, stream, start_ns, gpu_ns, window_id, graph_id) VALUES
  (1, 1, 7, 100000000, 1000000, NULL, NULL), (2, 2, 7, 101000000, 2000000, NULL, NULL), (3, 3, 7, 102000000, 3000000, NULL, NULL),
  (4, 4, 7, 103000000, 4000000, NULL, NULL), (5, 5, 7, 104000000, 5000000, NULL, NULL), (6, 1, 7, NULL, NULL, 1, NULL);
INSERT INTO reading (launch_id, metric_id, value)
SELECT column1, metric.id, column3 FROM (VALUES
  (1, 'global_load_bytes', 1), (1, 'global_load_sectors', 4611686018427387904), (1, 'global_load_requests', 1),
  (1, 'global_store_bytes', 0), (1, 'global_store_sectors', 0), (1, 'global_store_requests', 0),
  (1, 'l2_read_sectors', 4611686018427387904), (1, 'l2_write_sectors', 4611686018427387904), (1, 'l2_hit_sectors', -7),
  (1, 'dram_read_bytes', 9223372036854775807), (1, 'dram_write_bytes', 9223372036854775807), (1, 'l2_sysmem_sectors', 9223372036854775807)
) LEFT JOIN metric ON metric.key = column2;
INSERT INTO instruction (id, kernel_id, module_crc, pc_offset, source_state, file, line) VALUES
  (1, 1, 99, 16, 1, '/etc/passwd', 1), (2, 1, 99, 32, 1, '/dev/zero', 1), (3, 1, 99, 48, 1, '/dev/zero.cu', 0),
  (4, 1, 99, 64, 1, '../../../proc/self/environ', 9007199254740992);
INSERT INTO instruction_reading (window_id, instruction_id, metric_id, value)
SELECT 1, instruction.id, metric.id, CASE metric.key WHEN 'instruction_sectors' THEN 800 ELSE 100 END
FROM instruction, metric WHERE metric.key LIKE 'instruction_%';
