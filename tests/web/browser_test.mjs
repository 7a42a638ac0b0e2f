// The page in a real browser: alone in the world, with and without script, by mouse and by keyboard, in both
// themes and three widths, and with names that try to break out.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { browserOrSkip, packages, pageFile, screenshotFile } from "./support.mjs";

const executablePath = browserOrSkip();
const { chromium } = packages("playwright-core");
const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");

const samples = ["rich", "calibration", "empty", "unmeasured", "hostile", "large"];
const files = Object.fromEntries(samples.map((sample) => [sample, pageFile(sample)]));

let browser;
before(async () => {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"];
  browser = await chromium.launch({ executablePath, args });
});
after(() => browser.close());

// Opens a sample with the network refused, and notes everything that it asks for or complains about. Without smooth
// scrolling: a click would miss what still moves. A busy machine may take its time.
async function open(t, sample, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(120_000);
  t.after(() => context.close());
  await context.setOffline(true);
  const page = await context.newPage();
  const seen = { requests: [], complaints: [], dialogs: 0 };
  const address = pathToFileURL(files[sample]).href;
  page.on("request", (request) => request.url() !== address && seen.requests.push(request.url()));
  page.on("console", (message) => seen.complaints.push(message.text()));
  page.on("pageerror", (error) => seen.complaints.push(error.message));
  page.on("dialog", (dialog) => (seen.dialogs++, dialog.dismiss()));
  await page.goto(address);
  return { page, seen };
}

const columnTexts = (page, table, column) =>
  page.$$eval(`#${table} tbody tr`, (rows, at) => rows.map((row) => row.cells[at].innerText.trim()), column);

for (const sample of samples) {
  test(`${sample}: opens alone and in silence`, async (t) => {
    const { page, seen } = await open(t, sample);
    await page.waitForTimeout(100);
    assert.deepEqual(seen, { requests: [], complaints: [], dialogs: 0 });
  });
}

for (const width of [360, 768, 1440, 3840]) {
  test(`rich: fits a screen of ${width} pixels`, async (t) => {
    const { page } = await open(t, "rich", { viewport: { width, height: 900 } });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
  });
}

test("without script everything but the charts is there", async (t) => {
  const { page, seen } = await open(t, "rich", { javaScriptEnabled: false });
  assert.deepEqual(seen.requests, []);
  await page.getByText("Show all 6").click();
  for (const [selector, number] of [["#kernel-table tbody tr", 11], ["#line-table tbody tr", 4], ["#transfer-call-table tbody tr", 6],
    ["#findings li", 6], ["#diagnostic-table tbody tr", 3], [".excerpt tbody tr", 11]]) {
    const parts = page.locator(selector);
    assert.equal(await parts.count(), number, selector);
    for (const part of await parts.all()) assert.ok(await part.isVisible(), selector);
  }
  assert.equal(await page.locator("button:visible, figure.chart:visible").count(), 0, "what needs script must not show");
});

test("without script the first 200 of thousands of kernels are there", async (t) => {
  const { page } = await open(t, "large", { javaScriptEnabled: false });
  assert.equal(await page.locator("#kernel-table tbody tr").count(), 200);
  assert.match(await page.locator("#kernels").innerText(), /4,800 more/);
});

test("charts are drawn with their legends", async (t) => {
  const { page } = await open(t, "rich");
  assert.equal(await page.locator("figure:visible svg.plot").count(), 4);
  const boxes = await page.locator("figure:visible .drawing > svg").evaluateAll((all) => all.map((svg) => svg.clientWidth));
  assert.ok(boxes.every((width) => width > 600), `${boxes}`);
});

test("a click sorts by the exact value, and what was not measured stays last", async (t) => {
  const { page } = await open(t, "rich");
  const heading = page.locator("#kernel-table tr.headings th").nth(2); // GPU time
  await heading.getByRole("button").click();
  assert.equal(await heading.getAttribute("aria-sort"), "descending");
  const down = await columnTexts(page, "kernel-table", 2);
  assert.match(down[0], /^165 ms/);
  assert.match(down.at(-1), /^—/);
  await heading.getByRole("button").click();
  assert.equal(await heading.getAttribute("aria-sort"), "ascending");
  const up = await columnTexts(page, "kernel-table", 2);
  assert.match(up[0], /^91\.0 us/);
  assert.match(up.at(-1), /^—/);
});

test("the keyboard sorts too, and only one column is marked", async (t) => {
  const { page } = await open(t, "rich");
  const headings = page.locator("#kernel-table tr.headings th");
  await headings.nth(0).getByRole("button").focus();
  await page.keyboard.press("Enter");
  assert.match((await columnTexts(page, "kernel-table", 0))[0], /copy_offset_1/);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  assert.match((await columnTexts(page, "kernel-table", 1))[0], /^2,000/);
  assert.equal(await page.locator("#kernel-table th[aria-sort]:not([aria-sort=none])").count(), 1);
});

