// The page: it joins the state, the questions and the parts that show the answers.
//
// When the state changes, the page asks all questions again: first for the grid, then for the explanation and the
// findings. A newer question cancels an older one of the same kind.
import { createCompare } from "./compare.js";
import { byId, copy, counted, download, fileButton, h, lineLink, listed, say, setFacts, shortName } from "./dom.js";
import { createEditor } from "./editor.js";
import { Cancelled, ask, cancel, get, isDaemon } from "./engine.js";
import { createFindings } from "./findings.js";
import { createGrid } from "./grid.js";
import { changedLines } from "./lines.js";
import { bytesOf, robotsOf, visible } from "./bytes.js";
import { urlsOf } from "./offers.js";
import { createPicker, tokensOf } from "./picker.js";
import { createRecords } from "./records.js";
import { createSite } from "./site.js";
import { addSites, severalSites } from "./sites.js";
import { dialects, draft, example, exampleState, keepDraft, linkOf, stateOf, views } from "./state.js";
import { createWhy } from "./why.js";
import { createWrite } from "./write.js";

const maxCells = 1000, maxAgents = 100; // of a question
// How long the page waits after a change before it asks a question, in milliseconds. It asks for the explanation only
// after the browser has drawn the verdicts.
const whyDelay = 20, lintDelay = 120, compareDelay = 150, writeDelay = 150;

let state = exampleState();
let deciding = null, rules = [], shownRows = []; // of the last grid
let groupLines = []; // of the last explanation: the lines of the groups that apply
let wantsOffer = false; // there is another file, and no person chose the URLs
let wantedUrl = ""; // the URL whose cell is to be selected, when there is an answer
let isNewText = true; // the editor is to show the line that decides, when it is known
let fileSite = ""; // the site that the text of the editor was loaded from
let askedSite = ""; // the site that a person, not a link, asked for
let lintedText = null, found = []; // the text that the findings are about, and the findings
let knowsCrawlers = true; // or asks for them
let isWhyWanted = false; // somebody pressed a cell: the explanation comes into view
let isAsking = false, whyTimer = 0, lintTimer = 0, recordsTimer = 0, compareTimer = 0, writeTimer = 0;

const editor = createEditor(byId("editor"), {
  label: "robots.txt", text: state.robots, hint: "Paste a robots.txt here",
  onChange(robots, isReplaced) {
    isNewText ||= isReplaced;
    wantsOffer ||= isReplaced;
    byId("open-note").hidden ||= isReplaced;
    fileSite = isReplaced ? "" : fileSite;
    site.stop(isReplaced);
    change({ robots });
  },
  onOpen(name, replace) {
    const { robots, urls, isOffered } = state, site = fileSite;
    replace();
    const undo = () => {
      openText({ robots, urls, isOffered }, site);
      byId("file-buttons").querySelector("button").focus();
    };
    byId("open-note").replaceChildren(`This is ${visible(shortName(name))}. `, h("button", { type: "button", class: "link", onclick: undo }, "Bring your earlier text back"));
    byId("open-note").hidden = false;
  },
  onError: notify,
  onFinding: (line) => findings.focus(line),
});
const grid = createGrid({
  onSelect(selected, byPointer) {
    state.selected = selected;
    isWhyWanted = byPointer;
    showSelected(true);
  },
  onOpen: () => deciding && editor.goTo(deciding.line),
});
const why = createWhy({ onLine: (line) => editor.goTo(line) });
const findings = createFindings({
  onLine: (line) => editor.goTo(line),
  onFix(fixes) {
    if (lintedText !== state.robots) {
      return; // new findings are on their way
    }
    editor.edit(state.robots, withoutOverlap(fixes));
    say("Fixed.");
  },
});
const records = createRecords({ onLine: (line) => editor.goTo(line) });
const picker = createPicker({
  onChange(agents) {
    change({ agents });
    picker.show(agents);
  },
});
const compare = createCompare({
  onOld: (old) => change({ old }),
  onFrom(oldFrom) {
    change({ oldFrom });
    compare.showState(state);
  },
  onSite(url) {
    askedSite = url;
    change({ site: url });
    site.showState(state);
  },
  onKeep() {
    change({ old: state.robots });
    compare.showState(state);
    say("The old file is the text of the editor. Change it there.");
  },
  onList: () => askFlips(),
  onAsk(agent, url) {
    const agents = wantedAgents().includes(agent) ? state.agents : [...state.agents, agent];
    const urls = state.urls.includes(url) ? state.urls : [...state.urls, url];
    change({ agents, urls, isOffered: false, view: "ask" });
    state.selected = [0, wantedAgents().indexOf(agent)];
    wantedUrl = url;
    showState();
    grid.focus();
  },
});
const site = createSite({
  dialect: () => state.dialect,
  onLoad(url, robots) {
    const { site: oldSite, robots: oldRobots, urls, isOffered } = state, before = [{ site: oldSite, robots: oldRobots, urls, isOffered }, fileSite];
    askedSite = url;
    openText({ site: url, robots }, url);
    return () => openText(...before);
  },
  onSite(url) {
    change({ site: url });
    site.showState(state);
    compare.showState(state);
  },
  onCompare(old) {
    change({ old, oldFrom: "text", view: "compare" });
    showState();
    byId("tab-compare").focus();
  },
  onOpen: (robots) => openText({ robots }, state.site),
});

