-- Memory instructions with their counters, summed over the `lines` windows of a group: one row a group and
-- instruction. An instruction belongs to a kernel, a window to its launches: where one window holds launches of
-- two groups of the same kernel, the counts cannot be told apart and are left out.
WITH
  measured_window AS MATERIALIZED (
    SELECT phase_window.id
    FROM phase_window
    JOIN phase ON phase.id = phase_window.phase AND phase.name = 'lines'
    JOIN coverage_reason ON coverage_reason.id = phase_window.outcome AND coverage_reason.name = 'measured'
  ),
  window_group AS MATERIALIZED (
    SELECT
      launch.window_id,
      kernel_group.kernel_id,
      min(launch.group_id) AS group_id,
      count(*) AS launches
    FROM launch
    JOIN kernel_group ON kernel_group.id = launch.group_id
    WHERE launch.window_id IS NOT NULL AND launch.window_id IN (SELECT id FROM measured_window)
    GROUP BY launch.window_id, kernel_group.kernel_id
    HAVING min(launch.group_id) = max(launch.group_id)
  ),
  group_launches AS MATERIALIZED (
    SELECT group_id, sum(launches) AS launches FROM window_group GROUP BY group_id
  )
SELECT
  window_group.group_id,    -- the group
  instruction.kernel_id,    -- its function
  instruction.module_crc,   -- the code that holds the instruction
  instruction.pc_offset,    -- bytes from the function's beginning
  instruction.source_state, -- whether file and line are known
  instruction.file,         -- NULL unless resolved
  instruction.line,         -- NULL unless resolved
  group_launches.launches,  -- in all the group's windows, also those in which this instruction did not run
  sum(value) FILTER (WHERE metric.key = 'instruction_sectors') AS sectors,             -- NULL: not counted
  sum(value) FILTER (WHERE metric.key = 'instruction_ideal_sectors') AS ideal_sectors, -- NULL: not counted
  sum(value) FILTER (WHERE metric.key = 'instruction_loads') AS loads,                 -- as a load, once a warp
  sum(value) FILTER (WHERE metric.key = 'instruction_stores') AS stores                -- as a store, once a warp
FROM instruction_reading
JOIN instruction ON instruction.id = instruction_reading.instruction_id
JOIN metric ON metric.id = instruction_reading.metric_id
JOIN window_group ON window_group.window_id = instruction_reading.window_id
  AND window_group.kernel_id = instruction.kernel_id
JOIN group_launches ON group_launches.group_id = window_group.group_id
GROUP BY window_group.group_id, instruction.id
