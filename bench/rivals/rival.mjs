// npm's robots-parser as a rival: reads one JSON object a line, answers one.

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
  return parser.isAllowed(url, agent) !== false; // undefined: it says nothing
}

// best returns the least processor time of a run, in nanoseconds, the
// collection of garbage included. What takes seconds is measured once.
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

// What is measured of files with their questions, for each question.
const kinds = {
  // all anew: parse, then one answer
  anew: (files) => () => {
    for (const { robots, questions } of files) {
      for (const [agent, url] of questions) check(parse(robots, url), url, agent);
    }
  },
  // every file parsed once, then all answers
  kept: (files) => () => {
    for (const { robots, questions } of files) {
      const parser = parse(robots, questions[0][1]);
      for (const [agent, url] of questions) check(parser, url, agent);
    }
  },
  // answers alone
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
