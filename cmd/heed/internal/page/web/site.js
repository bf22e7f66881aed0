// Live sites: loading the robots.txt of a site, and its history. They need the daemon. A site is
// fetched only after somebody pressed a button: a link alone causes no request to it.
import { asTyped, byId, counted, h, say, whole } from "./dom.js";
import { Cancelled, cancel, get, isDaemon } from "./engine.js";
import { changedLines } from "./lines.js";
import { textIn } from "./bytes.js";
import { inSentence } from "./state.js";

// createSiteForm makes a field for a site with a button. onSite gets the site as a URL, and as it was typed.
export function createSiteForm(button, onSite) {
  const input = h("input", { type: "text", required: true, inputmode: "url", "aria-label": "Site", placeholder: "www.example.com", ...asTyped });
  const form = h("form", {
    class: "line",
    onsubmit: (event) => {
      event.preventDefault();
      onSite(withScheme(input.value.trim()), input.value.trim());
    },
  }, input, h("button", { type: "submit" }, button));
  return { form, show: (site) => { input.value = site; } };
}

// createSite shows the fields for a site. dialect returns the dialect that decides. onLoad gets a loaded site and its
// robots.txt, and returns a function that brings the earlier text back; onSite gets a site whose history is shown. onCompare gets an earlier version to compare with, and
// onOpen gets an earlier version for the editor. If the robots.txt of a site is not known, the text in the editor stays.
export function createSite({ dialect, onLoad, onSite, onCompare, onOpen }) {
  const note = byId("site-note"), place = byId("history");
  if (!isDaemon) {
    note.hidden = false;
    note.append(...whole("Nothing that you paste leaves this browser. To load the robots.txt of a live site, use “heed serve”."));
    byId("tab-history").hidden = true;
    return { showState: () => {}, stop: () => {}, showDialect: () => {}, showHistoryOf: () => {}, markOpen: () => {} };
  }
  const forms = [createSiteForm("Load from site", load), createSiteForm("Show history", loadHistory)];
  byId("site-place").append(forms[0].form);
  const result = h("div");
  let isLoading = false, bringBack = null;
  let answered = null, isInEditor = false; // the answer about the site that was loaded, and whether its text came into the editor
  let loaded = ""; // the site that somebody asked for
  let hint = ""; // how the site that was loaded was read, if it was typed without a scheme
  let shown = ""; // the site whose history is shown
  let items = [], inEditor = ""; // the versions as elements and texts; the text of the editor
  place.append(h("section", { class: "panel", "aria-labelledby": "history-title" },
    h("h2", { id: "history-title" }, "History of a site"),
    h("p", { class: "note" }, "The versions of its robots.txt that this daemon has stored since it first fetched the site."), forms[1].form, result));

  async function load(site, typed) {
    tell(`Loading the robots.txt of ${site} …`);
    isLoading = true;
    try {
      const answer = await get("site", `/v1/robots?url=${encodeURIComponent(site)}&lines=true`);
      isLoading = false;
      answered = answer;
      loaded = site;
      hint = typed === site ? "" : ` ${typed} has no scheme, so it was read as ${site}. For a site without https, write http://${typed}.`;
      shown = ""; // its history may have grown
      isInEditor = ["rules", "unavailable"].includes(outcomeOf(answer));
      bringBack = isInEditor ? onLoad(site, (answer.lines ?? []).map((line) => textIn(line, "raw")).join("")) : null;
      tellAnswer();
    } catch (err) {
      if (!(err instanceof Cancelled)) {
        isLoading = false;
        tell(err.message, true);
      }
    }
  }

  function tell(text, isError = false) {
    note.hidden = text === "";
    note.className = isError ? "error" : "note";
    note.replaceChildren(text);
    say(text);
  }

  // tellAnswer says what the retrieval of the site had as its result. If its text is in the editor, there is a button for
  // the earlier text.
  function tellAnswer() {
    tell(...summary(answered));
    if (isInEditor) {
      note.append(" ", h("button", { type: "button", class: "link", id: "bring-back", onclick: undo }, "Bring your earlier text back"));
    }
  }

  function undo() {
    forget();
    bringBack();
    forms[0].form.querySelector("input").focus();
  }

  function forget() {
    answered = null;
    tell("");
  }

  // outcomeOf returns the outcome of a retrieval in the chosen dialect.
  const outcomeOf = ({ site, retrieval }) => retrieval?.outcomes[dialect()] ?? site.outcome;

  // summary returns in words what the retrieval of a site had as its result, and whether that is an error.
  function summary(answer) {
    const { site, retrieval } = answer, outcome = outcomeOf(answer), title = inSentence(dialect());
    const age = site.age_seconds < 90 ? "just now" : site.age_seconds < 5400 ? `${Math.round(site.age_seconds / 60)} minutes ago` : `${Math.round(site.age_seconds / 3600)} hours ago`;
    const from = retrieval?.hops?.length > 1 ? ` from ${retrieval.hops.at(-1).url}` : "";
    const next = site.next_retrieval ? ` The next retrieval is at ${clock(site.next_retrieval)}.` : "";
    const other = isInEditor ? "" : ` ${notOfSite}`;
    switch (outcome) {
      case "rules":
        return [`${site.origin}: fetched ${age}${from}, ${retrieval ? counted(retrieval.bytes, "byte") : ""}${site.page ? `, ${pages[site.page]}` : ""}${site.stale ? "; an old copy, since the site does not answer" : ""}.${next} You can change the text; the site stays as it is.${other}`];
      case "unavailable":
        return [`${site.origin} gives no robots.txt (status ${site.status}): in ${title}, everything is then allowed.${next}${other}`];
      case "restricted":
        return [`${site.origin} gives no robots.txt (status ${site.status}): in ${title}, everything is then disallowed. ${notOfSite}`, true];
    }
    return [`${site.origin} is unreachable: ${site.error || `status ${site.status}`}. Everything is disallowed.${hint} ${notOfSite}`, true];
  }

  async function loadHistory(site) {
    result.replaceChildren(h("p", { class: "note" }, "Loading …"));
    try {
      const answer = await get("history", `/v1/robots?url=${encodeURIComponent(site)}&history=true`);
      loaded = shown = site;
      onSite(site);
      showHistory(answer.history ?? [], answer.events ?? []);
      say(`${counted((answer.history ?? []).length, "version")} of the robots.txt`);
    } catch (err) {
      if (!(err instanceof Cancelled)) {
        result.replaceChildren(h("p", { class: "error" }, err.message));
      }
    }
  }

  // showHistory shows the versions of a site's robots.txt, the newest first. If heed watches the site, it also shows the
  // events that were reported.
  function showHistory(versions, events) {
    items = versions.map((v, i) => ({ element: version(v, versions[i + 1], i === 0), text: textIn(v, "body") }));
    result.replaceChildren(
      ...(events.length > 0 ? [h("h3", null, "What changed, and for whom"), h("ol", { class: "timeline", id: "events" }, events.map(eventItem))] : []),
      h("p", { class: "note" }, versions.length === 0 ? "Nothing is known about this site." : "The newest first."),
      h("ol", { class: "timeline", id: "versions" }, items.map((item) => item.element)));
    markOpen(inEditor);
  }

  function version(v, older, isNewest) {
    const body = textIn(v, "body"), before = older && textIn(older, "body");
    const delta = body !== undefined && before !== undefined ? changedLines(before, body) : null;
    const first = time(v.first_seen), last = isNewest ? "now" : time(v.last_seen);
    return h("li", null,
      h("p", { class: "when" }, first, h("span", { class: "quiet" }, first.textContent === last.textContent ? ", seen once" : [" until ", last])),
      h("p", null, body === undefined ? `No robots.txt, status ${v.status}` : counted(v.bytes, "byte"),
        delta && h("span", { class: "quiet" }, ` · ${counted(delta.added.length, "line")} added, ${delta.removed.length} removed`)),
      body !== undefined && h("p", { class: "line" },
        h("button", { type: "button", onclick: () => onCompare(body) }, "Compare with the editor"),
        h("button", { type: "button", onclick: () => onOpen(body) }, "Open in the editor")),
      body !== undefined && h("p", { class: "quiet" }, "This is in the editor."));
  }

  // eventItem returns an event of heed watch as an element of a list.
  function eventItem(event) {
    return h("li", null,
      h("p", { class: "when" }, time(event.time), h("span", { class: "quiet" }, ` ${event.severity}`)),
      h("p", null, event.text));
  }

  // markOpen shows which version has the text of the editor.
  function markOpen(text) {
    inEditor = text;
    for (const item of items) {
      item.element.classList.toggle("open", item.text === text);
    }
  }

  // stop ends a load in progress, because the loaded text would replace the text that the person has written since. What
  // was said of the loaded text is not about a text that replaces it.
  function stop(isReplaced) {
    if (isLoading) {
      isLoading = false;
      cancel("site");
      tell("Loading was stopped, since the text was changed.");
    } else if (isReplaced && isInEditor && answered) {
      forget();
    }
  }

  return {
    stop,
    showState(state) {
      for (const form of forms) {
        form.show(state.site);
      }
    },
    // showHistoryOf immediately shows the history of a site if the site was loaded before.
    showHistoryOf(site) {
      if (site === loaded && site !== "" && site !== shown) {
        loadHistory(site);
      }
    },
    // showDialect shows again what the retrieval of the loaded site means, after the dialect has changed.
    showDialect() {
      if (answered && !isLoading) {
        tellAnswer();
      }
    },
    markOpen,
  };
}

export const pages = { html: "an HTML page", json: "a JSON value" }; // what a server sent instead of a robots.txt

const notOfSite = "The text below, and its verdicts, are not those of this site.";

// clock returns the time of day of a moment, and also the day if that is not today.
function clock(text) {
  const moment = new Date(text), isToday = moment.toDateString() === new Date().toDateString();
  return moment.toLocaleString("en-GB", { ...(isToday ? {} : { day: "numeric", month: "short" }), hour: "2-digit", minute: "2-digit" });
}

function withScheme(site) {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(site) ? site : `https://${site}`;
}

function time(text) {
  return h("time", { datetime: text ?? "" }, !text ? "unknown" : new Date(text).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }));
}
