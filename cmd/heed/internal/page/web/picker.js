// Which crawlers are asked about: chips, a field to type a name, and a dialog with the known
// crawlers by their purpose. A chip is a crawler, or a set: "@search" is all known crawlers with this purpose, and "@OpenAI" is
// all crawlers of this operator.
import { asTyped, byId, capital, chainText, countedCrawlers, crawlerName, h, shortName } from "./dom.js";
import { visible } from "./bytes.js";

export const purposes = ["search", "ai-training", "ai-search", "ai-user", "archive", "seo", "monitor", "ads", "preview", "academic", "security", "feed", "other"];

// purposeTitle returns how the page names a purpose, as "heed diff" does.
export const purposeTitle = (name) => (name === "seo" ? "SEO" : capital(name.replace(/^ai-/, "AI ")));

const isHeader = (text) => /^(?!@).*[ /();]/.test(text);

// tokensOf splits a text at its commas. A User-Agent header is one token, with all its commas.
export function tokensOf(text) {
  const tokens = text.split(",").map((token) => token.trim()).filter(Boolean);
  return tokens.some(isHeader) ? [text.trim()] : tokens;
}

// isNamed returns whether a User-agent line can name a crawler. If none can, the crawler follows the groups for "*".
export const isNamed = (crawler) => crawler.agent !== "*" || crawler.token === "*";

