-- A program with a strided copy, its repaired twin, a broadcast, and a kernel that ran only once: the first must
-- be named with its line, the others must not.
INSERT INTO capture (id, tool_version, command, options, working_directory, started_unix_ns, duration_ns, exit_status, exit_signal, clean) VALUES
  (1, '0.1.0', '["./strides","--stride","32"]', '{"samples":"3"}', '/home/user/strides', 1700000000000000000, 812000000, 0, NULL, 1);
INSERT INTO process (id, pid, parent_pid, host, executable, began_ns, ended_ns, driver_version, cupti_version, clean, recorder_cost_ns, measuring_cost_ns) VALUES
  (1, 4711, 4710, 'node1', '/home/user/strides/strides', 21000000, 811000000, 13000, 130001, 1, 93000000, 61900000);
INSERT INTO device (id, process_id, ordinal, uuid, name, chip, compute_capability_major, compute_capability_minor, multiprocessors, clock_khz, memory_bytes, memory_clock_khz, memory_bus_bits, ecc, l2_bytes, warp_size, copy_engines) VALUES
  (1, 1, 0, 'GPU-00000000-0000-0000-0000-000000000001', 'NVIDIA H100 80GB HBM3', 'GH100', 9, 0, 132, 1980000, 85017755648, 2619000, 5120, 1, 52428800, 32, 3);

INSERT INTO kernel (id, process_id, name, registers_per_thread, static_shared_bytes, local_bytes_per_thread) VALUES
  (1, 1, '_Z12strided_copyILi32EEvPfPKf', 16, 0, 0),
  (2, 1, '_Z11packed_copyPfPKf', 14, 0, 0),
  (3, 1, '_Z9broadcastPfPKf', 12, 0, 0),
  (4, 1, '_Z10initialisePfi', 8, 0, 0);
INSERT INTO kernel_group (id, process_id, device_id, kernel_id, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes) VALUES
  (1, 1, 1, 1, 8192, 1, 1, 256, 1, 1, 0),
  (2, 1, 1, 2, 8192, 1, 1, 256, 1, 1, 0),
  (3, 1, 1, 3, 8192, 1, 1, 256, 1, 1, 0),
  (4, 1, 1, 4, 262144, 1, 1, 256, 1, 1, 0);

INSERT INTO phase_window (id, process_id, phase, began_ns, ended_ns, launches, cost_ns, outcome, launches_cost_ns) VALUES
  (1, 1, 1, 30000000, 40000000, 3, 6200000, 0, 9800000),
  (2, 1, 2, 50000000, 51000000, 1, 400000, 0, 1500000),
  (3, 1, 2, 52000000, 53000000, 1, 380000, 0, 1400000),
  (4, 1, 2, 54000000, 55000000, 1, 390000, 0, 1100000),
  (5, 1, 3, 60000000, 90000000, 3, 21000000, 0, 400000),
  (6, 1, 4, 95000000, 120000000, 3, 19000000, 0, 300000);

-- Of each of the first three kernels: 1 launch in each window, then 96 that ran natively, one behind the other.
INSERT INTO launch (id, group_id, stream, start_ns, gpu_ns, window_id, graph_id)
WITH RECURSIVE step(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM step WHERE n < 99),
  kernels(group_id, gpu_ns) AS (VALUES (1, 136500), (2, 11000), (3, 10900))
SELECT group_id * 100 + n, group_id, 7,
       CASE WHEN n IN (0, 1) THEN NULL
            ELSE 200000000 + n * 1000000 + (group_id > 1) * (136500 + n % 3) + (group_id > 2) * (11000 + n % 3) END,
       CASE WHEN n IN (0, 1) THEN NULL ELSE gpu_ns + n % 3 END,
       CASE n WHEN 0 THEN 1 WHEN 1 THEN 1 + group_id WHEN 2 THEN 5 WHEN 3 THEN 6 END, NULL
FROM step, kernels;
INSERT INTO launch (id, group_id, stream, start_ns, gpu_ns, window_id, graph_id) VALUES
  (1, 4, 7, 25000000, 95000, NULL, NULL);

