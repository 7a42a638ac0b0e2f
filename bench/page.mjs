#!/usr/bin/env node
// How soon the page of a real training run is there, and how long 5,000 kernels take to be sorted and filtered, with
// layout; medians of 9, in ms:
//   bench/page.mjs BUILD/bin/make_page BUILD/tests/web
// The browser's driver is that of the tests: build the target coalescope_web_tests first.
import { fileURLToPath, pathToFileURL } from "node:url";
import { browserOrSkip, packages, pageFile } from "../tests/web/support.mjs";

const runs = 9;
const { chromium } = packages("playwright-core");
const browser = await chromium.launch({ executablePath: browserOrSkip(), args: ["--no-sandbox", "--disable-gpu"] });
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function say(name, bound, once) {
  const times = [];
  for (let run = 0; run < runs; ++run) times.push(await once());
  const ms = median(times);
  console.log(`${name.padEnd(40)} ${ms.toFixed(0).padStart(6)} ms   bound ${bound} ms   ${ms <= bound ? "met" : "NOT MET"}`);
}

async function on(file, act, argument) {
  const page = await browser.newPage({ viewport: { width: 1300, height: 1400 } });
  await page.goto(pathToFileURL(file).href);
  const took = await page.evaluate(act, argument);
  await page.close();
  return took;
}

const gpt = pageFile(fileURLToPath(new URL("../tests/fixtures/page/gpt.coal", import.meta.url)), "gpt");
await say("GPT training: DOM ready", 600, () => on(gpt, () => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd));
await say("GPT training: first paint", 300, () => on(gpt, () => new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntriesByName("first-contentful-paint")[0].startTime)).observe({ type: "paint", buffered: true });
})));

const large = pageFile("large");
function act(name) {
  const acts = {
    "by time": () => document.querySelectorAll("#kernel-table thead button")[2].click(),
    "by name": () => document.querySelectorAll("#kernel-table thead button")[0].click(),
    filter: () => {
      const input = document.querySelector("input[type=search]");
      input.value = "<49";
      input.dispatchEvent(new Event("input"));
    },
  };
  const start = performance.now();
  acts[name]();
  document.body.getBoundingClientRect(); // with layout
  return performance.now() - start;
}
for (const name of ["by time", "by name", "filter"]) await say(`5,000 kernels: ${name}`, 100, () => on(large, act, name));
await browser.close();
