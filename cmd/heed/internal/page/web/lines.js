// Which lines only one of two texts has.

// changedLines returns the numbers of the lines that only the new text has, and of those that only
// the old one has. A line that moved is in both.
export function changedLines(old, text) {
  const oldLines = old.split(/\r\n?|\n/), lines = text.split(/\r\n?|\n/);
  return { added: missingIn(oldLines, lines), removed: missingIn(lines, oldLines) };
}

function missingIn(others, lines) {
  const left = new Map(); // by line: how many of it the others have
  for (const line of others) {
    left.set(line, (left.get(line) ?? 0) + 1);
  }
  const missing = [];
  lines.forEach((line, i) => {
    const n = left.get(line) ?? 0;
    n > 0 ? left.set(line, n - 1) : missing.push(i + 1);
  });
  return missing;
}
