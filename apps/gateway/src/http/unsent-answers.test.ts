import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { ApiError, operation } from "@carillon/contract";
import { RequestDeadline } from "@carillon/db";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";
import { statusOf } from "./error-response.ts";
import { handlerFor } from "./handler.ts";
import { Pages } from "./pages.ts";
import { basic, startGateway } from "../test-support/sample-gateway.ts";
import { UnsentAnswers } from "./unsent-answers.ts";

const mega = 1_000_000;
/** Requests are refused at once where there is no room. */
const impatient = { waitMs: 0, standingStillMs: 60_000 };

describe("memory for large answers", () => {
  const deadline = () => new RequestDeadline();
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: ApiError) => statusOf(error),
    );

  it("is granted to an account up to its bound exactly", async () => {
    const unsent = new UnsentAnswers({ ...impatient, ofAccount: 3 * mega });
    const first = unsent.open({ accountId: 1, kind: "a" });
    first.settle(2 * mega, true, true);
    const second = unsent.open({ accountId: 1, kind: "a" });
    second.settle(mega, true, true);
    second.release();
    const third = unsent.open({ accountId: 1, kind: "a" });
    expect(() => third.settle(mega + 1, true, true))
      .to.throw(ApiError)
      .that.satisfies((error: ApiError) => statusOf(error) === 429);
    third.release();
    expect(unsent.bytes).to.equal(2 * mega);
  });

  it("is granted up to the bound of the process, and then refused with 503", async () => {
    const unsent = new UnsentAnswers({ ...impatient, ofAll: 3 * mega });
    for (const account of [1, 2, 3])
      unsent.open({ accountId: account, kind: "a" }).settle(mega, true, true);
    const one = unsent.open({ accountId: 4, kind: "a" });
    expect(() => one.settle(uncountedAndOne, true, true))
      .to.throw(ApiError)
      .that.satisfies((error: ApiError) => statusOf(error) === 503);
    one.release();
    expect(unsent.bytes).to.equal(3 * mega);
    expect(await refusal(unsent.enter({ accountId: 5, kind: "a" }, deadline()))).to.equal(503);
  });
  const uncountedAndOne = 16 * 2 ** 10 + 1;

  it("builds at most one large answer of an account and four of the process concurrently", async () => {
    const unsent = new UnsentAnswers(impatient);
    const enter = (accountId: number) =>
      unsent.enter({ accountId, kind: "register", isWhole: true }, deadline());
    const first = await enter(1);
    expect(await refusal(enter(1))).to.equal(503);
    await Promise.all([2, 3, 4].map(enter));
    expect(await refusal(enter(5))).to.equal(503);
    first.settle(0, false, false);
    await enter(1);
    expect(await refusal(enter(5))).to.equal(503);
  });

  it("uses an estimate that was updated while the request waited", async () => {
    const unsent = new UnsentAnswers({ waitMs: 60_000, standingStillMs: 60_000 });
    const enter = (accountId: number) =>
      unsent.enter({ accountId, kind: "register", isWhole: true }, deadline());
    const first = await enter(1);
    const waiting = enter(1);
    first.settle(5 * mega, false, false);
    first.release();
    expect((await waiting).bytes).to.equal(15 * mega);
  });

  it("is granted to a single answer larger than the bounds", () => {
    const unsent = new UnsentAnswers({ ...impatient, ofAccount: mega, ofAll: 2 * mega });
    const large = unsent.open({ accountId: 1, kind: "a" });
    large.settle(50 * mega, false, true);
    large.release();
    expect(unsent.bytes).to.equal(0);
  });

  it("is never refused to a request that has changed something", () => {
    const unsent = new UnsentAnswers({ ...impatient, ofAccount: mega });
    unsent.open({ accountId: 1, kind: "a" }).settle(mega, false, true);
    unsent.open({ accountId: 1, kind: "register" }).settle(50 * mega, false, false);
    expect(unsent.bytes).to.equal(51 * mega);
  });

  it("is granted to waiting requests in order", async () => {
    const unsent = new UnsentAnswers({ ofAccount: 2 * mega });
    const first = unsent.open({ accountId: 1, kind: "a" });
    first.settle(2 * mega, true, true);
    const order: number[] = [];
    const waiting = [1, 2].map(async (n) => {
      const lease = await unsent.enter({ accountId: 1, kind: "a" }, deadline());
      order.push(n);
      return lease;
    });
    const other = await unsent.enter({ accountId: 2, kind: "b" }, deadline());
    expect(order, "another account is not held").to.deep.equal([]);
    first.release();
    (await waiting[0])?.release();
    (await waiting[1])?.release();
    other.release();
    expect(order).to.deep.equal([1, 2]);
    expect(unsent.bytes).to.equal(0);
  });

  it("is no longer awaited after a hang-up", async () => {
    const unsent = new UnsentAnswers({ ofAccount: mega });
    unsent.open({ accountId: 1, kind: "a" }).settle(mega, true, true);
    const gone = deadline();
    const waiting = unsent.enter({ accountId: 1, kind: "a" }, gone);
    gone.end(new Error("hung up"), false);
    const error = await waiting.catch((thrown: Error) => thrown);
    expect(error).to.have.property("message", "hung up");
  });

  it("is freed for a waiting request by disconnecting a stalled client of the same account only", async () => {
    const unsent = new UnsentAnswers({ ofAccount: mega, standingStillMs: 0 });
    const cut: string[] = [];
    const others = unsent.open({ accountId: 2, kind: "a" });
    const own = unsent.open({ accountId: 1, kind: "a" });
    for (const [name, lease] of Object.entries({ others, own })) {
      lease.settle(mega, true, true);
      lease.progress();
      lease.cutOff = () => {
        cut.push(name);
        lease.release();
      };
    }
    (await unsent.enter({ accountId: 1, kind: "a" }, deadline())).release();
    expect(cut).to.deep.equal(["own"]);
  });

  it("is reserved before an answer is made, by the size of earlier answers of its kind", async () => {
    const unsent = new UnsentAnswers({ ...impatient, ofAccount: 10 * mega });
    const known = await unsent.enter({ accountId: 1, kind: "a" }, deadline());
    known.settle(4 * mega, false, true);
    known.release();
    const again = await unsent.enter({ accountId: 1, kind: "a" }, deadline());
    expect(again.bytes, "objects take three times their JSON").to.equal(12 * mega);
    expect(await refusal(unsent.enter({ accountId: 1, kind: "a" }, deadline()))).to.equal(429);
    expect((await unsent.enter({ accountId: 2, kind: "a" }, deadline())).bytes).to.equal(12 * mega);
    const small = await unsent.enter({ accountId: 3, kind: "b" }, deadline());
    small.settle(100, false, true);
    expect((await unsent.enter({ accountId: 3, kind: "b" }, deadline())).bytes).to.equal(0);
  });
});

