import { connect, type Socket } from "node:net";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { accounts, basic, startGateway, type Gateway } from "../test-support/sample-gateway.ts";

/** Bytes of a body that must wait for its turn. */
const large = 64 * 1024;

describe("large request bodies", () => {
  let gateway: Gateway;
  let patient: Gateway;
  const sockets = new Set<Socket>();
  before(async () => {
    for (let i = 0; i < 8; i++)
      accounts[`sender${i}`] = { id: 100 + i, realmId: 1, role: 400, isBot: false, botType: null };
    patient = await startGateway();
    // Long enough for this process to send what is wanted, on a busy machine too.
    gateway = await startGateway({ bodyIdleMs: 500 });
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  });
  after(async () => {
    for (let i = 0; i < 8; i++) delete accounts[`sender${i}`];
    await Promise.all([gateway.stop(), patient.stop()]);
  });

  /** Sends the head of a request for `POST /echo`, which asks whether its body is wanted now. */
  function ask(key: string, size: string, at = patient) {
    const seen = { text: "", closed: false, socket: connect(at.port, "127.0.0.1") };
    sockets.add(seen.socket);
    seen.socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString()));
    seen.socket.on("close", () => (seen.closed = true)).on("error", () => {});
    const authorization = basic(`${key}@carillon.test:${key}`);
    seen.socket.write(
      `POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
        `Content-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n${size}\r\n\r\n`,
    );
    return seen;
  }

  const announced = (bytes: number) => `Content-Length: ${bytes}`;
  const unknownSize = "Transfer-Encoding: chunked";
  const wanted = (all: ReadonlyArray<{ text: string }>) =>
    all.filter(({ text }) => text.startsWith("HTTP/1.1 100 Continue")).length;
  const answered = (one: { text: string }) => one.text.includes("HTTP/1.1 200");

  it("reads at most four at a time for one account, including bodies of unknown size; small bodies do not wait", async () => {
    const first = ask("member", announced(large));
    const second = ask("member", unknownSize);
    const asked = [first, second, ask("member", announced(2_000_000)), ask("member", unknownSize)];
    await waitFor(() => wanted(asked) === 4, { what: "four bodies are wanted" });
    const waiting = [ask("member", announced(large)), ask("member", unknownSize)];
    const small = ask("member", announced(large - 1));
    const other = ask("owner", announced(large));
    await waitFor(() => wanted([small, other]) === 2, { what: "other bodies are wanted" });
    small.socket.write("content=".padEnd(large - 1, "x"));
    await waitFor(() => answered(small), { what: "the small body is answered" });
    expect(wanted(waiting)).to.equal(0);
    first.socket.write("content=".padEnd(large, "x"));
    await waitFor(() => answered(first) && wanted(waiting) === 1, { what: "the next is wanted" });
    second.socket.destroy();
    await waitFor(() => wanted(waiting) === 2, { what: "the place of a lost client is free" });
  });

  it("reads at most 32 at a time for all accounts", async () => {
    const lost = ask("sender0", announced(large));
    const others = Array.from({ length: 31 }, (_, i) =>
      ask(`sender${(i + 1) >> 2}`, announced(large)),
    );
    const asked = [lost, ...others];
    await waitFor(() => wanted(asked) === 32, { what: "32 bodies are wanted" });
    const next = ask("owner", announced(large));
    const small = ask("owner", announced(9));
    small.socket.write("content=x");
    await waitFor(() => answered(small), { what: "a small body is answered" });
    expect(wanted([next])).to.equal(0);
    lost.socket.destroy();
    await waitFor(() => wanted([next]) === 1, { what: "the next is wanted" });
  });

  it("refuses bodies that trickle while others wait, and no others", async () => {
    const trickle = <One extends { socket: Socket }>(one: One) => {
      const timer = setInterval(() => one.socket.write("x"), 5);
      one.socket.once("close", () => clearInterval(timer));
      return one;
    };
    const slow = Array.from({ length: 32 }, (_, i) =>
      trickle(ask(`sender${i >> 2}`, announced(1_000_000), gateway)),
    );
    await waitFor(() => wanted(slow) === 32, { what: "32 bodies are wanted" });
    const next = ask("owner", announced(large), gateway);
    await waitFor(() => wanted([next]) === 1, { what: "the next is wanted" });
    next.socket.write("content=".padEnd(large, "x"));
    await waitFor(() => answered(next), { what: "the next is answered" });
    const refused = () => slow.filter(({ text }) => text.includes("HTTP/1.1 408"));
    await waitFor(() => refused().length > 0, { what: "slow ones are refused" });
    expect(refused()[0]?.text).to.include("more slowly than 16 KiB a second");
    for (const { socket } of slow) socket.destroy();
    const alone = ask("owner", announced(large), gateway);
    alone.socket.write("content=");
    for (let sent = 8; sent < 100; sent++) {
      alone.socket.write("x");
      await waitFor(() => alone.socket.writableLength === 0, { what: "the byte is sent" });
    }
    alone.socket.write("x".repeat(large - 100));
    await waitFor(() => answered(alone), {
      what: "a slow body that nothing waits for is answered",
    });
  });

  it("refuses a stalled body with 408 and releases its permit", async () => {
    const stopped = Array.from({ length: 9 }, () => ask("member", announced(large), gateway));
    for (const { socket } of stopped) socket.write("content=and no more");
    await waitFor(() => stopped.every(({ closed }) => closed), { what: "all are cut off" });
    for (const { text } of stopped) {
      expect(text).to.match(/HTTP\/1\.1 408 .*"code":"BAD_REQUEST"/s);
      expect(text).to.include("no more of it has arrived for 0.5 seconds; send the request again");
    }
    const form = `content=${"x".repeat(large)}`;
    expect((await gateway.send("POST", "/api/v1/echo", { form })).status).to.equal(200);
  });
});
