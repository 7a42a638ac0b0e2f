-- Every counter of an instruction, in the order of the table's key; the reader adds them up by group. Adding them up in
-- SQL takes four times as long: it sorts them with the names of their files.
SELECT
  window_id,      -- where it was counted
  instruction_id, -- the instruction
  metric_id,      -- the counter
  value           -- its count
FROM instruction_reading
