// The page of a real training run, and of 300 kernels: how large it is, at all widths and in both themes. How soon it
// is there: bench/page.mjs.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import test, { after, before } from "node:test";
import { browserOrSkip, packages, pageFile, screenshotFile } from "./support.mjs";

const executablePath = browserOrSkip();
const { chromium } = packages("playwright-core");
const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");

const capture = fileURLToPath(new URL("../fixtures/page/gpt.coal", import.meta.url));
const gpt = pageFile(capture, "gpt");

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
});
after(() => browser.close());

async function open(t, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 1400 }, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(pathToFileURL(gpt).href);
  return page;
}

test("files are small enough to be mailed", () => {
  assert.ok(statSync(gpt).size < 900_000, `${statSync(gpt).size}`);
  assert.ok(statSync(pageFile("many")).size < 1_500_000);
});

test("before anything is opened there is little to lay out, on few screens", async (t) => {
  const page = await open(t);
  const { nodes, height } = await page.evaluate(() => {
    const all = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    let nodes = 0;
    while (all.nextNode()) ++nodes;
    return { nodes, height: document.documentElement.scrollHeight };
  });
  assert.ok(nodes < 6000, `${nodes} nodes`);
  assert.ok(height <= 8 * 1400, `${height} pixels`);
});

test("no name in a chart covers another", async (t) => {
  const page = await open(t);
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

for (const width of [360, 768, 1300, 2560, 3840]) {
  test(`nothing sticks out of ${width} pixels`, async (t) => {
    const page = await open(t, { viewport: { width, height: 1400 } });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`${colorScheme}: no barrier for readers with other senses`, async (t) => {
    const page = await open(t, { colorScheme });
    for (const table of ["kernel-table", "line-table"]) await page.locator(`#${table} .opener`).first().click();
    await page.evaluate(axe); // by the debugger, which the page's content policy does not bind
    const { violations } = await page.evaluate(() => axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))]), []);
    await page.screenshot({ path: screenshotFile(`gpt-${colorScheme}`), fullPage: true });
  });
}
