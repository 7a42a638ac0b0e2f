// Bandwidth over the size of a transfer, both logarithmic, beside what pinned memory reaches.
import { dot, plot, ruleY, text as words } from "@observablehq/plot";
import { base, scales, soft, unique, withLegend } from "./looks.js";
import { bandwidth, bytes } from "./units.js";

// Powers of two that bytes() writes without a fraction.
function sizeTicks(rows, width) {
  const least = Math.floor(Math.log2(Math.min(...rows.map((row) => row.bytes))));
  const most = Math.ceil(Math.log2(Math.max(...rows.map((row) => row.bytes))));
  const step = Math.max(1, Math.ceil((most - least) / Math.max(2, width / 90)));
  const ticks = [];
  for (let power = least; power <= most; power += step) ticks.push(2 ** power);
  return ticks;
}

export function transfers({ rows, references, in_all }, width) {
  const series = unique(rows.map((row) => row.series)).sort();
  const title = (row) =>
    `${row.series}, ${row.asynchronous ? "asynchronous" : "synchronous"}\n${row.transfers} transfers of ${bytes(row.bytes)}: ${bandwidth(row.bandwidth)}`;
  // Two references often lie close together: one is named above its line, the other below.
  const named = (reference, at) =>
    words([reference], {
      y: "bandwidth",
      frameAnchor: at % 2 === 0 ? "left" : "right",
      dy: at % 2 === 0 ? -8 : 10,
      dx: at % 2 === 0 ? 4 : -4,
      fill: soft,
      text: () => `pinned ${reference.direction}: ${bandwidth(reference.bandwidth)}`,
    });
  const ticks = sizeTicks(rows, width);
  const svg = plot({
    ...base(width, `Bandwidth over size for ${rows.length} of ${in_all} classes of transfers`),
    height: width < 500 ? 300 : 360,
    marginLeft: 64,
    marginRight: 24,
    marginTop: 28,
    marginBottom: 40,
    ...scales(series),
    x: { type: "log", base: 2, domain: [ticks[0] / 2, ticks.at(-1) * 2], ticks, tickFormat: bytes, label: "size of one transfer →", grid: true },
    y: { type: "log", label: "↑ bandwidth", tickFormat: bandwidth, ticks: 4, grid: true, nice: true },
    marks: [
      ruleY(references, { y: "bandwidth", stroke: soft, strokeDasharray: "5 4" }),
      ...references.map(named),
      dot(rows, { x: "bytes", y: "bandwidth", fill: "series", symbol: "series", r: 6, title }),
    ],
  });
  return withLegend(svg, series);
}
