// The pages of real runs (PyTorch, JAX, C++), and of 300 kernels: how large they are, on screens of all widths, on paper
// and in both themes. How soon they are there: bench/page.mjs.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import test, { after, before } from "node:test";
import { browserOrSkip, packages, pageFile, screenshotFile } from "./support.mjs";

const executablePath = browserOrSkip();
const { chromium } = packages("playwright-core");
const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");

const runs = ["gpt", "jax", "lu"];
const captureOf = (run) => fileURLToPath(new URL(`../fixtures/page/${run}.coal`, import.meta.url));
const pages = Object.fromEntries(runs.map((run) => [run, pageFile(captureOf(run), run)]));

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
});
after(() => browser.close());

async function open(t, run, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 1400 }, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(pathToFileURL(pages[run]).href);
  return page;
}

test("files are small enough to be mailed", () => {
  for (const run of runs) {
    assert.ok(statSync(captureOf(run)).size <= 400_000, `${run}: ${statSync(captureOf(run)).size}`);
    assert.ok(statSync(pages[run]).size < 900_000, `${run}: ${statSync(pages[run]).size}`);
  }
  assert.ok(statSync(pageFile("many")).size < 1_500_000);
});

for (const run of runs) {
  test(`${run}: before anything is opened there is little to lay out, on few screens`, async (t) => {
    const page = await open(t, run);
    const { nodes, height, stops } = await page.evaluate(() => {
      const all = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
      let nodes = 0;
      while (all.nextNode()) ++nodes;
      const table = document.querySelector(".data-table");
      const before = (each) => each.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING;
      const focusable = [...document.querySelectorAll("a[href], button, input, summary, [tabindex='0']")];
      const stops = focusable.filter((each) => each.checkVisibility() && before(each)).length;
      return { nodes, height: document.documentElement.scrollHeight, stops };
    });
    assert.ok(nodes < 6000, `${nodes} nodes`);
    assert.ok(height <= 8 * 1400, `${height} pixels`);
    assert.ok(stops <= 60, `${stops} tab stops before the tables`);
  });
}

for (const run of runs)
  test(`${run}: paper is at most 12 sheets`, async (t) => {
    const pdf = (await (await open(t, run)).pdf()).toString("latin1"); // with the events of printing
    const sheets = pdf.match(/\/Type\s*\/Page\b/g).length;
    assert.ok(sheets >= 2 && sheets <= 12, `${sheets} sheets`);
  });

test("gpt: all findings are on paper, and the screen is as before afterwards", async (t) => {
  const page = await open(t, "gpt");
  const folded = page.locator("#findings > details:not(.not-judged)");
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.ok(await folded.first().evaluate((each) => each.open), "all findings are on paper");
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.ok(!(await folded.first().evaluate((each) => each.open)));
});

test("lines of Python and of kernels have their source, GPU time and findings", async (t) => {
  const gpt = await (await open(t, "gpt")).locator("#source .excerpt").first().innerText();
  assert.match(gpt, /\n30\t[\d.]+\sms, [\d.]+\s%\t\s*return x \+ skew\.t\(\)[^\n]*\n*\s*G01 Uncoalesced loads: [\d.]+ ms lost/);
  const lu = await (await open(t, "lu")).locator("#source").innerText();
  assert.match(lu, /Bytes wasted, share of all/);
  assert.match(lu, /Host code built without line information: lu\./);
});

test("no name in a chart covers another", async (t) => {
  const page = await open(t, "gpt");
  const words = page.locator('[data-chart="kernels"] svg.plot text');
  await words.first().waitFor();
  const boxes = await words.evaluateAll((all) => all.filter((each) => /kernel/i.test(each.textContent)).map((each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return { left, right, top, bottom };
  }));
  assert.ok(boxes.length >= 2, `${boxes.length} names`);
  const cover = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  for (const [at, box] of boxes.entries())
    assert.ok(!boxes.slice(0, at).some((other) => cover(box, other)), JSON.stringify(box));
});

for (const run of runs)
  for (const width of [360, 768, 1300, 2560, 3840]) {
    test(`${run}: nothing sticks out of ${width} pixels`, async (t) => {
      const page = await open(t, run, { viewport: { width, height: 1400 } });
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    });
  }

// Texts whose line ends between two letters or digits; a place to break divides a text.
const brokenWords = () => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const broken = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const { data, parentElement } = text;
    if (parentElement.closest("svg, script, style, noscript") || !parentElement.checkVisibility()) continue;
    range.selectNodeContents(text);
    if (range.getClientRects().length < 2) continue;
    const top = (at) => {
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect().top;
    };
    for (const { index } of data.matchAll(/(?<=[\p{L}\p{N}])[\p{L}\p{N}]/gu))
      if (top(index) > top(index - 1) + 4) broken.push(`${data.slice(0, index)}|${data.slice(index)}`);
  }
  return broken;
};

for (const run of runs)
  test(`${run}: no line ends inside a word on a screen of 360 pixels`, async (t) => {
    const page = await open(t, run, { viewport: { width: 360, height: 1400 } });
    for (const opener of await page.locator("section tr:first-child .opener:visible").all()) await opener.click();
    for (const folded of await page.locator("section details").all()) await folded.evaluate((each) => (each.open = true));
    assert.deepEqual(await page.evaluate(brokenWords), []);
  });

for (const width of [1300, 2560, 3840]) {
  test(`gpt: ${width} pixels are used`, async (t) => {
    const page = await open(t, "gpt", { viewport: { width, height: 1400 } });
    const right = await page.locator("#gpu-time .time-bar").evaluate((bar) => bar.getBoundingClientRect().right);
    assert.ok(right >= 0.95 * width, `${right} of ${width}`);
  });
}

test("gpt: the table of kernels needs no scrolling on a screen of 1300 pixels", async (t) => {
  const page = await open(t, "gpt");
  const { wide, seen } = await page.locator("#kernel-table").evaluate((table) => ({ wide: table.scrollWidth, seen: table.parentElement.clientWidth }));
  assert.ok(wide <= seen, `${wide} of ${seen}`);
});

for (const run of runs)
  for (const colorScheme of ["light", "dark"]) {
    test(`${run}, ${colorScheme}: no barrier for readers with other senses`, async (t) => {
      const page = await open(t, run, { colorScheme });
      await page.evaluate(axe); // by the debugger, which the page's content policy does not bind
      for (const opened of [false, true]) {
        if (opened)
          for (const opener of await page.locator("tr:first-child .opener:visible").all()) await opener.click();
        const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
        assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))]), []);
      }
      await page.screenshot({ path: screenshotFile(`${run}-${colorScheme}`), fullPage: true });
    });
  }
