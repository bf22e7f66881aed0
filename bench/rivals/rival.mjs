// npm's robots-parser: reads a JSON object on each line, writes one for each.

import { createInterface } from 'node:readline';
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

// best returns the shortest processor time of a run, in nanoseconds, garbage collection
// included. A run that takes more than two seconds is measured once.
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

// The kinds of measurements. Each returns a function that answers all questions once.
const kinds = {
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

for await (const line of createInterface({ input: process.stdin })) {
  const ask = JSON.parse(line);
  let answer;
  if ('measure' in ask) {
    answer = measure(ask.measure, ask.files);
  } else if ('time' in ask) {
    const url = absolute(ask.time);
    const parser = parse(ask.robots, url);
    answer = {
      parse: best(() => parse(ask.robots, url)),
      check: best(() => check(parser, url, ask.agent)),
    };
  } else {
    answer = ask.questions.map(([agent, url]) => check(parse(ask.robots, absolute(url)), absolute(url), agent));
  }
  console.log(JSON.stringify(answer));
}
