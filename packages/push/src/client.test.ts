import {
  answers,
  drops,
  endless,
  garbage,
  hangs,
  hangsInBody,
  refuses,
  unheard,
  useFakeBouncer,
  type BouncerFault,
} from "@carillon/testkit";
import { expect } from "chai";

import { bouncerClient, type BouncerClient } from "./client.ts";
import { pushRequestFor } from "./requests.ts";

const registration = {
  realmUuid: "0f3ad8a5-5d4b-4a1f-8c3e-6a0d5d7f8f10",
  tokenId: Buffer.from("+/+/abcd"),
  encryptedPushRegistration: "opaque+/= & more",
  bouncerPublicKey: "key/of+bouncer==",
};
const target = {
  tokenId: registration.tokenId,
  tokenKind: "fcm",
  pushKeyId: 4_294_967_295,
} as const;
const body = {
  realm_uuid: registration.realmUuid,
  push_requests: [pushRequestFor(target, "message", "secret-data")],
};

describe("The client of the push bouncer", () => {
  const bouncer = useFakeBouncer(15_000);
  let clients: BouncerClient[];
  beforeEach(() => {
    clients = [];
  });
  afterEach(() => Promise.all(clients.map((client) => client.close())));

  const client = (more: Partial<typeof bouncer.config> = {}) => {
    const made = bouncerClient({ ...bouncer.config, ...more }, "12.0");
    clients.push(made);
    return made;
  };
  const failing = async (fault: BouncerFault, timeoutMs = 15_000) => {
    bouncer.behave({ fault });
    const one = client({ timeoutMs });
    const outcomes = [await one.register(registration), await one.notify(body)];
    expect(outcomes[0]).to.deep.equal(outcomes[1]);
    const [outcome] = outcomes;
    if (!outcome || outcome.kind === "done") throw new Error("it was done");
    return outcome;
  };

  it("registers a token with the fields and headers of push.md §4", async () => {
    expect(await client().register(registration)).to.deep.equal({ kind: "done", answer: {} });
    const [call] = bouncer.calls;
    const { serverId, serverKey } = bouncer.config;
    expect(call?.name).to.equal("register");
    expect(call?.headers).to.include({
      authorization: `Basic ${Buffer.from(`${serverId}:${serverKey}`).toString("base64")}`,
      "user-agent": "ZulipServer/12.0",
      "content-type": "application/x-www-form-urlencoded",
    });
    expect(call?.idempotencyKey).to.equal(undefined);
    expect(Object.fromEntries(new URLSearchParams(call?.body))).to.deep.equal({
      realm_uuid: registration.realmUuid,
      token_id: registration.tokenId.toString("base64"),
      encrypted_push_registration: registration.encryptedPushRegistration,
      bouncer_public_key: registration.bouncerPublicKey,
    });
  });

  it("sends notifications as JSON with an idempotency key", async () => {
    const one = client();
    const options = { idempotencyKey: "push-message/7-9-v1" };
    for (const _ of [1, 2]) {
      const outcome = await one.notify(body, options);
      expect(outcome).to.deep.equal({
        kind: "done",
        answer: {
          android_successfully_sent_count: 1,
          apple_successfully_sent_count: 0,
          delete_token_ids: [],
          realm_push_status: { can_push: true, expected_end_timestamp: null },
        },
      });
    }
    expect(bouncer.handedOver).to.deep.equal([body]);
    expect(bouncer.calls[0]?.headers).to.include({
      "content-type": "application/json",
      "idempotency-key": options.idempotencyKey,
    });
  });

  it("calls below the path of the configured address", async () => {
    await client({ url: `${bouncer.url}/below/` }).register(registration);
    expect(bouncer.calls.map(({ name }) => name)).to.deep.equal([
      "/below/api/v1/remotes/push/e2ee/register",
    ]);
  });

  it("distinguishes wrong credentials from a refused request", async () => {
    const outcome = await client({ serverKey: "wrong" }).register(registration);
    expect(outcome).to.include({ kind: "adminActionRequired", code: "INVALID_ZULIP_SERVER" });
  });

  for (const code of [
    "MISSING_REMOTE_REALM",
    "INVALID_ZULIP_SERVER",
    "PUSH_NOTIFICATIONS_DISALLOWED",
  ])
    it(`leaves ${code} to an operator`, async () => {
      expect(await failing(refuses(403, code))).to.deep.equal({
        kind: "adminActionRequired",
        code,
        reason: `status 403, ${code}`,
      });
    });

  for (const [code, expected] of [
    ["INVALID_BOUNCER_PUBLIC_KEY", "INVALID_BOUNCER_PUBLIC_KEY"],
    ["REQUEST_EXPIRED", "REQUEST_EXPIRED"],
    ["BAD_REQUEST", "BAD_REQUEST"],
    ["SOMETHING_NEW", "BAD_REQUEST"],
  ] as const)
    it(`gives up permanently on ${code}`, async () => {
      expect(await failing(refuses(400, code))).to.include({ kind: "permanent", code: expected });
    });

  it("fails permanently on a 4xx that is not a bouncer's, without quoting it", async () => {
    const text = "<h1>secret-data of opaque+/=</h1>";
    for (const status of [400, 403, 404, 413, 499])
      expect(await failing(answers({ status, text }))).to.deep.equal({
        kind: "permanent",
        code: "BAD_REQUEST",
        reason: `status ${status}`,
      });
  });

  it("does not pass on a malformed code", async () => {
    const fault = answers({ status: 400, body: { code: "x\nforged line of a log" } });
    expect(await failing(fault)).to.include({ code: "BAD_REQUEST", reason: "status 400" });
  });

  it("retries after 5xx and 408", async () => {
    for (const status of [500, 502, 503, 599, 408])
      expect(await failing(answers({ status, text: "no" }))).to.deep.equal({
        kind: "retry",
        at: "bouncer",
        reason: `status ${status}`,
      });
  });

  it("follows no redirect, and accepts no other 2xx or 3xx", async () => {
    for (const status of [201, 204, 301, 302, 307, 308]) {
      const headers = { location: `${bouncer.url}/elsewhere` };
      expect(await failing(answers({ status, headers, text: "" }))).to.deep.equal({
        kind: "adminActionRequired",
        code: "UNEXPECTED_STATUS",
        reason: `status ${status}`,
      });
    }
    expect(bouncer.calls.map(({ name }) => name)).not.to.include("/elsewhere");
  });

  const noAnswer = { kind: "retry", at: "bouncer" };
  for (const [what, text] of [
    ["a page", "<html>Welcome</html>"],
    ["nothing", ""],
    ["an error with 200", '{"result":"error","msg":"","code":"BAD_REQUEST"}'],
    ["a list", "[]"],
  ])
    it(`does not accept ${what} as success`, async () => {
      expect(await failing(answers({ text: text ?? "" }))).to.include(noAnswer);
    });

  it("requires a complete answer to notify", async () => {
    for (const notifyAnswer of [
      { delete_token_ids: "none" },
      { delete_token_ids: [7] },
      { android_successfully_sent_count: -1 },
      { realm_push_status: { can_push: "yes", expected_end_timestamp: null } },
    ]) {
      bouncer.behave({ notifyAnswer });
      expect(await client().notify(body)).to.include(noAnswer);
    }
    bouncer.behave({ notifyAnswer: { realm_push_status: null, future_field: 1 } });
    expect((await client().notify(body)).kind).to.equal("done");
  });

  it("decompresses nothing", async () => {
    const headers = { "content-encoding": "gzip" };
    expect(await failing(answers({ headers }))).to.include(noAnswer);
    expect(bouncer.calls[0]?.headers["accept-encoding"]).to.equal("identity");
  });

  it("reads a megabyte at most", async () => {
    expect(await failing(endless)).to.include(noAnswer);
    const packed = answers({ headers: { "x-long": "x".repeat(100_000) } });
    expect(await failing(packed)).to.include(noAnswer);
  });

  it("times out on head and body", async () => {
    for (const fault of [hangs, hangsInBody])
      expect(await failing(fault, 150)).to.deep.equal({
        kind: "retry",
        at: "transport",
        reason: "no answer within 150 ms",
      });
  });

  it("reports a lost answer when the connection closes or is refused", async () => {
    for (const fault of [drops, unheard])
      expect(await failing(fault)).to.include({ kind: "retry", at: "transport" });
    const url = "http://127.0.0.1:1";
    expect(await client({ url }).register(registration)).to.deep.equal({
      kind: "retry",
      at: "transport",
      reason: "ECONNREFUSED",
    });
  });

  it("treats non-HTTP as a broken answer", async () => {
    expect(await failing(garbage)).to.include(noAnswer);
  });

  describe("honours the requested delay", () => {
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toUTCString();
    for (const [header, ms] of [
      ["7", 7_000],
      ["1.25", 1_250],
      ["0.25", 1_000],
      ["0", 1_000],
      ["999999999", 600_000],
      [inMinutes(600), 600_000],
      [inMinutes(-5), 1_000],
      ["soon", 10_000],
      ["-5", 10_000],
    ] as const)
      it(`by Retry-After: ${header}`, async () => {
        const headers = { "retry-after": header };
        const limited = await failing(answers({ status: 429, headers }));
        expect(limited).to.deep.include({ kind: "limited", retryAfterMs: ms });
      });

    it("by the body, and at 503 too; ten seconds by default", async () => {
      const fault = answers({ status: 429, body: { "retry-after": 2.5, code: "RATE_LIMIT_HIT" } });
      expect(await failing(fault)).to.deep.equal({
        kind: "limited",
        retryAfterMs: 2_500,
        reason: "status 429, RATE_LIMIT_HIT",
      });
      expect(await failing(answers({ status: 429 }))).to.include({ retryAfterMs: 10_000 });
      const busy = answers({ status: 503, headers: { "retry-after": "3" } });
      expect(await failing(busy)).to.include({ kind: "retry", retryAfterMs: 3_000 });
      expect(await failing(answers({ status: 503 }))).not.to.have.property("retryAfterMs");
    });
  });

  it("throws the reason of its signal", async () => {
    bouncer.behave({ fault: hangs });
    const controller = new AbortController();
    const called = client().notify(body, { signal: controller.signal });
    const reason = new Error("the process is ending");
    controller.abort(reason);
    expect(await called.catch((error: unknown) => error)).to.equal(reason);
  });

  it("reveals no keys, tokens or payloads in failures", async () => {
    const failures = [
      await failing(drops),
      await failing(hangs, 100),
      await failing(garbage),
      await failing(answers({ status: 500, text: "secret-data" })),
      await failing(refuses(400, "BAD_REQUEST")),
    ];
    const said = JSON.stringify(failures);
    for (const secret of [
      bouncer.config.serverKey,
      "secret-data",
      registration.tokenId.toString("base64"),
      registration.encryptedPushRegistration,
      registration.bouncerPublicKey,
      "refused:",
    ])
      expect(said).not.to.include(secret);
  });
});
