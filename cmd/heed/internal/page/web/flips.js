// Says which URLs of a list flip: those whose verdict is another one in the new file than in the old one, and for whom. The
// page asks about a long list in parts. So it can show the progress, and can start again immediately after a change.
import { acceptFiles, agentName, asTyped, byId, counted, fileButton, h, listed, say, shortName, verdict, whole } from "./dom.js";
import { Cancelled, ask } from "./engine.js";
import { because } from "./grid.js";
import { addSites, severalSites } from "./sites.js";

const partSize = 1 << 20; // characters of a part of the list
const maxList = 64 << 20;
const maxShown = 200_000; // characters that a field shows without delay
const maxCrawlers = 60, maxDirectories = 12, maxExamples = 25, maxWrong = 5;

// createFlips makes the panel. onList is called when there is another list, onAsk gets a crawler and a URL that somebody wants explained.
export function createFlips({ onList, onAsk }) {
  let list = "", indexNote = "", run = 0, timer = 0;
  const result = h("div", { id: "flips-result" });
  const field = h("textarea", { id: "flips-list", rows: 4, ...asTyped, wrap: "off", "aria-describedby": "flips-note",
    oninput: () => { clearTimeout(timer); timer = setTimeout(() => set(field.value), 200); } });
  const name = h("span", { class: "quiet" });
  const remove = h("button", { type: "button", onclick: () => { field.value = ""; setFile(""); set(""); field.focus(); } }, "Remove the list");
  const panel = h("section", { class: "panel", id: "flips", "aria-labelledby": "flips-title" },
    h("h2", { id: "flips-title" }, "Which of my URLs?"),
    h("div", { class: "field" },
      h("label", { class: "label", for: "flips-list" }, "URLs or paths, one per line"), field,
      h("p", { class: "note", id: "flips-note" }, "Or files with them, or sitemaps: drop them here, or open them.")),
    h("div", { class: "line wrap" }, fileButton("Open files", open, true), remove, name),
    result);
  acceptFiles(panel, open);
  setFile("");

  async function open(files) {
    if (files.reduce((sum, { size }) => sum + size, 0) > maxList) {
      return message("These files have more than 64 MiB. “heed diff --urls” reads longer lists.", true);
    }
    let texts;
    try {
      texts = await Promise.all(files.map((file) => file.text()));
    } catch {
      return message("A file cannot be read.", true);
    }
    const note = files.map(({ name }, i) => noteOfIndex(name, texts[i])).filter(Boolean).join(" "), lists = texts.filter((text) => !isIndex(text)).map(listOf);
    if (lists.length === 0) {
      return message(note, true);
    }
    const text = lists.join("\n"), isLong = text.length > maxShown;
    field.value = isLong ? "" : text;
    setFile(isLong ? files.map(({ name }) => name).join(", ") : "");
    set(text, note);
  }

  // setFile says that the list is a file that is too long for the field.
  function setFile(of) {
    name.textContent = of;
    field.hidden = of !== "";
    remove.hidden = of === "";
  }

  function set(text, note = "") {
    list = text;
    indexNote = note;
    onList();
  }

  function message(text, isError = false) {
    result.replaceChildren(h("p", { class: isError ? "error" : "note" }, whole(text)));
  }

  // show asks about the list; files has the members of the question about the files.
  async function show(files) {
    const mine = ++run;
    if (list.trim() === "") {
      result.replaceChildren();
      return;
    }
    const all = { urls: 0, flipped: 0, rejected: 0, wrong: [], lines: 0, other_sites: 0, sites: new Map(), crawlers: new Map() };
    try {
      for (let from = 0; from < list.length && mine === run;) {
        const to = endOfPart(list, from);
        const part = list.slice(from, to);
        add(all, await ask("flips", "/v1/flips", { ...files, list: part, examples: maxExamples }), part.split("\n"));
        from = to;
        if (mine === run && from < list.length) {
          message(`${counted(all.urls, "URL")} compared …`);
        }
      }
      if (mine === run) {
        result.replaceChildren(...shown(all));
        say(byId("flips-headline").textContent, "flips");
      }
    } catch (err) {
      if (mine === run && !(err instanceof Cancelled)) {
        message(err.message, true);
      }
    }
  }

  function shown(all) {
    const crawlers = [...all.crawlers.values()].sort((a, b) => b.blocked - a.blocked || b.opened - a.opened);
    return [
      h("div", { class: "headline" }, h("p", { id: "flips-headline" }, all.urls === 0 ? "No URL was compared." : all.flipped === 0 ? `Of ${counted(all.urls, "URL")} no verdict changes.` : `The verdict of ${all.flipped.toLocaleString("en")} of ${counted(all.urls, "URL")} changes.`),
        indexNote && h("p", { class: "note" }, indexNote),
        all.incomplete && h("p", { class: "note" }, "The files name so many crawlers that not all were compared."),
        all.rejected > 0 && h("p", { class: "note" }, `${counted(all.rejected, "line")} without a URL or a path: ${wrongLines(all)}.`),
        all.other_sites > 0 && h("p", { class: "note" }, `${counted(all.other_sites, "URL")} of other sites: not compared.`),
        all.other_sites === 0 && severalSites(all.sites) && h("p", { class: "note" }, severalSites(all.sites))),
      ...crawlers.slice(0, maxCrawlers).map(crawler),
      crawlers.length > maxCrawlers && h("p", { class: "note" }, `and ${crawlers.length - maxCrawlers} more`),
    ].filter(Boolean);
  }

  function crawler(c) {
    const directories = [...c.directories.values()].sort((a, b) => b.blocked - a.blocked || b.opened - a.opened);
    const agent = [c.agents[0]].flat().join(",");
    return h("div", { class: "compared" },
      h("p", null, h("strong", null, c.agents.map(agentName).join(", ")), `: ${changed(c)}`),
      directories.length > 1 && h("ul", { class: "plain directories quiet" },
        directories.slice(0, maxDirectories).map((d) => h("li", null, d.path ? [d.path === "/" ? "directly under " : "under ", h("span", { class: "url" }, d.path)] : "elsewhere", `: ${changed(d)}`)),
        directories.length > maxDirectories && h("li", { class: "note" }, `and ${counted(directories.length - maxDirectories, "more directory", "more directories")}`)),
      h("ul", { class: "plain witnesses" }, c.examples.map((flip) => changeItem(flip, flip.url, (url) => onAsk(agent, url)))),
      c.blocked + c.opened > c.examples.length && h("p", { class: "note" }, `and ${counted(c.blocked + c.opened - c.examples.length, "more URL")}`));
  }

  return { panel, show, clear() { run++; result.replaceChildren(); } };
}

