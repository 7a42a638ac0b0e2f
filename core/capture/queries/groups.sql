-- Kernel groups: one row a group. What is known of their kernels and the times are added by the reader.
SELECT
  id,                   -- the group
  process_id,           -- the process that launched it
  device_id,            -- the device that ran it
  grid_x,               -- blocks
  grid_y,
  grid_z,
  block_x,              -- threads of a block
  block_y,
  block_z,
  dynamic_shared_bytes, -- asked for at the launch
  variant,              -- one of several that differ in what they do; NULL: the only one
  parameters,           -- how its parameters differ from those of variant 1
  kernel_id             -- the function; a group without its kernel is damage, and must show
FROM kernel_group
ORDER BY id
