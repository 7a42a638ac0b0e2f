// Kernels, copies and waits over time, one column a pixel: a column's height is the busy part of its time. What was
// not listed, or was measured, is hatched. Mouse, touch and keyboard move the view.
import { buttons, moves } from "./moves.js";
import { placed, span, stretches, united } from "./stretches.js";
import { zoom } from "./looks.js";
import { time } from "./units.js";

const laneHeight = 26;
const mostBandRows = 4;
const bandHeight = () => 16 * zoom();

// The view survives a new width.
let view = null;

const node = (document, tag, attributes = {}, ...content) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
};

// Lanes from top to bottom: of each device kernels and copies, of each process waits.
function lanesOf(data) {
  const lanes = [];
  const seen = new Set();
  for (const [at, device] of data.rows.entries()) {
    const process = data.processes[device.process];
    const name = data.rows.length > 1 ? `${device.name}: ` : "";
    const hidden = { unlisted: stretches(process?.unlisted ?? [], data), measuring: stretches(process?.measuring ?? [], data) };
    lanes.push({ name: `${name}kernels`, css: "lane-kernels", parts: stretches(device.kernels, data), hidden, device: at });
    lanes.push({ name: `${name}copies`, css: "lane-copies", parts: stretches(device.copies, data), hidden, both: stretches(device.both, data), device: at });
    if (process && !seen.has(device.process) && process.waits.length) {
      lanes.push({ name: `${name}host waits`, css: "lane-waits", parts: stretches(process.waits, data), hidden: null });
    }
    seen.add(device.process);
  }
  return lanes;
}

// The outline of the columns, as one path. They stand on the ground, or grow out of the middle both ways.
function columnsPath(shares, top, height, left, middle = false) {
  let path = "";
  for (let x = 0; x < shares.length; ) {
    const share = shares[x];
    let end = x + 1;
    while (end < shares.length && shares[end] === share) ++end;
    if (share > 0) {
      const tall = Math.max(1.5, Math.min(1, share) * height);
      const y = top + (height - tall) / (middle ? 2 : 1);
      path += `M${left + x} ${y.toFixed(1)}h${end - x}v${tall.toFixed(1)}h${x - end}z`;
    }
    x = end;
  }
  return path;
}

function shadesPath(parts, scale, top, height) {
  return parts
    .filter((part) => part.end > scale.from && part.begin < scale.to)
    .map((part) => {
      const x = Math.max(scale.left, scale.x(part.begin));
      const width = Math.max(1, Math.min(scale.left + scale.width, scale.x(part.end)) - x);
      return `M${x.toFixed(1)} ${top}h${width.toFixed(1)}v${height}h-${width.toFixed(1)}z`;
    })
    .join("");
}

// Round steps of 1, 2 and 5, so that there are five to nine ticks on a wide screen.
function ticksOf(from, to, width) {
  const about = (to - from) / Math.max(2, width / 130);
  const power = 10 ** Math.floor(Math.log10(about));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= about);
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return { ticks, step };
}

