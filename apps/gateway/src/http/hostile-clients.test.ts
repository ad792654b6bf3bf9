import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { basic, startGateway, type Gateway } from "../test-support/sample-gateway.ts";

/**
 * Clients that send something else than requests, or send them otherwise than anybody would. Each is refused or cut off,
 * tells the gateway nothing twice, and keeps nobody else from being answered.
 */
describe("hostile clients", () => {
  let gateway: Gateway;
  const sockets = new Set<Socket>();
  before(async () => {
    // Long enough for a busy machine to serve others beside a thousand connections.
    gateway = await startGateway({ deadlineMs: 5_000 });
  });
  afterEach(async () => {
    await othersAreServed();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  });
  after(() => gateway.stop());

  const authorization = `Authorization: ${basic("member@carillon.test:member")}\r\n`;
  const usual = `Host: x\r\n${authorization}`;
  const get = (more = "") => `GET /api/v1/nothing HTTP/1.1\r\n${usual}${more}\r\n`;
  const form = "Content-Type: application/x-www-form-urlencoded\r\n";
  const post = (headers: string, body = "", at = "echo") =>
    `POST /api/v1/${at} HTTP/1.1\r\n${usual}${headers}\r\n${body}`;
  const refused = /^HTTP\/1\.1 400 .*"code":"BAD_REQUEST"/s;

  async function othersAreServed(): Promise<void> {
    const { status } = await gateway.send("POST", "/api/v1/echo", { form: "content=hello" });
    expect(status).to.equal(200);
  }

  /** A connection over which `text` goes out, and what has come back over it so far. */
  function say(text: string | Buffer) {
    const seen = { text: "", closed: false, socket: connect(gateway.port, "127.0.0.1") };
    sockets.add(seen.socket);
    seen.socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString("latin1")));
    seen.socket.on("close", () => (seen.closed = true)).on("error", () => {});
    seen.socket.write(text);
    return seen;
  }

  const closed = (seen: { closed: boolean; text: string }, what: string) =>
    waitFor(() => seen.closed, { what: `${what}: the connection is closed after ${seen.text}` });
  const answers = ({ text }: { text: string }) => text.split("HTTP/1.1 ").length - 1;

  it("get one answer when two lengths smuggle a second request into the body of the first", async () => {
    const hidden = "GET /api/v1/refuse HTTP/1.1\r\nHost: x\r\n\r\n";
    const chunked = `0\r\n\r\n${hidden}`;
    for (const headers of [
      `Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked\r\n`,
      `Transfer-Encoding: chunked\r\nContent-Length: ${chunked.length}\r\n`,
      `Content-Length: 5\r\nContent-Length: ${chunked.length}\r\n`,
      `Content-Length: 5, ${chunked.length}\r\n`,
      "Content-Length: +5\r\n",
      "Content-Length: 0x5\r\n",
      "Content-Length: -1\r\n",
      "Content-Length: 99999999999999999999999\r\n",
      "Content-Length : 5\r\n",
      "Transfer-Encoding: chunked, identity\r\n",
      "Transfer-Encoding: xchunked\r\n",
      "Transfer-Encoding : chunked\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
    ]) {
      const seen = say(post(form + headers, chunked));
      await closed(seen, headers);
      expect(seen.text, headers).to.match(refused);
      expect(answers(seen), headers).to.equal(1);
    }
  });

  it("are disconnected when the body's chunks are malformed", async () => {
    for (const body of [
      "zz\r\ncontent=x\r\n0\r\n\r\n",
      "-1\r\ncontent=x\r\n0\r\n\r\n",
      "fffffffffffffffff\r\ncontent=x\r\n",
      "9\r\ncontent=xMORE\r\n0\r\n\r\n",
      "9\ncontent=x\n0\n\n",
      `9;${"x".repeat(400_000)}\r\ncontent=x\r\n0\r\n\r\n`,
      `9\r\ncontent=x\r\n0\r\n${"Trailer: x\r\n".repeat(40_000)}`,
    ]) {
      const seen = say(post(`${form}Transfer-Encoding: chunked\r\n`, body));
      await closed(seen, body.slice(0, 40));
      expect(seen.text, body.slice(0, 40)).to.match(/^HTTP\/1\.1 4(00|13|31) /);
      expect(answers(seen), body.slice(0, 40)).to.equal(1);
    }
  });

  it("are refused when the head is malformed", async () => {
    for (const head of [
      "\u0016\u0003\u0001\u0002\u0000\u0001\u0000",
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "GET / HTTP/1.1\r\nNo colon\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\u0000b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n: z\r\n\r\n",
      "GET / HTTP/1.1\nHost: x\rAuthorization: y\n\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "NONSENSE / HTTP/1.1\r\nHost: x\r\n\r\n",
      `GET /${"x".repeat(300_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${"X: y\r\n".repeat(60_000)}\r\n`,
    ]) {
      const seen = say(head);
      await closed(seen, JSON.stringify(head.slice(0, 60)));
      expect(seen.text, head.slice(0, 60)).to.match(/^HTTP\/1\.1 4(00|04|31) .*"result":"error"/s);
    }
  });

  it("are refused when they send two Host headers or HTTP/0.9", async () => {
    const twoHosts = `GET /api/v1/nothing HTTP/1.1\r\n${usual}host: y\r\n\r\n`;
    for (const [head, why] of [
      [twoHosts, "send one"],
      ["GET /api/v1/refuse HTTP/0.9\r\n\r\n", "send HTTP/1.1"],
      ["GET /api/v1/refuse\r\n\r\n", "HTTP"],
    ] as const) {
      const seen = say(head);
      await closed(seen, head);
      expect(seen.text, head).to.match(refused);
      expect(seen.text, head).to.include(why);
      expect(answers(seen), head).to.equal(1);
    }
  });

  it("are refused when the body's encoding contradicts its head", async () => {
    const sized = (headers: string, body: Buffer | string) =>
      Buffer.concat([
        Buffer.from(post(`${headers}Content-Length: ${body.length}\r\nConnection: close\r\n`)),
        Buffer.from(body),
      ]);
    const zipped = gzipSync("content=x");
    for (const [what, sent] of [
      ["no gzip", sized(`${form}Content-Encoding: gzip\r\n`, "content=x")],
      ["half of a gzip", sized(`${form}Content-Encoding: gzip\r\n`, zipped.subarray(0, 15))],
      ["an encoding of nobody", sized(`${form}Content-Encoding: rot13\r\n`, "content=x")],
      ["two encodings", sized(`${form}Content-Encoding: gzip, gzip\r\n`, zipped)],
      ["parts without a boundary", sized("Content-Type: multipart/form-data\r\n", "--x--\r\n")],
      [
        "parts that never end",
        sized("Content-Type: multipart/form-data; boundary=x\r\n", "--x\r\n"),
      ],
    ] as const) {
      const seen = say(sent);
      await closed(seen, what);
      expect(seen.text, what).to.match(refused);
    }
  });

  it("get answers to pipelined requests in order, without delaying other clients", async () => {
    const ids = Array.from({ length: 200 }, (_, n) => `p${n}`);
    const seen = say(ids.map((id) => get(`X-Request-Id: ${id}\r\n`)).join(""));
    await othersAreServed();
    await waitFor(() => answers(seen) === ids.length, { what: "all of them are answered" });
    expect([...seen.text.matchAll(/X-Request-Id: (\S+)/g)].map(([, id]) => id)).to.deep.equal(ids);
  });

  it("are answered after closing their half of the connection", async () => {
    const seen = say("");
    seen.socket.end(get("Connection: close\r\n"));
    await closed(seen, "half closed");
    expect(seen.text).to.match(/^HTTP\/1\.1 200 /);
    const broken = say("");
    broken.socket.end(post(`${form}Content-Length: 100\r\n`, "content=x"));
    await closed(broken, "half of a body");
    expect(broken.text).to.match(/^(HTTP\/1\.1 400 |$)/);
  });

  it("do not delay others with bodies that arrive byte by byte, and are disconnected at the deadline", async () => {
    const slow = Array.from({ length: 100 }, () =>
      say(post(`${form}Content-Length: 1000000\r\n`, "content=")),
    );
    const drip = setInterval(() => slow.forEach(({ socket }) => socket.write("x")), 50);
    try {
      for (let n = 0; n < 5; n++) await othersAreServed();
      await waitFor(() => slow.every((one) => one.closed), { what: "all of them are cut off" });
    } finally {
      clearInterval(drip);
    }
    for (const { text } of slow) expect(text).to.match(/^HTTP\/1\.1 (503|400) |^$/);
  });

  it("do not delay others with endless heads or silent connections", async () => {
    const slow = Array.from({ length: 200 }, () => say(get().slice(0, -2)));
    const idle = Array.from({ length: 800 }, () => say(""));
    await waitFor(() => idle.every(({ socket }) => socket.readyState === "open"), {
      what: "all of them are connected",
    });
    for (let n = 0; n < 5; n++) await othersAreServed();
    await waitFor(() => slow.every((one) => one.closed), {
      what: "heads that never end are given up",
    });
    for (const { text } of slow) expect(text).to.match(/^HTTP\/1\.1 408 .*BAD_REQUEST/s);
  });
});