const write = createWrite({
  onPolicy(policy) {
    state.policy = policy;
    dropLink();
    cancel("policy");
    askWriteSoon();
  },
  onBegin: askPolicy,
  onCheck(robots) {
    const before = state.robots, isKept = before !== robots && before !== example && before.trim() !== "" && state.old === "";
    openText({ robots, view: "ask", ...(isKept ? { old: before, oldFrom: "text" } : {}) });
    grid.focus();
    scrollTo(0, 0);
    say(`The file is in the editor. ${isKept ? "“Compare” shows what changes, beside the text that was there." : ""}`);
  },
});

// openText shows another robots.txt. members has its text, and other members of the state that change with it. ofSite is
// the site that the text was loaded from, if there is one.
function openText(members, ofSite = "") {
  fileSite = ofSite;
  byId("open-note").hidden = true;
  wantsOffer = true;
  change(members);
  showState();
}

// change changes some members of the state. It removes the link from the address bar, since that link would show the old
// state.
function change(members) {
  state = { ...state, ...members };
  dropLink();
  askAgain();
}

function dropLink() {
  if (location.hash) {
    history.replaceState(null, "", location.pathname + location.search);
  }
}

// askAgain asks all questions again whose answers depend on the state.
function askAgain() {
  for (const kind of ["grid", "offer", "explain", "lint", "records", "compare", "flips", "policy"]) {
    cancel(kind); // so that nothing waits for an answer that nobody needs
  }
  clearTimeout(whyTimer);
  setBusy("verdicts", true);
  setBusy("why", true);
  if (!isAsking) {
    isAsking = true;
    queueMicrotask(() => { // after all changes of this moment, and before the browser draws them
      isAsking = false;
      askGrid();
    });
  }
  if (lintedText !== state.robots) {
    lintedText = null;
    setBusy("findings", true);
    clearTimeout(lintTimer);
    lintTimer = setTimeout(askLint, lintDelay);
  }
  clearTimeout(recordsTimer);
  recordsTimer = setTimeout(askRecords, lintDelay);
  if (state.view === "history") {
    site.markOpen(state.robots);
  }
  if (state.view === "compare") {
    setBusy("compare-result", true);
    clearTimeout(compareTimer);
    compareTimer = setTimeout(askCompare, compareDelay);
  }
  if (state.view === "write") {
    askWriteSoon();
  }
  byId("begin").hidden = state.view === "write" || (state.robots !== example && state.robots.trim() !== "");
}

let askedPolicy = null; // the one that the written robots.txt is about

function askWriteSoon() {
  cancel("write");
  clearTimeout(writeTimer);
  if (askedPolicy !== state.policy) {
    askedPolicy = null;
    write.wait();
    setBusy("write-proof", true);
    writeTimer = setTimeout(askWrite, writeDelay);
  }
}

async function askWrite() {
  const { policy } = state;
  let show;
  try {
    const answer = await ask("write", "/v1/write", { policy: policy.trim() === "" ? "everyone: allow" : policy });
    show = () => write.show(answer);
  } catch (err) {
    if (err instanceof Cancelled) {
      return;
    }
    show = () => write.fail(err.message);
  }
  askedPolicy = policy;
  show();
  setBusy("write-proof", false);
}

