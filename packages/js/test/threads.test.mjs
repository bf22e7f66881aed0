import assert from "node:assert/strict";
import test from "node:test";
import { once } from "node:events";
import { Worker, isMainThread, parentPort } from "node:worker_threads";
import { parse } from "heed-robots";

if (isMainThread) {
  test("ten threads at once", async () => {
    const workers = Array.from({ length: 10 }, () => new Worker(new URL(import.meta.url)));
    const answers = await Promise.all(workers.map((each) => once(each, "message")));
    assert.deepEqual(answers.flat(), Array(10).fill(500));
  });
} else {
  let right = 0;
  for (let i = 0; i < 500; i++) {
    const file = parse(`User-agent: *\nDisallow: /${i}\n`);
    const policy = file.agent("ExampleBot");
    file.close();
    right += Number(policy.check(`/${i}`).line === 2);
  }
  parentPort.postMessage(right);
}
