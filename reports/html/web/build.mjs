// Bundles the charts: node build.mjs NODE_MODULES OUT_DIR writes charts.js (one classic script without imports)
// and licences.txt (of every package of which code went into it).
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, out] = process.argv.slice(2).map((path) => resolve(path));
const { build } = createRequire(join(modules, "x.js"))("esbuild");

const { metafile } = await build({
  entryPoints: [join(dirname(fileURLToPath(import.meta.url)), "charts.js")],
  outfile: join(out, "charts.js"),
  nodePaths: [modules],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "utf8",
  legalComments: "none", // licences.txt has them all
  metafile: true,
});

// "…/node_modules/@observablehq/plot/src/plot.js" is of the package "@observablehq/plot".
const packageOf = (input) => {
  const inside = relative(modules, resolve(input));
  if (inside.startsWith("..")) return null;
  const [scope, name] = inside.split(sep);
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
};

const used = Object.entries(Object.values(metafile.outputs)[0].inputs)
  .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  .map(([input]) => packageOf(input))
  .filter(Boolean);

const licence = (name) => {
  const folder = join(modules, name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
};

const rule = `\n${"-".repeat(72)}\n\n`;
writeFileSync(join(out, "licences.txt"), [...new Set(used)].sort().map(licence).join(rule));
