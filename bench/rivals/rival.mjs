// Runs npm's robots-parser on sites with questions, which it reads as JSON. With the argument "decisions" it prints the
// decisions as JSON, with any other argument the time of a question.

import { readFileSync } from 'node:fs';
import robotsParser from 'robots-parser';

const site = 'https://www.example.com';

function absolute(url) {
  return url.startsWith('/') ? site + url : url;
}

function parse(body, url) {
  let origin = site;
  try {
    origin = new URL(url).origin;
  } catch {}
  return robotsParser(origin + '/robots.txt', body);
}

function check(parser, url, agent) {
  return parser.isAllowed(url, agent) !== false; // undefined: the URL is of another site
}

// best returns the shortest processor time of a run in nanoseconds, with garbage collection.
// A run that takes more than two seconds is measured only once.
function best(run) {
  const times = [];
  for (let count = 1; times.length < 5; ) {
    const start = process.cpuUsage();
    for (let i = 0; i < count; i++) run();
    const { user, system } = process.cpuUsage(start);
    const took = 1e3 * (user + system);
    if (took < 50e6) count *= 2;
    else times.push(took / count);
    if (took > 2e9) break;
  }
  return Math.min(...times);
}

// prepared returns a file as text, with its questions.
function prepared({ Robots, Questions }) {
  return { robots: Buffer.from(Robots, 'base64').toString(), questions: Questions.map(({ Agent, URL }) => [Agent, absolute(URL)]) };
}

// The kinds of measurements. Each returns a function that answers all questions once.
const kinds = {
  parse: (files) => () => {
    for (const { robots, questions } of files) parse(robots, questions[0][1]);
  },
  // parse the file for each question
  anew: (files) => () => {
    for (const { robots, questions } of files) {
      for (const [agent, url] of questions) check(parse(robots, url), url, agent);
    }
  },
  // parse each file once
  kept: (files) => () => {
    for (const { robots, questions } of files) {
      const parser = parse(robots, questions[0][1]);
      for (const [agent, url] of questions) check(parser, url, agent);
    }
  },
  // without the time for parsing
  decide: (files) => {
    const parsers = files.map(({ robots, questions }) => parse(robots, questions[0][1]));
    return () => {
      files.forEach(({ questions }, i) => {
        for (const [agent, url] of questions) check(parsers[i], url, agent);
      });
    };
  },
};

function measure(kind, files) {
  const count = files.reduce((sum, { questions }) => sum + questions.length, 0);
  return best(kinds[kind](files)) / count;
}

function decide({ robots, questions }) {
  return questions.map(([agent, url]) => check(parse(robots, url), url, agent));
}

const files = JSON.parse(readFileSync(0, 'utf8')).map(prepared);
const what = process.argv[2];
console.log(JSON.stringify(what === 'decisions' ? files.map(decide) : measure(what, files)));
