// Ask heed serve from Node 18 or later, without packages. See docs/serve.md.

// heed answered with an error, or has not answered: then status is undefined. After status 429 or 503, wait for retryAfter
// seconds, and then ask again. retryAfter is undefined if the answer has no such number. text is the body of the answer.
export class HeedError extends Error {
  constructor(status, retryAfter, text, cause) {
    const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    const before = status === undefined ? "" : `status ${status}${seconds === undefined ? "" : `, Retry-After: ${seconds}`}: `;
    super(before + text, { cause });
    Object.assign(this, { name: "HeedError", status, retryAfter: seconds, text });
  }
}

// The connection was refused or cut, for example because the daemon restarts.
function noAnswer(error) {
  const code = error.cause?.code; // all errors of connections have one
  throw code ? new HeedError(undefined, undefined, `heed does not answer: ${code}`, error) : error;
}

async function* textsOf(response) {
  try {
    yield* response.body.pipeThrough(new TextDecoderStream());
  } catch (error) {
    noAnswer(error);
  }
}

// A client of heed serve, by default of the one in HEED_URL, with the token in HEED_TOKEN.
// If heed does not answer, the promise is rejected with a HeedError; it means no permission.
export class Heed {
  constructor(base = process.env.HEED_URL || "127.0.0.1:8309", token = process.env.HEED_TOKEN) {
    this.base = (base.includes("://") ? base : `http://${base}`).replace(/\/+$/, "");
    this.headers = token ? { Authorization: `Bearer ${token}` } : {};
  }

  // check returns the verdict for a URL. agent is a product token.
  async check(url, agent) {
    return (await this.#fetch(`/v1/check?${new URLSearchParams({ url, agent })}`)).json().catch(noAnswer);
  }

  // validSeconds returns how many seconds a verdict may be kept after it came. 0: do not keep it.
  static validSeconds({ pending, site: { stale = true, fetched, next_retrieval, age_seconds } = {} }) {
    if (pending || stale || !fetched || !next_retrieval) return 0;
    return Math.max(0, (Date.parse(next_retrieval) - Date.parse(fetched)) / 1000 - age_seconds - 2); // 2: the times are whole seconds
  }

  // turn returns the verdict. If the URL is allowed, it first waits until the crawl delay of the site allows a request.
  // validSeconds: how much longer the turn is valid, if the daemon is far away.
  async turn(url, agent, validSeconds = 0) {
    for (;;) {
      const asked = Date.now(); // the answer may need long to arrive
      const body = JSON.stringify({ url, agent, valid_seconds: validSeconds });
      const response = await this.#fetch("/v1/turn", { method: "POST", body });
      const answer = await response.json().catch(noAnswer);
      if (!answer.allowed) return answer;
      const { wait_seconds, valid_seconds = Infinity } = answer.turn;
      await new Promise((done) => setTimeout(done, wait_seconds * 1000));
      const late = (Date.now() - asked) / 1000 - wait_seconds - valid_seconds;
      if (late <= 0) return answer;
      validSeconds = Math.min(validSeconds + late, 10); // the turn is over: ask for another one, which is valid longer
    }
  }

  // checkMany yields the verdicts for questions such as { url, agent }, in their order.
  async *checkMany(questions) {
    let unanswered = 0;
    async function* lines() {
      for await (const question of questions) {
        unanswered++;
        yield new TextEncoder().encode(JSON.stringify(question) + "\n");
      }
    }
    const response = await this.#fetch("/v1/check", { method: "POST", body: lines(), duplex: "half" });
    let rest = "";
    for await (const text of textsOf(response)) {
      const whole = (rest + text).split("\n");
      rest = whole.pop();
      for (const answer of whole.map((line) => JSON.parse(line))) {
        if (!("url" in answer)) throw new HeedError(undefined, undefined, answer.error); // the daemon ended the stream
        unanswered--;
        yield answer;
      }
    }
    if (unanswered) throw new HeedError(undefined, undefined, `${unanswered} questions have no answer`);
  }

  async #fetch(path, options) {
    const response = await fetch(this.base + path, { headers: this.headers, ...options }).catch(noAnswer);
    if (!response.ok) throw new HeedError(response.status, response.headers.get("Retry-After"), (await response.text()).trim());
    return response;
  }
}

if (process.argv[1]?.endsWith("heed.mjs")) { // node heed.mjs SITE
  const heed = new Heed(), site = process.argv[2];
  if (process.argv.length !== 3 || site.startsWith("-")) {
    console.error("usage: node heed.mjs SITE, such as https://www.example.com");
    process.exit(1);
  }
  console.log("check", (await heed.check(`${site}/cart`, "ExampleBot")).allowed);
  let allowed = 0;
  const many = Array.from({ length: 2000 }, (_, i) => ({ url: `${site}/${i}`, agent: "ExampleBot" }));
  for await (const answer of heed.checkMany(many)) allowed += answer.allowed;
  console.log("stream", allowed);
  console.log("turn", (await heed.turn(`${site}/`, "ExampleBot")).allowed);
}
