-- A program that never initialised CUDA: the report must say so, and show no tables.
INSERT INTO capture (id, tool_version, command, options, working_directory, started_unix_ns, duration_ns, exit_status, exit_signal, clean) VALUES
  (1, '0.1.0', '["/bin/ls","-l","a file"]', '{}', '/home/user', 1700000000000000000, 2100000, 0, NULL, 1);
INSERT INTO diagnostic (id, process_id, severity, origin, code, count, text) VALUES
  (1, NULL, 0, 'record', 'no_cuda', 1, 'The program made no CUDA calls that could be recorded. A program that is linked statically, or that runs with another user''s rights, cannot be recorded.');
