// Ask heed serve from Node 18 or later, without packages. See docs/serve.md.

// A client of heed serve. If heed does not answer, the promise is rejected; it means no permission.
export class Heed {
  constructor(address = "127.0.0.1:8309", token) {
    this.address = `http://${address}`;
    this.headers = token ? { Authorization: `Bearer ${token}` } : {};
  }

  // check returns the verdict for a URL. agent is a product token.
  async check(url, agent) {
    return (await this.#fetch(`/v1/check?${new URLSearchParams({ url, agent })}`)).json();
  }

  // turn returns the verdict. If the URL is allowed, it first waits until the crawl delay of the site allows a request.
  async turn(url, agent) {
    const response = await this.#fetch("/v1/turn", { method: "POST", body: JSON.stringify({ url, agent }) });
    const answer = await response.json();
    if (answer.allowed) {
      await new Promise((done) => setTimeout(done, answer.turn.wait_seconds * 1000));
    }
    return answer;
  }

  // checkMany yields the verdicts for questions such as { url, agent }, in their order.
  async *checkMany(questions) {
    async function* lines() {
      for await (const question of questions) yield new TextEncoder().encode(JSON.stringify(question) + "\n");
    }
    const response = await this.#fetch("/v1/check", { method: "POST", body: lines(), duplex: "half" });
    let rest = "";
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const whole = (rest + text).split("\n");
      rest = whole.pop();
      for (const answer of whole.map((line) => JSON.parse(line))) {
        if (!("url" in answer)) throw new Error(answer.error); // the daemon ended the stream
        yield answer;
      }
    }
  }

  async #fetch(path, options) {
    const response = await fetch(this.address + path, { headers: this.headers, ...options });
    if (!response.ok) throw new Error(`status ${response.status}: ${(await response.json()).error}`);
    return response;
  }
}

if (process.argv.length === 4) { // node heed.mjs ADDRESS SITE
  const heed = new Heed(process.argv[2]), site = process.argv[3];
  console.log("check", (await heed.check(`${site}/cart`, "ExampleBot")).allowed);
  let allowed = 0;
  const many = Array.from({ length: 2000 }, (_, i) => ({ url: `${site}/${i}`, agent: "ExampleBot" }));
  for await (const answer of heed.checkMany(many)) allowed += answer.allowed;
  console.log("stream", allowed);
  console.log("turn", (await heed.turn(`${site}/`, "ExampleBot")).allowed);
}
