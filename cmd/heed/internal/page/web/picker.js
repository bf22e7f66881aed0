// Which crawlers are asked about: chips, a field to type a name, and a dialog with the known
// crawlers by their purpose.
import { byId, crawlerName, h } from "./dom.js";
import { visible } from "./bytes.js";

export const purposes = {
  search: "Search", "ai-training": "AI: training", "ai-search": "AI: search", "ai-user": "AI: on request of a person", archive: "Archives",
  seo: "SEO", monitor: "Monitoring", ads: "Advertising", preview: "Link previews", academic: "Research", security: "Security", feed: "Feeds", other: "Other purposes",
};

// chainText says which groups a crawler with several product tokens follows.
const chainText = ([first, ...others]) => others.length > 0 && `If no group names ${first}, it follows the group of ${others.join(", then of ")}.`;

export const purposeTitle = (name) => purposes[name] ?? name;

// createPicker shows the crawlers of the state; onChange gets a new list.
export function createPicker({ onChange }) {
  let agents = [], known = [];
  const place = byId("chips"), dialog = byId("picker");
  const suggestions = h("datalist", { id: "known" });
  const input = h("input", {
    id: "add-crawler", type: "text", list: "known", "aria-label": "Add a crawler", placeholder: "Add a crawler", maxlength: 8192, autocomplete: "off", autocapitalize: "none", spellcheck: "false",
    onkeydown: (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        add(input.value);
      } else if (event.key === "Backspace" && input.value === "" && agents.length > 0) {
        onChange(agents.slice(0, -1));
      }
    },
    onchange: () => add(input.value),
  });
  const browse = h("button", { type: "button", id: "browse", "aria-haspopup": "dialog", onclick: open }, "Browse");
  const chips = h("ul", { class: "chip-list", "aria-labelledby": "crawlers-label" });
  const unknown = h("p", { class: "note", hidden: true });
  place.append(chips, h("div", { class: "add" }, input, suggestions, browse), unknown);

  // agentOf returns the tokens of a known crawler: its own, and those whose groups it follows else.
  const agentOf = (crawler) => [crawler.agent].flat().join(",");

  // sameAs returns whether two agents are the same crawler: the case of letters does not matter.
  const sameAs = (agent) => (other) => other.toLowerCase() === agent.toLowerCase();

  function add(text) {
    const name = text.trim();
    if (name === "") {
      return;
    }
    input.value = "";
    const crawler = known.find((k) => k.token.toLowerCase() === name.toLowerCase());
    const agent = crawler ? agentOf(crawler) : name;
    if (!agents.some(sameAs(agent))) {
      onChange([...agents, agent]);
    }
  }

  // showUnknown asks about names that are like a known one: "Google" is no crawler, and nobody sees it
  // from its verdicts.
  function showUnknown() {
    const isKnown = (agent) => agent === "*" || known.some((k) => [k.token, agentOf(k)].some(sameAs(agent)));
    const letters = (name) => name.toLowerCase().replace(/[^a-z]/g, "");
    const like = (agent) => agent.length > 100 ? [] : known.filter((k) => letters(agent).length > 2 && letters(k.token).startsWith(letters(agent)))
      .sort((a, b) => a.token.length - b.token.length).slice(0, 3);
    const doubtful = agents.filter((agent) => !isKnown(agent) && like(agent).length > 0);
    unknown.hidden = doubtful.length === 0;
    unknown.replaceChildren(...doubtful.flatMap((agent) => [`No known crawler is called “${visible(agent)}”. Is it `,
      ...like(agent).flatMap((k, i) => [i > 0 ? ", " : "", h("button", { type: "button", class: "link", onclick: () => onChange(agents.map((a) => (a === agent ? agentOf(k) : a))) }, k.token)]), "? "]));
  }

  function show(newAgents) {
    agents = newAgents;
    showUnknown();
    chips.replaceChildren(...agents.map((agent, i) => h("li", { class: "chip" },
      h("span", { title: chainText(agent.split(",")) }, crawlerName(agent.split(",")[0])),
      h("button", {
        type: "button", "aria-label": `Remove ${agent}`,
        onclick: () => {
          onChange(agents.filter((_, j) => j !== i));
          (chips.querySelectorAll("button")[Math.min(i, agents.length - 1)] ?? input).focus();
        },
      }, "×"))));
  }

  function open() {
    const filter = h("input", { type: "search", "aria-label": "Search crawlers", placeholder: "Name or operator", oninput: list });
    const lists = h("div", { class: "lists" }), jumps = h("div", { class: "jumps", role: "group", "aria-label": "Go to a purpose" });
    const chosen = h("span", { class: "quiet", role: "status" });
    const everyone = { token: "*", agent: "*", operator: "those that the file does not name", purposes: [] };

    function choice(crawler) {
      const agent = agentOf(crawler);
      const box = h("input", {
        type: "checkbox",
        onchange: () => choose([agent], box.checked),
        "data-agent": agent,
      });
      return h("label", { class: "choice" }, box, h("span", null, crawlerName(crawler.token)), h("span", { class: "quiet" }, crawler.operator));
    }

    const isChosen = (agent) => agents.some(sameAs(agent));

    function choose(some, isWanted) {
      onChange(isWanted ? [...agents, ...some.filter((agent) => !isChosen(agent))] : agents.filter((agent) => !some.some(sameAs(agent))));
      update();
    }

    // update shows which crawlers are chosen. One with two purposes is there twice.
    function update() {
      for (const box of lists.querySelectorAll("input")) {
        box.checked = isChosen(box.dataset.agent);
      }
      for (const all of lists.querySelectorAll(".all")) {
        all.textContent = `${all.agents.every(isChosen) ? "Remove" : "Add"} all ${all.agents.length}`;
        all.setAttribute("aria-label", `${all.textContent}: ${all.title}`);
      }
      chosen.textContent = `${agents.length} chosen`;
    }

    function section(title, crawlers) {
      if (crawlers.length === 0) {
        return null;
      }
      const all = h("button", { type: "button", class: "all", title, hidden: crawlers.length === 1, onclick: () => choose(all.agents, !all.agents.every(isChosen)) });
      all.agents = [...new Set(crawlers.map(agentOf))];
      return h("section", { "aria-label": title, tabindex: "-1" },
        h("div", { class: "choices-bar" }, h("h3", null, title), all),
        h("div", { class: "choices" }, crawlers.map(choice)));
    }

    function jump(part) {
      return h("button", {
        type: "button",
        onclick: () => {
          part.focus({ preventScroll: true });
          part.scrollIntoView();
        },
      }, part.getAttribute("aria-label"));
    }

    function list() {
      const text = filter.value.trim().toLowerCase();
      const found = [everyone, ...known].filter((k) => `${k.token} ${k.operator}`.toLowerCase().includes(text));
      const sections = [
        section(crawlerName("*"), found.filter((k) => k === everyone)),
        ...Object.keys(purposes).map((p) => section(purposes[p], found.filter((k) => k.purposes.includes(p)))),
      ].filter(Boolean);
      lists.replaceChildren(...sections);
      if (found.length === 0) {
        lists.append(h("p", { class: "note" }, "No known crawler has this name. Type it into the field of the page to add it."));
      }
      jumps.replaceChildren(...sections.map(jump));
      update();
    }

    dialog.replaceChildren(
      h("div", { class: "bar" }, h("h2", { id: "picker-title" }, "Known crawlers"), chosen, h("button", { type: "button", onclick: () => dialog.close() }, "Done")),
      filter, jumps, lists);
    list();
    dialog.showModal();
    filter.focus();
  }
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) { // its backdrop
      dialog.close();
    }
  });

  return {
    show,
    // setKnown sets the known crawlers. Those that no line can name are "*", which is there anyway.
    setKnown(crawlers) {
      known = crawlers.filter((k) => k.agent !== "*").sort((a, b) => a.token.localeCompare(b.token, "en", { sensitivity: "base" }));
      showUnknown();
      suggestions.replaceChildren(...known.map((k) => h("option", { value: k.token }, k.operator)));
    },
  };
}
