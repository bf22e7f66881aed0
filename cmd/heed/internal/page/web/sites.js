// The sites of URLs: a robots.txt applies to only one site.
import { listed, shortName } from "./dom.js";
import { visible } from "./bytes.js";

const maxSites = 8; // that the warning names

// addSites adds the sites of URLs to a map: by origin, how the site was typed. More sites than the warning needs are left out.
export function addSites(sites, urls) {
  for (const url of urls) {
    const [typed] = /^(https?|ftp):\/\/[^/?#\\]*/i.exec(url) ?? [], origin = typed && sites.size <= maxSites && originOf(url);
    if (origin && !sites.has(origin)) {
      sites.set(origin, visible(shortName(typed)));
    }
  }
  return sites;
}

// severalSites returns a warning if there are several sites, otherwise "".
export function severalSites(sites) {
  const names = [...sites.values()];
  return names.length > 1 ? `${listed(names.length > maxSites ? [...names.slice(0, maxSites), "others"] : names)} are different sites, but a robots.txt applies to only one site.` : "";
}

function originOf(url) {
  try {
    return new URL(url).origin;
  } catch {
    return ""; // it is no URL, as the verdict says
  }
}
