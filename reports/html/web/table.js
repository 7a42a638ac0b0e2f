// Makes tables sortable: each heading becomes a button, so that a keyboard reaches it. Cells carry their exact
// value in data-order; a number that was not measured stays at the end in both directions.
(() => {
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.order === undefined ? undefined : Number(cell.dataset.order);
  };
  const compare = (a, b, column, numeric, sign) => {
    if (!numeric) return sign * a.cells[column].textContent.localeCompare(b.cells[column].textContent);
    const x = key(a, column);
    const y = key(b, column);
    if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
    return sign * (x - y);
  };
  const sort = (table, headings, column) => {
    const heading = headings[column];
    const rows = [...table.tBodies[0].rows];
    const numeric = rows.some((row) => key(row, column) !== undefined);
    // The first click shows the largest number, or the first letter, on top.
    const now = heading.getAttribute("aria-sort");
    const order = now === "none" ? (numeric ? "descending" : "ascending") : now === "ascending" ? "descending" : "ascending";
    for (const other of headings) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", order);
    rows.sort((a, b) => compare(a, b, column, numeric, order === "ascending" ? 1 : -1));
    table.tBodies[0].append(...rows);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.querySelectorAll("tr.headings > th")];
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      heading.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => sort(table, headings, column));
    });
  }
  // Code to copy gets a button for it.
  for (const code of document.querySelectorAll("pre.copyable")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "chip copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        // A page from a file may have no clipboard: then the reader copies what is selected.
        getSelection().selectAllChildren(code);
        button.textContent = "Selected: copy it with Ctrl+C";
      }
    });
    code.after(button);
  }
  // Paper cannot be clicked. It has all findings, and of the rest what its reader has opened: with all that is folded a
  // page of a training run takes more sheets than anybody reads.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("#findings > details:not(.not-judged, [open])")];
    for (const folded of opened) folded.open = true;
  });
  addEventListener("afterprint", () => {
    for (const folded of opened) folded.open = false;
  });
})();
