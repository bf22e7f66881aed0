// Finds the lines that only one of two texts has.

// changedLines returns the numbers of the lines that only the new text has, and of those that only the old text has.
// Lines that only moved do not count as changed. So the time grows only with the size of the texts.
export function changedLines(old, text) {
  const a = old.split(/\r\n?|\n/), b = text.split(/\r\n?|\n/);
  const shorter = Math.min(a.length, b.length);
  let before = 0, behind = 0; // lines that are the same at the beginning and at the end
  while (before < shorter && a[before] === b[before]) {
    before++;
  }
  while (behind < shorter - before && a.at(-1 - behind) === b.at(-1 - behind)) {
    behind++;
  }
  const oldLines = a.slice(before, a.length - behind), lines = b.slice(before, b.length - behind);
  const numbers = (places) => places.map((i) => before + i + 1);
  return { added: numbers(missingIn(oldLines, lines)), removed: numbers(missingIn(lines, oldLines)) };
}

// missingIn returns the places of the lines that the others do not have. If a line occurs more often in lines than in
// others, the surplus ones are missing, too.
function missingIn(others, lines) {
  const left = new Map(); // by line: how many of it the others have
  for (const line of others) {
    left.set(line, (left.get(line) ?? 0) + 1);
  }
  const missing = [];
  lines.forEach((line, i) => {
    const n = left.get(line) ?? 0;
    n > 0 ? left.set(line, n - 1) : missing.push(i);
  });
  return missing;
}
