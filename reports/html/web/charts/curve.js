// A curve of the calibration: what was measured over the parameter of the case, one line for each series, with the
// spread of the repetitions and, dashed, what is expected. Cases without a parameter are bars.
import { barX, dot, line, plot, ruleX, text as words, tickX } from "@observablehq/plot";
import { base, margins, powersOfTwo, scales, soft, text, unique, withLegend, zoom } from "./looks.js";
import { bytes, lowerFirst, tick, time } from "./units.js";

// Sizes run over many powers of two, offsets and strides over a few.
const isWide = (rows) => Math.max(...rows.map((row) => row.x)) > 64 * Math.max(1, Math.min(...rows.map((row) => row.x)));

const figure = (y, unit) => (unit === "ns" ? time(y) : `${y.toPrecision(4)} ${unit}`.trim());

// Where repetitions lie so close together that the bar would hide behind its point, there is none.
const isSeen = (row, top) => row.spread > 0.01 * top;

function bars({ rows, y, unit }, width) {
  const top = 1.02 * Math.max(...rows.flatMap((row) => [row.y, row.expected ?? 0]));
  return plot({
    ...base(width, `${y}, ${rows.length} cases`),
    height: (34 * rows.length + 44) * zoom(),
    ...margins(12),
    marginTop: 4,
    marginBottom: 36 * zoom(),
    x: {
      domain: [0, top],
      label: `${unit === "ns" ? "time" : unit || lowerFirst(y)} →`,
      ticks: Math.max(2, Math.floor(width / 130)),
      grid: true,
      ...(unit === "ns" ? { tickFormat: tick(time) } : {}),
    },
    y: { axis: null, padding: 0, domain: rows.map((row) => row.series) },
    marks: [
      barX(rows, { x: "y", y: "series", fill: "var(--shape-a)", insetTop: 19 * zoom(), insetBottom: 4, rx: 2 }),
      tickX(rows.filter((row) => row.expected !== undefined), { x: "expected", y: "series", stroke: text, insetTop: 16 * zoom(), insetBottom: 1 }),
      words(rows, { frameAnchor: "left", y: "series", dy: -8 * zoom(), fill: text, text: "series" }),
      words(rows, { frameAnchor: "right", y: "series", dy: -8 * zoom(), fill: soft, text: (row) => figure(row.y, unit) }),
    ],
  });
}

// On a linear axis round numbers of bytes are those of MiB.
const inMib = (rows) => rows.map((row) => ({ ...row, x: row.x / 1024 ** 2 }));

export function curve({ rows, x, y, unit }, width) {
  const mostX = Math.max(...rows.map((row) => row.x));
  if (x.startsWith("bytes") && !isWide(rows) && mostX >= 1024 ** 2) return curve({ rows: inMib(rows), x: x.replace("bytes", "MiB"), y, unit }, width);
  if (x === "") return withLegend(bars({ rows, y, unit }, width), []);
  const series = unique(rows.map((row) => row.series));
  const wide = isWide(rows);
  const expected = rows.filter((row) => row.expected !== undefined);
  const top = 1.08 * Math.max(...rows.flatMap((row) => [row.y, row.expected ?? 0]));
  const spreads = rows.filter((row) => isSeen(row, top));
  const model = (row) => (row.expected === undefined ? "" : `\nexpected ${figure(row.expected, unit)}`);
  const title = (row) => `${row.series}\n${x}: ${row.x}\n${figure(row.y, unit)}${model(row)}`;
  const format = wide && x.startsWith("bytes") ? bytes : String;
  const svg = plot({
    ...base(width, `${y} over ${x}, ${rows.length} points`),
    height: width < 500 ? 260 : 300,
    ...margins(56),
    ...scales(series),
    x: {
      ...(wide ? { type: "log", base: 2 } : { type: "linear" }),
      ticks: wide ? powersOfTwo([Math.max(1, Math.min(...rows.map((row) => row.x))), mostX], width - 80 * zoom(), 66) : Math.max(3, Math.floor(width / 100)),
      tickFormat: format,
      label: `${x} →`,
      grid: true,
    },
    y: {
      domain: [0, top],
      label: `↑ ${unit === "ns" ? "time" : unit || lowerFirst(y)}`,
      grid: true,
      ticks: 5,
      ...(unit === "ns" ? { tickFormat: tick(time) } : {}),
    },
    marks: [
      ...(expected.length === 0
        ? []
        : [line(expected, { x: "x", y: "expected", stroke: "series", strokeWidth: 1, strokeDasharray: "4 3" })]),
      ...(spreads.length === 0
        ? []
        : [ruleX(spreads, { x: "x", y1: (row) => row.y - row.spread / 2, y2: (row) => row.y + row.spread / 2, stroke: "series" })]),
      line(rows, { x: "x", y: "y", stroke: "series", strokeWidth: 1.5 }),
      dot(rows, { x: "x", y: "y", fill: "series", symbol: "series", r: 4, title }),
    ],
  });
  return withLegend(svg, series);
}
