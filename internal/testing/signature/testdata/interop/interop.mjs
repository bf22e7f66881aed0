// A server that verifies the signature of each request with npm's package web-bot-auth. For GET /send?to=URL&count=N it sends N
// signed requests itself. The first argument is the public key for verifying, the second one the private key for signing, both as JWK.
import http from "node:http";
import { signatureHeaders, verify } from "web-bot-auth";
import { signerFromJWK, verifierFromJWK } from "web-bot-auth/crypto";

const verifier = await verifierFromJWK(JSON.parse(process.argv[2]));
const signer = await signerFromJWK(JSON.parse(process.argv[3]));

async function send(to, count) {
  for (let i = 0; i < count; i++) {
    const url = new URL(`/${"x".repeat(i % 50)}?${i}`, to), now = new Date();
    const headers = { "signature-agent": 'sig1="https://bot.example"' };
    const signed = await signatureHeaders({ method: "GET", url: url.href, headers }, signer, { created: now, expires: new Date(now.getTime() + 60_000) });
    const response = await fetch(url, { headers: { ...headers, ...signed } });
    if (response.status !== 200) {
      throw new Error(`request ${i}: ${await response.text()}`);
    }
  }
}

const server = http.createServer(async (request, response) => {
  try {
    const url = new URL(request.url, `http://${request.headers.host}`);
    if (url.pathname === "/send") {
      await send(url.searchParams.get("to"), Number(url.searchParams.get("count")));
    } else {
      await verify({ method: request.method, url: url.href, headers: request.headers }, verifier);
    }
    response.end("verified");
  } catch (err) {
    response.statusCode = 400;
    response.end(String(err));
  }
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
