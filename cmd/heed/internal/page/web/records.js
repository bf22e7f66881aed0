// The records for the chosen crawlers: crawl delays, what their pages may be used for, sitemaps and others.
import { byId, counted, crawlerName, h, lineLink, shortName } from "./dom.js";

const maxShown = 8, maxItems = 300, maxNamed = 3;

// createRecords shows records; onLine gets the number of a line that somebody wants to see.
export function createRecords({ onLine }) {
  const panel = byId("records"), place = byId("record-lists");

  function item({ line, name, value, ignored, dead, error }, who) {
    const note = error || (ignored ? "has no effect in this dialect" : dead ? "no known crawler reads it any more" : "");
    return h("li", null, lineLink(line, onLine), " ", h("code", null, `${name}: ${value}`), " ",
      h("span", { class: "quiet" }, [who, note].filter(Boolean).join("; ")));
  }

  function itemList(items) {
    return [h("ul", { class: "plain" }, items.slice(0, maxShown)),
      ...(items.length > maxShown ? [h("details", null, h("summary", null, `${items.length - maxShown} more`), h("ul", { class: "plain" }, items.slice(maxShown, maxItems)))] : [])];
  }

  return {
    // show shows the records of an answer about crawlers, each record once.
    show({ crawlers, records: { crawlers: own, sitemaps, records } }) {
      const lines = new Map(); // by line: the record, and the crawlers that it is for
      own.forEach(({ records: some }, i) => {
        for (const record of some) {
          lines.set(record.line, [record, [...(lines.get(record.line)?.[1] ?? []), [crawlers[i]].flat()[0]]]);
        }
      });
      const some = [...lines.values()].sort(([a], [b]) => a.line - b.line).map(([record, names]) => item(record, whoOf(names, crawlers.length)));
      const every = [...records, ...sitemaps].map((record) => item(record, ""));
      panel.hidden = some.length + every.length === 0;
      place.replaceChildren(...itemList(some), ...(every.length > 0 ? [h("h3", null, "For every crawler"), ...itemList(every)] : []));
    },
    clear() {
      panel.hidden = true;
    },
  };
}

// whoOf names some of the crawlers that a record is for.
function whoOf(names, asked) {
  if (names.length === asked && asked > 1) {
    return "for all of them";
  }
  const named = names.slice(0, maxNamed).map((name) => shortName(crawlerName(name))).join(", ");
  return `for ${named}${names.length > maxNamed ? ` and ${counted(names.length - maxNamed, "other")}` : ""}`;
}
