import { reservePort, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import {
  accountOf,
  startFcmServer,
  type FcmAnswer,
  type FcmServer,
} from "../../test-support/fcm-server.ts";
import type { Handover, Provider } from "../provider.ts";
import { fcmProvider } from "./fcm.ts";
import { readServiceAccount } from "./service-account.ts";

const handover: Handover = {
  token: "a-token-of-google",
  registeredAt: new Date(),
  iosAppId: null,
  urgent: true,
  alert: false,
  payload: { push_key_id: 4_294_967_295, encrypted_data: "c2VjcmV0" },
};

/** An error as FCM words it. */
const error = (
  status: number,
  name: string,
  details: unknown[] = [],
  message = "x",
): FcmAnswer => ({
  status,
  json: { error: { code: status, message, status: name, details } },
});
const fcmError = (errorCode: string) => ({
  "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError",
  errorCode,
});
const violation = (field: string) => ({
  "@type": "type.googleapis.com/google.rpc.BadRequest",
  fieldViolations: [{ field, description: "x" }],
});

describe("The provider FCM", () => {
  let server: FcmServer;
  let provider: Provider;
  const clock = { time: Date.now(), now: () => clock.time };

  beforeEach(async () => {
    server = await startFcmServer();
    clock.time = Date.now();
    server.now = clock.now;
    const account = await accountOf(server, readServiceAccount);
    provider = await fcmProvider({ account, url: server.url, clock });
  });
  afterEach(async () => {
    await provider.close();
    await server.close();
  });

  it("exchanges a signed assertion for an access token, and sends with it", async () => {
    expect(await provider.handOver(handover)).to.deep.equal({ kind: "sent" });
    expect(server.messages).to.deep.equal([
      {
        token: "a-token-of-google",
        data: { push_key_id: "4294967295", encrypted_data: "c2VjcmV0" },
        android: { priority: "HIGH", ttl: "86400s" },
      },
    ]);
    await provider.handOver({ ...handover, urgent: false });
    expect(server.messages[1]?.android.priority).to.equal("NORMAL");
  });

  it("shares one access token, and renews it before it expires", async () => {
    await Promise.all(Array.from({ length: 5 }, () => provider.handOver(handover)));
    expect([server.messages.length, server.grants]).to.deep.equal([5, 1]);
    const began = clock.time;
    clock.time = began + 3_530_000;
    await provider.handOver(handover);
    expect(server.grants).to.equal(1);
    clock.time = began + 3_545_000;
    await provider.handOver(handover);
    expect([server.messages.length, server.grants]).to.deep.equal([7, 2]);
  });

  it("renews a refused access token once", async () => {
    await provider.handOver(handover);
    server.expire();
    expect(await provider.handOver(handover)).to.deep.equal({ kind: "sent" });
    expect([server.messages.length, server.grants]).to.deep.equal([2, 2]);
    server.answer = () => error(401, "UNAUTHENTICATED");
    expect(await provider.handOver(handover)).to.deep.equal({
      kind: "undelivered",
      why: "401 UNAUTHENTICATED",
    });
    expect(server.messages).to.have.length(4);
  });

  const answers: ReadonlyArray<readonly [what: string, answer: FcmAnswer, kind: string]> = [
    ["UNREGISTERED", error(404, "NOT_FOUND", [fcmError("UNREGISTERED")]), "dead"],
    [
      "INVALID_ARGUMENT of the token",
      error(400, "INVALID_ARGUMENT", [fcmError("INVALID_ARGUMENT"), violation("message.token")]),
      "dead",
    ],
    [
      "INVALID_ARGUMENT in words",
      error(
        400,
        "INVALID_ARGUMENT",
        [fcmError("INVALID_ARGUMENT")],
        "The registration token is not a valid FCM registration token",
      ),
      "dead",
    ],
    [
      "INVALID_ARGUMENT of the rest of a message",
      error(400, "INVALID_ARGUMENT", [violation("message.data[0].value")]),
      "refused",
    ],
    [
      "INVALID_ARGUMENT of size",
      error(400, "INVALID_ARGUMENT", [], "Message is too big"),
      "refused",
    ],
    [
      "SENDER_ID_MISMATCH",
      error(403, "PERMISSION_DENIED", [fcmError("SENDER_ID_MISMATCH")]),
      "undelivered",
    ],
    ["a project that does not exist", error(404, "NOT_FOUND"), "undelivered"],
    [
      "QUOTA_EXCEEDED",
      error(429, "RESOURCE_EXHAUSTED", [fcmError("QUOTA_EXCEEDED")]),
      "undelivered",
    ],
    ["UNAVAILABLE", error(503, "UNAVAILABLE", [fcmError("UNAVAILABLE")]), "undelivered"],
    ["INTERNAL", error(500, "INTERNAL", [fcmError("INTERNAL")]), "undelivered"],
    ["a page of a proxy", { status: 502, json: "<html>" }, "undelivered"],
    ["400 without a body", { status: 400, json: "" }, "refused"],
    ["a connection that breaks", "drop", "unsure"],
  ];
  for (const [what, answer, kind] of answers)
    it(`reports ${kind} for ${what}`, async () => {
      server.answer = () => answer;
      expect((await provider.handOver(handover)).kind).to.equal(kind);
      expect(server.messages).to.have.length(1);
    });

  it("reports undelivered if it gets no access token", async () => {
    for (const answer of [
      { status: 400, json: { error: "invalid_grant" } },
      { status: 500, json: "" },
      { status: 200, json: { access_token: "" } },
      "drop",
    ] as const) {
      server.exchange = () => answer;
      expect((await provider.handOver(handover)).kind).to.equal("undelivered");
    }
    server.exchange = () => undefined;
    expect((await provider.handOver(handover)).kind).to.equal("sent");
    expect(server.messages).to.have.length(1);
  });

  it("reports undelivered when it cannot connect", async () => {
    const url = `http://127.0.0.1:${await reservePort()}`;
    const account = await accountOf(server, readServiceAccount);
    const lost = await fcmProvider({ account, url, clock });
    expect(await lost.handOver(handover)).to.deep.equal({
      kind: "undelivered",
      why: "ECONNREFUSED",
    });
    await lost.close();
  });

  it("reports unsure when the answer times out", async () => {
    const account = await accountOf(server, readServiceAccount);
    const impatient = await fcmProvider({ account, url: server.url, clock, timeoutMs: 5_000 });
    // The access token and the connection are there then, and have no part in the time. A busy machine may need several tries.
    await waitFor(async () => (await impatient.handOver(handover)).kind === "sent", {
      what: "a message is sent",
    });
    const sent = server.messages.length;
    server.answer = () => "hang";
    expect((await impatient.handOver(handover)).kind).to.equal("unsure");
    expect(server.messages).to.have.length(sent + 1);
    await impatient.close();
  });
});

describe("The file of a service account", () => {
  it("is refused in one line that names the variable, without the key", async () => {
    const server = await startFcmServer();
    const good = JSON.parse(server.credentials) as Record<string, string>;
    const refusalOf = async (credentials: string) =>
      accountOf({ ...server, credentials }, readServiceAccount).then(
        () => "",
        ({ message }: Error) => message,
      );
    expect(await refusalOf("nonsense")).to.match(/^BOUNCER_FCM_CREDENTIALS .* is not JSON: /);
    for (const name of ["project_id", "client_email", "private_key", "token_uri"]) {
      const lacking = JSON.stringify({ ...good, [name]: undefined });
      expect(await refusalOf(lacking)).to.include(`has no usable ${name}`);
    }
    const wrongKey = JSON.stringify({ ...good, private_key: "SECRET" });
    expect(await refusalOf(wrongKey)).to.include("has no usable private_key");
    expect(await refusalOf(wrongKey)).to.not.include("SECRET");
    const missing = await readServiceAccount("/nowhere.json").catch((e: Error) => e.message);
    expect(missing).to.match(/^BOUNCER_FCM_CREDENTIALS \/nowhere.json cannot be read \(ENOENT\)/);
    await server.close();
  });
});
