// Use heed from Node: one process answers any number of questions.
//
// A question is an object. "url" is required; "agent", "dialect", and "robots" or
// "robots_file" replace the flags of the process. All other fields, such as an "id", are
// copied to the answer. See docs/questions.md. Run this file to see an answer and the
// number of questions a second.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";

export class Heed {
  #process;
  #waiting = []; // the batches that wait for answers, the first one first
  #rest = "";

  constructor(flags = [], command = "heed") {
    this.#process = spawn(command, ["check", "--input", "jsonl", ...flags], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#process.on("error", (error) => this.#fail(error));
    this.#process.stdin.on("error", (error) => this.#fail(error));
    this.#process.stdout.setEncoding("utf8");
    this.#process.stdout.on("data", (text) => this.#read(text));
    this.#process.stdout.on("end", () => this.#fail(new Error("heed has ended")));
  }

  /** Returns the answer to one question. */
  async ask(question) {
    return (await this.askMany([question]))[0];
  }

  /** Returns the answers to many questions, in their order. */
  async askMany(questions, batch = 5000) {
    const answers = [];
    for (let from = 0; from < questions.length; from += batch) {
      const some = questions.slice(from, from + batch);
      const answered = new Promise((resolve, reject) => {
        this.#waiting.push({ answers: [], count: some.length, resolve, reject });
      });
      // Node reads answers while it writes, so heed never waits for a reader.
      this.#process.stdin.write(some.map((q) => JSON.stringify(q) + "\n").join(""));
      for (const answer of await answered) answers.push(answer);
    }
    return answers;
  }

  async close() {
    this.#process.stdin.end();
    if (this.#process.exitCode === null) await once(this.#process, "exit");
  }

  #read(text) {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    for (const line of lines) {
      const next = this.#waiting[0];
      next.answers.push(JSON.parse(line));
      if (next.answers.length === next.count) this.#waiting.shift().resolve(next.answers);
    }
  }

  #fail(error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

async function main(command = "heed", count = 100_000) {
  const shop = "User-agent: *\nDisallow: /cart\n\nUser-agent: GPTBot\nDisallow: /\n";
  const news = "User-agent: Googlebot\nAllow: /free\nDisallow: /\n";
  const crawlers = ["Googlebot", "GPTBot", ["Googlebot-News", "Googlebot"]];
  const heed = new Heed([], command);
  const answer = await heed.ask({ url: "https://shop.example/cart", agent: "GPTBot", robots: shop });
  console.log(answer.allowed ? "allowed" : "disallowed", JSON.stringify(answer.rule));
  const questions = Array.from({ length: Number(count) }, (_, i) => ({
    url: `https://a.example/free/${i}`,
    agent: crawlers[i % 3],
    robots: i % 2 ? news : shop,
    id: i,
  }));
  const start = performance.now();
  const answers = await heed.askMany(questions);
  const seconds = (performance.now() - start) / 1000;
  await heed.close();
  if (!answers.every((a, i) => a.id === i)) throw new Error("answers are out of order");
  console.log(answers.filter((a) => a.allowed).length, "of", answers.length, "are allowed");
  console.error(Math.round(answers.length / seconds), "questions a second");
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(...process.argv.slice(2));
