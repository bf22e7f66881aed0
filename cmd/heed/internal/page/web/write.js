// Writes a robots.txt by purpose: switches say what a site wants, and beside them is the file that means it, with
// its proof. The switches are a view of the text of a policy, which can be changed by hand too.
import { asTyped, byId, capital, copy, counted, countedCrawlers, download, h, lineLink, say, whole } from "./dom.js";
import { createEditor } from "./editor.js";
import { sizeOf, visible } from "./bytes.js";
import { isNamed, purposes, purposeTitle } from "./picker.js";
import { Unreadable, newBlock, pathsOf, read, short, sitemapsOf, write, wrongNames, wrongPaths } from "./policy.js";
import { dialectTitle } from "./state.js";

const first = ["search", "ai-training", "ai-search", "ai-user"]; // the purposes that nearly all sites care for
const rare = purposes.filter((name) => !first.includes(name));
const modes = { default: "As everyone", allow: "Allowed", disallow: "Disallowed", paths: "Some paths" };
const uses = { "train-ai": "To train AI models", search: "To be found by search", "ai-use": "In AI answers" };
// Well-known crawlers: the first one with a purpose is the example for that purpose.
const examples = [
  "Googlebot", "GPTBot", "OAI-SearchBot", "ChatGPT-User", "archive.org_bot", "AhrefsBot", "UptimeRobot", "AdsBot-Google", "facebookexternalhit", "SemanticScholarBot",
  "CensysInspect", "Feedly", "GoogleOther",
];
const placed = /^robots\.policy:(\d+): (.*)$/s; // a message about a line of the policy
const maxNames = 6, maxNotes = 50, maxRows = 50; // crawlers or statements in a note, notes, and rows of crawlers by name

