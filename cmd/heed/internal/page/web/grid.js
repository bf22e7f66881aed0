// The grid of verdicts: a row for each URL, a column for each crawler. Of many crawlers, those with the same answers share a
// column. One cell is selected; the arrow keys move in the grid, and only the selected cell is in the order of Tab.
import { byId, chainText, counted, crawlerName, h, noVerdict, ruleText, say, shortName, verdict } from "./dom.js";
import { visible } from "./bytes.js";

const reasons = {
  "no-rule-matched": "no rule matches",
  "no-group": "no group applies",
  "ignores-everyone": "does not follow \"*\"",
  "robots-txt-itself": "robots.txt itself",
  "invalid-agent": "not a crawler",
  "invalid-target": "not a URL",
  unavailable: "no robots.txt",
  unreachable: "unreachable",
  restricted: "restricted",
  "other-origin": "another site",
};

// because returns the line and the rule that decide, or the reason if no rule decides.
export function because(decided) {
  return decided.rule ? `line ${decided.rule.line}, ${ruleText(decided.rule)}` : reasonText(decided.reason);
}

export const reasonText = (reason) => reasons[reason] ?? reason;

const roomFor = 4; // crawlers; the columns of more are narrow, so those with the same answers fold into one
export function createGrid({ onSelect, onOpen }) {
  const place = byId("grid"), fold = byId("fold");
  let cells = []; // rows of elements
  let heads = [], columns = [];
  let folds = []; // for each column, the crawlers of the answer that share it, as indexes
  let shown = null; // the answer
  // The style needs the height of the head of the table: the browser must not scroll a cell that gets the focus behind
  // the head.
  const headSize = new ResizeObserver(([corner]) => place.style.setProperty("--head", `${corner.target.offsetHeight}px`));
  let selected = [0, 0]; // a row, and a column of the table

  function rebuild(rows) {
    const hadFocus = place.contains(document.activeElement);
    columns = folds.map(() => h("span", { role: "columnheader", class: "column" }, h("span", { class: "name" })));
    heads = rows.map(() => h("span", { role: "rowheader", class: "url" }));
    cells = rows.map((_, r) => folds.map(([first]) => h("span", { role: "gridcell", class: "cell", tabindex: "-1", "data-row": r, "data-column": first })));
    const corner = h("span", { role: "columnheader", class: "corner" }, "URL");
    const top = h("div", { role: "row", class: "row head" }, corner, columns);
    const table = h("div", { role: "grid", "aria-labelledby": "verdicts-title", "aria-readonly": "true", class: "table" },
      top, cells.map((row, r) => h("div", { role: "row", class: "row" }, heads[r], row)));
    table.style.setProperty("--columns", folds.length);
    table.classList.toggle("many", folds.length > roomFor);
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
    onSelect([row, folds[column][0]], byPointer);
  }

  // columnOf returns the number of the column that shows a crawler of the answer. For a crawler that the answer does not
  // have, it returns 0.
  const columnOf = (crawler) => Math.max(0, folds.findIndex((f) => f.includes(crawler)));

  fold.addEventListener("change", () => {
    const crawler = folds[selected[1]]?.[0];
    showAnswer(shown, [selected[0], crawler]);
    onSelect([selected[0], crawler], false);
    fold.focus();
  });

  place.addEventListener("click", (event) => {
    const cell = event.target.closest(".cell");
    if (cell) {
      select(Number(cell.dataset.row), columnOf(Number(cell.dataset.column)), true);
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
      onOpen();
    } else if (moves[event.key] && !event.altKey && !event.metaKey) {
      event.preventDefault();
      select(...moves[event.key], false);
    }
  });

  // showAnswer shows an answer with its selected cell, and returns the cell as [row, crawler of the answer].
  function showAnswer(answer, [row, crawler]) {
    const names = answer.crawlers.map((agent) => [agent].flat()[0]);
    const before = JSON.stringify(folds), alike = foldsOf(answer);
    shown = answer;
    fold.parentElement.hidden = alike.length === names.length;
    folds = fold.checked ? alike : names.map((_, c) => [c]);
    selected = [row, columnOf(crawler)];
    if (cells.length !== answer.rows.length || JSON.stringify(folds) !== before) {
      rebuild(answer.rows);
    } else {
      mark(false);
    }
    const titles = folds.map((f) => foldName(f.map((c) => names[c]), folds.length > roomFor ? 1 : 2));
    folds.forEach((f, c) => {
      const title = titles[c].filter(Boolean).join(" ");
      setText(columns[c].firstChild, title);
      columns[c].firstChild.classList.toggle("long", /[^\s-]{20}/.test(title)); // the column must not be as wide as this word
      columns[c].title = visible(f.length > 1 ? f.map((i) => crawlerName(names[i])).join(", ") : chainText([answer.crawlers[f[0]]].flat()) || names[f[0]]);
    });
    let allowed = 0, disallowed = 0, errors = 0;
    answer.rows.forEach((row, r) => {
      showUrl(heads[r], row.url);
      row.cells.forEach((cell) => (cell.error ? errors++ : cell.allowed ? allowed++ : disallowed++));
      folds.forEach((f, c) => showCell(cells[r][c], row.cells[f[0]], titles[c], linesOf(f.map((i) => row.cells[i]))));
    });
    const tally = [allowed && `${allowed.toLocaleString("en")} allowed`, disallowed && `${disallowed.toLocaleString("en")} disallowed`, errors && counted(errors, "error")].filter(Boolean).join(", ");
    showTally(tally);
    say(`Verdicts: ${tally}.`, "verdicts");
    return [selected[0], folds[selected[1]]?.[0] ?? 0];
  }

  return {
    show: showAnswer,
    // sharers returns the other crawlers that share the column of a cell: their names, what is known of them, and their cells.
    sharers: ([row, crawler]) => (folds[columnOf(crawler)] ?? []).filter((c) => c !== crawler).map((c) => (
      { name: crawlerName([shown.crawlers[c]].flat()[0]), facts: shown.facts?.[c] ?? {}, cell: shown.rows[row].cells[c] })),
    clear() {
      cells = [];
      columns = [];
      folds = [];
      fold.parentElement.hidden = true;
      place.replaceChildren();
      showTally("");
    },
    focus() {
      mark(true);
    },
  };
}

