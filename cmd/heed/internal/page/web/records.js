// The records for the chosen crawlers: crawl delays, what their pages may be used for, sitemaps and others.
import { byId, crawlerName, firstOf, h, isReading, lineLink, listed, shortName } from "./dom.js";

const maxShown = 8, maxItems = 300, maxNamed = 3;

// createRecords shows records; onLine gets the number of a line that somebody wants to see.
export function createRecords({ onLine }) {
  const panel = byId("records"), place = byId("record-lists");

  function item({ line, name, value, record, ignored, dead, error }, crawlers = [], asked = 0) {
    const without = crawlers.filter((token) => !isReading(token, name));
    const notes = error || ignored || dead ? [error || (ignored ? "has no effect in this dialect" : "no known crawler reads it any more")] : [
      without.length > 0 && `not read by ${namesOf(without)}`,
      record?.unread && `cannot be read, and is ignored: ${record.unread.join(", ")}`,
    ];
    return h("li", null, lineLink(line, onLine), " ", h("code", null, `${name}: ${value}`), " ",
      h("span", { class: "quiet" }, [whoOf(crawlers, asked), ...notes].filter(Boolean).join("; ")));
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
      const some = [...lines.values()].sort(([a], [b]) => a.line - b.line).map(([record, names]) => item(record, names, crawlers.length));
      const every = [...records, ...sitemaps].sort((a, b) => a.line - b.line).map((record) => item(record));
      panel.hidden = some.length + every.length === 0;
      place.replaceChildren(...itemList(some), ...(every.length > 0 ? [h("h3", null, "For every crawler"), ...itemList(every)] : []));
    },
    clear() {
      panel.hidden = true;
    },
  };
}

const namesOf = (tokens) => listed(firstOf(tokens.map((token) => shortName(crawlerName(token))), maxNamed));

// whoOf names some of the crawlers that a record is for. It returns "" if there are none, because the record is for every crawler.
function whoOf(tokens, asked) {
  return tokens.length === 0 ? "" : tokens.length === asked && asked > 1 ? "for all of them" : `for ${namesOf(tokens)}`;
}