// askPolicy asks for a policy that means the same as the robots.txt in the editor.
async function askPolicy() {
  try {
    const drawn = await ask("policy", "/v1/policy", robotsOf(state.robots)), before = state.policy;
    const show = (policy) => {
      state.policy = policy;
      dropLink();
      write.showState(state);
      askWriteSoon();
    };
    show(drawn.policy);
    write.showBegun(drawn, lintedText === state.robots ? found : [], before.trim() === "" ? null : () => show(before));
  } catch (err) {
    if (!(err instanceof Cancelled)) {
      write.failBegin(err.message);
    }
  }
}

// asAsked returns the crawlers of an answer. A crawler that no User-agent line can name is "*" in the answer: in its place,
// asAsked returns the name that was asked for.
const asAsked = (crawlers, asked) => crawlers.map((agent, i) => (agent === "*" ? asked[i][0] : agent));

// The crawlers are the columns of the grid. The lines with URLs become its rows: the answer leaves out comments.
const wantedUrls = () => state.urls.filter((url) => url.trim() !== "");
const wantedAgents = () => picker.expand(state.agents.filter((agent) => tokensOf(agent).length > 0));

// setBusy marks a part of the page while its answer is awaited. Until then, the part shows the answer to an older
// question.
function setBusy(id, isBusy) {
  byId(id).setAttribute("aria-busy", String(isBusy));
}

// askCrawlers asks for the known crawlers. If that fails, people can still type the names of crawlers.
async function askCrawlers() {
  try {
    const { crawlers } = await get("crawlers", "/v1/crawlers");
    crawlers.sort((a, b) => a.token.localeCompare(b.token, "en", { sensitivity: "base" }));
    setFacts(crawlers);
    picker.setKnown(crawlers);
    write.setKnown(crawlers);
    knowsCrawlers = true;
    askAgain(); // for the crawlers of sets, and the names of all
  } catch {
    knowsCrawlers = false; // the next answer is a reason to ask again
  }
}

function askCrawlersAgain() {
  if (!knowsCrawlers) {
    knowsCrawlers = true;
    askCrawlers();
  }
}

// offerUrls replaces the offered URLs by URLs that rules of the file match, if possible rules for the chosen crawlers. It
// keeps URLs that a person has chosen.
async function offerUrls() {
  const field = byId("urls");
  const agents = wantedAgents().map(tokensOf);
  if (state.isOffered && state.robots.trim() !== "" && agents.length <= maxAgents && document.activeElement !== field) {
    const { rules: all } = await ask("offer", "/v1/grid", { ...robotsOf(state.robots), agents, urls: [], dialect: state.dialect });
    const own = all.filter((r) => r.applies), rules = own.length > 0 ? own : all;
    if (rules.length > 0 && document.activeElement !== field) {
      state.urls = urlsOf(rules);
      state.selected = [Math.min(1, state.urls.length - 1), 0];
      showUrls();
    }
  }
  wantsOffer = false;
}

// askRecords asks for the records for the chosen crawlers.
async function askRecords() {
  const names = wantedAgents(), agents = names.map(tokensOf);
  if (agents.length === 0 || agents.length > maxAgents || names.some(picker.isUnread)) {
    return records.clear();
  }
  try {
    const answer = await ask("records", "/v1/grid", { ...robotsOf(state.robots), agents, urls: [], dialect: state.dialect, brief: true, records: true });
    records.show({ ...answer, crawlers: asAsked(answer.crawlers, agents) });
  } catch (err) {
    if (!(err instanceof Cancelled)) {
      records.clear(); // the grid says why
    }
  }
}

const lineEnds = [["CRLF", /\r\n/], ["LF", /(?<!\r)\n/], ["CR", /\r(?!\n)/]];

// lineEndsOf names the line ends of a text, such as ", CRLF and LF". Of the usual one, LF, it says nothing.
function lineEndsOf(text) {
  const names = listed(lineEnds.filter(([, end]) => end.test(text)).map(([name]) => name));
  return names && names !== "LF" ? `, ${names}` : "";
}

