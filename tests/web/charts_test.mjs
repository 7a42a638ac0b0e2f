// Each chart, drawn in plain node from the data of a sample page, against its golden SVG.
// COALESCOPE_UPDATE_GOLDEN=1 writes the golden files anew; look at the difference before committing it.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import test from "node:test";
import { packages, pageText } from "./support.mjs";

const { JSDOM } = packages("jsdom");

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// The page as a browser without layout sees it: its last script draws the charts.
function drawn(sample) {
  const dom = new JSDOM(pageText(sample), { runScripts: "outside-only", pretendToBeVisual: true });
  const { document } = dom.window;
  for (const folded of document.querySelectorAll("details")) folded.open = true;
  const scripts = [...document.scripts].filter((script) => script.type !== "application/json");
  dom.window.eval(scripts.at(-1).textContent);
  return document;
}

const figure = (document, kind) => document.querySelector(`figure[data-chart="${kind}"]`);

// One element a line, so that a difference can be read; digits beyond what a screen shows are cut.
const readable = (svg) =>
  svg.outerHTML.replace(/></g, ">\n<").replace(/-?\d+\.\d{4,}/g, (number) => Number(number).toFixed(3)) + "\n";

function matchesGolden(document, kind, file) {
  const text = readable(figure(document, kind).querySelector(".drawing"));
  const golden = here(`golden/${file}.svg`);
  if (process.env.COALESCOPE_UPDATE_GOLDEN) writeFileSync(golden, text);
  assert.ok(existsSync(golden), `${golden} is missing: run with COALESCOPE_UPDATE_GOLDEN=1`);
  assert.equal(text, readFileSync(golden, "utf8"), `${file} differs from ${golden}`);
}

const rich = drawn("rich");
const calibration = drawn("calibration");

for (const kind of ["kernels", "transfers", "timeline", "memory"]) test(`chart ${kind}`, () => matchesGolden(rich, kind, kind));
for (const family of ["A3", "A4", "A4-2", "C1", "C1-2", "C4", "D1", "D4"])
  test(`curve ${family}`, () => matchesGolden(calibration, `curve-${family}`, `curve-${family}`));

test("each loads and each stores measured is a point", () => {
  const points = figure(rich, "kernels").querySelectorAll('[data-mark="dot"] > path');
  assert.equal(points.length, 15); // 8 kernels with counts, of which one has no loads
});

test("what was not listed and what was measured is hatched, each in its own way", () => {
  const svg = figure(rich, "timeline").querySelector("svg.time-line");
  for (const kind of ["unlisted", "measuring"]) {
    const hatched = svg.querySelectorAll(`.lane-hidden[fill="url(#hatch-${kind})"]`);
    assert.equal(hatched.length, 2, "kernels and copies");
    assert.match(hatched[0].getAttribute("d"), /^M[\d.]+ \d+h[\d.]+/, kind);
    assert.ok(svg.querySelector(`#hatch-${kind} path`));
  }
});

test("the time line's words follow the figures of the page", () => {
  assert.match(figure(rich, "timeline").querySelector("[role=status]").textContent,
    /^1\.00\ss to 3\.05\ss \(2\.05\ss\): kernels at least 19\.5\s%, copies at least 14\.6\s%, host waits 4\.9\s%, a kernel and a copy at once 4\.9\s%, launches not listed for 24\.4\s%, measured and not timed for 4\.9\s%\.$/);
});

test("a chart without data stays hidden", () => {
  for (const kind of ["kernels", "transfers", "timeline", "memory"]) {
    const empty = figure(drawn("empty"), kind);
    assert.ok(!empty || empty.hidden, kind);
  }
});

test("a hostile name is text in a chart", () => {
  const hostile = drawn("hostile");
  assert.equal(hostile.querySelectorAll("figure script, figure img").length, 0);
  assert.match(figure(hostile, "kernels").textContent, /<script>window\.pwned/);
});

test("a large capture puts the top into its charts and says of how many", () => {
  const large = drawn("large");
  const data = JSON.parse(large.getElementById("chart-data").textContent);
  assert.equal(data.kernels.rows.length, 200);
  assert.match(figure(large, "kernels").querySelector(".drawing > svg").getAttribute("aria-label"), /200 of 5000 kernel groups/);
});

test("charts bring no style that the content policy forbids", () => {
  for (const document of [rich, calibration]) {
    assert.equal(document.querySelectorAll("figure style").length, 0);
    assert.equal(document.querySelectorAll("figure:not([hidden])").length > 0, true);
  }
});

test("no lock file names a registry", () => {
  for (const lock of ["package-lock.json", "../../reports/html/web/package-lock.json"]) {
    const text = readFileSync(here(lock), "utf8");
    assert.doesNotMatch(text, /"resolved"|registry/);
    assert.match(text, /"integrity"/);
  }
});
