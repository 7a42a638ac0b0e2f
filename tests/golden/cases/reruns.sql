-- Two ranks on two hosts, recorded with --rerun: run 0 traced, run 1 counted bytes, run 2 lines, each kernel launched
-- once. Each rank's row has one launch, with the time of run 0 and the counters of the others; the copy counts once.
INSERT INTO capture (id, tool_version, command, options, working_directory, started_unix_ns, duration_ns, exit_status, exit_signal, clean) VALUES
  (1, '0.1.0', '["mpirun","./solver"]', '{}', '/home/user', 1700000000000000000, 900000000, 0, NULL, 1);
-- Process 1 + 2 * run + rank; later runs come in another order, as they may.
INSERT INTO process (id, pid, parent_pid, host, executable, began_ns, ended_ns, driver_version, cupti_version, clean, run, rank, local_rank)
WITH runs(run) AS (VALUES (0), (1), (2)), ranks(rank) AS (VALUES (0), (1))
SELECT 1 + 2 * run + rank, 4000 + 10 * run + rank, 3999, 'node' || rank, '/home/user/solver',
       1000000000 * run + 20000000 - rank * run * 1000000, 1000000000 * run + 800000000, 13000, 130001, 1, run, rank, 0
FROM runs, ranks;
INSERT INTO device (id, process_id, ordinal, uuid, name, chip, compute_capability_major, compute_capability_minor, multiprocessors, clock_khz, memory_bytes, memory_clock_khz, memory_bus_bits, ecc, l2_bytes, warp_size, copy_engines)
SELECT id, id, 0, 'GPU-00000000-0000-0000-0000-00000000000' || (1 + rank), 'NVIDIA H100 80GB HBM3', 'GH100', 9, 0, 132, 1980000, 85017755648, 2619000, 5120, 1, 52428800, 32, 3
FROM process;

-- Kernel and group 10 * process + 1 is the strided one, + 2 one that only rank 0 launches.
INSERT INTO kernel (id, process_id, name, registers_per_thread, static_shared_bytes, local_bytes_per_thread)
SELECT 10 * id + 1, id, '_Z12strided_copyILi32EEvPfPKf', 16, 0, 0 FROM process
UNION ALL SELECT 10 * id + 2, id, '_Z11packed_copyPfPKf', 14, 0, 0 FROM process WHERE rank = 0;
INSERT INTO kernel_group (id, process_id, device_id, kernel_id, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes)
SELECT id, process_id, process_id, id, 8192, 1, 1, 256, 1, 1, 0 FROM kernel;

INSERT INTO phase_window (id, process_id, phase, began_ns, ended_ns, launches, cost_ns, outcome)
SELECT 10 * p.id + k.number, p.id, p.run, p.began_ns + 1000000, p.began_ns + 9000000, 1, 400000, 0
FROM process AS p JOIN (SELECT 1 AS number UNION ALL SELECT 2) AS k ON k.number = 1 OR p.rank = 0
WHERE p.run > 0;
-- Run 0 is timed; in the others each launch is in a window of its own.
INSERT INTO launch (id, group_id, stream, start_ns, gpu_ns, window_id, graph_id)
SELECT g.id, g.id, 7, iif(p.run = 0, p.began_ns + 5000000, NULL),
       iif(p.run = 0, iif(g.id % 10 = 1, 136500 + 1000 * p.rank, 11000), NULL), iif(p.run = 0, NULL, g.id), NULL
FROM kernel_group AS g JOIN process AS p ON p.id = g.process_id;
INSERT INTO transfer (id, process_id, device_id, stream, direction, source_memory, destination_memory, bytes, start_ns, gpu_ns, asynchronous, graph_id)
SELECT id, id, id, 7, 1, 2, 3, 67108864, began_ns + 2000000, 1220000, 0, NULL FROM process;

-- In run 0 all phases but the trace were off, in run 1 all but bytes, in run 2 all but lines.
INSERT INTO coverage (group_id, phase, launches_seen, launches_measured, reason)
WITH phases(phase) AS (VALUES (1), (2), (3), (4))
SELECT g.id, phase, 1, p.run = phase, iif(p.run = phase, 0, 8)
FROM kernel_group AS g JOIN process AS p ON p.id = g.process_id, phases;

-- Rank 1's stride is a worse one.
INSERT INTO reading (launch_id, metric_id, value)
SELECT g.id, metric.id, v.column3 + iif(p.rank = 1 AND v.column2 = 'global_load_sectors', 65536, 0)
FROM (VALUES
  (1, 'global_load_bytes', 8388608), (1, 'global_load_sectors', 2097152), (1, 'global_load_requests', 65536),
  (1, 'global_store_bytes', 8388608), (1, 'global_store_sectors', 262144), (1, 'global_store_requests', 65536),
  (2, 'global_load_bytes', 8388608), (2, 'global_load_sectors', 262144), (2, 'global_load_requests', 65536),
  (2, 'global_store_bytes', 8388608), (2, 'global_store_sectors', 262144), (2, 'global_store_requests', 65536)
) AS v LEFT JOIN metric ON metric.key = v.column2
JOIN kernel_group AS g ON g.id % 10 = v.column1
JOIN process AS p ON p.id = g.process_id AND p.run = 1;

INSERT INTO instruction (id, kernel_id, module_crc, pc_offset, source_state, file, line)
SELECT k.id, k.id, 99, 176, 1, 'solver.cu', iif(k.id % 10 = 1, 14, 20)
FROM kernel AS k JOIN process AS p ON p.id = k.process_id WHERE p.run = 2;
INSERT INTO instruction_reading (window_id, instruction_id, metric_id, value)
SELECT i.id, i.id, metric.id, iif(i.id % 10 = 1 AND metric.key = 'instruction_sectors', 2097152, v.column2)
FROM instruction AS i, (VALUES
  ('instruction_sectors', 262144), ('instruction_ideal_sectors', 262144), ('instruction_loads', 65536),
  ('instruction_stores', 0)) AS v LEFT JOIN metric ON metric.key = v.column1;

INSERT INTO diagnostic (id, process_id, severity, origin, code, count, text) VALUES
  (1, NULL, 0, 'record', 'rerun', 1, 'The program was run 3 times (measured: trace, bytes, lines). Times, launches and transfers are those of the first run, counters those of the others.');
