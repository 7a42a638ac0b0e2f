// Live bytes over time: a line of steps for each kind of memory.
import { dot, line, plot, ruleY } from "@observablehq/plot";
import { base, margins, scales, soft, withLegend } from "./looks.js";
import { bytes, tick, time } from "./units.js";

// Powers of two and their multiples, so that an axis says "512 MiB".
function byteTicks(most) {
  const step = 2 ** Math.ceil(Math.log2(Math.max(4, most) / 4));
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
}

export function memory({ rows, in_all, ended_ns }, width) {
  const series = rows.map((row) => row.name);
  const end = rows.reduce((last, { steps }) => Math.max(last, steps.at(-2)), ended_ns);
  const points = rows.flatMap(({ name, steps }) => {
    const all = [];
    for (let at = 0; at < steps.length; at += 2) all.push({ name, x: steps[at], y: steps[at + 1] });
    all.push({ ...all.at(-1), x: end }); // what is allocated stays so until the end
    return all;
  });
  // Some of each line carry its shape.
  const marked = rows.flatMap(({ name }) => {
    const own = points.filter((point) => point.name === name);
    return own.filter((_, at) => (own.length - 1 - at) % Math.ceil(own.length / 5) === 0);
  });
  const most = points.reduce((highest, { y }) => Math.max(highest, y), 0);
  const svg = plot({
    ...base(width, `Live bytes over time for ${series.length} of ${in_all} kinds of memory, at most ${bytes(most)}`),
    height: 180,
    ...margins(68),
    ...scales(series),
    x: { label: "time since the recording began →", tickFormat: tick(time), ticks: Math.max(3, Math.floor(width / 130)), grid: true },
    y: { label: "↑ live bytes", tickFormat: tick(bytes), ticks: byteTicks(most), grid: true, zero: true },
    marks: [
      ruleY([0], { stroke: soft }),
      line(points, { x: "x", y: "y", stroke: "name", curve: "step-after", strokeWidth: 2 }),
      dot(marked, { x: "x", y: "y", fill: "name", symbol: "name", r: 4 }),
    ],
  });
  return withLegend(svg, series);
}