async function askGrid() {
  byId("file-size").textContent = counted(bytesOf(state.robots).length, "byte") + lineEndsOf(state.robots);
  if (wantsOffer) {
    try {
      await offerUrls();
    } catch (err) {
      if (err instanceof Cancelled) {
        return; // a newer grid is on its way
      }
      wantsOffer = false; // the grid says why
    }
  }
  const noUrl = "Name a URL to see verdicts.";
  const urls = wantedUrls(), names = wantedAgents(), agents = names.map(tokensOf);
  const missing = agents.length === 0 ? "Name a crawler to see verdicts." : names.some(picker.isUnread) ? "The list of known crawlers is not loaded yet." : urls.length === 0 ? noUrl
    : agents.length > maxAgents ? `${counted(agents.length, "crawler")} are too many at once, so no verdict is shown. Choose at most ${maxAgents}: remove a set or some crawlers.`
    : agents.length * urls.length > maxCells ? `${counted(agents.length * urls.length, "verdict")} are too many at once, so none is shown. Choose fewer crawlers or URLs, for at most ${maxCells.toLocaleString("en")} verdicts.` : "";
  const showNothing = (error, isError) => {
    grid.clear();
    showGridError(error, isError);
    forgetSelected("");
  };
  if (missing) {
    askCrawlersAgain();
    return showNothing(missing, false);
  }
  try {
    const answer = await ask("grid", "/v1/grid", { ...robotsOf(state.robots), agents, list: urls.join("\n"), dialect: state.dialect, brief: !state.coverage });
    if (answer.rows.length === 0) { // the lines are comments
      return showNothing(noUrl, false);
    }
    showGridError(severalSites(addSites(new Map(), [fileSite, ...answer.rows.map(({ url }) => url)])), false);
    picker.setRead(names.map((name, i) => [name, { meant: answer.meant?.[i], readAs: answer.read_as?.[i], error: wrongName(answer.rows[0].cells[i]) }]));
    askCrawlersAgain();
    rules = answer.rules;
    if (wantedUrl) {
      state.selected[0] = Math.max(0, answer.rows.findIndex(({ url }) => url === wantedUrl));
      wantedUrl = "";
    }
    state.selected = grid.show({ ...answer, crawlers: asAsked(answer.crawlers, agents) }, state.selected);
    shownRows = answer.rows;
    showSelected(false);
  } catch (err) {
    if (!(err instanceof Cancelled)) {
      showNothing(err.message, true);
    }
  }
}

const wrongName = ({ reason, error }) => (reason === "invalid-agent" ? error : "");

// showSelected marks the line that decides the selected cell, and asks for the explanation of that cell.
function showSelected(byPerson) {
  const cell = shownRows[state.selected[0]]?.cells[state.selected[1]];
  deciding = cell?.rule ?? null;
  groupLines = [];
  showMarks();
  if (deciding ? byPerson || isNewText : isNewText) {
    editor.reveal(deciding?.line ?? 1);
    isNewText = false;
  }
  cancel("explain");
  clearTimeout(whyTimer);
  if (cell?.error) {
    showWhy(() => why.clear(cell.error, true));
  } else if (cell && state.view === "ask") {
    setBusy("why", true);
    whyTimer = setTimeout(askWhy, whyDelay);
  }
}

function showWhy(show) {
  show();
  setBusy("why", false);
  if (isWhyWanted) { // on a phone, it is far below the cell
    byId("why-title").scrollIntoView({ block: matchMedia("(max-width: 36rem)").matches ? "start" : "nearest" });
    isWhyWanted = false;
  }
}

function forgetSelected(text) {
  shownRows = [];
  rules = [];
  deciding = null;
  groupLines = [];
  showMarks();
  showWhy(() => why.clear(text));
}

function showMarks() {
  if (state.view === "compare") {
    const { added, removed } = state.old && state.oldFrom === "text" ? changedLines(state.old, state.robots) : { added: [], removed: [] };
    editor.showLines(added, "cm-added");
    compare.showRemoved(removed);
  } else if (state.view === "history") {
    editor.showResult(null, null, []);
  } else {
    editor.showResult(deciding, state.coverage ? rules : null, deciding ? [] : groupLines);
  }
  showCoverage();
}

const maxUnused = 20; // rules that the note names

