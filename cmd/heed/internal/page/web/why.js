// Why a URL is allowed or not: the rules that match, drawn in the URL, the groups, and the dialects.
import { byId, capital, counted, crawlerName, firstOf, h, lineLink, listed, noVerdict, ruleText, shortName, verdict } from "./dom.js";
import { reasonText } from "./grid.js";
import { bytesOf, textIn } from "./bytes.js";
import { dialectTitle, dialects } from "./state.js";

const decides = "decides"; // the fate of the rule that the headline names
const maxNamed = 12;

// createWhy shows explanations; onLine gets the number of a line that somebody wants to see.
export function createWhy({ onLine }) {
  const panel = byId("why"), place = byId("why-body");

  // show shows an explanation. others are other crawlers with the same verdict, as the grid knows them: other lines may decide.
  function show(explanation, others) {
    const main = mainOf(explanation);
    panel.hidden = false;
    place.replaceChildren(
      headline(explanation, main),
      ...candidates(main),
      groups(main),
      ...sharers(others),
      comparison(explanation),
      ...preferences(explanation.usage ?? {}));
  }

  // preferences returns elements that show what the page may be used for. It returns none if the robots.txt says nothing
  // about that.
  function preferences(usage) {
    const purposes = Object.entries(usage).filter(([, p]) => p.by.length + p.ignored.length > 0);
    if (purposes.length === 0) {
      return [];
    }
    const item = (s) => h("li", null, lineLink(s.line, onLine), " ", h("code", null, s.text), s.why && h("p", { class: "because" }, `Does not count: ${s.why}`), s.note && h("p", { class: "because" }, s.note));
    return [h("h3", null, "What it may be used for"), ...purposes.map(([name, p]) => h("div", { class: "groups" },
      h("p", null, h("strong", null, name), ` ${p.preference}`),
      p.by.length > 0 && h("ul", { class: "plain" }, p.by.slice(0, 50).map(item)),
      p.ignored.length > 0 && h("details", null,
        h("summary", null, p.ignored.length === 1 ? "1 statement does not decide" : `${p.ignored.length} statements do not decide`),
        h("ul", { class: "plain" }, p.ignored.map(item)))))];
  }

  function headline(explanation, main) {
    return h("div", { class: `headline ${main.allowed ? "allowed" : "disallowed"}` },
      h("p", { class: "answer" }, verdict(main.allowed, { id: "why-verdict" }),
        h("span", { class: "short", title: explanation.url }, h("strong", null, shortName(crawlerName(explanation.agents[0]))), main.allowed ? " may fetch " : " may not fetch ", h("code", { class: "url" }, explanation.url))),
      h("p", { class: "because" }, main.rule
        ? [lineLink(main.rule.line, onLine), " decides: ", h("code", null, ruleText(main.rule))]
        : noRule(main)),
      fallback(explanation, main) && h("p", { class: "note" }, fallback(explanation, main)),
      warning(explanation, main.reason) && h("p", { class: "note" }, warning(explanation, main.reason)));
  }

  // fallback says that the group of another product token applies, because no group names the crawler.
  function fallback({ agents: [first, ...others] }, main) {
    const tokens = others.filter((token) => token !== "!*");
    return tokens.length > 0 && main.groups.some((g) => g.applies && g.why === "no group names a more specific token")
      && `No group names ${crawlerName(first)}, so it follows the group of ${tokens.join(" or ")}.`;
  }

  // warning says what is known of crawlers, if they may do something else than the verdict says. If there is nothing to
  // warn of, it returns a false value.
  function warning(facts, reason, isOne = true) {
    const sourcesSay = `Sources say that ${isOne ? "this crawler does" : "these crawlers do"} not follow`;
    if (facts.obeys === false) {
      return `${sourcesSay} robots.txt, or not always.`;
    }
    if (facts.purpose_token) {
      return `${isOne ? "This is a purpose token, and not a crawler: only a group that names it states" : "These are purpose tokens, and not crawlers: only groups that name them state"} a preference about ${facts.purpose_token}.`;
    }
    return facts.obeys_everyone === false && reason !== "ignores-everyone" && `${sourcesSay} the groups for "*".`;
  }

  // sharers shows the other crawlers of a column. Those with the same line and the same facts are in one item.
  function sharers(others) {
    const items = new Map();
    for (const { name, facts, cell } of others) {
      const key = JSON.stringify([cell.rule?.line, facts]), item = items.get(key) ?? { names: [], facts, cell };
      items.set(key, item);
      item.names.push(shortName(name));
    }
    return items.size === 0 ? [] : [h("div", { id: "why-others", class: "groups" },
      h("h3", null, `${counted(others.length, "other crawler")} with this verdict`),
      h("ul", { class: "plain" }, [...items.values()].map(({ names, facts, cell }) => h("li", null,
        listed(firstOf(names, maxNamed)), ": ", cell.rule ? lineLink(cell.rule.line, onLine) : reasonText(cell.reason),
        warning(facts, cell.reason) && h("p", { class: "note" }, warning(facts, cell.reason, names.length === 1))))))];
  }

  // noRule returns why the URL has its verdict although no rule decides.
  function noRule(main) {
    const lines = main.groups.filter((g) => g.applies).map((g) => lineLink(g.line, onLine));
    if (main.reason !== "no-rule-matched") {
      return sentence(main.reason);
    }
    return lines.length === 1 ? ["No rule of the group in ", lines[0], " matches, so it is allowed."] : "No rule of the groups that apply matches, so it is allowed.";
  }

  function candidates(main) {
    const count = main.candidates.length + (main.more_candidates ?? 0);
    if (count === 0) {
      return [];
    }
    return [
      h("h3", null, count === 1 ? "One rule matches" : `${count} rules match`),
      h("ol", { class: "candidates" }, main.candidates.slice(0, 50).map((c) => h("li", { class: `candidate ${c.why !== decides ? "" : c.rule.allow ? "allowed" : "disallowed"}` },
        h("div", { class: "rule" },
          lineLink(c.rule.line, onLine),
          h("code", { class: c.rule.allow ? "allow" : "disallow" }, ruleText(c.rule)),
          h("span", { class: "quiet" }, counted(c.bytes, "byte"))),
        drawing(main, c),
        c.why !== decides && h("p", { class: "because" }, capital(c.why), c.use === "never decides" && [" ", h("span", { class: "tag" }, "never decides any URL")])))),
      count > 50 ? h("p", { class: "note" }, `and ${count - 50} more`) : null,
    ].filter(Boolean);
  }

  function groups(main) {
    const applies = main.groups.filter((g) => g.applies), others = main.groups.filter((g) => !g.applies);
    const item = (g) => h("li", null, lineLink(g.line, onLine), h("span", null, ` ${g.why}`), h("span", { class: "quiet" }, ` · ${counted(g.rules, "rule").replace(" ", "\u00a0")}`));
    return h("div", { class: "groups" },
      h("h3", null, applies.length === 0 ? "No group applies" : applies.length === 1 ? "The group that applies" : `${applies.length} groups apply`),
      applies.length > 0 && h("ul", { class: "plain" }, applies.slice(0, 50).map(item)),
      others.length > 0 && h("details", null,
        h("summary", null, others.length === 1 ? "1 group does not apply" : `${others.length} groups do not apply`),
        h("ul", { class: "plain" }, others.slice(0, 100).map(item))));
  }

  function comparison(explanation) {
    const why = new Map(explanation.differences.map((d) => [d.dialect, d.why]));
    const order = dialects.map(([name]) => name);
    const sorted = [...explanation.dialects].sort((a, b) => order.indexOf(a.dialect) - order.indexOf(b.dialect));
    const isError = ({ reason }) => reason === "invalid-target" || reason === "invalid-agent";
    const errors = sorted.filter(isError).length, others = sorted.filter((d) => !isError(d) && d.allowed !== mainOf(explanation).allowed).length;
    const title = h("h3", null, errors > 0 ? `${counted(errors, "dialect")} ${errors === 1 ? "has" : "have"} no verdict`
      : others > 0 ? `${counted(others, "dialect")} ${others === 1 ? "has" : "have"} another verdict`
      : why.size > 0 ? `All dialects have this verdict, ${why.size} by another rule` : "All dialects agree");
    return h(why.size === 0 ? "details" : "div", { class: "dialects" },
      why.size === 0 ? h("summary", null, title) : title,
      h("ul", { class: "plain" }, sorted.map((d) => h("li", { class: why.has(d.dialect) ? "differs" : "" },
        h("span", { class: "name" }, dialectTitle(d.dialect)),
        isError(d) ? noVerdict() : verdict(d.allowed),
        d.rule ? lineLink(d.rule.line, onLine) : h("span", { class: "quiet" }, reasonText(d.reason)),
        why.has(d.dialect) && h("p", { class: "because" }, capital(why.get(d.dialect)))))));
  }

  return {
    show,
    clear(text = "", isError = false) {
      panel.hidden = text === "";
      place.replaceChildren(text && h("p", { class: isError ? "error" : "note" }, capital(text)));
    },
    // groupLines returns the first lines of the groups that apply.
    groupLines: (explanation) => mainOf(explanation).groups.filter((g) => g.applies).map((g) => g.line),
  };
}