test("a finding leads to its line", async (t) => {
  const { page } = await open(t, "rich", { reducedMotion: "no-preference" });
  await page.locator("#findings a", { hasText: "transpose.cu:18" }).first().click();
  assert.equal(await page.evaluate(() => location.hash), "#source-1-18");
  await page.waitForFunction(() => {
    const { top, bottom } = document.getElementById("source-1-18").getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
});

test("the theme follows the system until the reader chooses, and the choice is kept", async (t) => {
  const { page } = await open(t, "rich", { colorScheme: "dark" });
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), "dark");
  await page.getByRole("button", { name: "Light theme" }).click();
  assert.equal(await theme(), "light");
  await page.reload();
  assert.equal(await theme(), "light");
});

for (const sample of ["rich", "calibration", "unmeasured"]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`${sample}, ${colorScheme}: no barrier for readers with other senses`, async (t) => {
      const { page } = await open(t, sample, { colorScheme });
      // Evaluated by the debugger, which the page's content policy does not bind.
      await page.evaluate(axe);
      const opener = page.locator("#kernel-table .opener").first();
      if (await opener.count()) await opener.click();
      for (const folded of await page.locator("details:not([open]) > summary").all()) if (await folded.isVisible()) await folded.click();
      const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))]), []);
      await page.screenshot({ path: screenshotFile(`${sample}-${colorScheme}`), fullPage: true });
    });
  }
}

test("hostile names are read, not run, also in what is opened", async (t) => {
  const { page, seen } = await open(t, "hostile");
  await page.locator("#kernel-table .opener").first().click();
  await page.locator("#line-table .opener").first().click();
  await page.locator(".behind summary").first().click();
  await page.locator(".behind .figures dd").first().waitFor();
  const state = await page.evaluate(() => ({
    pwned: window.pwned,
    images: document.images.length,
    scripts: document.scripts.length,
    handlers: [...document.querySelectorAll("*")].filter((e) => [...e.attributes].some((a) => a.name.startsWith("on"))).length,
    name: document.querySelector("#kernel-table tbody code").textContent,
    full: document.querySelector(".behind .figures dd").textContent,
  }));
  // Of these seven are data of tables, one of them that of its reference kernels.
  assert.deepEqual({ ...state, name: "", full: "" }, { pwned: undefined, images: 0, scripts: 12, handlers: 0, name: "", full: "" });
  assert.match(state.name, /^"'><script>window\.pwned = 1<\/script>.*…$/u);
  assert.match(state.full, /^"'><script>window\.pwned = 1<\/script>.*␀␁␛\[31m.*\[U\+202E\]txt\.exe/u);
  assert.equal(seen.dialogs, 0);
});

test("the content policy stops a script that got in all the same", async (t) => {
  const { page } = await open(t, "rich");
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.pwned = 1";
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.pwned), undefined);
});

const kernelNames = (page) => page.$$eval("#kernel-table > tbody > tr:not(.behind) > th code", (all) => all.map((code) => code.textContent));

test("a row opens to its shapes, findings and figures, and closes again", async (t) => {
  const { page } = await open(t, "rich");
  const opener = page.locator("#kernel-table .opener").first();
  await opener.focus();
  await page.keyboard.press("Enter");
  assert.equal(await opener.getAttribute("aria-expanded"), "true");
  const behind = page.locator("#kernel-table .behind");
  assert.match(await behind.innerText(), /Uncoalesced stores[^]*Shapes, counts per launch[^]*128x128 blocks[^]*transpose\.cu:18/);
  await behind.locator("summary").first().click();
  assert.match(await behind.locator("dl").innerText(), /_Z15transpose_naive/);
  await opener.click();
  assert.equal(await behind.count(), 0);
});

