// A curve of the calibration: what was measured over the parameter of the case, one line for each series.
import { dot, line, plot } from "@observablehq/plot";
import { base, scales, unique, withLegend } from "./looks.js";
import { bytes } from "./units.js";

// Sizes run over many powers of two, offsets and strides over a few.
const isWide = (rows) => Math.max(...rows.map((row) => row.x)) > 64 * Math.max(1, Math.min(...rows.map((row) => row.x)));

export function curve({ rows, x, y, unit }, width) {
  const series = unique(rows.map((row) => row.series));
  const wide = isWide(rows);
  const title = (row) => `${row.series}\n${x}: ${row.x}\n${row.y.toPrecision(4)} ${unit}`;
  const format = wide && x.startsWith("bytes") ? bytes : String;
  const svg = plot({
    ...base(width, `${y} over ${x}, ${rows.length} points`),
    height: width < 500 ? 260 : 300,
    marginLeft: 56,
    marginRight: 24,
    marginTop: 28,
    marginBottom: 40,
    ...scales(series),
    x: {
      ...(wide ? { type: "log", base: 2 } : { type: "linear" }),
      ticks: Math.max(3, Math.floor(width / 100)),
      tickFormat: format,
      label: `${x} →`,
      grid: true,
    },
    y: { domain: [0, 1.08 * Math.max(...rows.map((row) => row.y))], label: `↑ ${unit}`, grid: true, ticks: 5 },
    marks: [
      line(rows, { x: "x", y: "y", stroke: "series", strokeWidth: 1.5 }),
      dot(rows, { x: "x", y: "y", fill: "series", symbol: "series", r: 4, title }),
    ],
  });
  return withLegend(svg, series);
}
