-- Windows in which lines were measured: one row a window and kernel. An instruction belongs to a kernel, a window to
-- its launches: where one window holds launches of two groups of the same kernel, the counts cannot be told apart and
-- are left out.
WITH
  measured_window AS MATERIALIZED (
    SELECT phase_window.id
    FROM phase_window
    JOIN phase ON phase.id = phase_window.phase AND phase.name = 'lines'
    JOIN coverage_reason ON coverage_reason.id = phase_window.outcome AND coverage_reason.name = 'measured'
  )
SELECT
  launch.window_id,                 -- the window
  kernel_group.kernel_id,           -- the function
  min(launch.group_id) AS group_id, -- the only group of the function there
  count(*) AS launches              -- of that group
FROM launch
JOIN kernel_group ON kernel_group.id = launch.group_id
WHERE launch.window_id IS NOT NULL AND launch.window_id IN (SELECT id FROM measured_window)
GROUP BY launch.window_id, kernel_group.kernel_id
HAVING min(launch.group_id) = max(launch.group_id)
