// GPU time over degree of coalescing: a point for the loads of each kernel group and one for its stores.
import { dot, plot, ruleX, text as words } from "@observablehq/plot";
import { base, margins, scales, soft, text, withLegend, zoom } from "./looks.js";
import { share, shortened, tick, time } from "./units.js";

const series = ["loads", "stores"];

function points({ rows }) {
  return rows.flatMap((row) => [
    { ...row, series: "loads", degree: row.load },
    { ...row, series: "stores", degree: row.store },
  ]).filter((point) => point.degree !== null);
}

const markRadius = 7, besideMark = 10;

// Where a point is drawn, in pixels.
function placeOf(point, { width, height, least, most }) {
  const { marginLeft, marginRight, marginTop, marginBottom } = margins(56);
  const part = Math.log(point.gpu_ns / least) / Math.log(most / least);
  return {
    x: marginLeft + point.degree * (width - marginLeft - marginRight),
    y: height - marginBottom - part * (height - marginTop - marginBottom),
  };
}

// Where its name would stand beside it; letters are at most some 8.5 wide.
function boxOf({ x, y }, right, label) {
  const length = 8.5 * zoom() * label.length, left = right ? x + besideMark : x - besideMark - length;
  return { left, right: left + length, top: y - 8 * zoom(), bottom: y + 8 * zoom() };
}

const markOf = ({ x, y }) => ({ left: x - markRadius, right: x + markRadius, top: y - markRadius, bottom: y + markRadius });
const cover = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

// The names that matter: much time at a low degree, cut where the place beside the point is short. None covers another,
// or a point, or sticks out.
function worthNaming(all, count, lengths, room) {
  const moved = (point) => point.gpu_ns * (1 - point.degree);
  const taken = all.map((point) => markOf(placeOf(point, room)));
  const isFree = (box) => box.left >= margins(56).marginLeft && box.right <= room.width && !taken.some((other) => cover(box, other));
  const named = [];
  for (const point of all.filter((each) => each.degree < 0.9).sort((a, b) => moved(b) - moved(a))) {
    if (named.length === count) break;
    const place = placeOf(point, room);
    const isNear = (other) => Math.abs(other.x - place.x) < 40 && Math.abs(other.y - place.y) < 40;
    const looksAlike = (other) => shortened(other.name, lengths[0]) === shortened(point.name, lengths[0]);
    if (named.some((other) => looksAlike(other) && isNear(placeOf(other, room)))) continue;
    const choices = lengths.flatMap((length) => [true, false].map((right) => ({ ...point, right, label: shortened(point.name, length) })));
    const chosen = choices.find(({ right, label }) => isFree(boxOf(place, right, label)));
    if (!chosen) continue;
    named.push(chosen);
    taken.push(boxOf(place, chosen.right, chosen.label));
  }
  return named;
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
  const height = narrow ? 300 : 340;
  const named = worthNaming(all, narrow ? 3 : 6, narrow ? [22, 14] : [40, 30, 20, 14], { width, height, least: ticks[0], most: ticks.at(-1) });
  const svg = plot({
    ...base(width, `GPU time over degree of coalescing for ${data.rows.length} of ${data.in_all} kernel groups`),
    height,
    ...margins(56),
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
          r: markRadius - 2.5 * at,
          stroke: "var(--card)",
          strokeWidth: 1,
          title,
        }),
      ),
      ...[true, false].map((right) =>
        words(
          named.filter((each) => each.right === right),
          {
            x: "degree",
            y: "gpu_ns",
            dx: right ? besideMark : -besideMark,
            textAnchor: right ? "start" : "end",
            fill: text,
            stroke: "var(--card)",
            strokeWidth: 4,
            text: "label",
            title,
          },
        ),
      ),
    ],
  });
  return withLegend(svg, series);
}
