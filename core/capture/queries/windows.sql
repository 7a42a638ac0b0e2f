-- What measuring did and cost: one row a phase and outcome.
SELECT
  phase,                     -- what was measured
  outcome,                   -- measured, or why the readings were discarded
  count(*) AS windows,       -- how many
  sum(launches) AS launches, -- launches in them
  sum(cost_ns) AS cost_ns,   -- host time spent on entering and leaving them
  sum(launches_cost_ns) AS launches_cost_ns  -- and on their launches; NULL: an older capture
FROM phase_window
GROUP BY phase, outcome
ORDER BY phase, outcome