// As many digits as tell neighbours apart.
function tickText(ns, step) {
  const [unit, size] = ns >= 1e9 ? ["s", 1e9] : ns >= 1e6 ? ["ms", 1e6] : ["us", 1e3];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${(ns / size).toFixed(Math.min(6, digits))} ${unit}`;
}

function axis(document, data, scale, y) {
  const group = node(document, "g", { class: "axis" });
  const { ticks, step } = ticksOf(data.began_ns + scale.from, data.began_ns + scale.to, scale.width);
  for (const tick of ticks) {
    const x = scale.x(tick - data.began_ns);
    group.append(node(document, "path", { d: `M${x.toFixed(1)} 0V${y}` }));
    const anchor = x > scale.left + scale.width - 30 ? "end" : x < scale.left + 30 ? "start" : "middle";
    group.append(node(document, "text", { x: x.toFixed(1), y: y + 14 * zoom(), "text-anchor": anchor }, tickText(tick, step)));
  }
  return group;
}

// Ranges that have no band of their own, in the first row.
function shortBands(document, parts, scale, top) {
  const shares = placed(parts, scale.from, scale.to, scale.width);
  return node(document, "path", { class: "band-short", d: columnsPath(shares.map((share) => (share > 0 ? 1 : 0)), top, bandHeight() - 2, scale.left) });
}

function drawBands(document, bands, names, scale, top) {
  const group = node(document, "g", { class: "bands" });
  let thin = "";
  for (const band of bands) {
    if (band.end < scale.from || band.begin > scale.to) continue;
    const x = Math.max(scale.left, scale.x(band.begin));
    const width = Math.min(scale.left + scale.width, scale.x(band.end)) - x;
    const y = top + band.row * bandHeight();
    if (width < 3) {
      thin += `M${x.toFixed(1)} ${y}v${bandHeight() - 2}`;
      continue;
    }
    const name = names[band.name];
    const drawn = node(document, "rect", { x: x.toFixed(1), y, width: width.toFixed(1), height: bandHeight() - 2 });
    drawn.append(node(document, "title", {}, `${name}: ${time(band.length)}`));
    group.append(drawn);
    const letters = Math.floor((width - 6) / (6.5 * zoom()));
    if (letters >= 3) {
      const shown = name.length <= letters ? name : `${name.slice(0, letters - 1)}…`;
      group.append(node(document, "text", { x: (x + 3).toFixed(1), y: y + 11 * zoom() }, shown));
    }
  }
  if (thin) group.append(node(document, "path", { d: thin }));
  return group;
}

const percent = (part) => (part > 0 && part < 0.001 ? "< 0.1 %" : `${(100 * part).toFixed(1)} %`);

// What is in view, in words.
function words(data, lanes) {
  const { from, to } = view;
  const hides = (lane) => Object.values(lane.hidden ?? {}).some((parts) => span(parts, from, to) > 0);
  const parts = lanes.map((lane) => {
    const busy = span(lane.parts, from, to) / (to - from);
    return `${lane.name} ${hides(lane) && busy >= 0.001 ? "at least " : ""}${percent(busy)}`;
  });
  const both = lanes.filter((lane) => lane.both).map((lane) => span(lane.both, from, to));
  if (both.some((ns) => ns > 0)) parts.push(`a kernel and a copy at once ${percent(Math.max(...both) / (to - from))}`);
  const hidden = (kind) => span(united(...lanes.map((lane) => lane.hidden?.[kind] ?? [])), from, to) / (to - from);
  if (hidden("unlisted") > 0) parts.push(`launches not listed for ${percent(hidden("unlisted"))}`);
  if (hidden("measuring") > 0) parts.push(`measured and not timed for ${percent(hidden("measuring"))}`);
  // No line ends between a number and its unit.
  return `${time(data.began_ns + from)} to ${time(data.began_ns + to)} (${time(to - from)}): ${parts.join(", ")}.`.replace(/(\d) (?=%|[num]?s\b)/g, "$1\u00a0");
}

function legend(document, hasRanges) {
  const list = document.createElement("ul");
  list.className = "plot-swatches";
  for (const [css, text] of [["lane-kernels", "kernels"], ["lane-copies", "copies and memory sets"], ["lane-both", "both at once"],
    ["lane-waits", "the host waits"], ["unlisted", "not listed"], ["measuring", "measured: launches without a time"], ...(hasRanges ? [["lane-band", "NVTX ranges"]] : [])]) {
    const item = document.createElement("li");
    item.className = "plot-swatch";
    const swatch = node(document, "svg", { width: 14, height: 14, "aria-hidden": "true" });
    swatch.append(node(document, "rect", { class: css, width: 14, height: 14, ...(hatches[css] ? { fill: `url(#hatch-${css})` } : {}) }));
    item.append(swatch, text);
    list.append(item);
  }
  return list;
}

// Their distance and direction tell the two apart.
const hatches = { unlisted: [6, 45], measuring: [9, -45] };

