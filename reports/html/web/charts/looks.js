// What all charts share. Colours are the page's custom properties, so that a change of theme needs no redraw.
import { legend } from "@observablehq/plot";

// Series differ in colour and in shape: either alone tells them apart.
const colours = ["var(--shape-a)", "var(--shape-b)", "var(--shape-c)", "var(--shape-d)"];
const shapes = ["circle", "triangle", "square", "diamond", "star", "cross", "wye"];

export const text = "var(--ink)";
export const soft = "var(--soft)";

export function base(width, label) {
  return { width, ariaLabel: label, className: "plot", style: { fontSize: "12px", fontFamily: "inherit" } };
}

export function scales(series) {
  return {
    color: { domain: series, range: series.map((_, at) => colours[at % colours.length]) },
    symbol: { domain: series, range: series.map((_, at) => shapes[at % shapes.length]) },
  };
}

// A drawing and what its shapes mean.
export function withLegend(svg, series) {
  const all = svg.ownerDocument.createElement("div");
  if (series.length > 1) {
    const { color, symbol } = scales(series);
    all.append(legend({ symbol, color, fill: "color", className: "plot", style: { fontSize: "13px" } }));
  }
  all.append(svg);
  return all;
}

export const unique = (values) => [...new Set(values)];
