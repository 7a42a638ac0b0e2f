// What the tests of the page share: sample pages made by the C++ side, and the packages that the build installed.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";

// node NAME_test.mjs MAKE_PAGE BUILD_FOLDER
const [makePage, build] = process.argv.slice(2).map((path) => resolve(path));

export const packages = createRequire(join(build, "packages.js"));

// A folder for each test: they run side by side.
const pages = join(build, "pages", basename(process.argv[1], ".mjs"));
mkdirSync(pages, { recursive: true });

// Of a sample, or of a capture.
export function pageFile(sample, name = sample) {
  const file = join(pages, `${name}.html`);
  execFileSync(makePage, [sample, file]);
  return file;
}

export const pageText = (sample) => readFileSync(pageFile(sample), "utf8");

export const screenshotFile = (name) => join(pages, `${name}.png`);

export function browserOrSkip() {
  const places = [process.env.COALESCOPE_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const found = places.find((place) => place && existsSync(place));
  if (found) return found;
  console.log("skipped: no Chromium found; install Debian's chromium, or set COALESCOPE_CHROMIUM to one");
  process.exit(77);
}
