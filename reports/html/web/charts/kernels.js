// GPU time over degree of coalescing: a point for the loads of each kernel group and one for its stores.
import { dot, plot, ruleX, text as words } from "@observablehq/plot";
import { base, scales, soft, text, withLegend } from "./looks.js";
import { share, shortened, tick, time } from "./units.js";

const series = ["loads", "stores"];

function points({ rows }) {
  return rows.flatMap((row) => [
    { ...row, series: "loads", degree: row.load },
    { ...row, series: "stores", degree: row.store },
  ]).filter((point) => point.degree !== null);
}

// The names that matter: much time at a low degree. More names than these would cover each other.
function worthNaming(all, most) {
  const moved = (point) => point.gpu_ns * (1 - point.degree);
  return all.filter((point) => point.degree < 0.9).sort((a, b) => moved(b) - moved(a)).slice(0, most);
}

// Powers of ten around all times, and where they are few also 2 and 5 of each.
function timeTicks(all) {
  const times = all.map((point) => point.gpu_ns);
  const least = Math.floor(Math.log10(Math.min(...times)));
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...times))));
  const ticks = [];
  for (let power = least; power < most; ++power) ticks.push(10 ** power, ...(most - least < 3 ? [2 * 10 ** power, 5 * 10 ** power] : []));
  return [...ticks, 10 ** most];
}

export function kernels(data, width) {
  const all = points(data);
  const ticks = timeTicks(all);
  const title = (point) =>
    `${point.name}\n${point.series}: degree of coalescing ${share(point.degree)}\n${time(point.gpu_ns)} in ${point.launches} launches`;
  const narrow = width < 500;
  const named = worthNaming(all, narrow ? 3 : 6);
  const svg = plot({
    ...base(width, `GPU time over degree of coalescing for ${data.rows.length} of ${data.in_all} kernel groups`),
    height: narrow ? 300 : 380,
    marginLeft: 56,
    marginRight: 24,
    marginTop: 28,
    marginBottom: 40,
    ...scales(series),
    x: { domain: [0, 1], label: "degree of coalescing →", tickFormat: tick(share), ticks: narrow ? 4 : 8, grid: true },
    y: { type: "log", domain: [ticks[0], ticks.at(-1)], label: "↑ GPU time", tickFormat: tick(time), ticks, grid: true },
    marks: [
      ruleX([1], { stroke: soft, strokeDasharray: "3 3" }),
      // Loads and stores of one kernel often coincide: the larger mark then shows around the smaller.
      ...series.map((name, at) =>
        dot(all.filter((point) => point.series === name), {
          x: "degree",
          y: "gpu_ns",
          fill: "series",
          symbol: "series",
          r: 7 - 2.5 * at,
          stroke: "var(--card)",
          strokeWidth: 1,
          title,
        }),
      ),
      // A name stands on the side where there is room for it.
      ...[true, false].map((right) =>
        words(
          named.filter((point) => (point.degree < 0.5) === right),
          {
            x: "degree",
            y: "gpu_ns",
            dx: right ? 10 : -10,
            textAnchor: right ? "start" : "end",
            fill: text,
            stroke: "var(--card)",
            strokeWidth: 4,
            text: (point) => shortened(point.name, narrow ? 22 : 40),
            title,
          },
        ),
      ),
    ],
  });
  return withLegend(svg, series);
}
