-- Kernel groups with what is known of their kernels: one row a group. The times are added by the reader.
SELECT
  kernel_group.id,                   -- the group
  kernel_group.process_id,           -- the process that launched it
  kernel_group.device_id,            -- the device that ran it
  kernel_group.kernel_id,            -- the function
  kernel.name,                       -- its mangled name
  kernel_group.grid_x,               -- blocks
  kernel_group.grid_y,
  kernel_group.grid_z,
  kernel_group.block_x,              -- threads of a block
  kernel_group.block_y,
  kernel_group.block_z,
  kernel_group.dynamic_shared_bytes, -- asked for at the launch
  kernel.static_shared_bytes,        -- NULL: no timed launch has told it
  kernel.registers_per_thread,       -- the same
  kernel.local_bytes_per_thread      -- the same
FROM kernel_group
LEFT JOIN kernel ON kernel.id = kernel_group.kernel_id -- a group without its kernel is damage, and must show
ORDER BY kernel_group.id
