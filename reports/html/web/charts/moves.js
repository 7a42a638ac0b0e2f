// Zoom and pan of a drawing over time, by buttons, mouse, touch and keyboard.

// No closer than this part of the whole: there a stretch is wider than a screen.
const closest = 1 / 4096;

export function moves(frame, { whole, left, width, get, set }) {
  const move = (from, length) => {
    const long = Math.min(whole, Math.max(whole * closest, length));
    const begin = Math.min(whole - long, Math.max(0, from));
    set({ from: begin, to: begin + long });
  };
  // `at`: which part of the view stays where it is.
  const zoom = (factor, at = 0.5) => {
    const { from, to } = get();
    const long = Math.min(whole, Math.max(whole * closest, (to - from) * factor));
    move(from + (to - from - long) * at, long);
  };
  const pan = (part) => move(get().from + part * (get().to - get().from), get().to - get().from);
  const act = { closer: () => zoom(0.5), further: () => zoom(2), back: () => pan(-0.5), on: () => pan(0.5), all: () => move(0, whole) };
  keys(frame, act);
  pointers(frame, { place: (x) => (x - frame.getBoundingClientRect().left - left()) / width(), zoom, pan });
  return act;
}

function keys(frame, act) {
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Time line: arrow keys pan, plus and minus zoom, Home shows all");
  const known = { ArrowLeft: act.back, ArrowRight: act.on, "+": act.closer, "=": act.closer, "-": act.further, Home: act.all };
  frame.addEventListener("keydown", (event) => {
    if (!known[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    known[event.key]();
  });
}

// One pointer pans, two zoom. The page scrolls up and down as always.
function pointers(frame, { place, zoom, pan }) {
  const down = new Map();
  const gap = () => {
    const [a, b] = [...down.values()];
    return Math.max(0.01, Math.abs(a - b));
  };
  frame.addEventListener("pointerdown", (event) => {
    down.set(event.pointerId, place(event.clientX));
    frame.setPointerCapture(event.pointerId);
  });
  frame.addEventListener("pointermove", (event) => {
    if (!down.has(event.pointerId)) return;
    const before = down.size === 2 ? gap() : 0;
    const moved = place(event.clientX) - down.get(event.pointerId);
    down.set(event.pointerId, place(event.clientX));
    if (down.size === 1) return pan(-moved);
    const [a, b] = [...down.values()];
    zoom(before / gap(), (a + b) / 2);
  });
  for (const kind of ["pointerup", "pointercancel"]) frame.addEventListener(kind, (event) => down.delete(event.pointerId));
  frame.addEventListener("dblclick", (event) => zoom(0.5, place(event.clientX)));
  // A wheel that zoomed wherever it passed would hold up who scrolls through the page.
  frame.addEventListener("wheel", (event) => {
    if (frame.ownerDocument.activeElement !== frame && !event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, place(event.clientX));
  }, { passive: false });
}

export function buttons(document, act) {
  const all = document.createElement("div");
  all.className = "time-buttons";
  for (const [text, label, does] of [["+", "Zoom in", act.closer], ["−", "Zoom out", act.further], ["←", "Earlier", act.back], ["→", "Later", act.on], ["All", "Show all of it", act.all]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "chip";
    button.textContent = text;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", does);
    all.append(button);
  }
  return all;
}
