// Bandwidth over the size of a copy between host and device, beside what pinned memory reaches.
import { dot, line, plot, ruleX, ruleY } from "@observablehq/plot";
import { base, margins, powersOfTwo, scales, soft, unique, withLegend } from "./looks.js";
import { bandwidth, bytes, tick } from "./units.js";

// What the machine reaches, of the kinds of copies that the program made and around their sizes.
function machineLines(curves, series, least, most) {
  return curves
    .filter((curve) => series.includes(curve.series))
    .flatMap(({ series, points }) =>
      points.filter(({ bytes }) => bytes >= least && bytes <= most).map((point) => ({ series, ...point })),
    );
}

export function transfers({ rows, in_all, curves }, width) {
  const series = unique(rows.map((row) => row.series)).sort();
  const title = (row) =>
    `${row.series}, ${row.asynchronous ? "asynchronous" : "synchronous"}\n${row.transfers} copies of ${bytes(row.bytes)}: ${bandwidth(row.bandwidth)}`;
  const referenced = rows.filter((row) => row.reference !== null);
  const sizes = rows.map((row) => row.bytes);
  // Beside few sizes a part of the machine's curve is seen, too.
  const room = curves.length > 0 ? 8 : 2;
  const domain = [Math.min(...sizes) / room, Math.max(...sizes) * room];
  const reached = machineLines(curves, series, ...domain);
  const highest = Math.max(
    ...rows.map((row) => Math.max(row.bandwidth, row.reference ?? 0)),
    ...reached.map((point) => point.bandwidth),
  );
  const around = margins(64);
  const ticks = powersOfTwo(domain, width - around.marginLeft - around.marginRight, 66);
  const svg = plot({
    ...base(width, `Bandwidth over size for ${rows.length} of ${in_all} classes of copies`),
    height: width < 500 ? 300 : 320,
    ...around,
    ...scales(series),
    x: {
      type: "log",
      base: 2,
      domain,
      ticks,
      tickFormat: bytes,
      label: "size of one copy →",
      grid: true,
    },
    y: { domain: [0, 1.1 * highest], label: "↑ bandwidth", tickFormat: tick(bandwidth), ticks: 5, grid: true },
    marks: [
      ruleY([0], { stroke: soft }),
      line(reached, { x: "bytes", y: "bandwidth", z: "series", stroke: "series", strokeWidth: 1.5, strokeOpacity: 0.6 }),
      // The gap to what pinned memory reaches at this size.
      ruleX(referenced, { x: "bytes", y1: "bandwidth", y2: "reference", stroke: soft, strokeDasharray: "3 3" }),
      ruleY(referenced, {
        x1: (row) => row.bytes / 1.25,
        x2: (row) => row.bytes * 1.25,
        y: "reference",
        stroke: soft,
        strokeWidth: 2,
        title: (row) => `pinned memory reaches ${bandwidth(row.reference)} at this size`,
      }),
      dot(rows, { x: "bytes", y: "bandwidth", fill: "series", symbol: "series", r: 6, title }),
    ],
  });
  return withLegend(svg, series);
}
