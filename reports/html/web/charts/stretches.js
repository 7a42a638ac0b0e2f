// Stretches of time as the page carries them: pause, length and busy nanoseconds, three numbers each.

export function stretches(numbers, { unit_ns }) {
  const all = [];
  let at = 0;
  for (let i = 0; i < numbers.length; i += 3) {
    const begin = at + numbers[i];
    at = begin + numbers[i + 1];
    const length = numbers[i + 1] * unit_ns;
    all.push({ begin: begin * unit_ns, end: at * unit_ns, busy: numbers[i + 2] === 0 ? length : Math.min(length, numbers[i + 2]) });
  }
  return all;
}

// The first that ends after `from`.
function firstAfter(parts, from) {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (parts[middle].end <= from) low = middle + 1;
    else high = middle;
  }
  return low;
}

// What of a part's busy time falls into a piece of it, taken as spread evenly.
const within = (part, from, to) =>
  (part.busy * (Math.min(part.end, to) - Math.max(part.begin, from))) / (part.end - part.begin);

// What is in one or the other, each taken as busy throughout.
export function united(...lists) {
  const all = [];
  for (const part of lists.flat().sort((a, b) => a.begin - b.begin)) {
    const last = all.at(-1);
    if (last && part.begin <= last.end) last.end = Math.max(last.end, part.end);
    else all.push({ ...part });
    all.at(-1).busy = all.at(-1).end - all.at(-1).begin;
  }
  return all;
}

// Busy nanoseconds between two times. Parts must not overlap.
export function span(parts, from, to) {
  let sum = 0;
  for (let at = firstAfter(parts, from); at < parts.length && parts[at].begin < to; ++at) sum += within(parts[at], from, to);
  return sum;
}

// The busy share of each of `width` columns.
export function placed(parts, from, to, width) {
  const shares = new Array(width).fill(0);
  const column = (to - from) / width;
  for (let at = firstAfter(parts, from); at < parts.length && parts[at].begin < to; ++at) {
    const part = parts[at];
    const first = Math.max(0, Math.floor((part.begin - from) / column));
    const last = Math.min(width - 1, Math.ceil((part.end - from) / column) - 1);
    for (let x = first; x <= last; ++x) shares[x] += within(part, Math.max(part.begin, from + x * column), Math.min(part.end, from + (x + 1) * column)) / column;
  }
  return shares.map((share) => Math.min(1, Math.round(share * 100) / 100 || (share > 0 ? 0.01 : 0)));
}
