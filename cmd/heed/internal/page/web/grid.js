// The grid of verdicts: a row for each URL, a column for each crawler. One cell is selected; the
// arrow keys move in the grid, and only the selected cell is in the order of Tab.
import { byId, counted, crawlerName, h, ruleText, say, verdict } from "./dom.js";
import { visible } from "./bytes.js";

const reasons = {
  "no-rule-matched": "no rule matches",
  "no-group": "no group applies",
  "ignores-everyone": "no group names it, and it does not follow the groups for \"*\"",
  "robots-txt-itself": "robots.txt itself",
  "invalid-agent": "not a crawler",
  "invalid-target": "not a URL",
  unavailable: "no robots.txt",
  unreachable: "unreachable",
  restricted: "restricted",
  "other-origin": "another site",
};

// because says which line decides, or why none does.
export function because(decided) {
  return decided.rule ? `line ${decided.rule.line}, ${ruleText(decided.rule)}` : reasonText(decided.reason);
}

export const reasonText = (reason) => reasons[reason] ?? reason;

export function createGrid({ onSelect, onOpen }) {
  const place = byId("grid");
  let cells = []; // rows of elements
  let heads = [], columns = [];
  // Its height, so that a cell that gets the focus does not go below it.
  const headSize = new ResizeObserver(([corner]) => place.style.setProperty("--head", `${corner.target.offsetHeight}px`));
  let selected = [0, 0];

  function rebuild(rows, crawlers) {
    const hadFocus = place.contains(document.activeElement);
    columns = crawlers.map(() => h("span", { role: "columnheader", class: "column" }, h("span", { class: "name" })));
    heads = rows.map(() => h("span", { role: "rowheader", class: "url" }));
    cells = rows.map((_, r) => crawlers.map((_, c) => h("span", { role: "gridcell", class: "cell", tabindex: "-1", "data-row": r, "data-column": c })));
    const corner = h("span", { role: "columnheader", class: "corner" }, "URL");
    const top = h("div", { role: "row", class: "row head" }, corner, columns);
    const table = h("div", { role: "grid", "aria-labelledby": "verdicts-title", "aria-readonly": "true", class: "table" },
      top, cells.map((row, r) => h("div", { role: "row", class: "row" }, heads[r], row)));
    table.style.setProperty("--columns", crawlers.length);
    table.style.setProperty("--widest", crawlers.length > 3 ? "6rem" : "10.25rem"); // of the place of many, the URLs get more
    place.replaceChildren(table);
    headSize.disconnect();
    headSize.observe(corner);
    mark(hadFocus);
  }

  function mark(focus) {
    selected = [Math.max(0, Math.min(selected[0], cells.length - 1)), Math.max(0, Math.min(selected[1], columns.length - 1))];
    for (const old of place.querySelectorAll('[aria-selected="true"]')) {
      old.setAttribute("aria-selected", "false");
      old.tabIndex = -1;
    }
    const cell = cells[selected[0]]?.[selected[1]];
    if (cell) {
      cell.setAttribute("aria-selected", "true");
      cell.tabIndex = 0;
      if (focus) {
        cell.focus({ preventScroll: true });
        cell.scrollIntoView({ block: "nearest", inline: "nearest" }); // focus does not look at what stays in view
      }
    }
  }

  function select(row, column, byPointer) {
    if (!cells[row]?.[column]) {
      return;
    }
    selected = [row, column];
    mark(true);
    onSelect(selected, byPointer);
  }

  place.addEventListener("click", (event) => {
    const cell = event.target.closest(".cell");
    if (cell) {
      select(Number(cell.dataset.row), Number(cell.dataset.column), true);
    }
  });
  place.addEventListener("keydown", (event) => {
    const [row, column] = selected, lastRow = cells.length - 1, lastColumn = columns.length - 1;
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? lastRow : row, lastColumn],
      PageUp: [0, column], PageDown: [lastRow, column],
    };
    if (event.key === "Enter") {
      event.preventDefault();
      onOpen(selected);
    } else if (moves[event.key] && !event.altKey && !event.metaKey) {
      event.preventDefault();
      select(...moves[event.key], false);
    }
  });

  return {
    // show shows an answer of the daemon, and returns its selected cell as [row, column].
    show(answer, wanted) {
      selected = wanted;
      const crawlers = answer.crawlers.map((agent) => [agent].flat()[0]);
      if (cells.length !== answer.rows.length || columns.length !== crawlers.length) {
        rebuild(answer.rows, crawlers);
      } else {
        mark(false);
      }
      crawlers.forEach((name, c) => {
        setText(columns[c].firstChild, crawlerName(name));
        columns[c].title = [answer.crawlers[c]].flat().join(", ");
      });
      let allowed = 0, disallowed = 0, errors = 0;
      answer.rows.forEach((row, r) => {
        showUrl(heads[r], row.url);
        row.cells.forEach((cell, c) => {
          cell.error ? errors++ : cell.allowed ? allowed++ : disallowed++;
          showCell(cells[r][c], cell, crawlers[c]);
        });
      });
      const tally = [allowed && `${allowed.toLocaleString("en")} allowed`, disallowed && `${disallowed.toLocaleString("en")} disallowed`, errors && counted(errors, "error")].filter(Boolean).join(", ");
      showTally(tally);
      say(`Verdicts: ${tally}.`, "verdicts");
      return selected;
    },
    clear() {
      cells = [];
      columns = [];
      place.replaceChildren();
      showTally("");
    },
    focus() {
      mark(true);
    },
  };
}