// createPicker shows the crawlers of the state; onChange gets a new list.
export function createPicker({ onChange }) {
  let read = new Map(); // by agent: how the daemon reads it, see setRead
  let agents = [], known = [];
  const sets = new Map(); // by name in lower case, such as "@openai": its name, and the agents of its crawlers
  const place = byId("chips"), dialog = byId("picker");
  const suggestions = h("datalist", { id: "known" });
  const input = h("input", {
    id: "add-crawler", type: "text", list: "known", "aria-label": "Add a crawler", placeholder: "Add a crawler", maxlength: 8192, ...asTyped,
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
  const remarks = h("div", { class: "remarks" });
  place.append(chips, h("div", { class: "add" }, input, suggestions, browse), remarks);

  // agentOf returns the tokens of a known crawler: first its own token, then the tokens whose groups it follows
  // without a group of its own.
  const agentOf = (crawler) => isNamed(crawler) ? [crawler.agent].flat().join(",") : crawler.token;

  // sameAs returns whether two agents are the same crawler: the case of letters does not matter.
  const sameAs = (agent) => (other) => other.toLowerCase() === agent.toLowerCase();

  // expand returns agents with the crawlers of a set in place of its name, each crawler once.
  function expand(some) {
    return [...new Set(some.flatMap((each) => membersOf(each) ?? [each]))];
  }

  const setNamed = (agent) => sets.get(agent.trim().toLowerCase());

  const membersOf = (agent) => setNamed(agent)?.members;

  // addSet adds a set of some of the known crawlers.
  function addSet(name, isMember) {
    sets.set(name.toLowerCase(), { name, members: expand(known.filter(isMember).map(agentOf)) });
  }

  function add(text) {
    const all = [...agents];
    for (const agent of tokensOf(text).map(agentNamed)) {
      if (!all.some(sameAs(agent))) {
        all.push(agent);
      }
    }
    input.value = "";
    if (all.length > agents.length) {
      onChange(all);
    }
  }

  // agentNamed returns the agent, or the set, that a name means. A set of one crawler is this crawler. A name may be several
  // product tokens of one crawler, with colons between them.
  function agentNamed(name) {
    const set = setNamed(name), crawler = known.find((k) => k.token.toLowerCase() === name.replace(/^@/, "").toLowerCase());
    return set?.members.length > 1 ? set.name : set ? set.members[0] : crawler ? agentOf(crawler) : isHeader(name) ? name : name.replaceAll(":", ",");
  }

  // showUnknown says which names are wrong, and which are read as other names. It asks which crawler is meant if a name is
  // misspelt, or only the start of known names. For example, "Google" is not a crawler, and its verdicts do not show the
  // mistake.
  function showUnknown() {
    const isKnown = (agent) => agent === "*" || membersOf(agent) || known.some((k) => [k.token, agentOf(k)].some(sameAs(agent)));
    const letters = (name) => name.toLowerCase().replace(/[^a-z]/g, "");
    const startingWith = (agent) => agent.length > 100 ? [] : known.filter((k) => letters(agent).length > 2 && letters(k.token).startsWith(letters(agent)))
      .sort((a, b) => a.token.length - b.token.length).slice(0, 3).map((k) => k.token);
    const like = (agent) => (read.get(agent)?.meant ? [read.get(agent).meant] : startingWith(agent));
    const isWrong = (agent) => Boolean(read.get(agent)?.error);
    const isDoubtful = (agent) => !isKnown(agent) && !read.get(agent)?.readAs && like(agent).length > 0;
    const question = (agent) => [`No known crawler is called “${agent}”. Did you mean `,
      like(agent).map((name, i) => [i > 0 && ", ", h("button", { type: "button", class: "link", onclick: () => onChange(agents.map((a) => (a === agent ? agentNamed(name) : a))) }, name)]), "?"];
    remarks.replaceChildren(...agents.map((agent) => [agent, isDoubtful(agent) ? question(agent) : remarkOn(agent)])
      .filter(([, remark]) => remark).map(([agent, remark]) => h("p", { class: isWrong(agent) ? "error" : "note" }, remark)));
    [...chips.children].forEach((chip, i) => chip.classList.toggle("wrong", isWrong(agents[i])));
  }

  // remarkOn says why a name cannot be used, or as which product token it is read. It returns "" for most names.
  function remarkOn(agent) {
    const { error, readAs } = read.get(agent) ?? {};
    if (error) {
      return `${capital(error)}.`;
    }
    const end = readAs && agent.startsWith(readAs) && ", up to the first character that is not a letter, “_” or “-”";
    return readAs ? `“${shortName(agent)}” is read as ${readAs}${end || ""}.` : "";
  }

  function show(newAgents) {
    agents = newAgents;
    chips.replaceChildren(...agents.map((agent, i) => h("li", { class: "chip" },
      chipText(agent),
      h("button", {
        type: "button", "aria-label": `Remove ${chipText(agent).textContent}`,
        onclick: () => {
          onChange(agents.filter((_, j) => j !== i));
          (chips.querySelectorAll("button")[Math.min(i, agents.length - 1)] ?? input).focus();
        },
      }, "×"))));
    showUnknown();
  }

  function chipText(agent) {
    const members = membersOf(agent), [first, ...others] = tokensOf(agent);
    if (members) {
      return h("span", { title: members.map((m) => crawlerName(m.split(",")[0])).join(", ") }, `${purposeTitle(agent.slice(1))}: ${countedCrawlers(members)}`);
    }
    const name = crawlerName(first), short = shortName(name);
    return h("span", { title: short === name ? chainText(tokensOf(agent)) : agent }, short);
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
      return h("label", { class: "choice" }, box, h("span", null, crawler === everyone ? crawlerName("*") : crawler.token),
        h("span", { class: "quiet" }, crawler.operator, !isNamed(crawler) && ": no User-agent line can name it, so it follows the groups for *"));
    }

    const isChosen = (agent) => expand(agents).some(sameAs(agent));

    // choose adds or removes crawlers. If it removes a crawler that belongs to a chosen set, the other crawlers of the
    // set take the place of the set.
    function choose(some, isWanted) {
      const isOne = (agent) => some.some(sameAs(agent));
      onChange(isWanted ? [...agents, ...some.filter((agent) => !isChosen(agent))]
        : expand(agents.flatMap((agent) => (membersOf(agent)?.some(isOne) ? membersOf(agent) : [agent]))
          .filter((agent) => !isOne(agent))));
      update();
    }

    // chooseSet adds or removes a set of crawlers. When it adds a set, it removes those crawlers of the set that were
    // chosen one by one.
    function chooseSet(set, isWanted) {
      const members = membersOf(set), others = agents.filter((agent) => agent !== set && !(isWanted && members.some(sameAs(agent))));
      if (!isWanted && !agents.includes(set)) {
        return choose(members, false);
      }
      onChange(isWanted ? [...others, set] : others);
      update();
    }

    // update shows which crawlers are chosen. A crawler with two purposes has two boxes.
    function update() {
      for (const box of lists.querySelectorAll("input")) {
        box.checked = isChosen(box.dataset.agent);
      }
      for (const all of lists.querySelectorAll(".all")) {
        all.textContent = `${all.agents.every(isChosen) ? "Remove" : "Add"} all ${all.agents.length}`;
        all.setAttribute("aria-label", `${all.textContent}: ${all.title}`);
      }
      chosen.textContent = `${expand(agents).length} chosen`;
    }

    // section shows the crawlers of a purpose. If these crawlers are a set, one chip can stand for all of them.
    function section(title, crawlers, set) {
      if (crawlers.length === 0) {
        return null;
      }
      const all = h("button", { type: "button", class: "all", title,
        onclick: () => {
          const isWanted = !all.agents.every(isChosen);
          all.agents.length === membersOf(set)?.length ? chooseSet(set, isWanted) : choose(all.agents, isWanted);
        } });
      all.agents = expand(crawlers.map(agentOf));
      all.hidden = all.agents.length <= 1;
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
        section(crawlerName("*"), found.filter((k) => k === everyone), ""),
        ...purposes.map((p) => section(purposeTitle(p), found.filter((k) => k.purposes.includes(p)), `@${p}`)),
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
    expand,
    // isUnread returns whether an agent may be a set, but the known crawlers are not there yet.
    isUnread: (agent) => agent.startsWith("@") && known.length === 0,
    // setRead sets how the daemon reads agents: pairs of an agent and {meant, readAs, error}. meant is the name that is
    // probably meant, readAs is another product token than the agent, and error is why the agent cannot be used. Most agents
    // have none of them.
    setRead(pairs) {
      read = new Map(pairs);
      showUnknown();
    },
    // setKnown sets the known crawlers.
    setKnown(crawlers) {
      known = crawlers;
      addSet("@known", () => true); // too many for one table, so it is not offered
      for (const purpose of purposes) {
        addSet(`@${purpose}`, (k) => k.purposes.includes(purpose));
      }
      for (const operator of new Set(known.map((k) => k.operator))) {
        addSet(`@${operator}`, (k) => [k.operator, k.token, ...(k.names ?? [])].some(sameAs(operator)));
      }
      show(agents);
      suggestions.replaceChildren(
        ...[...sets.values()].filter(({ name, members }) => members.length > 1 && name !== "@known").map(({ name, members }) => h("option", { value: name }, countedCrawlers(members))),
        ...known.map((k) => h("option", { value: k.token }, k.operator)));
    },
  };
}