test("filter and chips choose rows, and the address remembers them", async (t) => {
  const { page } = await open(t, "rich");
  await page.getByRole("searchbox", { name: "Filter kernels by name" }).fill("copy");
  assert.deepEqual(await kernelNames(page), ["void at::native::elementwise_kernel<128, 4, gpu_kernel_impl…", "copy_offset_1"]);
  await page.getByRole("button", { name: "Has findings" }).click();
  assert.equal((await kernelNames(page)).length, 1);
  assert.match(page.url(), /#kernel-table\?find=copy&chips=0$/);
  await page.reload();
  assert.equal((await kernelNames(page)).length, 1);
  assert.equal(await page.getByRole("button", { name: "Has findings" }).getAttribute("aria-pressed"), "true");
});

test("a finding leads to its kernel, opened, even if a filter hid it", async (t) => {
  const { page } = await open(t, "rich");
  await page.getByRole("searchbox", { name: "Filter kernels by name" }).fill("fill");
  await page.locator('#findings a[href="#kernel-1"]').first().click();
  await page.waitForSelector("#kernel-table .behind");
  assert.match(await page.locator("#kernel-1").getAttribute("class"), /revealed/);
});

test("of thousands of kernels few rows are made, also sorted and filtered", async (t) => {
  const { page } = await open(t, "large");
  const rows = page.locator("#kernel-table tbody tr");
  assert.equal(await rows.count(), 15);
  await page.locator("#kernel-table thead button").nth(2).click();
  assert.equal(await rows.count(), 15);
  await page.getByRole("searchbox", { name: "Filter kernels by name" }).fill("<49");
  await page.getByRole("button", { name: /Show \d+ more/ }).first().click();
  assert.equal(await rows.count(), 111);
});

const timeState = (page) => page.locator(".time-state").innerText();

test("the time line zooms and pans by buttons and keyboard, and shows all again", async (t) => {
  const { page } = await open(t, "rich");
  assert.match(await timeState(page), /^1\.00\ss to 3\.05\ss/);
  await page.getByRole("button", { name: "Zoom in" }).click();
  assert.match(await timeState(page), /^1\.51\ss to 2\.54\ss \(1\.02\ss\)/);
  await page.getByRole("group", { name: /^Time line/ }).focus();
  await page.keyboard.press("ArrowLeft");
  assert.match(await timeState(page), /^1\.00\ss to 2\.02\ss/);
  await page.keyboard.press("-");
  assert.match(await timeState(page), /^1\.00\ss to 3\.05\ss/);
  for (let press = 0; press < 40; ++press) await page.keyboard.press("+");
  assert.match(await timeState(page), /\(500\sus\)/, "no closer than a 4096th");
  await page.keyboard.press("Home");
  assert.match(await timeState(page), /^1\.00\ss to 3\.05\ss/);
});

test("the time line follows the mouse, and leaves the wheel to the page until it is chosen", async (t) => {
  const { page } = await open(t, "rich");
  const frame = page.locator(".time-frame");
  await frame.scrollIntoViewIfNeeded();
  const box = await frame.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  const top = await page.evaluate(() => window.scrollY);
  await page.mouse.wheel(0, -50);
  await page.waitForFunction((most) => window.scrollY <= most, Math.max(0, top - 50));
  assert.match(await timeState(page), /\(2\.05\ss\)/);
  await frame.focus();
  const now = await frame.boundingBox();
  await page.mouse.move(now.x + now.width / 2, now.y + 20);
  await page.mouse.wheel(0, -50);
  await page.waitForFunction(() => /\(1\.64\ss\)/.test(document.querySelector(".time-state").textContent));
  const before = await timeState(page);
  await page.mouse.down();
  await page.mouse.move(now.x + now.width / 2 - 100, now.y + 20, { steps: 4 });
  await page.mouse.up();
  const after = await timeState(page);
  assert.notEqual(after, before);
  assert.match(after, /\(1\.64\ss\)/, "a drag does not zoom");
});

test("two fingers zoom the time line", async (t) => {
  const { page } = await open(t, "rich", { hasTouch: true, viewport: { width: 400, height: 900 } });
  const frame = page.locator(".time-frame");
  await frame.scrollIntoViewIfNeeded();
  const { x, y, width } = await frame.boundingBox();
  const touch = await page.context().newCDPSession(page);
  const fingers = (...places) => places.map((part, id) => ({ id, x: x + part * width, y: y + 30 }));
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(0.4, 0.6) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: fingers(0.3, 0.7) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  assert.match(await timeState(page), /\(1\.0[12]\ss\)/, "twice as far apart: half of the time");
});

test("an access picture names what it shows, and says that it is schematic", async (t) => {
  const { page } = await open(t, "rich");
  const picture = page.getByRole("img", { name: /32 lanes touch 8\.0 sectors, and 4\.0 would hold their bytes; schematic/ });
  assert.ok(await picture.isVisible());
});

test("an opened kernel shows its bytes from the request to DRAM beside the ceilings", async (t) => {
  const { page } = await open(t, "rich");
  await page.locator("#kernel-table .opener").first().click();
  const table = page.locator('.behind [aria-label^="Bytes from the request"] table');
  assert.match(await table.innerText(), /Requested[^]*L1[^]*L2[^]*DRAM[^]*TB\/s/);
  const widths = await table.locator("tr td:nth-child(3) .bar-part").evaluateAll((all) => all.map((bar) => Number(bar.getAttribute("width"))));
  assert.equal(widths.length, 4);
  assert.equal(Math.max(...widths), 100);
});

test("code to copy has a button that copies it", async (t) => {
  const { page } = await open(t, "rich", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByText(/^Code to copy/).click();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("button", { name: /^Copied|^Selected/ }).waitFor();
  const copied = await page.evaluate(() => getSelection().toString() || navigator.clipboard.readText());
  assert.match(copied, /num_bytes = 67108864;[^]*hitRatio = 0\.47f;/);
});

test("paper shows the tables and what its reader opened, not the navigation", async (t) => {
  const { page } = await open(t, "calibration");
  const folded = page.locator("main details").first();
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.locator("nav").isVisible()));
  assert.ok(!(await folded.isVisible()));
  await folded.evaluate((each) => (each.open = true));
  assert.ok(await folded.isVisible());
  assert.ok((await page.pdf()).length > 50_000);
});
