// Answers the questions of internal/testing/caserun.
import { readFileSync } from "node:fs";
import { parse } from "heed-robots";

const input = readFileSync(0);
const answers = [];
let at = 0, file;

// take returns the next bytes, without a line end after them.
function take(length) {
  at += length;
  return new Uint8Array(input.subarray(at - length, at));
}

while (at < input.length) {
  const end = input.indexOf(10, at);
  const [kind, ...numbers] = input.toString("latin1", at, end).split(" ");
  at = end + 1;
  if (kind === "F") {
    const [dialect, robots] = numbers.map((n) => take(Number(n)));
    file?.close();
    file = parse(robots, { dialect: Buffer.from(dialect).toString() });
  } else {
    const tokens = numbers.slice(1, -1).map((n) => take(Number(n)));
    const url = take(Number(numbers.at(-1)));
    try {
      const policy = file.agent(...tokens);
      const { allowed, line } = answers.length % 2 === 0 ? policy.check(url) : policy.checkAll([url, "/"])[0];
      answers.push(`${Number(allowed)} ${line}`);
      policy.close();
    } catch (err) {
      answers.push(`error ${err.message}`);
    }
  }
  at++; // the line end
}
process.stdout.write(`${answers.join("\n")}\n`);