function hatchPatterns(document) {
  return node(document, "defs", {}, ...Object.entries(hatches).map(([name, [size, turn]]) => {
    const pattern = node(document, "pattern", { id: `hatch-${name}`, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${turn})` });
    pattern.append(node(document, "path", { class: `hatch-line ${name}`, d: `M0 0V${size}` }));
    return pattern;
  }));
}

// Beside its lane or, on a narrow screen, above it.
const laneName = (document, name, scale, top, height) =>
  node(document, "text", { class: "lane-name", x: scale.names ? 0 : scale.left, y: scale.names ? top + height - 4 : top - 4 }, name);

function drawLanes(document, svg, lanes, scale) {
  lanes.forEach((lane, at) => {
    const top = 4 + at * (laneHeight + scale.gap) + scale.gap;
    svg.append(laneName(document, lane.name, scale, top, laneHeight - 4));
    svg.append(node(document, "path", { class: "lane-ground", d: `M${scale.left} ${top + laneHeight}h${scale.width}` }));
    for (const [kind, parts] of Object.entries(lane.hidden ?? {}))
      svg.append(node(document, "path", { class: "lane-hidden", fill: `url(#hatch-${kind})`, d: shadesPath(parts, scale, top, laneHeight) }));
    const shares = placed(lane.parts, scale.from, scale.to, scale.width);
    svg.append(node(document, "path", { class: lane.css, d: columnsPath(shares, top, laneHeight, scale.left) }));
    if (!lane.both) return;
    const both = placed(lane.both, scale.from, scale.to, scale.width);
    const height = 2 * laneHeight + scale.gap;
    svg.append(node(document, "path", { class: "lane-both", d: columnsPath(both, top - laneHeight - scale.gap, height, scale.left, true) }));
  });
}

export function timeline(data, width, document = globalThis.document) {
  const lanes = lanesOf(data);
  const bands = rowsOfBands(data);
  const whole = data.ended_ns - data.began_ns;
  view ??= { from: 0, to: whole };
  const all = document.createElement("div");
  const left = width < 500 ? 0 : 14 + 6.6 * zoom() * Math.max(...lanes.map((lane) => lane.name.length));
  const gap = width < 500 ? 18 : 4;
  const svg = node(document, "svg", { class: "plot time-line", role: "img" });
  const state = document.createElement("p");
  state.className = "time-state";
  state.setAttribute("role", "status");
  const redraw = () => {
    const inner = Math.max(50, Math.floor(width - left));
    const scale = { ...view, left, width: inner, gap, names: width >= 500, x: (ns) => left + ((ns - view.from) / (view.to - view.from)) * inner };
    const below = 8 + lanes.length * (laneHeight + gap) + gap;
    const height = below + bands.rows * bandHeight() + (bands.rows ? 4 : 0);
    const tall = height + 20 * zoom();
    svg.setAttribute("viewBox", `0 0 ${width} ${tall}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", tall);
    svg.replaceChildren(hatchPatterns(document), axis(document, data, scale, height));
    drawLanes(document, svg, lanes, scale);
    if (bands.rows) svg.append(laneName(document, "NVTX", scale, below, bandHeight()));
    svg.append(shortBands(document, bands.short, scale, below), drawBands(document, bands.all, data.ranges.names, scale, below));
    state.textContent = words(data, lanes);
    svg.setAttribute("aria-label", `Kernels, copies and waits over time. ${state.textContent}`);
  };
  const frame = document.createElement("div");
  frame.className = "time-frame";
  frame.append(svg);
  const act = moves(frame, { whole, left: () => left, width: () => width - left, get: () => view, set: (next) => { view = next; redraw(); } });
  all.append(legend(document, bands.all.length > 0), buttons(document, act), frame, state);
  if (bands.left) all.append(note(document, `${bands.left.toLocaleString("en")} shorter or deeper ranges have no band of their own.`));
  redraw();
  return all;
}

function note(document, text) {
  const made = document.createElement("p");
  made.className = "more";
  made.textContent = text;
  return made;
}

// Each band in the first row that is free; those that find none are left out.
function rowsOfBands(data) {
  const ends = [];
  const all = [];
  for (const [name, begin, length] of data.ranges.rows) {
    const from = begin * data.unit_ns;
    const to = (begin + length) * data.unit_ns;
    let row = ends.findIndex((end) => end <= from);
    if (row < 0) row = ends.length;
    if (row >= mostBandRows) continue;
    ends[row] = to;
    all.push({ name, begin: from, end: to, length: to - from, row });
  }
  const short = stretches(data.ranges.short, data);
  return { all, short, rows: ends.length, left: data.ranges.in_all - all.length };
}
