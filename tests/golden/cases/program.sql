-- What a program did beside kernels and copies: memory with its places, managed memory that moved, pointers, L2
-- windows, ranges with a hostile name, and waits.
INSERT INTO capture (id, tool_version, command, options, working_directory, started_unix_ns, duration_ns, exit_status, exit_signal, clean)
VALUES (1, '0.1.0', '["./train"]', '{}', '/home/user', 1795000000000000000, 900000000, 0, NULL, 1);
INSERT INTO process (id, pid, parent_pid, host, executable, began_ns, ended_ns, driver_version, cupti_version, clean, run)
VALUES (1, 42, 41, 'vm', '/home/user/train', 0, 900000000, 13000, 130001, 1, 0),
       (2, 43, 41, 'vm', '/home/user/train', 0, 900000000, 13000, 130001, 1, 1);
INSERT INTO device (id, process_id, ordinal, uuid, name, chip, multiprocessors, l2_bytes, warp_size)
VALUES (1, 1, 0, 'GPU-1', 'NVIDIA H100', 'GH100', 132, 52428800, 32);
INSERT INTO kernel (id, process_id, name, registers_per_thread, static_shared_bytes, local_bytes_per_thread, code_file)
VALUES (1, 1, '_Z4stepPKfPfi', 32, 0, 0, '/home/user/train');
INSERT INTO kernel_group (id, process_id, device_id, kernel_id, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes)
VALUES (1, 1, 1, 1, 128, 1, 1, 256, 1, 1, 0);
INSERT INTO launch (id, group_id, stream, start_ns, gpu_ns, window_id, graph_id)
VALUES (1, 1, 7, 1000000, 50000, NULL, NULL), (2, 1, 7, 2000000, 50000, NULL, NULL), (3, 1, 7, 9000000, 50000, NULL, NULL);
INSERT INTO call_site (id, process_id, module, module_offset, symbol, callers)
VALUES (1, 1, '/home/user/train', 4660, '_ZN3net4loadEv', '/home/user/train+0x99 main'), (2, 1, '/usr/lib/libblas.so', 64, NULL, NULL);
INSERT INTO allocation (id, process_id, device_id, kind, address, bytes, allocated_ns, freed_ns, stream, call_site_id, pytorch_pool)
VALUES (1, 1, 1, 1, 139000000000000, 67108864, 100000, NULL, NULL, 1, 0),
       (2, 1, 1, 1, 139100000000000, 33554432, 200000, 800000, NULL, 2, 1),
       (3, 1, NULL, 2, 140000000000000, 1048576, 300000, NULL, NULL, NULL, NULL),
       (4, 1, 1, 3, 141000000000000, 16777216, 400000, NULL, NULL, 1, 0),
       (5, 2, 1, 1, 139000000000000, 67108864, 100000, NULL, NULL, NULL, NULL);
-- Ten times 2 MiB are pinned; the call that gives back the sixth did not return while it was recorded.
WITH RECURSIVE round(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM round WHERE n < 9)
INSERT INTO allocation (id, process_id, device_id, kind, address, bytes, allocated_ns, freed_ns, stream, call_site_id, pytorch_pool, call_ns, free_call_ns)
SELECT 10 + n, 1, NULL, 2, 150000000000000, 2097152, 100000000 + 60000000 * n, 130000000 + 60000000 * n, NULL, 1, NULL, 5000000, iif(n = 5, NULL, 1000000) FROM round;
-- An allocation of the program's own, one that nobody looked at, two blocks of PyTorch's pool: the second one's tensor is known.
INSERT INTO group_pointer (group_id, parameter, memory, device_id, address, range_address, range_bytes, allocation_id, call_site_id)
VALUES (1, 0, 3, 1, 139000000000004, 139000000000000, 67108864, 1, NULL), (1, 1, 5, 1, 141000000000000, 141000000000000, 16777216, NULL, NULL),
       (1, 2, 3, 1, 139100000000512, 139100000000000, 33554432, 2, NULL), (1, 3, 3, 1, 139100000001024, 139100000000000, 33554432, 2, 1);
INSERT INTO unified_memory (id, process_id, event, address, amount, start_ns, duration_ns, source_device_id, destination_device_id)
VALUES (1, 1, 1, 141000000000000, 2097152, 900000, 50000, NULL, 1), (2, 1, 4, 141000000000000, 12, 890000, 5000, 1, NULL),
       (3, 1, 3, 141000000004096, 1, 3000000, NULL, NULL, NULL), (4, 1, 2, 141000000004096, 65536, 3000100, 9000, 1, NULL);
INSERT INTO access_window (id, process_id, target, stream, group_id, set_ns, address, bytes, hit_ratio, hit_property, miss_property)
VALUES (1, 1, 1, 7, NULL, 500000, 139000000000000, 4194304, 0.6, 2, 1), (2, 1, 3, NULL, 1, 600000, 139000000000000, 4194304, 1.0, 2, 0);
INSERT INTO l2_setting (id, process_id, device_id, action, set_ns, bytes)
VALUES (1, 1, 1, 1, 450000, 31457280), (2, 1, 1, 2, 9500000, NULL);
INSERT INTO nvtx_name (id, process_id, domain, name) VALUES (1, 1, NULL, 'step'), (2, 1, 'net', 'x' || char(27) || '[31m<b>');
INSERT INTO nvtx_range (id, process_id, name_id, kind, thread, depth, start_ns, end_ns)
VALUES (1, 1, 1, 1, 42, 0, 900000, 1500000), (2, 1, 1, 1, 42, 0, 1900000, 2500000), (3, 1, 2, 2, 42, 0, 0, NULL);
INSERT INTO synchronization (id, process_id, kind, stream, start_ns, wait_ns)
VALUES (1, 1, 3, 7, 1100000, 400000), (2, 1, 4, NULL, 9100000, 30000);
INSERT INTO synchronization_total (process_id, kind, calls, wait_ns, listed) VALUES (1, 3, 100, 600000, 1), (1, 4, 1, 30000, 1);