function showCoverage() {
  const note = byId("coverage-note"), unused = rules.filter((r) => r.decides === 0);
  note.hidden = !state.coverage;
  if (!state.coverage) {
    return;
  }
  const text = rules.length === 0 ? "The file has no rules."
    : unused.length === 0 ? "Every rule decides a verdict in the table."
    : `${rules.length - unused.length} of ${counted(rules.length, "rule")} decide a verdict in the table. The others are grey: `;
  note.replaceChildren(text, ...unused.slice(0, maxUnused).flatMap((r, i, { length }) => [h("span", { class: "whole" }, lineLink(r.line, editor.goTo), i < length - 1 && ","), " "]), unused.length > maxUnused ? "…" : "");
  say(text, "coverage");
}

async function askWhy() {
  const [row, column] = state.selected;
  const question = { ...robotsOf(state.robots), agent: tokensOf(wantedAgents()[column] ?? ""), url: shownRows[row]?.url, dialect: state.dialect, for: ["train-ai", "search", "ai-use"] };
  if (!question.url || question.agent.length === 0) {
    return; // a newer grid is on its way
  }
  try {
    const explanation = await ask("explain", "/v1/explain", question);
    explanation.agents = asAsked(explanation.agents, [question.agent]);
    showWhy(() => why.show(explanation, grid.sharers(state.selected)));
    groupLines = why.groupLines(explanation);
    if (!deciding) {
      showMarks();
    }
  } catch (err) {
    if (!(err instanceof Cancelled)) {
      showWhy(() => why.clear(err.message, true));
    }
  }
}

async function askLint() {
  const text = state.robots;
  try {
    const answer = await ask("lint", "/v1/lint", robotsOf(text));
    lintedText = text;
    setBusy("findings", false);
    found = answer.findings;
    findings.show(found);
    editor.showFindings(found);
  } catch (err) {
    if (!(err instanceof Cancelled)) {
      setBusy("findings", false);
      findings.fail(err.message);
      editor.showFindings([]);
    }
  }
}

let compared = null; // the files of the last comparison, as members of a question

function askFlips() {
  if (compared) {
    compare.showFlips(compared);
  }
}

async function askCompare() {
  compared = null;
  const fromSite = isDaemon && state.oldFrom === "site";
  if (fromSite ? state.site !== askedSite || !askedSite : state.old.trim() === "") {
    compare.message(!fromSite ? "Paste the old file, to see what the new one changes."
      : state.site ? `Press “Compare”: then the daemon fetches the robots.txt of ${state.site}.` : "Name a site, and press “Compare”.");
    setBusy("compare-result", false);
    return;
  }
  try {
    const old = fromSite ? { url: state.site } : robotsOf(state.old);
    showMarks();
    const files = { old, new: robotsOf(state.robots), dialect: state.dialect };
    compare.show(await ask("compare", "/v1/compare", files));
    setBusy("compare-result", false);
    compared = files;
    askFlips();
  } catch (err) {
    if (!(err instanceof Cancelled)) {
      compare.message(err.message, true);
      setBusy("compare-result", false);
    }
  }
}

function showGridError(text, isError) {
  setBusy("verdicts", false);
  const element = byId("grid-error");
  element.hidden = text === "";
  element.className = isError ? "error" : "note";
  element.textContent = text;
}

// withoutOverlap returns the edits of fixes. It leaves out a fix that overlaps an earlier one, as "heed lint" does: after
// the first fix is applied, the page asks for findings again, and can offer the other fix then. An insertion does not
// overlap an edit that begins at its place.
function withoutOverlap(fixes) {
  const edits = [];
  for (const fix of fixes) {
    if (!fix.edits.some((a) => edits.some((b) => (a.start < b.end && b.start < a.end) || (a.start === b.end && b.start === a.end)))) {
      edits.push(...fix.edits);
    }
  }
  return edits;
}

// showState shows the whole state, for example after a link was opened.
function showState() {
  isNewText = true;
  editor.setText(state.robots);
  picker.show(state.agents);
  showUrls();
  byId("dialect").value = state.dialect;
  byId("coverage").checked = state.coverage;
  site.showState(state);
  compare.showState(state);
  showView();
  askAgain();
}

function showUrls() {
  byId("urls").value = state.urls.join("\n");
  fitUrls();
}

