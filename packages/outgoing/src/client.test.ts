import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";

import { closedEndpoint, startEndpoint, testRules, useEndpoint, waitFor } from "@carillon/testkit";
import { expect } from "chai";

import { addressRules } from "./addresses.ts";
import { outgoingClient, type OutgoingClient } from "./client.ts";
import type { Resolve } from "./connector.ts";

/** Milliseconds that a call may take where the test waits for its end. */
const shortMs = 400;

describe("The client of endpoints", () => {
  const endpoint = useEndpoint();
  const clients: OutgoingClient[] = [];
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  function client({
    timeoutMs = 20_000,
    rules = testRules,
    resolve,
  }: { timeoutMs?: number; rules?: typeof testRules; resolve?: Resolve } = {}): OutgoingClient {
    const made = outgoingClient({ rules, timeoutMs }, resolve ? { resolve } : {});
    clients.push(made);
    return made;
  }

  const post = (
    url: string,
    { maxBytes = 1_000, ...options }: Parameters<typeof client>[0] & { maxBytes?: number } = {},
  ) => client(options).post({ url, headers: {}, body: Buffer.from("hello"), maxBytes });

  /** A server that answers with raw bytes. */
  async function raw(answer: (socket: Socket) => void): Promise<{ url: string; close(): void }> {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("data", () => answer(socket));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      close() {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    };
  }

  it("sends bytes and headers, and returns status and answer", async () => {
    endpoint.answer((_, response) => {
      response.writeHead(201, { "retry-after": "2", "set-cookie": "a=b" }).end("done");
    });
    const one = client();
    const request = {
      url: `${endpoint.url}?a=b`,
      headers: { "content-type": "text/plain", "webhook-id": "1" },
      body: Buffer.from("Grüße"),
      maxBytes: 10,
    };
    for (const _ of [1, 2])
      expect(await one.post(request)).to.deep.equal({
        kind: "answered",
        status: 201,
        retryAfterMs: 2_000,
        body: Buffer.from("done"),
        isCut: false,
      });
    const [call] = endpoint.calls;
    expect(call).to.deep.include({ path: "/hook?a=b", body: "Grüße" });
    expect(call?.headers).to.include({ "webhook-id": "1", "accept-encoding": "identity" });
    expect(endpoint.calls[1]?.headers).not.to.have.property("cookie");
  });

  it("reads an answer up to the limit, and closes the connection of one with 1 GiB", async () => {
    const closed: boolean[] = [];
    let sent = 0;
    endpoint.answer((_, response) => {
      response.writeHead(200, { "content-length": 2 ** 30 });
      const chunk = Buffer.alloc(65_536, "a");
      const more = () => {
        while (!response.destroyed && sent < 2 ** 30) {
          sent += chunk.length;
          if (!response.write(chunk)) return;
        }
      };
      response.on("drain", more).on("close", () => closed.push(true));
      more();
    });
    const outcome = await post(endpoint.url, { maxBytes: 5 });
    expect(outcome).to.deep.include({ kind: "answered", status: 200, isCut: true });
    expect("body" in outcome && outcome.body.toString()).to.equal("aaaaa");
    await waitFor(() => closed.length > 0 || undefined, { what: "the end of the connection" });
    // Not more than the sockets of both sides buffer.
    expect(sent).to.be.below(20 * 1024 ** 2);
  });

  it("follows no redirect", async () => {
    endpoint.answer((_, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    });
    expect(await post(endpoint.url)).to.deep.include({ kind: "answered", status: 302 });
    expect(endpoint.calls).to.have.length(1);
  });

  it("ends in its time although the endpoint hangs, or sends a byte now and then", async () => {
    endpoint.answer(() => {});
    const expected = { kind: "lost", reason: "no complete answer within 0.4 s" };
    expect(await post(endpoint.url, { timeoutMs: shortMs })).to.deep.equal(expected);
    endpoint.answer((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("a"), 20);
      response.on("close", () => clearInterval(timer));
    });
    expect(await post(endpoint.url, { timeoutMs: shortMs })).to.deep.equal(expected);
    const head = await raw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write("x: y\r\n"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    expect(await post(head.url, { timeoutMs: shortMs })).to.deep.equal(expected);
    head.close();
  });

  it("tells an answer that breaks off, is compressed or is not HTTP from none", async () => {
    const broken = async (answer: string) => {
      const server = await raw((socket) => socket.end(answer));
      const outcome = await post(server.url);
      server.close();
      return outcome;
    };
    expect(await broken("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf")).to.deep.include({
      kind: "broken",
      status: 200,
    });
    expect(
      await broken("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\nab"),
    ).to.deep.equal({ kind: "broken", reason: "the answer is compressed", status: 200 });
    expect(await broken("SMTP ready\r\n\r\n")).to.deep.include({ kind: "broken" });
    expect(await broken("HTTP/1.1 000 None\r\n\r\n")).to.deep.include({ kind: "broken" });
    expect(await broken(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(20_000)}\r\n\r\n`)).to.deep.include({
      kind: "broken",
    });
    expect(await broken("")).to.deep.include({ kind: "lost" });
  });

  it("says that there is no connection where nothing listens, or the name does not resolve", async () => {
    expect(await post(await closedEndpoint())).to.deep.equal({
      kind: "lost",
      reason: "no connection or no answer (ECONNREFUSED)",
    });
    const resolve: Resolve = (_, done) =>
      done(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);
    expect(await post("http://nowhere.test/", { resolve })).to.deep.equal({
      kind: "lost",
      reason: "no connection or no answer (ENOTFOUND)",
    });
  });

  it("refuses a literal address and connects to nothing", async () => {
    const { port } = new URL(endpoint.url);
    for (const url of [
      endpoint.url,
      `http://127.1:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
    ]) {
      const outcome = await post(url, { rules: addressRules() });
      expect(outcome.kind, url).to.equal("refused");
      expect("reason" in outcome && outcome.reason).to.include("OUTGOING_ALLOWED_NETWORKS");
    }
    expect(endpoint.calls).to.have.length(0);
  });

  it("judges all addresses of a name at each connection, so that rebinding gains nothing", async () => {
    const { port } = new URL(endpoint.url);
    const answers = [["127.0.0.1"], ["127.0.0.1", "10.0.0.1"], ["10.0.0.1"], ["127.0.0.1"]];
    let asked = 0;
    const resolve: Resolve = (_, done) =>
      done(
        null,
        (answers[asked++] ?? []).map((address) => ({ address, family: 4 })),
      );
    // Each request needs a new connection, because the endpoint closes it.
    endpoint.answer((_, response) => {
      response.setHeader("connection", "close");
      return {};
    });
    const one = client({ resolve });
    const request = { headers: {}, body: Buffer.from(""), maxBytes: 10 };
    const kinds = [];
    for (const _ of answers)
      kinds.push((await one.post({ ...request, url: `http://rebound.test:${port}/` })).kind);
    expect(kinds).to.deep.equal(["answered", "refused", "refused", "answered"]);
    expect(endpoint.calls).to.have.length(2);
  });

  it("sends nothing to a server without TLS, or with a certificate of an unknown authority", async () => {
    const { port } = new URL(endpoint.url);
    expect(await post(`https://127.0.0.1:${port}/`)).to.deep.include({ kind: "lost" });
    expect(endpoint.calls).to.have.length(0);
    const signed = await startEndpoint({ tls: true });
    try {
      expect(await post(signed.url)).to.deep.equal({
        kind: "lost",
        reason: "no connection or no answer (DEPTH_ZERO_SELF_SIGNED_CERT)",
      });
      expect(signed.calls).to.have.length(0);
    } finally {
      await signed.close();
    }
  });

  it("throws the reason of the request's signal", async () => {
    endpoint.answer(() => {});
    const ending = new AbortController();
    const calling = client().post({
      url: endpoint.url,
      headers: {},
      body: Buffer.from(""),
      maxBytes: 10,
      signal: ending.signal,
    });
    await waitFor(() => endpoint.calls.length > 0 || undefined, { what: "the call" });
    ending.abort(new Error("the process ends"));
    const thrown = await calling.catch((error: unknown) => error);
    expect(thrown).to.be.an("error").with.property("message", "the process ends");
  });

  it("keeps connections for the next calls, and reads Retry-After as a date", async () => {
    const connections = new Set<unknown>();
    const server: Server = createServer((request, response) => {
      connections.add(request.socket);
      request.resume();
      response.writeHead(429, { "retry-after": new Date(Date.now() + 60_000).toUTCString() }).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const one = client();
    const request = { url, headers: {}, body: Buffer.from(""), maxBytes: 10 };
    const outcomes = [];
    for (let call = 0; call < 6; call++) outcomes.push(await one.post(request));
    server.close();
    server.closeAllConnections();
    // The first connection may not be free yet when the second call begins.
    expect(connections.size).to.be.below(3);
    for (const outcome of outcomes)
      expect("retryAfterMs" in outcome && outcome.retryAfterMs).to.be.within(50_000, 60_000);
  });
});