// createWrite shows the part that writes. onPolicy gets the text of a policy that somebody changed. onBegin asks
// for a policy that means the robots.txt in the editor. onCheck gets a robots.txt for the editor.
export function createWrite({ onPolicy, onBegin, onCheck }) {
  let known = [], parts = null; // what is shown, when it was needed for the first time
  let policy = read("", purposes), text = ""; // the policy as blocks, null if it has none; and as text
  let bySwitches = ""; // the last text that they could show
  let written = null, isOld = false; // the answer; it is about an older policy
  let wanted = null; // what somebody wants to do with the newer one

  const fields = []; // functions that show the policy
  const changed = () => {
    text = bySwitches = write(policy);
    showLeftOut();
    parts.source.setText(text);
    onPolicy(text);
  };

  // withNewest returns a function that performs an action when the answer is about the newest policy: immediately, or
  // when that answer comes.
  const withNewest = (action) => () => (isOld ? wanted = action : action());

  function build() {
    const result = h("p", { id: "write-result" }), leftOut = h("p", { id: "left-out", class: "error", hidden: true }), errors = h("ul", { class: "plain", id: "write-errors" }), notes = h("ul", { class: "plain" });
    const atRoot = h("span", null, "Put it at the root of your site. "), sitemapError = h("span", { class: "error" });
    const notesTitle = h("h3"), size = h("span", { class: "quiet" });
    const noteList = h("details", { id: "write-notes", hidden: true }, h("summary", null, notesTitle), notes);
    const filePlace = h("div", { class: "editor" }), sourcePlace = h("div", { class: "editor small" });
    const actions = [
      button("Download robots.txt", withNewest(() => download("robots.txt", written.robots)), { id: "download-robots", class: "main" }),
      button("Copy", withNewest(() => copy(byId("copy-written"), written.robots, "The robots.txt", ["Not allowed here", "The browser does not allow to copy it."])), { id: "copy-written" }),
      button("Check it", withNewest(() => onCheck(written.robots)), { id: "check-written", title: "Put it into the editor, to test and compare it" }),
    ];
    byId("write-proof").append(h("div", { class: "headline" }, result, leftOut), errors);
    byId("write-proof").before(h("div", { class: "bar" }, h("h2", { id: "written-title" }, "Your new robots.txt"), size));
    byId("written").append(
      filePlace,
      h("div", { class: "take", role: "group", "aria-label": "Take it away" }, actions),
      h("p", { class: "note" }, atRoot, "To change it later, keep what you chose: ",
        button("Download robots.policy", () => download("robots.policy", text), { id: "download-policy", class: "link" })),
      noteList);

    const switches = h("fieldset", { id: "switches", "aria-label": "Switches" });
    const off = h("p", { id: "write-off", role: "status", hidden: true });
    const begun = h("div", { id: "begun", hidden: true });
    const named = h("div", { class: "rows" }), namedTitle = h("h3"), rareTitle = h("h3");
    const rareFold = fold(rareTitle, rare.map((name) => purposeRow(name)), "rare");
    const namedFold = fold(namedTitle, [
      h("p", { class: "note" }, "Exceptions: what is said here of a crawler replaces what is said of its purpose."),
      named,
      button("Add a crawler", () => addNamed(), { id: "add-named", class: "start" }),
    ], "by-name");
    switches.append(
      row({ id: "everyone", title: "Everyone", block: () => policy.everyone, kinds: ["allow", "disallow", "paths"] }),
      ...first.map((name) => purposeRow(name)),
      rareFold, namedFold,
      fold(h("h3", null, "Sitemaps"), [lines({ label: "URLs of sitemaps, one per line", get: () => policy.sitemaps, set: (typed) => { policy.sitemaps = sitemapsOf(typed); }, fields, hint: "https://www.example.com/sitemap.xml", wrong: sitemapError })], "sitemaps"),
      fold(h("h3", null, "What your pages may be used for"), [
        h("p", { class: "note" }, "Preferences for those who have fetched a page. They keep nobody from fetching."),
        ...Object.entries(uses).map(([name, title]) => useRow(name, title)),
      ], "uses"));
    const sourceFold = fold(h("h3", null, "The policy as text"), [
      h("p", { class: "note" }, whole("This is what the switches mean. You can change it here; “heed write” reads it too.")),
      sourcePlace,
    ], "source");
    byId("write").append(h("section", { class: "panel", "aria-labelledby": "write-title" },
      h("div", { class: "bar" }, h("h2", { id: "write-title" }, "What may crawlers fetch?"), h("p", { class: "jump" }, button("robots.txt", () => byId("written").scrollIntoView(), { class: "link" }), " ", h("span", { "aria-hidden": "true" }, "↓"))),
      h("p", { class: "note" }, "Choose by purpose: Heed knows the crawlers, and writes the file. Or ",
        button("begin with the robots.txt in the editor", onBegin, { id: "begin-with", class: "link" }), "."),
      begun, off, switches, sourceFold));

    parts = {
      result, leftOut, atRoot, sitemapError, errors, notes, notesTitle, noteList, size, actions, switches, off, begun, named, namedTitle, namedFold, rareTitle, rareFold, sourceFold,
      file: createEditor(filePlace, { label: "written robots.txt", text: "", isFixed: true }),
      source: createEditor(sourcePlace, { label: "policy", text, hint: "For example: ai-training: disallow", onChange: changedByHand }),
    };
    fields.push(showTitles);
  }

  function changedByHand(newText) {
    setText(newText);
    onPolicy(newText);
  }

  // setText reads a policy, and shows it.
  function setText(newText) {
    text = newText;
    let wrongLine = 0;
    try {
      policy = read(text, purposes);
      bySwitches = text;
    } catch (err) {
      if (!(err instanceof Unreadable)) {
        throw err;
      }
      wrongLine = err.line;
    }
    parts.switches.disabled = wrongLine > 0;
    parts.off.hidden = wrongLine === 0;
    if (wrongLine > 0) {
      parts.off.replaceChildren("The switches are off, because they cannot show ", lineLink(wrongLine, goTo), " of the policy. Change that, or ", back(), ".");
    } else {
      parts.named.replaceChildren(...policy.named.slice(0, maxRows).map(namedRow));
      if (policy.named.length > maxRows) {
        parts.named.append(h("p", { class: "note" }, `and ${policy.named.length - maxRows} more in the text`));
      }
      fields.forEach((show) => show());
      parts.rareFold.open ||= rare.some((name) => isSaid(policy.purposes[name]));
      parts.namedFold.open ||= policy.named.length > 0 && policy.named.length <= 5;
    }
  }

  const back = () => h("button", {
    type: "button", class: "link",
    onclick: () => {
      parts.source.setText(bySwitches);
      changedByHand(bySwitches);
      parts.switches.querySelector("input:checked")?.focus();
    },
  }, "go back to what they said before");

  function goTo(line) {
    parts.sourceFold.open = true;
    parts.source.goTo(line);
  }

  const isSaid = (block) => block.mode !== "default" || block.more.length > 0;

  // showLeftOut says that crawlers with a wrong name are not in the text, so that the proof is not about them.
  function showLeftOut() {
    const n = policy.named.filter(wrongNames).length;
    parts.leftOut.hidden = n === 0 || written === null;
    parts.leftOut.textContent = `Left out: ${counted(n, "entry", "entries")} under “Crawlers by name” with a wrong name.`;
  }

  function showTitles() {
    const n = rare.filter((name) => isSaid(policy.purposes[name])).length;
    parts.rareTitle.textContent = `${rare.length} more purposes${n > 0 ? `: ${n} chosen` : ""}`;
    const named = policy.named.filter(({ names }) => names.trim() !== "").length;
    parts.namedTitle.textContent = `Crawlers by name${named > 0 ? `: ${named}` : ""}`;
  }

  const fold = (title, content, id) => h("details", { class: "fold", id: `write-${id}` }, h("summary", null, title), h("div", { class: "rows" }, content));

  function purposeRow(name) {
    return row({ id: name, title: purposeTitle(name), block: () => policy.purposes[name], purpose: name });
  }

  // row makes the elements that show a block and with which a person changes it.
  function row({ id, title, block, kinds = Object.keys(modes), purpose, head }) {
    const place = h("div", { class: "path-lists" });
    const more = h("p", { class: "quiet" });
    const name = `mode-${id}`;
    const list = (label, key, hint) => lines({ label, hint, get: () => block()[key], set: (typed) => { block()[key] = pathsOf(typed); }, fields: own, wrongIn: wrongPaths });
    const own = [];
    const only = h("input", { type: "checkbox", onchange: () => { block().only = only.checked; changed(); } });
    const isAlone = h("label", { class: "switch" }, only, onlyTitle);
    place.append(list("Disallowed paths, one per line", "disallow", "/private/"), list("Allowed paths, one per line", "allow", "/private/open/"),
      h("p", { class: "quiet" }, "The longest path that matches decides. “/” is the whole site, “*” any characters, “$” the end."));
    const choice = segments(name, Object.fromEntries(kinds.map((kind) => [kind, modes[kind]])), (mode) => {
      block().mode = mode;
      show();
      showTitles();
      changed();
      if (mode === "paths") {
        place.querySelector("textarea").focus();
      }
    });
    const label = head ?? h("span", { class: "label", id: `${name}-label` }, title);
    choice.element.setAttribute(head ? "aria-label" : "aria-labelledby", head ? "What it may fetch" : `${name}-label`);
    function show() {
      const { mode, more: others } = block();
      choice.show(!kinds.includes(mode) && id === "everyone" ? "allow" : mode);
      place.hidden = mode !== "paths";
      isAlone.hidden = id === "everyone" || !["allow", "paths"].includes(mode);
      only.checked = block().only;
      more.hidden = others.length === 0;
      more.textContent = visible(`Also in the text: ${others.slice(0, maxNames).map(short).join("; ")}${others.length > maxNames ? " …" : ""}`);
      own.forEach((each) => each());
    }
    show();
    if (!head) {
      fields.push(show);
    }
    return h("div", { class: "who" }, h("div", { class: "of" }, label, purpose && crawlersOf(purpose)), choice.element, more, place, isAlone);
  }

  // crawlersOf makes a list of the known crawlers with a purpose.
  function crawlersOf(purpose) {
    const summary = h("summary"), names = h("p", { class: "quiet" });
    const show = () => {
      const all = known.filter((k) => k.purposes.includes(purpose)).map((k) => isNamed(k) ? k.token : `${k.token} (no line can name it)`);
      const example = examples.find((token) => all.includes(token));
      summary.textContent = example && all.length > 1 ? `${example} and ${all.length - 1} more` : countedCrawlers(all);
      names.replaceChildren(...whole(all.join(", ")));
    };
    show();
    fields.push(show);
    return h("details", { class: "crawlers" }, summary, names);
  }

  function useRow(name, title) {
    const choice = segments(`use-${name}`, { "": "Unknown", y: "Allowed", n: "Disallowed" }, (value) => {
      value ? policy.everyone.usage[name] = value : delete policy.everyone.usage[name];
      changed();
    });
    choice.element.setAttribute("aria-labelledby", `use-${name}-label`);
    fields.push(() => choice.show(policy.everyone.usage[name] ?? ""));
    return h("div", { class: "who" }, h("div", { class: "of" }, h("span", { class: "label", id: `use-${name}-label` }, `${title} (${name})`)), choice.element);
  }

  let rows = 0;

  function namedRow(block) {
    const wrong = h("p", { class: "error", role: "alert", hidden: true });
    const show = () => {
      wrong.textContent = visible(wrongNames(block));
      wrong.hidden = wrong.textContent === "";
    };
    const input = h("input", {
      type: "text", list: "known", "aria-label": "Names of crawlers", placeholder: "Name of a crawler", value: block.names, maxlength: 65536, ...asTyped,
      oninput: () => {
        block.names = input.value;
        show();
        showTitles();
        changed();
      },
    });
    const remove = h("button", {
      type: "button", "aria-label": "Remove from the list",
      onclick: () => {
        policy.named = policy.named.filter((each) => each !== block);
        element.remove();
        showTitles();
        changed();
        byId("add-named").focus();
      },
    }, "×");
    const element = row({ id: `named-${rows++}`, block: () => block, kinds: ["allow", "disallow", "paths"], head: [h("div", { class: "line" }, input, remove), wrong] });
    element.classList.add("named");
    show();
    return element;
  }

  function addNamed() {
    const block = newBlock("", policy.everyone.mode === "disallow" ? "allow" : "disallow");
    policy.named.push(block);
    parts.named.append(namedRow(block));
    showTitles();
    parts.named.lastChild.querySelector("input").focus();
  }

  // lines makes a text field in which each line is one value, such as a path.
  function lines({ label, hint, get, set, fields: to, wrongIn, wrong = h("span", { class: "error" }) }) {
    const field = h("textarea", {
      rows: 2, ...asTyped, wrap: "off", placeholder: hint,
      oninput: () => {
        set(field.value);
        fit();
        changed();
      },
    });
    const fit = () => {
      field.rows = Math.max(2, Math.min(8, field.value.split("\n").length));
      if (wrongIn) {
        wrong.textContent = visible(wrongIn(field.value));
      }
    };
    to.push(() => {
      if (document.activeElement !== field) { // what is typed there stays as it is
        field.value = get().join("\n");
        fit();
      }
    });
    return h("label", { class: "field" }, h("span", { class: "label" }, label), field, wrong);
  }

  function showWritten() {
    const { result, errors, actions, size, noteList } = parts;
    const robots = written?.robots ?? "";
    size.textContent = robots && counted([...robots].reduce((n, c) => n + sizeOf(c.codePointAt(0)), 0), "byte");
    parts.file.setText(robots);
    actions.forEach((button) => { button.disabled = written === null; });
    errors.replaceChildren();
    parts.atRoot.hidden = written === null;
    parts.sitemapError.textContent = "";
    noteList.hidden = true;
    result.parentElement.className = "headline";
    result.className = "";
    showLeftOut();
    if (written) {
      const { proof, notes = [] } = written;
      result.parentElement.className = "headline allowed";
      result.replaceChildren(...whole(`Proved for ${proof.for}: for every URL, this file says what you chose, `
        + `in ${proof.dialects.filter((d) => ["rfc9309", "google"].includes(d)).map((d) => (d === "google" ? "for Google" : dialectTitle(d))).join(" and ")}.`));
      say(result.textContent, "write");
      const all = [...notes, ...(proof.others_in_words ?? [])];
      noteList.hidden = all.length === 0;
      noteList.open ||= notes.length > 0; // what crawlers may do that was perhaps not meant
      parts.notesTitle.textContent = counted(all.length, "note");
      parts.notes.replaceChildren(...listOf(all));
    }
  }

  // listOf returns messages as elements of a list. If there are very many, the last element says how many are left out.
  const listOf = (messages, properties) => [
    ...messages.slice(0, maxNotes).map((each) => h("li", properties, withLink(each))),
    ...(messages.length > maxNotes ? [h("li", null, `and ${messages.length - maxNotes} more`)] : []),
  ];

  // ofSitemap returns an error without its place if it is about a sitemap, else "".
  function ofSitemap(error) {
    const [, line, rest] = placed.exec(error) ?? [];
    return line && /^\s*sitemap\s*:/i.test(text.split("\n")[line - 1]) ? capital(rest) : "";
  }

  // withLink returns a message as elements. If the message begins with a line of the policy, as "robots.policy:3: …"
  // does, that line becomes a link.
  function withLink(message) {
    const [, line, rest] = placed.exec(message) ?? [];
    return line ? [lineLink(Number(line), goTo), " of the policy: ", ...whole(rest)] : whole(capital(message.replace(/^robots\.policy: /, "")));
  }

  return {
    // showState shows the policy of a state.
    showState(state) {
      if (!parts) {
        build();
        text = null;
        showWritten();
      }
      if (state.policy !== text) {
        parts.begun.hidden = true;
        parts.source.setText(state.policy);
        setText(state.policy);
      }
    },
    // wait is called when an answer about a newer policy will come.
    wait() {
      isOld = true;
    },
    // show shows the answer: the robots.txt and its proof.
    show(answer) {
      written = answer;
      isOld = false;
      showWritten();
      wanted?.();
      wanted = null;
    },
    fail(message) {
      written = wanted = null;
      isOld = false;
      showWritten();
      parts.result.className = "error";
      parts.result.textContent = "Nothing is written.";
      const errors = message.replace("robots.policy: nothing is written: ", "").split("\n");
      parts.errors.replaceChildren(...listOf(errors, { class: "error" }));
      parts.sitemapError.textContent = visible(errors.map(ofSitemap).find(Boolean) ?? "");
      say(`Nothing is written: ${errors[0]}`, "write");
    },
    // showBegun describes the policy that was made of the robots.txt in the editor. onUndo brings back the policy from
    // before; it is null if there was none. found has the findings about the robots.txt: the policy repeats most errors.
    showBegun({ findings = [], rules, rule_lines: ruleLines }, found, onUndo) {
      const mistakes = found.filter(({ severity }) => severity === "error").map(({ line, message }) => (line ? `line ${line} is probably a mistake: ${message}` : message));
      parts.begun.hidden = false;
      parts.begun.replaceChildren(
        h("p", null, `This policy is made of the robots.txt in the editor: ${counted(rules, "rule")} for its ${counted(ruleLines, "line")} with rules. It is proved that both mean the same.`),
        ...(onUndo ? [h("p", null, button("Bring back what you had chosen", onUndo, { id: "undo-begin" }))] : []),
        h("ul", { class: "plain" }, listOf([...findings.map((each) => each.replace('remove "only"', `switch “${onlyTitle}” off for them`)), ...mistakes])));
      parts.sourceFold.open = true;
      say(parts.begun.textContent);
    },
    failBegin(message) {
      parts.begun.hidden = false;
      parts.begun.replaceChildren(h("p", { class: "error" }, message));
      say(message);
    },
    setKnown(crawlers) {
      known = crawlers;
      if (parts) {
        fields.forEach((show) => show());
      }
    },
  };
}

const onlyTitle = "The paths for everyone do not hold here"; // what the switches call "only"

const button = (label, onclick, properties) => h("button", { type: "button", onclick, ...properties }, label);

// segments makes a choice of one value out of some. All values are visible, side by side.
function segments(name, values, onChoice) {
  const inputs = Object.entries(values).map(([value, title]) => [h("input", { type: "radio", name, value, onchange: () => onChoice(value) }), value, title]);
  return {
    element: h("div", { class: "segments", role: "radiogroup" }, inputs.map(([input, value, title]) => h("label", { class: value }, input, h("span", null, title)))),
    show: (chosen) => inputs.forEach(([input, value]) => { input.checked = value === chosen; }),
  };
}