// fitUrls makes the field for URLs as high as the number of URLs needs, within limits.
function fitUrls() {
  byId("urls").rows = Math.max(2, Math.min(5, state.urls.length));
}

function showView() {
  if (!isDaemon && state.view === "history") {
    state.view = "ask";
  }
  for (const view of views) {
    const tab = byId(`tab-${view}`), isShown = view === state.view;
    tab.setAttribute("aria-selected", String(isShown));
    tab.tabIndex = isShown ? 0 : -1;
    byId(view).hidden = !isShown;
  }
  byId("to-verdicts").parentElement.hidden = state.view !== "ask";
  const isWriting = state.view === "write";
  byId("file").hidden = isWriting; // there is another robots.txt at its place
  byId("written").hidden = !isWriting;
  if (isWriting) {
    write.showState(state);
  }
  if (state.view === "history") {
    site.markOpen(state.robots);
    site.showHistoryOf(state.site);
  }
}

function openView(view) {
  change({ view });
  showView();
  showMarks();
}

function prepareTabs() {
  for (const view of views) {
    byId(`tab-${view}`).addEventListener("click", () => openView(view));
  }
  byId("tabs").addEventListener("keydown", (event) => {
    const shown = views.filter((view) => !byId(`tab-${view}`).hidden);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      const view = shown[(shown.indexOf(state.view) + step + shown.length) % shown.length];
      openView(view);
      byId(`tab-${view}`).focus();
    }
  });
}

function prepare() {
  byId("dialect").append(...dialects.map(([name, title]) => h("option", { value: name }, title)));
  byId("dialect").addEventListener("change", (event) => {
    change({ dialect: event.target.value });
    site.showDialect();
  });
  byId("urls").addEventListener("input", (event) => {
    change({ urls: event.target.value.split("\n"), isOffered: false });
    fitUrls();
  });
  byId("coverage").addEventListener("change", (event) => {
    change({ coverage: event.target.checked });
  });
  byId("privacy").textContent = `What you write ${isDaemon ? "goes to the daemon that serves this page, and nowhere else" : "stays in this browser"}. “Copy link” puts all of it after the “#” of a link: browsers send that part to no server, but anyone who has the link can read it.`;
  byId("file-buttons").append(...fileButton("Open", ([file]) => editor.open(file)),
    h("button", { type: "button", id: "download-file", onclick: () => download("robots.txt", bytesOf(state.robots)) }, "Download"));
  byId("copy-link").addEventListener("click", copyLink);
  byId("to-verdicts").addEventListener("click", () => {
    grid.focus();
    byId("verdicts").scrollIntoView();
  });
  byId("to-write").addEventListener("click", () => {
    openView("write");
    byId("tab-write").focus();
  });
  byId("to-cell").addEventListener("click", () => grid.focus());
  prepareTabs();
  document.querySelector("[data-skip]").addEventListener("click", (event) => {
    event.preventDefault(); // a fragment is a link to a state
    grid.focus();
  });
  byId("editor").addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      grid.focus();
    }
  });
  addEventListener("keydown", (event) => { // a text field has its own Undo
    const isUndo = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (isUndo && !byId("file").hidden && !document.activeElement.closest("input, textarea, .editor, dialog")) {
      event.preventDefault();
      editor.undo();
    }
  });
  addEventListener("beforeprint", () => { byId("findings").open = true; });
  addEventListener("hashchange", open);
  document.addEventListener("visibilitychange", () => keepDraft(state));
}

async function copyLink() {
  try {
    history.replaceState(null, "", await linkOf(state));
  } catch (err) {
    notify(err.message);
    return;
  }
  copy(byId("copy-link"), location.href, "The link", ["See the address bar", "The link is in the address bar."]);
}

// notify shows a notice above the page. For "" it hides the notice.
function notify(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = text === "";
}

// open shows the state of the link in the address bar. If there is no link, it shows the draft of this tab, or else the
// example.
async function open() {
  site.stop();
  byId("open-note").hidden = true;
  fileSite = "";
  try {
    state = (await stateOf(location.hash)) ?? draft() ?? state;
    notify("");
  } catch (err) {
    notify(err.message);
  }
  showState();
}

prepare();
open();
askCrawlers();
