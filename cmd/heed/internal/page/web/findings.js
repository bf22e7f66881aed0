// The list of findings, with their fixes.
import { byId, counted, h, lineLink, whole } from "./dom.js";
import { rank, signs } from "./editor.js";

const words = { error: "Error", warning: "Warning", note: "Note" };
const maxShown = 200;

// summary returns the counts as "heed lint" writes them, such as "1 error, 2 warnings, 1 note".
function summary(findings) {
  return Object.keys(words).map((severity) => [findings.filter((f) => f.severity === severity).length, severity])
    .filter(([n]) => n > 0).map(([n, severity]) => counted(n, severity)).join(", ");
}

// createFindings shows findings; onFix gets the edits of fixes, onLine the number of a line.
export function createFindings({ onFix, onLine }) {
  const list = byId("finding-list"), fixAll = byId("fix-all"), title = byId("findings-title");
  const details = byId("findings");
  let safe = [];

  details.open = matchMedia("(min-width: 62rem)").matches; // on a small screen the verdicts come first
  fixAll.addEventListener("click", () => onFix(safe.map((f) => f.fix)));

  function item(finding) {
    const { line, severity, message, advice, fix, code, crawlers } = finding;
    return h("li", { class: "finding", "data-line": line ?? 0, "data-code": code },
      h("span", { class: `badge ${severity}`, title: words[severity] }, h("span", { "aria-hidden": "true" }, signs[severity]), h("span", { class: "hidden" }, words[severity])),
      h("div", { class: "what" },
        h("p", null, line ? lineLink(line, onLine) : null, line ? " " : null, whole(message)),
        h("details", { class: "quiet" },
          h("summary", null, "What to do · ", h("code", null, code), crawlers && crawlers.length <= 5 ? whole(` · ${crawlers.join(", ")}`) : crawlers ? ` · ${counted(crawlers.length, "crawler")}` : null),
          h("p", null, whole(advice)))),
      fix?.edits && h("button", {
        type: "button", class: "fix", onclick: () => onFix([fix]),
        title: fix.safe ? "It is proved that no verdict changes in RFC 9309 and for Google" : "Verdicts may change",
      }, `Fix: ${fix.title}`, h("span", { class: "quiet" }, fix.safe ? " changes no verdict (RFC 9309, Google)" : " may change verdicts")));
  }

  return {
    show(findings) {
      const hadFocus = details.contains(document.activeElement);
      safe = findings.filter((f) => f.fix?.edits && f.fix.safe);
      fixAll.hidden = safe.length < 2;
      fixAll.title = "It is proved that no verdict changes";
      fixAll.textContent = `Apply ${safe.length} safe fixes`;
      title.textContent = findings.length === 0 ? "No findings" : summary(findings);
      const sorted = [...findings].sort((a, b) => rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0));
      list.replaceChildren(...sorted.slice(0, maxShown).map(item));
      if (sorted.length > maxShown) {
        list.append(h("li", { class: "note" }, `and ${sorted.length - maxShown} more`));
      }
      if (hadFocus && !details.contains(document.activeElement)) { // it was on a button that is gone
        details.querySelector("summary").focus(); // another fix may change verdicts
      }
    },
    fail(message) {
      title.textContent = "Findings";
      fixAll.hidden = true;
      list.replaceChildren(h("li", { class: "error" }, message));
    },
    // focus shows the first finding of a line.
    focus(line) {
      details.open = true;
      const element = list.querySelector(`[data-line="${line}"]`);
      element?.scrollIntoView({ block: "nearest" });
      element?.querySelector("button")?.focus();
    },
  };
}