// changeItem shows a URL with another verdict than before.
export const changeItem = ({ old, new: now }, url, onAsk) => h("li", null,
  h("button", { type: "button", class: "link url", title: "Ask about this URL", onclick: () => onAsk(url) }, url),
  h("span", { class: "change" }, verdict(old.allowed), h("span", { "aria-hidden": "true" }, "→"), h("span", { class: "hidden" }, "becomes"), verdict(now.allowed)),
  h("span", { class: "quiet" }, `${because(old)} → ${because(now)}`));

function changed({ blocked, opened }) {
  return [blocked > 0 && `${blocked.toLocaleString("en")} disallowed now`, opened > 0 && `${opened.toLocaleString("en")} allowed now`].filter(Boolean).join(", ");
}

// endOfPart returns where a part of a list ends: after the end of a line.
function endOfPart(list, from) {
  const end = list.indexOf("\n", from + partSize);
  return end < 0 ? list.length : end + 1;
}

// wrongLines names the first lines that have no URL.
function wrongLines({ rejected, wrong }) {
  return listed([...wrong, ...(rejected > wrong.length ? [counted(rejected - wrong.length, "other")] : [])]);
}

// add adds the counts and URLs of the answer about a part of a list, which has some lines, to those of the earlier parts.
function add(all, answer, lines) {
  const wrong = (answer.rejected_lines ?? []).map((n) => `line ${(all.lines + n).toLocaleString("en")} (“${shortName(lines[n - 1].trim())}”)`);
  all.wrong = [...all.wrong, ...wrong].slice(0, maxWrong);
  all.lines += lines.length - 1;
  addSites(all.sites, lines.map((line) => line.trim()));
  all.urls += answer.urls;
  all.flipped += answer.flipped;
  all.rejected += answer.rejected;
  all.other_sites += answer.other_sites;
  all.incomplete ||= answer.incomplete;
  for (const c of answer.crawlers) {
    const key = JSON.stringify(c.agents);
    const sum = all.crawlers.get(key) ?? { agents: c.agents, blocked: 0, opened: 0, directories: new Map(), examples: [] };
    all.crawlers.set(key, sum);
    sum.blocked += c.blocked;
    sum.opened += c.opened;
    for (const d of c.directories) {
      const one = sum.directories.get(d.path) ?? { path: d.path, blocked: 0, opened: 0 };
      sum.directories.set(d.path, one);
      one.blocked += d.blocked;
      one.opened += d.opened;
    }
    const of = (isBlocked) => [...sum.examples, ...c.examples].filter((e) => e.old.allowed === isBlocked).slice(0, maxExamples);
    sum.examples = [...of(true), ...of(false)];
  }
}

const entities = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'" };

const isXML = (text) => /^\ufeff?\s*</.test(text);

const isIndex = (text) => isXML(text) && /<(?:[\w.-]+:)?sitemapindex[\s>]/.test(text);

const locations = (text) => [...text.matchAll(/<loc>\s*([^<]*?)\s*<\/loc>/g)].map(([, url]) => url.replace(/&(?:amp|lt|gt|quot|apos);/g, (e) => entities[e]));

// listOf returns the URLs of a sitemap, one in each line. A text that is not XML is already a list, and is returned
// unchanged.
const listOf = (text) => (isXML(text) ? locations(text).join("\n") : text);

// noteOfIndex says of a sitemap index that its URLs are not pages. Of another file, it says nothing.
function noteOfIndex(name, text) {
  return isIndex(text) && `${name} is a sitemap index: it names ${counted(locations(text).length, "sitemap")}, and no pages. The pages of these sitemaps are compared only if you open them all at once.`;
}
