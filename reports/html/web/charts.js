// Draws the charts into the figures that the page left for them, from the JSON that it carries. A chart holds
// nothing that the tables and --json lack, so one that cannot be drawn stays hidden.
import { curve } from "./charts/curve.js";
import { kernels } from "./charts/kernels.js";
import { memory } from "./charts/memory.js";
import { timeline } from "./charts/timeline.js";
import { transfers } from "./charts/transfers.js";

const makers = { kernels, memory, timeline, transfers };

// Where a figure has no size, as in a test without layout.
const usualWidth = 860;

// Plot puts a style element into what it makes: the page's policy forbids it, and style.css has the same rules.
// To a screen reader the whole is one image with a name, so its parts give up theirs.
function prepared(drawing) {
  for (const style of drawing.querySelectorAll("style")) style.remove();
  for (const svg of drawing.querySelectorAll("svg[aria-label]")) svg.setAttribute("role", "img");
  for (const part of drawing.querySelectorAll("g[aria-label]")) {
    part.dataset.mark = part.getAttribute("aria-label");
    part.removeAttribute("aria-label");
  }
  return drawing;
}

function draw(figure, data) {
  const kind = figure.dataset.chart;
  const make = makers[kind] ?? curve;
  const input = makers[kind] ? data[kind] : data.curves[kind];
  if (!input || input.rows.length === 0) return;
  figure.hidden = false;
  const style = getComputedStyle(figure);
  const inner = figure.clientWidth - parseFloat(style.paddingLeft || 0) - parseFloat(style.paddingRight || 0);
  const drawing = prepared(make(input, inner > 0 ? Math.floor(inner) : usualWidth));
  figure.querySelector(".drawing")?.remove();
  drawing.classList.add("drawing");
  figure.append(drawing);
}

const data = JSON.parse(document.getElementById("chart-data").textContent);
// What is folded has no size: it is drawn when it is opened.
const shown = (within) =>
  [...within.querySelectorAll("figure[data-chart]")].filter((figure) => !figure.closest("details:not([open])"));
const drawAll = (within) => shown(within).forEach((figure) => draw(figure, data));
drawAll(document);
document.addEventListener("toggle", (event) => event.target.open && drawAll(event.target), true);

// Only a new width asks for new drawings: on a phone, scrolling alone changes the height.
let width = innerWidth;
let waiting;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(waiting);
  waiting = setTimeout(drawAll, 150, document);
});
