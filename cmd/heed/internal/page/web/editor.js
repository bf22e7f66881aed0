// The editor of a robots.txt: CodeMirror with line numbers, colours for lines, and marks.
//
// It is in a shadow root, because there CodeMirror adds its styles by adoptedStyleSheets, which the
// Content-Security-Policy of the page allows; elsewhere it makes a <style> element.
import { history, defaultKeymap, historyKeymap, invertedEffects, undo } from "@codemirror/commands";
import { EditorState, RangeSet, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, GutterMarker, ViewPlugin, drawSelection, gutter, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers, placeholder,
} from "@codemirror/view";
import { escape, sizeOf, textOf } from "./bytes.js";
import { acceptFiles } from "./dom.js";

// A markSet is a field with marks, which move with the text until new ones replace them.
function markSet(provide) {
  const set = StateEffect.define();
  const field = StateField.define({
    create: () => RangeSet.empty,
    update(marks, transaction) {
      for (const effect of transaction.effects) {
        if (effect.is(set)) {
          return effect.value;
        }
      }
      return transaction.docChanged ? marks.map(transaction.changes) : marks;
    },
    provide,
  });
  return { set, field };
}

const inText = (field) => EditorView.decorations.from(field);
const lineMarks = markSet(inText); // the deciding line, and lines that decide nothing
const findingText = markSet(inText); // the underlined part of a line
const findingSigns = markSet(); // in the gutter
const results = markSet(); // in the gutter: ✓ or ✗ of the deciding line, and how many cells a rule decides

// source has the text that came last as a whole: {text, doc}. CodeMirror knows no line ends, so doc, the document of the
// text, cannot give them back. Undo also takes back the source.
const setSource = StateEffect.define();
const source = StateField.define({
  create: ({ doc }) => ({ text: doc.toString(), doc }),
  update: (known, { effects }) => effects.findLast((effect) => effect.is(setSource))?.value ?? known,
});
const undoSource = invertedEffects.of(({ docChanged, effects, startState }) => (
  docChanged && effects.some((effect) => effect.is(setSource)) ? [setSource.of(startState.field(source))] : []));

// wholeText returns the text of a state. Until the first change, it has the line ends of the source, even if they differ.
function wholeText(state) {
  const { text, doc } = state.field(source);
  return state.doc.eq(doc) ? text : state.doc.sliceString(0, undefined, lineEndOf(text));
}

class Sign extends GutterMarker {
  constructor(text, className, title) {
    super();
    Object.assign(this, { text, className, title });
  }
  eq(other) {
    return other.text === this.text && other.className === this.className && other.title === this.title;
  }
  toDOM() {
    const sign = document.createElement("span");
    sign.className = this.className;
    sign.textContent = this.text;
    sign.title = this.title;
    return sign;
  }
}

const maxFile = 8 << 20; // bytes; the daemon reads no larger question

export const signs = { error: "!", warning: "!", note: "i" };

// isReplacement returns whether nothing is left of the text before. Text that is typed into an empty editor replaces nothing.
function isReplacement({ changes, startState, transactions }) {
  let kept = 0;
  changes.iterGaps((from, to, length) => { kept += length; });
  return kept === 0 && (startState.doc.length > 0 || transactions.some((t) => t.isUserEvent("undo")));
}

