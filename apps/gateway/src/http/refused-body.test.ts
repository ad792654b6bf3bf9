import { connect } from "node:net";
import { constants, deflateSync, gzipSync } from "node:zlib";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { basic, startGateway, type Gateway } from "../test-support/sample-gateway.ts";

const form = "application/x-www-form-urlencoded";
const megabyte = 1_000_000;
/** Bytes of a body. */
const limit = 2 * 1024 * 1024;
/** Bytes that zlib decompresses in one go. */
const zlibChunk = 16 * 1024;

interface Heads {
  readonly method?: string;
  readonly path?: string;
  readonly key?: string;
  readonly [header: string]: string | number | undefined;
}

function head({
  method = "POST",
  path = "/api/v1/echo",
  key = "member",
  ...headers
}: Heads): string {
  const lines = Object.entries({
    Host: "x",
    Authorization: basic(`${key}@carillon.test:${key}`),
    "Content-Type": form,
    ...headers,
  });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

describe("a body that is refused", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startGateway({
      limiter: {
        check: ({ operation }) =>
          operation.id === "small"
            ? { limit: 1, remaining: 0, reset: 1, retryAfter: 1 }
            : undefined,
      },
    });
  });
  after(() => gateway.stop());

  /** A connection, and what has come over it so far. */
  function open() {
    const socket = connect(gateway.port, "127.0.0.1");
    const seen = { text: "", closed: false };
    socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString()));
    socket.on("close", () => (seen.closed = true));
    socket.on("error", () => {});
    return { socket, seen };
  }

  const probe = head({ method: "GET", path: "/api/v1/nothing", Probe: 1 });
  const answers = (text: string) => text.match(/HTTP\/1\.1 \d+/g) ?? [];

  /** Sends it, and then another request: that is answered, or the connection was announced to close and does. */
  async function sendTwo(
    what: string,
    status: number,
    ...parts: Array<string | Buffer>
  ): Promise<void> {
    const { socket, seen } = open();
    for (const part of parts) socket.write(part);
    await waitFor(() => answers(seen.text).some((line) => !line.endsWith(" 100")), {
      what: `${what} is answered`,
    });
    expect(seen.text, what).to.match(new RegExp(`HTTP/1\\.1 ${status} `));
    const closes = /\r\nConnection: close\r\n/i.test(seen.text);
    if (!closes) socket.write(probe);
    await waitFor(() => (closes ? seen.closed : seen.text.includes("HTTP/1.1 200")), {
      what: `after ${what} the connection closes or the next request is answered`,
    });
    socket.destroy();
  }

  const whole = (headers: Heads, body: string | Buffer) =>
    [head({ ...headers, "Content-Length": Buffer.byteLength(body) }), body] as const;
  const bomb = gzipSync(Buffer.alloc(60 * megabyte, "a"));
  const garbage = Buffer.alloc(1.5 * megabyte, "no gzip");

  it("answers the next request after a complete body, or closes the connection", async () => {
    const noise = gzipSync(
      Buffer.from(Array.from({ length: megabyte }, (_, i) => (i * i * 31) % 251)),
    );
    const cases: Array<readonly [string, number, Heads, string | Buffer]> = [
      ["a gzip bomb", 413, { "Content-Encoding": "gzip" }, bomb],
      [
        "a gzip bomb with garbage behind",
        413,
        { "Content-Encoding": "gzip" },
        Buffer.concat([bomb, garbage]),
      ],
      [
        "gzip that goes wrong when it has been refused",
        413,
        { "Content-Encoding": "gzip" },
        Buffer.concat([
          gzipSync(Buffer.alloc(limit + 2 * zlibChunk), { finishFlush: constants.Z_SYNC_FLUSH }),
          Buffer.alloc(zlibChunk, 0xff),
        ]),
      ],
      ["broken gzip", 400, { "Content-Encoding": "gzip" }, garbage],
      [
        "gzip that breaks off",
        400,
        { "Content-Encoding": "gzip" },
        noise.subarray(0, noise.length / 2),
      ],
      [
        "gzip that goes wrong",
        400,
        { "Content-Encoding": "gzip" },
        Buffer.concat([noise.subarray(0, 50_000), garbage]),
      ],
      ["broken deflate", 400, { "Content-Encoding": "deflate" }, garbage],
      [
        "a deflate bomb",
        413,
        { "Content-Encoding": "deflate" },
        deflateSync(Buffer.alloc(60 * megabyte)),
      ],
      ["broken brotli", 400, { "Content-Encoding": "br" }, garbage],
      ["an unknown compression", 400, { "Content-Encoding": "lzma" }, garbage],
      ["a wrong parameter", 400, {}, "n=1"],
      ["no proper multipart", 400, { "Content-Type": "multipart/form-data; boundary=b" }, garbage],
      ["unknown credentials", 401, { key: "nobody" }, garbage],
      ["an unknown path", 404, { path: "/nowhere" }, garbage],
      ["a wrong method", 405, { method: "PUT", path: "/api/v1/users/me" }, garbage],
      ["too many requests", 429, { path: "/api/v1/small" }, garbage],
      ["a body of another type", 400, { "Content-Type": "application/json" }, garbage],
      ["a body with GET", 200, { method: "GET", path: "/api/v1/nothing" }, garbage],
      ["OPTIONS with a body", 204, { method: "OPTIONS" }, garbage],
    ];
    await Promise.all(
      cases.map(([what, status, headers, body]) => sendTwo(what, status, ...whole(headers, body))),
    );
  });

  it("closes the connection when the body does not end", async () => {
    const announced = { "Content-Length": 2 * megabyte };
    await Promise.all([
      sendTwo("too much, announced", 413, head({ "Content-Length": 30 * megabyte }), "a="),
      sendTwo(
        "too much, in chunks",
        401,
        head({ key: "nobody", "Transfer-Encoding": "chunked" }),
        "2\r\na=\r\n",
      ),
      sendTwo("unknown credentials", 401, head({ key: "nobody", ...announced }), "a="),
      sendTwo("an unknown path", 404, head({ path: "/nowhere", ...announced }), "a="),
      sendTwo(
        "a wrong method",
        405,
        head({ method: "PUT", path: "/api/v1/users/me", ...announced }),
        "a=",
      ),
      sendTwo("too many requests", 429, head({ path: "/api/v1/small", ...announced }), "a="),
      sendTwo(
        "broken gzip",
        400,
        head({ "Content-Encoding": "gzip", ...announced }),
        garbage.subarray(0, 1_000),
      ),
      sendTwo(
        "a gzip bomb",
        413,
        head({ "Content-Encoding": "gzip", "Transfer-Encoding": "chunked" }),
        Buffer.concat([Buffer.from(`${bomb.length.toString(16)}\r\n`), bomb]),
      ),
    ]);
  });

  it("stops reading a long body: the client stalls and is disconnected", async () => {
    const { socket, seen } = open();
    const announced = 200 * megabyte;
    socket.write(head({ "Content-Length": announced }));
    const piece = Buffer.alloc(megabyte, "x");
    let taken = 0;
    const send = () => {
      if (seen.closed || taken >= announced) return;
      socket.write(piece, (error) => {
        if (error) return;
        taken += piece.length;
        send();
      });
    };
    send();
    await waitFor(() => seen.closed, { what: "the connection is closed" });
    expect(seen.text).to.match(/^HTTP\/1\.1 413 /);
    // What the sockets of both sides buffer comes on top of what is read.
    expect(taken).to.be.below(announced / 2);
  });

  it("sends 100 Continue only for a body that will be read", async () => {
    const expecting = { Expect: "100-continue", "Content-Length": 9 };
    await Promise.all([
      sendTwo("unknown credentials", 401, head({ key: "nobody", ...expecting })),
      sendTwo("too much", 413, head({ ...expecting, "Content-Length": 30 * megabyte })),
    ]);
    const { socket, seen } = open();
    socket.write(head(expecting));
    await waitFor(() => seen.text.includes("HTTP/1.1 100 Continue"), {
      what: "the body is asked for",
    });
    socket.write("content=x");
    await waitFor(() => seen.text.includes("HTTP/1.1 200"), { what: "the request is answered" });
    socket.destroy();
    const refused = open();
    refused.socket.write(head({ key: "nobody", ...expecting }));
    await waitFor(() => refused.seen.closed, { what: "the connection is closed" });
    expect(answers(refused.seen.text)).to.deep.equal(["HTTP/1.1 401"]);
  });
});
