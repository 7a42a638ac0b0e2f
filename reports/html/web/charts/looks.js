// What all charts share. Colours are the page's custom properties, so that a change of theme needs no redraw.
import { legend } from "@observablehq/plot";

// Series differ in colour and in shape: either alone tells them apart.
const colours = ["var(--shape-a)", "var(--shape-b)", "var(--shape-c)", "var(--shape-d)"];
const shapes = ["circle", "triangle", "square", "diamond", "star", "cross", "wye"];

export const text = "var(--ink)";
export const soft = "var(--soft)";

// How much larger the page's letters are than usual: on very wide screens they grow.
export const zoom = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;

export function base(width, label) {
  return { width, ariaLabel: label, className: "plot", style: { fontSize: `${12 * zoom()}px`, fontFamily: "inherit" } };
}

export const margins = (left, all = zoom()) => ({ marginLeft: left * all, marginRight: 24 * all, marginTop: 28 * all, marginBottom: 40 * all });

// Powers of two, so far apart that their labels, `room` wide, stand clear of each other; two at least.
export function powersOfTwo([least, most], pixels, room) {
  const [first, last] = [Math.max(0, Math.ceil(Math.log2(least))), Math.floor(Math.log2(most))];
  const power = pixels / Math.log2(most / least);
  const step = Math.max(1, Math.min(Math.ceil((room * zoom()) / power), last - first));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => 2 ** (first + at * step));
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
    all.append(legend({ symbol, color, fill: "color", className: "plot", style: { fontSize: `${13 * zoom()}px` } }));
  }
  all.append(svg);
  return all;
}

export const unique = (values) => [...new Set(values)];