describe("large answers that clients do not read", () => {
  const list = operation({
    id: "list-things",
    method: "GET",
    path: "/api/v1/things",
    access: "account",
    result: { things: z.unknown() },
    summary: "Things",
  });
  const handle = handlerFor<{ log: string[] }>();
  let read = 0;
  const handlers = [
    handle(list, async () => ({
      things: new Pages(async function* () {
        for (let n = 0; n < 100; n++) {
          read++;
          yield ["x".repeat(mega)];
        }
      }),
    })),
  ];
  const head = (key: string) =>
    `GET /api/v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic(`${key}@carillon.test:${key}`)}\r\n\r\n`;
  const sockets: Socket[] = [];
  /** Asks, and reads nothing. */
  async function standStill(port: number, key: string): Promise<Socket> {
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket.on("error", () => {}));
    socket.write(head(key));
    await once(socket, "readable");
    return socket;
  }
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    read = 0;
  });

  it("get 429 above the bound of the account, while other accounts are answered", async () => {
    const gateway = await startGateway({
      handlers,
      checkResults: false,
      unsentBounds: { ...impatient, ofAccount: 7_000_000 },
    });
    await standStill(gateway.port, "member");
    await standStill(gateway.port, "member");
    const { status, json, headers } = await gateway.send("GET", "/api/v1/things");
    expect([status, json["code"]]).to.deep.equal([429, "RATE_LIMIT_HIT"]);
    expect(json["msg"]).to.include("have not been read");
    expect(Number(headers["retry-after"])).to.be.greaterThan(0);
    expect(read, "pages that were read").to.be.below(20);
    expect((await gateway.send("GET", "/api/v1/things", { as: "owner" })).status).to.equal(200);
    await gateway.stop();
  });

  it("get 503 above the bound of the process", async () => {
    const gateway = await startGateway({
      handlers,
      checkResults: false,
      unsentBounds: { ...impatient, ofAll: 7_000_000 },
    });
    await standStill(gateway.port, "member");
    await standStill(gateway.port, "admin");
    const { status, json, headers } = await gateway.send("GET", "/api/v1/things", { as: "owner" });
    expect([status, json["code"]]).to.deep.equal([503, "INTERNAL_ERROR"]);
    expect(json["msg"]).to.include("use up the server's memory");
    expect(Number(headers["retry-after"])).to.be.greaterThan(0);
    await gateway.stop();
  });

  it("are disconnected when another request waits for their memory", async () => {
    const gateway = await startGateway({
      handlers,
      checkResults: false,
      unsentBounds: { ofAccount: 7_000_000, standingStillMs: 100 },
    });
    const still = [
      await standStill(gateway.port, "member"),
      await standStill(gateway.port, "member"),
    ];
    expect((await gateway.send("GET", "/api/v1/things")).status).to.equal(200);
    for (const socket of still) socket.resume();
    await waitFor(() => still.some((socket) => socket.destroyed), { what: "one was cut off" });
    await gateway.stop();
  });

  it("release their memory when they are read, and when the client hangs up", async () => {
    const gateway = await startGateway({
      handlers,
      checkResults: false,
      unsentBounds: { ...impatient, ofAccount: 4_000_000 },
    });
    const socket = await standStill(gateway.port, "member");
    expect((await gateway.send("GET", "/api/v1/things")).status).to.equal(429);
    socket.destroy();
    await waitFor(async () => (await gateway.send("GET", "/api/v1/things")).status === 200, {
      what: "there is room again",
    });
    expect((await gateway.send("GET", "/api/v1/things")).status).to.equal(200);
    await gateway.stop();
  });
});
