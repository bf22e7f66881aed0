// Compares the file in the editor with another text, or with what the site has now: what changes,
// for whom, and a URL that shows it.
import { agentName, byId, capital, crawlerName, firstOf, h, listed, say, whole } from "./dom.js";
import { createEditor } from "./editor.js";
import { isDaemon } from "./engine.js";
import { changeItem, createFlips } from "./flips.js";
import { purposeTitle } from "./picker.js";
import { createSiteForm, pages } from "./site.js";
import { inSentence } from "./state.js";

const effects = { // the most serious comes first
  "shut-out": "may fetch nothing any more",
  "blocked-and-opened": "some URLs become disallowed, others allowed",
  blocked: "some URLs become disallowed",
  opened: "some URLs become allowed",
};

// gravity returns 0 for the most serious change. "heed diff" shows the crawlers in the same order.
function gravity({ effect, old, new: { group } }) {
  const place = Object.keys(effects).indexOf(effect);
  return place > 0 && old.group === "own" && group !== "own" ? 0.5 : place < 0 ? Infinity : place;
}

const maxWitnesses = 8, maxCrawlers = 60, maxNamed = 4, maxPreferences = 30;

// createCompare shows comparisons. It calls these functions when a person does something:
//
// onOld(text)         the old text has changed
// onFrom(from)        the old file comes from elsewhere: "text" or "site"
// onSite(site)        the live file of this site is the old file
// onKeep()            the text of the editor becomes the old text
// onList()            there is another list of URLs
// onAsk(crawler, url) the person wants an explanation
export function createCompare({ onOld, onFrom, onSite, onKeep, onList, onAsk }) {
  const result = h("div", { id: "compare-result" });
  const editorPlace = h("div", { class: "editor small" });
  const from = h("fieldset", { class: "choice-line", hidden: !isDaemon }, h("legend", { class: "hidden" }, "Compare with"),
    radio("text", "Pasted text"), radio("site", "Live site"));
  const site = createSiteForm("Compare", onSite);
  const flips = createFlips({ onList, onAsk });
  const keep = h("button", { type: "button", onclick: () => onKeep() }, "Take the text of the editor as the old file");
  byId("compare").append(
    h("section", { class: "panel", "aria-labelledby": "old-title" },
      h("div", { class: "bar" }, h("h2", { id: "old-title" }, "Old file"), from),
      h("p", { class: "note" }, "The new file is the one in the editor."),
      site.form, editorPlace, keep),
    h("section", { class: "panel", "aria-labelledby": "change-title" }, h("h2", { id: "change-title" }, "What changes"), result),
    flips.panel);
  const editor = createEditor(editorPlace, { label: "robots.txt before", text: "", hint: "Paste the old robots.txt here", onChange: onOld });

  function radio(value, text) {
    return h("label", null, h("input", { type: "radio", name: "old-from", value, onchange: () => onFrom(value) }), text);
  }

  function show(comparison) {
    const changed = comparison.crawlers.filter((c) => c.result !== "equal").sort((a, b) => gravity(a) - gravity(b) || 0), alike = joined(changed);
    result.replaceChildren(...[
      headline(comparison, changed),
      ...pageNote("old", comparison.old_page), ...pageNote("new", comparison.new_page),
      comparison.managed && managed(comparison.managed),
      alike.length > 0 && h("h3", null, "By crawler"),
      ...alike.slice(0, maxCrawlers).map((list) => crawler(list)),
      alike.length > maxCrawlers && h("p", { class: "note" }, `and ${alike.length - maxCrawlers} more`),
      changed.some((c) => c.more && !c.new.everything) && h("p", { class: "note" }, "One URL is shown for each changed rule. More URLs may change."),
      purposes(comparison.purposes),
      changed.length > 0 && unchanged(comparison.crawlers.filter((c) => c.result === "equal")),
      comparison.preferences && preferences(comparison.preferences),
    ].filter(Boolean));
    say(byId("change-result").textContent, "compare");
  }

  // otherGroup says which group applies now, if it is another one than before: "own" names the crawler.
  function otherGroup(old, now, it) {
    return {
      "own *": `There is no group for ${it} any more, so the group for "*" applies now.`,
      "own none": `There is no group for ${it} any more, and no group for "*" applies.`,
      "* own": `There is a group for ${it} now, so the group for "*" no longer applies.`,
      "none own": `There is a group for ${it} now.`,
      "* none": 'There is no group for "*" any more.',
    }[`${old} ${now}`];
  }

  // alikeOf returns the names of the known crawlers to which the same groups apply as to a crawler of the answer.
  const alikeOf = (c) => (c.same_groups ?? []).map(crawlerName);

  // joined returns lists of crawlers for which the same changes.
  function joined(crawlers) {
    const lists = new Map();
    for (const c of crawlers) {
      const key = JSON.stringify([c.result, c.effect, c.old, c.new, c.changes, c.made_up]);
      lists.set(key, [...(lists.get(key) ?? []), c]);
    }
    return [...lists.values()];
  }

  function headline(comparison, changed) {
    if (comparison.result === "equal") {
      return h("div", { class: "headline" }, h("p", { id: "change-result" }, h("strong", null, "No verdict changes. "), "It is proved that every URL has the same verdict for every crawler."), readAs(comparison));
    }
    const named = changed.filter((c) => c.agent !== "*"), others = named.length < changed.length ? ["crawlers that neither file names"] : [];
    const all = listed([...firstOf([...named.map((c) => agentName(c.agent)), ...named.flatMap(alikeOf)], maxNamed), ...others]);
    const [what, another] = new Set(changed.map((c) => effect(c, c.old.everything, c.new.everything)));
    const words = comparison.result === "undecided" ? "No change was found, but it is not proved that there is none."
      : another ? `Verdicts change for ${all}.` : what.startsWith("may ") ? `${capital(all)} ${what}.` : `Verdicts change for ${all}: ${what}.`;
    return h("div", { class: "headline" }, h("p", { id: "change-result" }, words), readAs(comparison),
      comparison.incomplete && h("p", { class: "note" }, "The files name so many crawlers that not all were compared."));
  }

  const readAs = ({ dialect }) => h("p", { class: "note", id: "compare-dialect" }, `Read as ${inSentence(dialect)}, the dialect chosen in “Test”. Lines such as Crawl-delay and Sitemap are not compared.`);

  const pageNote = (which, page) => (page ? [h("p", { class: "note" }, `The ${which} file is ${pages[page]}: only the lines in it that look like lines of a robots.txt are read.`)] : []);

  function purposes(list) {
    const changed = list.filter((p) => p.changes.length > 0);
    if (changed.length === 0) {
      return null;
    }
    return h("div", null, h("h3", null, "Known crawlers by purpose"), h("ul", { class: "plain purposes" }, changed.map((p) => h("li", null,
      h("strong", null, purposeTitle(p.purpose)),
      p.changes.map((c) => h("details", null,
        h("summary", null, h("span", { class: "of" }, `${c.crawlers.length} of ${p.known}`), " ", effect(c, c.old_everything, c.new_everything)),
        h("p", { class: "quiet" }, whole(c.crawlers.join(", ")))))))));
  }

  // effect has the words of "heed diff", as far as the page has no shorter ones. before and now say if everything is allowed or disallowed.
  function effect(c, before, now) {
    if (now === "allowed") {
      return "may fetch everything";
    }
    if (c.effect === "opened" && before) {
      return `no longer ${before} everywhere`;
    }
    return c.result === "undecided" ? "not found out" : effects[c.effect] ?? c.effect;
  }

  function crawler(list) {
    const [c] = list, agent = [c.agent].flat().join(","), others = list.flatMap(alikeOf), group = otherGroup(c.old.group, c.new.group, list.length > 1 ? "them" : "it");
    return h("div", { class: "compared" },
      h("p", null, h("strong", null, list.map((each) => agentName(each.agent)).join(", ")), ": ", effect(c, c.old.everything, c.new.everything)),
      group && h("p", { class: "quiet" }, group),
      others.length > 0 && h("p", { class: "quiet" }, whole(`The same groups apply to ${others.join(", ")}.`)),
      h("ul", { class: "plain witnesses" }, [...c.changes].sort((a, b) => b.old.allowed - a.old.allowed).slice(0, maxWitnesses).map((change) => changeItem(change, change.witness, (url) => onAsk(agent, url)))),
      c.changes.length > maxWitnesses && h("p", { class: "note" }, `and ${c.changes.length - maxWitnesses} more`));
  }

  function unchanged(crawlers) {
    return crawlers.length > 0 && h("div", { id: "compare-unchanged" }, h("h3", null, "Verdicts proved unchanged"), h("p", null, whole(crawlers.map((c) => agentName(c.agent)).join(", "))));
  }

  // preferences shows which preferences about the use of content change.
  function preferences(p) {
    const stated = (when, s) => h("span", null, `${when} ${s.preference}`, s.by.length > 0 && h("span", { class: "quiet" }, whole(` (line ${s.by[0].line}: ${s.by[0].text})`)));
    const names = (c) => c.agents.map(agentName).join(", ");
    const more = Math.max(0, p.changes.length - maxPreferences) + (p.more ?? 0);
    return h("div", { id: "compare-preferences" }, h("h3", null, "Preferences about the use of content"),
      p.result === "equal" && h("p", null, "It is proved that none changes, for every URL that may be fetched by both files."),
      p.result !== "equal" && p.changes.length === 0 && h("p", { class: "note" }, "No change was found, but not all crawlers were compared."),
      h("ul", { class: "plain preferences" }, p.changes.slice(0, maxPreferences).map((c) => h("li", null,
        h("strong", null, c.purpose), c.is_token ? `, as the group of ${names(c)} says by itself: ` : ` for ${names(c)}: `,
        c.old && c.new ? [h("span", { class: "url" }, c.witness), " ", stated("was", c.old), ", ", stated("is", c.new)] : "no change was found, but it is not proved that there is none"))),
      more > 0 && h("p", { class: "note" }, `and ${more} more`));
  }

  // managed shows what the edge, such as a CDN, adds to the file: its blocks of lines.
  function managed(m) {
    const changes = { all: "All changes come from them.", none: "No change that was found comes from them.", some: "Some of the changes come from them.", unknown: "It could not be found out which changes come from them." }[m.changes];
    const merged = { joined: "its rules and those of your groups count together", replaces: "your groups do not apply any more, only the block", adds: "the block applies, and no group of yours would", nothing: "only your groups apply" };
    return h("div", null, h("h3", null, "What the edge adds"),
      h("ul", { class: "plain" }, m.blocks.map((b) => h("li", null, `${b.by || "Managed"} block in the ${b.file} file, ${b.last_line ? `lines ${b.first_line} to ${b.last_line}` : `from line ${b.first_line}, without an end`}`))),
      changes && h("p", null, changes),
      m.merged.length > 0 && h("ul", { class: "plain" }, m.merged.slice(0, 20).map((each) => h("li", null, h("strong", null, each.agent), `: ${merged[each.effect] ?? each.effect}`))));
  }

  return {
    show,
    // showFlips says which URLs of the list flip.
    showFlips: (files) => flips.show(files),
    // showState shows the old file of a state.
    showState(state) {
      for (const input of from.querySelectorAll("input")) {
        input.checked = input.value === state.oldFrom;
      }
      const isSite = isDaemon && state.oldFrom === "site";
      editorPlace.hidden = isSite;
      site.form.hidden = !isSite;
      keep.hidden = isSite || state.old !== "";
      site.show(state.site);
      editor.setText(state.old);
    },
    showRemoved(lines) {
      editor.showLines(lines, "cm-removed");
    },
    message(text, isError = false) {
      result.replaceChildren(h("p", { class: isError ? "error" : "note" }, text));
      flips.clear();
    },
  };
}