INSERT INTO coverage (group_id, phase, launches_seen, launches_measured, reason)
WITH measured(group_id) AS (VALUES (1), (2), (3)), phases(phase) AS (VALUES (0), (1), (2), (3), (4))
SELECT group_id, phase, 100, CASE phase WHEN 0 THEN 98 ELSE 1 END, 0 FROM measured, phases;
INSERT INTO coverage (group_id, phase, launches_seen, launches_measured, reason) VALUES
  (4, 0, 1, 1, 0), (4, 1, 1, 0, 1), (4, 2, 1, 0, 1), (4, 3, 1, 0, 1), (4, 4, 1, 0, 1);

-- Where there is no such metric its id is NULL, and the insertion fails.
INSERT INTO reading (launch_id, metric_id, value)
SELECT column1, metric.id, column3 FROM (VALUES
  (100, 'global_load_bytes', 8388608), (100, 'global_load_sectors', 2097152), (100, 'global_load_requests', 65536),
  (100, 'global_store_bytes', 8388608), (100, 'global_store_sectors', 2097152), (100, 'global_store_requests', 65536),
  (102, 'l2_read_sectors', 2097152), (102, 'l2_write_sectors', 2097152), (102, 'l2_sysmem_sectors', 21605),
  (102, 'dram_read_bytes', 201326592), (102, 'dram_write_bytes', 67108864), (102, 'traffic_ns', 136600),
  (200, 'global_load_bytes', 8388608), (200, 'global_load_sectors', 262144), (200, 'global_load_requests', 65536),
  (200, 'global_store_bytes', 8388608), (200, 'global_store_sectors', 262144), (200, 'global_store_requests', 65536),
  (202, 'l2_read_sectors', 262144), (202, 'l2_write_sectors', 262144), (202, 'l2_sysmem_sectors', 21605),
  (202, 'dram_read_bytes', 8391680), (202, 'dram_write_bytes', 6291456), (202, 'traffic_ns', 11100),
  (300, 'global_load_bytes', 262144), (300, 'global_load_sectors', 65536), (300, 'global_load_requests', 65536),
  (300, 'global_store_bytes', 8388608), (300, 'global_store_sectors', 262144), (300, 'global_store_requests', 65536),
  (302, 'l2_read_sectors', 4224), (302, 'l2_write_sectors', 262144), (302, 'l2_sysmem_sectors', 21605),
  (302, 'dram_read_bytes', 65536), (302, 'dram_write_bytes', 6291456), (302, 'traffic_ns', 11000)
) LEFT JOIN metric ON metric.key = column2;

INSERT INTO instruction (id, kernel_id, module_crc, pc_offset, source_state, file, line) VALUES
  (1, 1, 99, 176, 1, 'strides.cu', 14), (2, 1, 99, 224, 1, 'strides.cu', 14),
  (3, 2, 99, 160, 1, 'strides.cu', 22), (4, 2, 99, 208, 1, 'strides.cu', 22),
  (5, 3, 99, 160, 1, 'strides.cu', 30), (6, 3, 99, 208, 2, NULL, NULL);
INSERT INTO instruction_reading (window_id, instruction_id, metric_id, value)
SELECT column1, column2, metric.id, column4 FROM (VALUES
  (2, 1, 'instruction_sectors', 2097152), (2, 1, 'instruction_ideal_sectors', 262144), (2, 1, 'instruction_loads', 65536), (2, 1, 'instruction_stores', 0),
  (2, 2, 'instruction_sectors', 2097152), (2, 2, 'instruction_ideal_sectors', 262144), (2, 2, 'instruction_loads', 0), (2, 2, 'instruction_stores', 65536),
  (3, 3, 'instruction_sectors', 262144), (3, 3, 'instruction_ideal_sectors', 262144), (3, 3, 'instruction_loads', 65536), (3, 3, 'instruction_stores', 0),
  (3, 4, 'instruction_sectors', 262144), (3, 4, 'instruction_ideal_sectors', 262144), (3, 4, 'instruction_loads', 0), (3, 4, 'instruction_stores', 65536),
  (4, 5, 'instruction_sectors', 65536), (4, 5, 'instruction_ideal_sectors', 65536), (4, 5, 'instruction_loads', 65536), (4, 5, 'instruction_stores', 0),
  (4, 6, 'instruction_sectors', 262144), (4, 6, 'instruction_ideal_sectors', 262144), (4, 6, 'instruction_loads', 0), (4, 6, 'instruction_stores', 65536)
) LEFT JOIN metric ON metric.key = column3;
