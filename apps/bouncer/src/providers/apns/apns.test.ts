import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { constants } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnvironment } from "@carillon/kit";
import { reservePort, startFaultProxy, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import {
  startApnsServer,
  type ApnsAnswer,
  type ApnsServer,
} from "../../test-support/apns-server.ts";
import type { Handover, Provider } from "../provider.ts";
import { apnsProvider, type ApnsOptions } from "./apns.ts";
import { readApnsKey } from "./key.ts";

const registeredAt = new Date("2026-01-01T00:00:00Z");
const handover: Handover = {
  token: "0123456789abcdef",
  registeredAt,
  iosAppId: "test.carillon.app",
  urgent: true,
  alert: true,
  payload: {
    push_key_id: 5,
    encrypted_data: "c2VjcmV0",
    aps: { "mutable-content": 1, alert: { title: "New notification" } },
  },
};

describe("The provider APNs", () => {
  let server: ApnsServer;
  let provider: Provider;
  const clock = { time: Date.now(), now: () => clock.time };
  const open = (options: Partial<ApnsOptions> = {}) =>
    apnsProvider({ url: server.url, ca: server.ca, key: server.key, clock, ...options });

  beforeEach(async () => {
    server = await startApnsServer();
    clock.time = Date.now();
    server.now = clock.now;
    provider = open();
  });
  afterEach(async () => {
    await provider.close();
    await server.close();
  });

  it("sends over TLS with a signed token and APNs' headers", async () => {
    expect(await provider.handOver(handover)).to.deep.equal({ kind: "sent" });
    const [push] = server.pushes;
    expect(push?.path).to.equal("/3/device/0123456789abcdef");
    expect(push?.body).to.deep.equal(handover.payload);
    expect(push?.headers).to.include({
      ":method": "POST",
      "apns-topic": "test.carillon.app",
      "apns-priority": "10",
      "apns-push-type": "alert",
    });
    const keptUntil = Math.floor(clock.time / 1_000) + 86_400;
    expect(push?.headers["apns-expiration"]).to.equal(String(keptUntil));
    await provider.handOver({ ...handover, urgent: false, alert: false });
    expect(server.pushes[1]?.headers).to.include({
      "apns-priority": "5",
      "apns-push-type": "background",
    });
  });

  it("uses one connection and one token", async () => {
    await Promise.all(Array.from({ length: 50 }, () => provider.handOver(handover)));
    expect(server.pushes).to.have.length(50);
    expect(server.connections).to.equal(1);
    const tokens = new Set(server.pushes.map(({ headers }) => headers.authorization));
    expect(tokens.size).to.equal(1);
    clock.time += 51 * 60_000;
    await provider.handOver(handover);
    expect(server.pushes[50]?.headers.authorization).to.not.equal([...tokens][0]);
  });

  it("renews an expired token once", async () => {
    await provider.handOver(handover);
    // Its own clock stands still.
    server.now = () => clock.time + 2 * 3_600_000;
    expect(await provider.handOver(handover)).to.deep.equal({
      kind: "undelivered",
      why: "403 ExpiredProviderToken",
    });
    server.now = clock.now;
    let refused = false;
    server.answer = () => {
      if (refused) return { status: 200 };
      refused = true;
      return { status: 403, reason: "ExpiredProviderToken" };
    };
    expect(await provider.handOver(handover)).to.deep.equal({ kind: "sent" });
    expect(server.pushes).to.have.length(3);
  });

  const later = registeredAt.getTime() + 1;
  const answers: ReadonlyArray<readonly [answer: ApnsAnswer, kind: string]> = [
    [{ status: 410, reason: "Unregistered" }, "dead"],
    [{ status: 410, reason: "Unregistered", timestamp: later }, "dead"],
    [{ status: 410, reason: "ExpiredToken", timestamp: later }, "dead"],
    [{ status: 400, reason: "BadDeviceToken" }, "dead"],
    [{ status: 400, reason: "DeviceTokenNotForTopic" }, "dead"],
    [{ status: 400, reason: "BadPriority" }, "refused"],
    [{ status: 413, reason: "PayloadTooLarge" }, "refused"],
    [{ status: 403, reason: "InvalidProviderToken" }, "undelivered"],
    [{ status: 400, reason: "TopicDisallowed" }, "undelivered"],
    [{ status: 429, reason: "TooManyRequests" }, "undelivered"],
    [{ status: 429, reason: "TooManyProviderTokenUpdates" }, "undelivered"],
    [{ status: 500, reason: "InternalServerError" }, "undelivered"],
    [{ status: 503, reason: "Shutdown" }, "undelivered"],
    [{ status: 503 }, "undelivered"],
  ];
  for (const [answer, kind] of answers)
    it(`reports ${kind} for ${JSON.stringify(answer)}`, async () => {
      server.answer = () => answer;
      expect((await provider.handOver(handover)).kind).to.equal(kind);
      expect(server.pushes).to.have.length(1);
    });

  it("keeps a token that was registered after APNs' timestamp", async () => {
    server.answer = () => ({
      status: 410,
      reason: "Unregistered",
      timestamp: registeredAt.getTime() - 1,
    });
    expect((await provider.handOver(handover)).kind).to.equal("refused");
  });

  it("opens another connection after GOAWAY, and finishes running requests", async () => {
    await provider.handOver(handover);
    server.answer = ({ session, connection }) => {
      // It has seen this one, and wants no more.
      if (connection === 1) session.goaway(constants.NGHTTP2_NO_ERROR);
      return { status: 200 };
    };
    expect((await provider.handOver(handover)).kind).to.equal("sent");
    expect((await provider.handOver(handover)).kind).to.equal("sent");
    expect(server.pushes.map(({ connection }) => connection)).to.deep.equal([1, 1, 2]);
  });

  it("repeats requests that GOAWAY excludes", async () => {
    await provider.handOver(handover);
    server.answer = ({ session, stream, connection }) => {
      if (connection !== 1) return { status: 200 };
      session.goaway(constants.NGHTTP2_NO_ERROR, Number(stream.id) - 2);
      setImmediate(() => session.destroy());
      return "gone";
    };
    expect((await provider.handOver(handover)).kind).to.equal("sent");
    expect(server.pushes.map(({ connection }) => connection)).to.deep.equal([1, 1, 2]);
  });

  it("repeats a refused stream", async () => {
    server.answer = ({ stream, connection }) => {
      if (connection > 1) return { status: 200 };
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return "gone";
    };
    expect((await provider.handOver(handover)).kind).to.equal("sent");
    expect(server.pushes).to.have.length(2);
  });

  it("reports unsure when a connection breaks, and opens another", async () => {
    server.answer = ({ session }) => {
      session.destroy();
      return "gone";
    };
    expect((await provider.handOver(handover)).kind).to.equal("unsure");
    server.answer = () => ({ status: 200 });
    expect((await provider.handOver(handover)).kind).to.equal("sent");
    expect(server.connections).to.equal(2);
  });

  it("pings a silent connection before using it", async () => {
    const proxy = await startFaultProxy(server.url);
    const url = proxy.url.replace(/\/$/, "");
    const careful = open({ url, quietMs: 0, timeoutMs: 3_000 });
    // A busy machine may need several tries to connect.
    await waitFor(async () => (await careful.handOver(handover)).kind === "sent", {
      what: "a push is sent",
    });
    const { connections } = server;
    const sent = server.pushes.length;
    expect((await careful.handOver(handover)).kind).to.equal("sent");
    expect(server.connections).to.equal(connections);
    proxy.freeze();
    expect((await careful.handOver(handover)).kind).to.equal("undelivered");
    await careful.close();
    await proxy.close();
    expect(server.pushes).to.have.length(sent + 1);
  });

  it("reports unsure when the answer times out", async () => {
    const impatient = open({ timeoutMs: 5_000 });
    // The connection is there then, and has no part in the time. A busy machine may need several tries.
    await waitFor(async () => (await impatient.handOver(handover)).kind === "sent", {
      what: "a push is sent",
    });
    const sent = server.pushes.length;
    server.answer = () => "hang";
    expect(await impatient.handOver(handover)).to.deep.equal({ kind: "unsure", why: "ETIMEDOUT" });
    expect(server.pushes).to.have.length(sent + 1);
    await impatient.close();
  });

  it("reports undelivered when it cannot connect", async () => {
    const nobody = open({ url: `https://127.0.0.1:${await reservePort()}` });
    expect(await nobody.handOver(handover)).to.include({
      kind: "undelivered",
      why: "ECONNREFUSED",
    });
    const stranger = apnsProvider({ url: server.url, key: server.key });
    expect((await stranger.handOver(handover)).kind).to.equal("undelivered");
    const proxy = await startFaultProxy(server.url);
    proxy.freeze();
    const silent = open({ url: proxy.url.replace(/\/$/, ""), timeoutMs: 100 });
    expect((await silent.handOver(handover)).kind).to.equal("undelivered");
    expect(server.pushes).to.deep.equal([]);
    await Promise.all([nobody, stranger, silent].map((one) => one.close()));
    await proxy.close();
  });
});

describe("The key for APNs", () => {
  it("is refused in one line that names the variable", async () => {
    const folder = await mkdtemp(join(tmpdir(), "carillon-apns-"));
    const path = join(folder, "key.p8");
    await writeFile(path, "SECRET");
    const names = { BOUNCER_APNS_KEY_ID: "K", BOUNCER_APNS_TEAM_ID: "T" };
    const refusalOf = (file: string, variables: Record<string, string>) =>
      readApnsKey(file, readEnvironment(variables)).then(
        () => "",
        ({ message }: Error) => message,
      );
    expect(await refusalOf(path, {})).to.match(/^BOUNCER_APNS_KEY_ID is not set/);
    expect(await refusalOf(path, { BOUNCER_APNS_KEY_ID: "K" })).to.match(/^BOUNCER_APNS_TEAM_ID/);
    expect(await refusalOf(`${path}x`, names)).to.match(/^BOUNCER_APNS_KEY .* cannot be read/);
    const wrong = await refusalOf(path, names);
    expect(wrong).to.match(/^BOUNCER_APNS_KEY .* is not a key/);
    expect(wrong).to.not.include("SECRET");
    await rm(folder, { recursive: true });
  });
});
