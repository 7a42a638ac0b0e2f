// Large tables: rows are made when they are shown, from the JSON beside them, and what stands behind a row when it is
// opened. All that a capture holds becomes text nodes: nothing here parses markup. The address remembers what was
// chosen: #kernel-table?find=copy&chips=0,2&sort=2d.
(() => {
  const firstRows = 15;
  const moreRows = 200;
  const longText = 24; // needs more room on a narrow screen than words
  const longWord = 16; // longer ones are names
  const shortPart = 6;
  const longFile = 24; // and break before dots, too

  const make = (tag, attributes = {}, ...content) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(name, value);
    element.append(...content);
    return element;
  };
  const button = (attributes, text, act) => {
    const made = make("button", { type: "button", ...attributes }, text);
    made.addEventListener("click", act);
    return made;
  };
  // As in what the page says without script, long names break between their parts, and a line does not end within an
  // option.
  const seam = /(?<=.[_,/(=+<]|.::)(?!\))|(?<=.#)(?![\d)])/;
  const hump = /(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z\d])/;
  const dot = /(?=\.[a-z\d])/;
  const humps = (part) => (part.length > longFile ? part.split(dot) : [part]).flatMap((each) => each.split(hump));
  // Short parts stay with the next.
  const joined = (parts, part) => (parts.at(-1)?.length < shortPart ? [...parts.slice(0, -1), parts.at(-1) + part] : [...parts, part]);
  const partsOf = (word) =>
    word.length > longWord ? word.split(seam).reduce(joined, []).flatMap((part) => (part.length > longWord ? humps(part) : [part])) : [word];
  const breakable = (text) =>
    text.length <= longWord ? [text] : text.split(/(?<=\s)(?=\S)/).flatMap((word) => partsOf(word).flatMap((part, at) => (at ? [make("wbr"), part] : [part])));
  const words = (text) =>
    text.split(/(?<![^\s(["'`|])(--?[a-z][a-z-]*)/i).flatMap((part, at) => (at % 2 ? [make("span", { class: "option" }, part)] : breakable(part)));
  const isFigure = (text) => /^[<>±]?\s?\d[\d.,]*(\s\S{1,4})?(\sto\s\d.*)?$/.test(text);
  const isLack = (text) => /^(|—|none|TMA|not known|not measured)$/.test(text);
  const isNumber = (column) => column.look === "number" || column.look === "share";

  // In the middle there is no frame around it: several such bars are a funnel.
  const bar = (share, css = "bar", middle = false) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of [["class", css], ["viewBox", "0 0 100 4"], ["preserveAspectRatio", "none"], ["aria-hidden", "true"]])
      svg.setAttribute(name, value);
    const filled = 100 * Math.min(1, Math.max(0, share));
    for (const [name, width] of [...(middle ? [] : [["bar-all", 100]]), ["bar-part", filled]]) {
      const part = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      part.setAttribute("class", name);
      part.setAttribute("x", (middle ? (100 - width) / 2 : 0).toFixed(2));
      part.setAttribute("width", width.toFixed(2));
      part.setAttribute("height", 4);
      svg.append(part);
    }
    return svg;
  };

  class DataTable {
    constructor(place) {
      this.data = JSON.parse(place.querySelector("script").textContent);
      this.place = place;
      this.shown = firstRows;
      this.find = "";
      this.chips = new Set();
      this.sort = null; // { column, down }
      this.opened = new Set();
      const { columns, strings, rows } = this.data;
      this.text = (at) => strings[at];
      this.order = Array.from({ length: rows }, (_, at) => at);
      // Looked through at each key press, so made once.
      this.haystack = this.order.map((row) => `${strings[columns[0].text[row]]}\n${strings[this.data.search[row]]}`.toLowerCase());
      this.build();
      this.restore();
    }

    // Bars of choices, head and frame; rows come with fill().
    build() {
      const { id, caption, rows, chips, columns } = this.data;
      this.body = make("tbody");
      this.headings = columns.map((column, at) => {
        const sorts = button({}, column.heading, () => this.sortBy(at));
        return make("th", { scope: "col", class: isNumber(column) ? "number" : "text", title: column.about || undefined, "aria-sort": "none" }, sorts);
      });
      const head = make("thead");
      if (columns.some(({ group }) => group)) head.append(this.groups());
      head.append(make("tr", { class: "headings" }, ...this.headings));
      const table = make("table", { id }, make("caption", {}, caption), head, this.body);
      const frame = make("div", { class: "frame", tabindex: 0, role: "region", "aria-label": caption }, table);
      this.count = make("span", { class: "count", role: "status" });
      this.more = button({ class: "show-more" }, "", () => this.show(this.shown + moreRows));
      this.place.append(...(rows > 8 ? [this.choices(chips)] : []), frame, make("p", { class: "table-end" }, this.more));
    }

    groups() {
      const row = make("tr", { class: "groups" });
      for (const { group } of this.data.columns) {
        const last = row.lastElementChild;
        if (group && last?.textContent === group) last.colSpan++;
        else row.append(group ? make("th", { scope: "colgroup" }, group) : make("td"));
      }
      return row;
    }

    choices(chips) {
      this.input = make("input", { type: "search", placeholder: "Filter by name", "aria-label": `Filter ${this.data.rowsAre} by name` });
      this.input.addEventListener("input", () => this.choose(() => (this.find = this.input.value)));
      const used = this.data.marks.reduce((all, mark) => all | mark, 0);
      this.chipButtons = chips.map((chip, at) => {
        const made = button({ class: "chip", "aria-pressed": "false" }, chip, () =>
          this.choose(() => this.chips.has(at) ? this.chips.delete(at) : this.chips.add(at)));
        made.hidden = !(used & (1 << at));
        return made;
      });
      return make("div", { class: "choices" }, this.input, ...this.chipButtons, this.count);
    }

    choose(change) {
      change();
      this.shown = firstRows;
      this.apply();
      this.remember();
    }

    sortBy(column) {
      const numeric = this.data.columns[column].order !== undefined;
      // The first click shows the largest number, or the first letter, on top.
      const down = this.sort?.column === column ? !this.sort.down : numeric;
      this.choose(() => (this.sort = { column, down }));
    }

    apply() {
      const find = this.find.trim().toLowerCase();
      const mask = [...this.chips].reduce((all, at) => all | (1 << at), 0);
      const { marks, rows } = this.data;
      this.order = [];
      for (let row = 0; row < rows; ++row)
        if ((marks[row] & mask) === mask && (!find || this.haystack[row].includes(find))) this.order.push(row);
      if (this.sort) this.order.sort(this.comparison());
      this.headings.forEach((heading, at) =>
        heading.setAttribute("aria-sort", this.sort?.column === at ? (this.sort.down ? "descending" : "ascending") : "none"));
      this.chipButtons?.forEach((chip, at) => chip.setAttribute("aria-pressed", this.chips.has(at)));
      this.fill();
    }

    // What was not measured stays at the end in both directions.
    comparison() {
      const { order, text } = this.data.columns[this.sort.column];
      const sign = this.sort.down ? -1 : 1;
      if (!order) return (a, b) => sign * this.text(text?.[a] ?? 0).localeCompare(this.text(text?.[b] ?? 0));
      return (a, b) => {
        const x = order[a];
        const y = order[b];
        return x === null || y === null ? (x === null) - (y === null) : sign * (x - y);
      };
    }

    show(rows) {
      this.shown = rows;
      this.fill();
    }

    // Rows of a folded part are made when it is opened.
    fill() {
      const folded = this.place.closest("details:not([open])");
      if (folded) {
        folded.addEventListener("toggle", () => this.fill(), { once: true });
        return;
      }
      const rows = this.order.slice(0, this.shown).flatMap((row) => this.opened.has(row) ? [this.row(row), this.behind(row)] : [this.row(row)]);
      this.body.replaceChildren(...rows);
      const left = this.order.length - this.shown;
      this.more.hidden = left <= 0;
      this.more.textContent = `Show ${Math.min(left, moreRows).toLocaleString("en")} more of ${this.order.length.toLocaleString("en")} ${this.data.rowsAre}`;
      this.count.textContent = this.find || this.chips.size ? `${this.order.length.toLocaleString("en")} of ${this.data.rows.toLocaleString("en")}` : "";
    }

    row(row) {
      const anchor = this.data.anchors[row][0];
      return make("tr", { id: anchor }, ...this.data.columns.map((column, at) => this.cell(column, row, at === 0)));
    }

    cell(column, row, first) {
      const part = (name) => this.text(column[name]?.[row] ?? 0);
      const exact = part("exact");
      const css = isNumber(column) ? "number" : part("text").length + part("note").length > longText ? "text long" : "text";
      const cell = make(first ? "th" : "td", { class: css, title: exact || undefined, scope: first ? "row" : undefined });
      const text = column.look === "code" ? [make("code", {}, ...breakable(part("text")))] : breakable(part("text"));
      if (first && this.data.parts[row]?.length) cell.append(this.opener(row, text));
      else cell.append(...text);
      if (part("note")) cell.append(make("small", {}, ...breakable(part("note"))));
      if (column.look === "share" && column.order?.[row] != null) cell.append(bar(column.order[row]));
      return cell;
    }

    opener(row, text) {
      const made = button({ class: "opener", "aria-expanded": this.opened.has(row) }, "", () => {
        if (!this.opened.delete(row)) this.opened.add(row);
        const line = document.getElementById(this.data.anchors[row][0]);
        const opened = this.opened.has(row);
        line.querySelector(".opener").setAttribute("aria-expanded", opened);
        if (opened) line.after(this.behind(row));
        else line.nextElementSibling.remove();
      });
      made.append(...text);
      return made;
    }

    behind(row) {
      const parts = make("div", { class: "parts" }, ...this.data.parts[row].map((part) => this.part(part)));
      const cell = make("td", { colspan: this.data.columns.length }, parts);
      return make("tr", { class: "behind" }, cell);
    }

    part(part) {
      const heading = this.text(part.h);
      if (part.p) return this.pairs(heading, part.p);
      const made = make("div", { class: "part" }, make("h3", {}, heading));
      for (const each of part.w ?? []) made.append(make("p", {}, ...words(this.text(each))));
      if (part.c) made.append(make("p", {}, "To measure it:"), make("pre", {}, make("code", {}, ...words(this.text(part.c)))));
      if (part.r) made.append(this.smallTable(heading, part));
      return made;
    }

    pairs(heading, pairs) {
      const folded = make("details", {}, make("summary", {}, heading));
      folded.addEventListener("toggle", () => {
        if (folded.children.length > 1) return;
        const list = make("dl", { class: "figures" });
        for (let at = 0; at < pairs.length; at += 2)
          list.append(this.pair(this.text(pairs[at]), this.text(pairs[at + 1])));
        folded.append(list);
      });
      return folded;
    }

    // A long name takes the whole width.
    pair(name, value) {
      return make("div", { class: value.length > 40 ? "long" : undefined }, make("dt", {}, name), make("dd", {}, ...breakable(value)));
    }

    // Columns of bars repeat the number before them, and have no heading. A second line of a row's name stands under
    // the whole row.
    smallTable(heading, { t, r, b }) {
      const parts = (at) => this.text(at).split("\n");
      const look = t.map((_, place) => {
        const texts = r.map((row) => parts(row[place])[0]);
        return texts.some((text) => isFigure(text) || /^(—|TMA)$/.test(text)) && texts.every((text) => isFigure(text) || isLack(text)) ? "number" : undefined;
      });
      const head = make("tr", {}, ...t.map((at, place) => (at ? make("th", { scope: "col", class: look[place] }, this.text(at)) : make("td", { "aria-hidden": true }))));
      const rows = r.map((row) =>
        make("tr", {}, ...row.map((at, place) => make(place ? "td" : "th", { class: look[place], scope: place ? undefined : "row" }, ...words(parts(at)[0])))));
      for (const [column, middle, shares] of b ?? [])
        shares.forEach((share, at) => {
          const cell = rows[at].cells[column];
          cell.className = "level-bar";
          if (share !== null) cell.append(bar(share, "long-bar", middle));
        });
      const lines = rows.flatMap((row, at) => [row, ...parts(r[at][0]).slice(1).map((more) => make("tr", { class: "under" }, make("td", { colspan: t.length }, ...words(more))))]);
      const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines));
      return make("div", { class: "small-frame", tabindex: 0, role: "group", "aria-label": heading }, table);
    }

    // Links to rows that do not stand there yet make and open them.
    reveal(anchor) {
      const row = this.data.anchors.findIndex((all) => all.includes(anchor));
      if (row < 0) return false;
      if (!this.order.includes(row)) {
        this.find = "";
        this.chips.clear();
        if (this.input) this.input.value = "";
        this.apply();
      }
      if (this.data.parts[row]?.length) this.opened.add(row);
      this.unfold();
      this.show(Math.max(this.shown, this.order.indexOf(row) + 1));
      const line = document.getElementById(this.data.anchors[row][0]);
      for (const other of this.body.querySelectorAll(".revealed")) other.classList.remove("revealed");
      line.classList.add("revealed");
      line.scrollIntoView({ block: "start" });
      return true;
    }

    unfold() {
      for (let folded; (folded = this.place.closest("details:not([open])")); ) folded.open = true;
    }

    remember() {
      const state = new URLSearchParams();
      if (this.find) state.set("find", this.find);
      if (this.chips.size) state.set("chips", [...this.chips].join());
      if (this.sort) state.set("sort", `${this.sort.column}${this.sort.down ? "d" : "a"}`);
      history.replaceState(null, "", `#${this.data.id}${[...state].length ? `?${state}` : ""}`);
    }

    restore() {
      const [id, state] = location.hash.slice(1).split("?");
      if (id === this.data.id && state) {
        const { columns, chips } = this.data;
        const chosen = new URLSearchParams(state);
        this.find = chosen.get("find") ?? "";
        if (this.input) this.input.value = this.find;
        for (const chip of (chosen.get("chips") ?? "").split(",")) if (/^\d$/.test(chip) && chips[chip]) this.chips.add(Number(chip));
        const sort = /^(\d{1,2})([ad])$/.exec(chosen.get("sort") ?? "");
        if (sort && columns[sort[1]]) this.sort = { column: Number(sort[1]), down: sort[2] === "d" };
      }
      if (id === this.data.id) this.unfold();
      this.apply();
      if (id === this.data.id) this.place.scrollIntoView();
    }
  }

  const tables = [...document.querySelectorAll(".data-table")].map((place) => new DataTable(place));
  const follow = () => tables.some((table) => table.reveal(location.hash.slice(1)));
  addEventListener("hashchange", follow);
  follow();
})();