// createEditor makes an editor in an element. onChange gets the text, and whether it replaces all of the
// text before. onFinding gets the number of a line whose sign was pressed. If isFixed is true, people cannot change the
// text. A file that is dropped on an editor replaces its text: onOpen gets the name of
// the file and a function that replaces the text. If that fails, onError gets the reason.
export function createEditor(parent, { label, text, hint = "", isFixed = false, onChange = () => {}, onFinding = () => {}, onOpen = (_, replace) => replace(), onError = () => {} }) {
  const root = parent.attachShadow({ mode: "open" });
  let pasted = ""; // the last text from the clipboard
  let isSetting = false; // the text that comes is not from a person
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        gutter({
          class: "cm-findings",
          markers: (v) => v.state.field(findingSigns.field),
          domEventHandlers: {
            click(v, block) {
              onFinding(v.state.doc.lineAt(block.from).number);
              return true;
            },
          },
        }),
        lineNumbers(),
        gutter({ class: "cm-results", markers: (v) => v.state.field(results.field) }),
        history(),
        drawSelection(),
        highlightSpecialChars({ addSpecialChars: /[\p{Cf}\p{Cs}]/u, render: (code, description) => unseen(String.fromCodePoint(code), description) }),
        source, undoSource,
        EditorView.clipboardInputFilter.of((text) => {
          pasted = text;
          return text;
        }),
        EditorState.transactionExtender.of((transaction) => (
          transaction.isUserEvent("input.paste") && transaction.newDoc.eq(transaction.startState.toText(pasted)) ? { effects: setSource.of({ text: pasted, doc: transaction.newDoc }) } : null)),
        highlightActiveLine(),
        placeholder(hint),
        keymap.of([...defaultKeymap, ...historyKeymap]), // Tab is in neither: it leaves the editor
        EditorState.readOnly.of(isFixed),
        lineMarks.field, findingText.field, findingSigns.field, results.field,
        colours,
        theme,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        EditorView.domEventHandlers({ beforeinput: replaceSelected }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isSetting) {
            onChange(wholeText(update.state), isReplacement(update));
          }
        }),
      ],
    }),
  });

  // replace replaces the whole text. People can undo this.
  function replace(text, userEvent) {
    const doc = view.state.toText(text);
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: doc }, effects: setSource.of({ text, doc }), selection: { anchor: 0 }, userEvent });
  }

  // open replaces the text by the text of a file.
  async function open(file) {
    if (file.size > maxFile) {
      return onError(`“${file.name}” has more than 8 MiB, so it is no robots.txt.`);
    }
    try {
      const text = textOf(new Uint8Array(await file.arrayBuffer()));
      onOpen(file.name, () => replace(text, "input.drop"));
    } catch {
      onError(`“${file.name}” cannot be read.`);
    }
  }
  if (!isFixed) {
    acceptFiles(parent, ([file]) => open(file));
  }

  return {
    open,

    // setText shows a text, without a call of onChange.
    setText(newText) {
      const doc = view.state.toText(newText);
      isSetting = true;
      doc.eq(view.state.doc) ? view.dispatch({ effects: setSource.of({ text: newText, doc }) }) : replace(newText, "input.set"); // without a name of an event, CodeMirror would join two changes within 500 ms to one for Undo
      isSetting = false;
    },

    // edit applies edits of the daemon, whose offsets are in bytes of the text.
    edit(text, edits) {
      const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
      const places = placesAt(text, sorted.flatMap((e) => [e.start, e.end]));
      view.dispatch({ changes: sorted.map((e, i) => ({ from: places[2 * i], to: places[2 * i + 1], insert: e.text })), userEvent: "input.fix" });
    },

    // undo takes back the last change, and puts the focus here, where the keys for Undo and Redo belong to this text.
    undo() {
      undo(view);
      view.focus();
    },

    // showResult marks three kinds of lines: the deciding line ({line, allow}, or null if no rule decides), the lines of
    // rules, with how many cells of the grid each rule decides ([{line, decides}], or null to show no numbers), and the
    // first lines of the groups that apply if no rule decides.
    showResult(deciding, rules, groups = []) {
      const { doc } = view.state;
      const byLine = new Map();
      for (const { line, decides } of rules ?? []) {
        byLine.set(line, decides > 0
          ? { sign: new Sign(`${decides}×`, "count", `decides ${decides} of the verdicts`) }
          : { line: Decoration.line({ class: "cm-unreached" }) });
      }
      for (const line of groups) {
        byLine.set(line, { line: Decoration.line({ class: "cm-group" }) });
      }
      if (deciding) {
        const known = byLine.get(deciding.line);
        byLine.set(deciding.line, {
          line: Decoration.line({ class: `cm-decides ${deciding.allow ? "cm-allow" : "cm-disallow"}` }),
          sign: new Sign((deciding.allow ? "✓" : "✗") + (known?.sign ? ` ${known.sign.text}` : ""), deciding.allow ? "allowed" : "disallowed", "this line decides the verdict that is explained"),
        });
      }
      const lines = new RangeSetBuilder(), gutterSigns = new RangeSetBuilder();
      for (const number of [...byLine.keys()].sort((a, b) => a - b)) {
        if (number < 1 || number > doc.lines) {
          continue; // the answer is about an older text
        }
        const { from } = doc.line(number), { line, sign } = byLine.get(number);
        if (line) {
          lines.add(from, from, line);
        }
        if (sign) {
          gutterSigns.add(from, from, sign);
        }
      }
      view.dispatch({ effects: [lineMarks.set.of(lines.finish()), results.set.of(gutterSigns.finish())] });
    },

    // showLines marks some lines, and removes all other marks of results.
    showLines(numbers, className) {
      const { doc } = view.state;
      const lines = numbers.filter((n) => n <= doc.lines).map((n) => Decoration.line({ class: className }).range(doc.line(n).from));
      view.dispatch({ effects: [lineMarks.set.of(Decoration.set(lines)), results.set.of(RangeSet.empty)] });
    },

    // showFindings marks the lines of findings.
    showFindings(findings) {
      const { doc } = view.state;
      const texts = [], gutterSigns = [];
      const seen = new Set();
      for (const f of [...findings].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || rank(a) - rank(b))) {
        if (!f.line || f.line > doc.lines) {
          continue;
        }
        const line = doc.line(f.line);
        if (!seen.has(f.line)) { // the gravest of a line
          seen.add(f.line);
          gutterSigns.push(new Sign(signs[f.severity], `badge ${f.severity}`, f.message).range(line.from));
        }
        const from = f.column ? line.from + placesAt(line.text, [f.column - 1])[0] : line.from;
        if (from < line.to) {
          texts.push(Decoration.mark({ class: `cm-${f.severity}` }).range(from, line.to));
        }
      }
      view.dispatch({ effects: [findingText.set.of(Decoration.set(texts, true)), findingSigns.set.of(RangeSet.of(gutterSigns, true))] });
    },

    // reveal scrolls to a line in the editor; the page stays where it is.
    reveal(number) {
      if (number <= view.state.doc.lines) {
        const block = view.lineBlockAt(view.state.doc.line(number).from), { scrollDOM } = view;
        if (block.top < scrollDOM.scrollTop || block.bottom > scrollDOM.scrollTop + scrollDOM.clientHeight) {
          scrollDOM.scrollTop = block.top - scrollDOM.clientHeight / 2;
        }
      }
    },

    // goTo puts the cursor into a line, and shows it.
    goTo(number) {
      if (number <= view.state.doc.lines) {
        const { from } = view.state.doc.line(number);
        view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
        view.focus();
      }
    },
  };
}