function setText(element, of) {
  const text = visible(of);
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

// showTally shows how many are allowed, also below the editor, where a link leads to the verdicts.
function showTally(text) {
  byId("tally").textContent = text;
  byId("to-verdicts").textContent = text || "Verdicts";
}

const urlEnd = 9; // characters of a long URL that are always seen

// showUrl shows a URL in one line. Where it is too long, the style cuts it before its end.
function showUrl(element, url) {
  if (element.url !== url) {
    element.url = url;
    const text = visible(url); // before it is cut: what imitates a letter is seen from its whole word
    const end = text.length > 2 * urlEnd ? [...text.slice(-2 * urlEnd)].slice(-urlEnd).join("") : "";
    element.title = text;
    element.setAttribute("aria-label", text);
    element.replaceChildren(h("span", { class: "start" }, text.slice(0, text.length - end.length)), h("span", null, end));
  }
}

// showCell fills a cell, if it changed: most do not, at a keystroke.
function showCell(element, cell, crawler) {
  const key = JSON.stringify([cell, crawler]);
  if (element.key === key) {
    return;
  }
  element.key = key;
  const why = cell.rule ? `line ${cell.rule.line}` : reasonText(cell.reason);
  element.className = `cell ${cell.error ? "undecided" : cell.allowed ? "allowed" : "disallowed"}${cell.usage ? " used" : ""}`;
  element.title = visible(cell.error ?? (cell.rule ? ruleText(cell.rule) : why));
  element.replaceChildren(
    h("span", { class: "crawler", "aria-hidden": "true" }, crawler),
    cell.error ? h("span", { class: "verdict" }, "? error") : verdict(cell.allowed),
    ...(cell.usage ? [h("span", { class: "uses" }, inWords(cell.usage))] : []),
    h("span", { class: "because" }, cell.rule ? [h("span", { class: cell.rule.line < 1000 ? "word" : "hidden" }, "line "), cell.rule.line] : h("span", { class: "word" }, shortened(why))));
}

// inWords writes "train-ai=n, search=y" for people.
export function inWords(uses) {
  return uses.replaceAll("=y", " yes").replaceAll("=n", " no");
}

// shortened returns a reason of which the last word is for screen readers only.
function shortened(why) {
  const [start, end] = why.split(/(?= (?:matches|applies)$)/);
  return [start, end && h("span", { class: "hidden" }, end)];
}