// foldsOf returns which crawlers share a column, as lists of indexes. If there are few crawlers, each has its own column.
// If there are many, those with the same answers share one. Rules with the same text count as the same answer, even in
// different groups.
function foldsOf({ crawlers, rows }) {
  const lists = new Map();
  crawlers.forEach((_, c) => {
    const key = crawlers.length > roomFor ? JSON.stringify(rows.map(({ cells }) => ({ ...cells[c], rule: cells[c].rule && ruleText(cells[c].rule) }))) : c;
    lists.set(key, [...(lists.get(key) ?? []), c]);
  });
  return [...lists.values()];
}

// foldName returns two texts: the names of the first crawlers that share a column, at most maxNamed, and how many others
// there are. The second text is false if there are no others.
function foldName(tokens, maxNamed) {
  const names = tokens.slice(0, maxNamed).map((token) => shortName(crawlerName(token), 40)).join(", ");
  return [names, tokens.length > maxNamed && `and ${counted(tokens.length - maxNamed, "other")}`];
}

// linesOf returns the lines of the rules that decide cells which share a column.
const linesOf = (cells) => [...new Set(cells.map((cell) => cell.rule?.line).filter(Boolean))];

function setText(element, of) {
  const text = visible(of);
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

// showTally shows how many verdicts are allowed. The link below the editor that leads to the verdicts has the same text.
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

// showCell fills a cell if it has changed. Most cells do not change when a person types a character.
function showCell(element, cell, [crawler, others], lines) {
  const key = JSON.stringify([cell, crawler, others, lines]);
  if (element.key === key) {
    return;
  }
  element.key = key;
  const why = cell.rule ? `line ${cell.rule.line}` : reasonText(cell.reason);
  element.className = `cell ${cell.error ? "undecided" : cell.allowed ? "allowed" : "disallowed"}${cell.usage ? " used" : ""}`;
  element.title = visible(cell.error ?? (cell.rule ? ruleText(cell.rule) : why)) + (lines.length > 1 ? `, in lines ${lines.join(", ")}` : "");
  element.replaceChildren(
    h("span", { class: "crawler", "aria-hidden": "true" }, h("span", { class: "name" }, crawler), others && h("span", { class: "others" }, others)),
    cell.error ? noVerdict() : verdict(cell.allowed),
    ...(cell.usage ? [usesOf(cell.usage)] : []),
    h("span", { class: "because" }, cell.rule ? [h("span", { class: cell.rule.line < 1000 ? "word" : "hidden" }, "line "), cell.rule.line, lines.length > 1 && "…"] : h("span", { class: "word" }, shortened(why))));
}

// usesOf shows "train-ai=n, search=y" as "train-ai disallowed, search allowed". A narrow cell has a sign in place of each word.
function usesOf(uses) {
  const parts = uses.split(", ").map((use) => use.split("="));
  return h("span", { class: "uses" }, parts.map(([name, is], i) => [i > 0 && h("span", { class: "comma" }, ", "), h("span", { class: "use" }, `${name} `, verdict(is === "y"))]));
}

// shortened returns a reason of which the last word is for screen readers only.
function shortened(why) {
  const [start, end] = why.split(/(?= (?:matches|applies)$)/);
  return [start, end && h("span", { class: "hidden" }, end)];
}
