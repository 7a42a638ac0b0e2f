// Numbers for people, as core/base/units.h writes them: three digits and a unit.
function scaled(value, step, units) {
  let unit = 0;
  while (unit + 1 < units.length && Math.abs(value) >= step - 0.5) {
    value /= step;
    ++unit;
  }
  const size = Math.abs(value);
  const whole = Number.isInteger(value) && (unit === 0 || step === 1024);
  const digits = whole ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

export const time = (ns) => scaled(ns, 1000, ["ns", "us", "ms", "s"]);
export const bytes = (count) => scaled(count, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
export const bandwidth = (bytesPerSecond) => scaled(bytesPerSecond, 1000, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"]);
export const share = (part) => `${(100 * part).toFixed(part === 0 || part === 1 ? 0 : 1)} %`;

// An axis says "20 ms" and "1.5 s" where values say "20.0 ms" and "1.50 s".
export const tick = (format) => (value) => (value === 0 ? "0" : format(value).replace(/\.(\d*?)0+ /, (_, digits) => (digits ? `.${digits} ` : " ")));

// "Share" becomes "share"; "L2" and "DRAM" stay.
export const lowerFirst = (words) => (/^.[a-z]/.test(words) ? words[0].toLowerCase() + words.slice(1) : words);

// Kernel names can be hundreds of characters long. The whole name stands in the point's title.
export const shortened = (name, most) => (name.length <= most ? name : `${name.slice(0, most - 1)}…`);