// replaceSelected replaces selected text by what is typed. Browsers would give the new text the style
// of the old one in an attribute, which the Content-Security-Policy forbids.
function replaceSelected(event, view) {
  if (event.inputType !== "insertText" || event.data === null || view.composing || view.state.selection.main.empty) {
    return false;
  }
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

export const rank = (finding) => ["error", "warning", "note"].indexOf(finding.severity);

// placesAt converts offsets in bytes of a text, in ascending order, into places in the document of CodeMirror. CodeMirror
// counts UTF-16 code units, as JavaScript does, and counts each line end as one.
function placesAt(text, bytes) {
  const places = [];
  let place = 0, unit = 0, byte = 0;
  for (const wanted of bytes) {
    while (byte < wanted && unit < text.length) {
      const point = text.codePointAt(unit), size = point < 0x10000 ? 1 : 2;
      byte += sizeOf(point);
      unit += size;
      if (text.charCodeAt(unit - 1) !== cr || text.charCodeAt(unit) !== lf) {
        place += size;
      }
    }
    places.push(place);
  }
  return places;
}

const cr = 13, lf = 10;

// lineEndOf returns the line end of the first line.
const lineEndOf = (text) => text.match(/\r\n?|\n/)?.[0] ?? "\n";

// unseen returns an element for a character that cannot be seen, or that changes the direction of the text.
function unseen(character, description) {
  const sign = document.createElement("span");
  sign.className = "cm-unseen";
  sign.textContent = escape(character);
  sign.title = description;
  sign.setAttribute("aria-label", description);
  return sign;
}

// colours gives each visible line its colours. A line of a robots.txt means the same wherever it
// is, so no parser is needed.
const colours = ViewPlugin.fromClass(class {
  constructor(view) {
    this.decorations = coloursOf(view);
  }
  update(update) {
    if (update.docChanged || update.viewportChanged) {
      this.decorations = coloursOf(update.view);
    }
  }
}, { decorations: (plugin) => plugin.decorations });

const marks = Object.fromEntries(["comment", "agent", "allow", "disallow", "record", "unknown", "special"].map((name) => [name, Decoration.mark({ class: `cm-${name}-text` })]));
const keys = { "user-agent": "agent", allow: "allow", disallow: "disallow", sitemap: "record", "crawl-delay": "record", host: "record", "clean-param": "record", "content-signal": "record", "content-usage": "record" };
const longLine = 2000; // of a longer line, only the beginning has colours

function coloursOf(view) {
  const builder = new RangeSetBuilder();
  let next = 0; // of a long line, several parts may be visible
  for (const { from, to } of view.visibleRanges) {
    for (let at = Math.max(from, next); at <= to; at = next) {
      const line = view.state.doc.lineAt(at);
      colour(builder, line.from, line.text.slice(0, longLine));
      next = line.to + 1;
    }
  }
  return builder.finish();
}

function colour(builder, from, text) {
  const hash = text.indexOf("#");
  const code = hash < 0 ? text : text.slice(0, hash);
  const colon = code.indexOf(":");
  if (colon > 0) {
    const key = keys[code.slice(0, colon).trim().toLowerCase()] ?? "unknown";
    builder.add(from, from + colon, marks[key]);
    if (key === "allow" || key === "disallow") {
      for (const special of code.slice(colon).matchAll(/\*|\$(?=\s*$)/g)) {
        builder.add(from + colon + special.index, from + colon + special.index + 1, marks.special);
      }
    }
  }
  if (hash >= 0) {
    builder.add(from + hash, from + text.length, marks.comment);
  }
}

// The variables, such as --ink, are set in style.css, and the shadow root inherits them.
const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "inherit" },
  "&.cm-focused": { outline: "none" }, // the ring is in style.css, above the gutters
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", padding: "0.5rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--quiet)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 0.25rem", minWidth: "2ch" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--active)" },
  ".cm-findings": { width: "1.5rem" },
  ".cm-findings .cm-gutterElement": { display: "flex", justifyContent: "center", alignItems: "center" },
  ".cm-findings .cm-gutterElement span": { cursor: "pointer" },
  ".cm-results": { minWidth: "1.75rem" },
  ".cm-results .cm-gutterElement": { textAlign: "center", padding: "0 0.25rem", whiteSpace: "nowrap" },
  ".allowed": { color: "var(--allowed)", fontWeight: "700" },
  ".disallowed": { color: "var(--disallowed)", fontWeight: "700" },
  ".count": { color: "var(--quiet)" },
  ".cm-unseen": { color: "var(--warning)", backgroundColor: "var(--warning-tint)" },
  // The class badge has the same style in style.css.
  ".badge": { width: "1.125rem", height: "1.125rem", borderRadius: "50%", font: "700 0.75rem/1.125rem var(--sans)", textAlign: "center", color: "var(--paper)" },
  ".badge.error": { backgroundColor: "var(--disallowed)" },
  ".badge.warning": { backgroundColor: "var(--warning)", borderRadius: "0", clipPath: "polygon(50% 0, 100% 100%, 0 100%)", lineHeight: "1.5rem" },
  ".badge.note": { backgroundColor: "var(--quiet)" },
  ".cm-placeholder": { color: "var(--quiet)" },
  ".cm-error, .cm-warning, .cm-note": { textDecoration: "underline wavy 1px", textUnderlineOffset: "3px" },
  ".cm-error": { textDecorationColor: "var(--disallowed)" },
  ".cm-warning": { textDecorationColor: "var(--warning)" },
  ".cm-note": { textDecorationColor: "var(--quiet)" },
  ".cm-line.cm-decides.cm-allow": { backgroundColor: "var(--allowed-tint)", boxShadow: "inset 3px 0 var(--allowed)" },
  ".cm-line.cm-decides.cm-disallow": { backgroundColor: "var(--disallowed-tint)", boxShadow: "inset 3px 0 var(--disallowed)" },
  ".cm-line.cm-added": { backgroundColor: "var(--allowed-tint)", boxShadow: "inset 3px 0 var(--allowed)" },
  ".cm-line.cm-removed": { backgroundColor: "var(--disallowed-tint)", boxShadow: "inset 3px 0 var(--disallowed)" },
  ".cm-line.cm-group": { boxShadow: "inset 3px 0 var(--accent)" },
  ".cm-line.cm-unreached": { backgroundColor: "var(--page)" },
  ".cm-line.cm-unreached, .cm-line.cm-unreached span": { color: "var(--quiet)" },
  ".cm-comment-text": { color: "var(--quiet)", fontStyle: "italic" },
  ".cm-agent-text": { color: "var(--accent)", fontWeight: "600" },
  ".cm-allow-text": { color: "var(--allowed)" },
  ".cm-disallow-text": { color: "var(--disallowed)" },
  ".cm-record-text": { color: "var(--record)" },
  ".cm-special-text": { color: "var(--accent)", fontWeight: "700" },
  // On paper, long lines wrap. The gutters know only the heights on the screen, so each line has its number itself.
  "@media print": {
    ".cm-gutters, .cm-cursorLayer, .cm-selectionLayer": { display: "none" },
    ".cm-content": { whiteSpace: "pre-wrap", overflowWrap: "anywhere", flexShrink: "1", minWidth: "0", counterReset: "line" },
    ".cm-line": { position: "relative", paddingInlineStart: "5.5ch", counterIncrement: "line" },
    ".cm-line::before": { content: "counter(line)", position: "absolute", insetInlineStart: "0", width: "4.5ch", textAlign: "end", color: "var(--quiet)" },
  },
});
