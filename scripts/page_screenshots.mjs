#!/usr/bin/env node
// Pictures of each section of a page, closed and opened, at three widths, light and dark, to be looked at:
//   scripts/page_screenshots.mjs PAGE FOLDER [BUILD]
// The browser's driver is that of the tests: build the target coalescope_web_tests first.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [page, folder, build = "build"] = process.argv.slice(2);
if (!page || !folder) {
  console.error("usage: scripts/page_screenshots.mjs PAGE FOLDER [BUILD]");
  process.exit(2);
}
const { chromium } = createRequire(join(resolve(build), "tests/web/packages.js"))("playwright-core");
const executablePath = process.env.COALESCOPE_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
mkdirSync(folder, { recursive: true });

// Opens the first row of each table, and everything that is folded; says how much there was.
async function openAll(section) {
  const folded = section.locator("tr:first-child .opener[aria-expanded=false]:visible, details:not([open]) > summary:visible");
  let opened = 0;
  for (; opened < 40 && (await folded.count()); ++opened) await folded.first().click();
  return opened;
}

for (const width of [360, 1300, 3840])
  for (const colorScheme of ["light", "dark"]) {
    const tab = await browser.newPage({ viewport: { width, height: 1400 }, colorScheme });
    await tab.goto(pathToFileURL(resolve(page)).href);
    const picture = (name) => join(folder, `${name}-${width}-${colorScheme}.png`);
    await tab.screenshot({ path: picture("first-screen") });
    for (const section of await tab.locator("section").all()) {
      const id = await section.getAttribute("id");
      await section.screenshot({ path: picture(id) });
      if (await openAll(section)) await section.screenshot({ path: picture(`${id}-opened`) });
    }
    await tab.close();
  }
await browser.close();
