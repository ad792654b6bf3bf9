import { randomUUID } from "node:crypto";
import {
  phoneToken,
  useBouncer,
  waitFor,
  type BouncersServer,
  type PhoneToken,
} from "@carillon/testkit";
import { expect } from "chai";
import { notify, pushTo, registerPhone } from "../test-support/call.ts";

describe("A call with an Idempotency-Key", () => {
  const bouncer = useBouncer();
  const realm = randomUUID();
  let server: BouncersServer;
  before(async () => {
    server = await bouncer.addServer();
  });
  beforeEach(() => {
    for (const provider of Object.values(bouncer.providers)) {
      provider.handovers.length = 0;
      provider.answer = () => ({ kind: "sent" });
    }
  });

  const phone = () => registerPhone(bouncer, server, realm, phoneToken("fcm"));
  const call = (key: string, phones: readonly PhoneToken[], on: { url: string } = bouncer) =>
    notify(
      on,
      server,
      // A repeat encrypts its notifications again.
      { realm_uuid: realm, push_requests: phones.map((one) => pushTo(one, 7, randomUUID())) },
      key,
    );
  const reached = () => bouncer.providers.fcm.handovers.map(({ token }) => token);

  it("gets the same answer when repeated, without a second handover", async () => {
    const [one, two] = [await phone(), await phone()];
    const dead = await phone();
    bouncer.providers.fcm.answer = ({ token }) =>
      token === dead.token ? { kind: "dead", why: "404" } : { kind: "sent" };
    const first = await call("swallowed", [one, two, dead]);
    const second = await call("swallowed", [one, two, dead]);
    expect(first.json).to.deep.include({
      android_successfully_sent_count: 2,
      delete_token_ids: [dead.tokenId],
    });
    expect(second.json).to.deep.equal(first.json);
    expect(reached()).to.have.members([one.token, two.token, dead.token]);
  });

  it("is another call for another server or another key", async () => {
    const one = await phone();
    const other = await bouncer.addServer();
    await registerPhone(bouncer, other, realm, one);
    await call("mine", [one]);
    await call("mine-2", [one]);
    await notify(bouncer, other, { realm_uuid: realm, push_requests: [pushTo(one)] }, "mine");
    expect(reached()).to.deep.equal([one.token, one.token, one.token]);
  });

  it("hands over only to devices that the first call did not have", async () => {
    const [one, two] = [await phone(), await phone()];
    await call("grown", [one]);
    const { json } = await call("grown", [one, two]);
    expect(json).to.include({ android_successfully_sent_count: 2 });
    expect(reached()).to.deep.equal([one.token, two.token]);
  });

  it("hands over again only to devices with the outcome undelivered", async () => {
    const [one, two] = [await phone(), await phone()];
    bouncer.providers.fcm.answer = ({ token }) =>
      token === two.token ? { kind: "undelivered", why: "503" } : { kind: "sent" };
    const first = await call("repeated", [one, two]);
    expect([first.status, first.json["code"]]).to.deep.equal([502, "PUSH_PROVIDER_UNAVAILABLE"]);
    bouncer.providers.fcm.answer = () => ({ kind: "sent" });
    const second = await call("repeated", [one, two]);
    expect(second.json).to.include({ android_successfully_sent_count: 2 });
    expect(reached()).to.deep.equal([one.token, two.token, two.token]);
  });

  it("hands over each of several messages for one device once", async () => {
    const one = await phone();
    const sent = () =>
      bouncer.providers.fcm.handovers.map(({ payload }) => String(payload["encrypted_data"]));
    const messages = (key: string, ...contents: string[]) => {
      const push_requests = contents.map((content) => pushTo(one, 7, content));
      return notify(bouncer, server, { realm_uuid: realm, push_requests }, key);
    };
    bouncer.providers.fcm.answer = ({ payload }) =>
      payload["encrypted_data"] === "b" ? { kind: "undelivered", why: "503" } : { kind: "sent" };
    expect((await messages("several", "a", "b", "c")).status).to.equal(502);
    bouncer.providers.fcm.answer = () => ({ kind: "sent" });
    for (let times = 0; times < 2; times++) {
      const { json } = await messages("several", "a again", "b again", "c again");
      expect(json).to.include({ android_successfully_sent_count: 3 });
    }
    expect(sent()).to.deep.equal(["a", "b", "c", "b again"]);
  });

  it("does not guess which message is undelivered if some were sent", async () => {
    const [mixed, waiting] = [await phone(), await phone()];
    const both = (key: string, entries: ReadonlyArray<readonly [PhoneToken, string]>) => {
      const push_requests = entries.map(([to, content]) => pushTo(to, 7, content));
      return notify(bouncer, server, { realm_uuid: realm, push_requests }, key);
    };
    bouncer.providers.fcm.answer = ({ payload }) =>
      payload["encrypted_data"] === "a" ? { kind: "sent" } : { kind: "undelivered", why: "503" };
    await both("left", [
      [mixed, "a"],
      [mixed, "b"],
      [waiting, "b"],
      [waiting, "c"],
    ]);
    bouncer.providers.fcm.handovers.length = 0;
    bouncer.providers.fcm.answer = () => ({ kind: "sent" });
    const { json } = await both("left", [
      [mixed, "b"],
      [waiting, "c"],
    ]);
    expect(json).to.include({ android_successfully_sent_count: 1 });
    expect(reached()).to.deep.equal([waiting.token]);
  });

  it("does not hand over again to devices with the outcome unsure", async () => {
    const [one, two] = [await phone(), await phone()];
    bouncer.providers.fcm.answer = ({ token }) =>
      token === two.token ? { kind: "unsure", why: "ETIMEDOUT" } : { kind: "sent" };
    for (let times = 0; times < 2; times++) {
      const { status, json } = await call("unsure", [one, two]);
      expect(status).to.equal(200);
      expect(json).to.include({ android_successfully_sent_count: 1 });
    }
    expect(reached()).to.deep.equal([one.token, two.token]);
  });

  it("waits for a running first call, also in another process", async () => {
    const one = await phone();
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    bouncer.providers.fcm.answer = async () => {
      await gate;
      return { kind: "sent" };
    };
    const other = await bouncer.another();
    const first = call("at-once", [one]);
    await waitFor(() => reached().length === 1, { what: "the first hands over" });
    const others = [bouncer, other, other].map((where) => call("at-once", [one], where));
    const claims =
      "SELECT FROM notify_call WHERE idempotency_key = 'at-once' AND held_until > now()";
    expect(await bouncer.store.rows(claims)).to.have.length(1);
    go();
    const answers = await Promise.all([first, ...others]);
    for (const { status, json } of answers) {
      expect(status).to.equal(200);
      expect(json).to.include({ android_successfully_sent_count: 1 });
    }
    expect(reached()).to.deep.equal([one.token]);
  });

  it("continues after the caller has disconnected", async () => {
    const one = await phone();
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    bouncer.providers.fcm.answer = async () => {
      await gate;
      return { kind: "sent" };
    };
    const impatient = new AbortController();
    const hungUp = fetch(`${bouncer.url}/api/v1/remotes/push/e2ee/notify`, {
      method: "POST",
      signal: impatient.signal,
      headers: {
        authorization: `Basic ${Buffer.from(`${server.id}:${server.key}`).toString("base64")}`,
        "content-type": "application/json",
        "idempotency-key": "hung-up",
      },
      body: JSON.stringify({ realm_uuid: realm, push_requests: [pushTo(one)] }),
    }).catch(() => "hung up");
    await waitFor(() => reached().length === 1, { what: "it hands over" });
    impatient.abort();
    expect(await hungUp).to.equal("hung up");
    go();
    const { json } = await call("hung-up", [one]);
    expect(json).to.include({ android_successfully_sent_count: 1 });
    expect(reached()).to.deep.equal([one.token]);
  });

  /** Inserts the row of a call whose process died an hour ago, while it handed over. */
  async function insertAbandonedCall(key: string, devices: Record<string, string>): Promise<void> {
    await bouncer.store.rows(
      `INSERT INTO notify_call (server_id, idempotency_key, devices, holder, held_until)
       VALUES ($1, $2, $3::jsonb, $4, now() - interval '1 hour')`,
      [server.id, key, JSON.stringify(devices), randomUUID()],
    );
  }

  it("does not hand over again to devices that a dead process may have reached", async () => {
    const [handing, sent, next] = [await phone(), await phone(), await phone()];
    await insertAbandonedCall("died", {
      [`${handing.tokenId}:7`]: "handing",
      [`${sent.tokenId}:7`]: "sent",
    });
    for (let times = 0; times < 2; times++) {
      const { status, json } = await call("died", [handing, sent, next]);
      expect(status).to.equal(200);
      expect(json).to.include({ android_successfully_sent_count: 2 });
    }
    expect(reached()).to.deep.equal([next.token]);
  });

  it("stops when another process has taken over the call", async () => {
    const phones = await Promise.all(Array.from({ length: 150 }, phone));
    bouncer.providers.fcm.answer = async () => {
      // The first batch takes so long that another process takes over the call.
      await bouncer.store.rows(
        "UPDATE notify_call SET holder = gen_random_uuid() WHERE idempotency_key = 'frozen'",
      );
      return { kind: "sent" };
    };
    const { status, json } = await call("frozen", phones);
    expect([status, json["code"]]).to.deep.equal([503, "NOTIFY_UNDER_WAY"]);
    expect(reached()).to.have.length(100);
    // The outcomes of its first batch are recorded nevertheless.
    await bouncer.store.rows(
      "UPDATE notify_call SET held_until = now() WHERE idempotency_key = 'frozen'",
    );
    bouncer.providers.fcm.answer = () => ({ kind: "sent" });
    const again = await call("frozen", phones);
    expect(again.json).to.include({ android_successfully_sent_count: 150 });
    expect(new Set(reached()).size).to.equal(150);
    expect(reached()).to.have.length(150);
  });

  it("accepts a key of 255 characters, and rejects 256", async () => {
    const one = await phone();
    expect((await call("k".repeat(255), [one])).status).to.equal(200);
    expect((await call("k".repeat(256), [one])).status).to.equal(400);
    expect(reached()).to.have.length(1);
  });
});
