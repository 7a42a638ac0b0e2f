// One bar for each finding: the time that its subject takes, and in it the part that a repair would save.
import { barX, plot, text as words } from "@observablehq/plot";
import { base, soft, text, withLegend } from "./looks.js";
import { shortened, tick, time } from "./units.js";

export function losses({ rows, in_all }, width) {
  const ranked = rows.map((row, at) => ({ ...row, rank: at + 1, whole: Math.max(row.subject_ns ?? 0, row.lost_ns) }));
  const name = (row) => `${row.rank}. ${row.title}: ${row.subject}`;
  const narrow = width < 500;
  const cost = (row) => (narrow ? time(row.lost_ns) : `${time(row.lost_ns)} lost of ${time(row.whole)}`);
  const rowHeight = 44;
  const svg = plot({
    ...base(width, `Time lost by each of the ${rows.length} most costly of ${in_all} findings`),
    height: rowHeight * rows.length + 48,
    marginLeft: 12,
    marginRight: 24,
    marginTop: 4,
    marginBottom: 44,
    x: { label: "GPU time →", tickFormat: tick(time), ticks: Math.max(2, Math.floor(width / 130)), grid: true },
    y: { axis: null, padding: 0, domain: ranked.map((row) => row.rank) },
    marks: [
      barX(ranked, { x: "whole", y: "rank", fill: "var(--line)", insetTop: 22, insetBottom: 8, rx: 2 }),
      barX(ranked, { x: "lost_ns", y: "rank", fill: "var(--severe)", insetTop: 22, insetBottom: 8, rx: 2 }),
      words(ranked, {
        frameAnchor: "left",
        y: "rank",
        dy: -10,
        fill: text,
        text: (row) => shortened(name(row), Math.floor((width - (narrow ? 80 : 190)) / 7)),
        title: name,
      }),
      words(ranked, { frameAnchor: "right", y: "rank", dy: -10, fill: soft, text: cost }),
    ],
  });
  return withLegend(svg, []);
}