const sentence = (reason) => ({
  "no-group": "No group applies to this crawler, so it is allowed.",
  "ignores-everyone": "There is no group for this crawler, and it does not follow the groups for \"*\", so it is allowed.",
  "robots-txt-itself": "The robots.txt itself is always allowed.",
})[reason] ?? `${capital(reasonText(reason))}.`;

const mainOf = (explanation) => explanation.dialects.find((d) => d.dialect === explanation.dialect);

const manySpans = 200; // more are not drawn
const longPart = 120; // characters of a part of the path; of a longer one, the middle is left out

// drawing shows which part of the path each part of a pattern matches. The spans of the candidate are in bytes of UTF-8.
// The pattern does not look at the path after the last span.
function drawing(trace, candidate) {
  if (candidate.spans.length === 0) {
    return null; // too many
  }
  const bytes = bytesOf(textIn(trace, "path"));
  const decoder = new TextDecoder();
  const part = (start, end) => shortened(decoder.decode(bytes.subarray(start, end)));
  const end = candidate.spans.at(-1)?.end ?? 0;
  const label = `In ${part(0, bytes.length)}, the pattern matches ${part(0, end)}`;
  return h("div", { class: `drawing ${candidate.rule.allow ? "allow" : "disallow"}` },
    h("span", { class: "hidden" }, label),
    h("code", { "aria-hidden": "true" },
      candidate.spans.length > manySpans ? h("span", { class: "literal" }, part(0, end)) : candidate.spans.map((s) => h("span", { class: s.wildcard ? "wildcard" : "literal", title: s.wildcard && "matched by *" }, s.start === s.end ? new Text("\u200b") : part(s.start, s.end))),
      h("span", { class: "rest" }, part(end, bytes.length))));
}

function shortened(text) {
  return text.length > longPart ? `${text.slice(0, longPart / 2)} … ${text.slice(-longPart / 3)}` : text;
}
