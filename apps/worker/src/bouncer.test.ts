import { silentLogger } from "@carillon/kit";
import { bouncerClient, type BouncerClient } from "@carillon/push";
import { HandBack } from "@carillon/queue";
import {
  answers,
  captureLog,
  drops,
  hangs,
  refuses,
  useDatabase,
  useFakeBouncer,
} from "@carillon/testkit";
import { expect } from "chai";

import { guardBouncer, type Bouncer } from "./bouncer.ts";

const registration = {
  realmUuid: "0f3ad8a5-5d4b-4a1f-8c3e-6a0d5d7f8f10",
  tokenId: Buffer.from("tokenid8"),
  encryptedPushRegistration: "opaque",
  bouncerPublicKey: "key",
};

describe("The push bouncer, as jobs call it", () => {
  const db = useDatabase();
  const server = useFakeBouncer();
  let client: BouncerClient;
  let bouncer: Bouncer;
  let pauses: number[];
  const queues = { pauseFor: async (_queue: string, ms: number) => void pauses.push(ms) };
  beforeEach(async () => {
    await db.rows(
      "UPDATE bouncer_circuit SET failures = 0, pauses = 0, no_calls_until = NULL, in_trial = false",
    );
    pauses = [];
    client = bouncerClient(server.config, "12.0");
    bouncer = guardBouncer(client, { db, queues, log: silentLogger });
  });
  afterEach(() => client.close());

  const register = (by = bouncer) => by.register(registration).catch((error: unknown) => error);
  const circuit = async () => {
    const [row] = await db.rows(
      "SELECT failures, no_calls_until IS NOT NULL AS open FROM bouncer_circuit",
    );
    return row;
  };
  const pauseEnds = () =>
    db.rows("UPDATE bouncer_circuit SET no_calls_until = now() - interval '1 ms'");

  it("answers a job that may call it", async () => {
    expect(await register()).to.deep.equal({ kind: "done", answer: {} });
    expect(pauses).to.deep.equal([]);
  });

  it("counts its refusals and failures as answers, which open no circuit", async () => {
    for (const fault of [
      refuses(400, "BAD_REQUEST"),
      refuses(403, "MISSING_REMOTE_REALM"),
      answers({ status: 500 }),
    ]) {
      server.behave({ fault });
      for (let i = 0; i < 6; i++) await register();
    }
    expect(server.calls).to.have.length(18);
    expect(await circuit()).to.deep.equal({ failures: 0, open: false });
    expect(pauses).to.deep.equal([]);
  });

  it("is not called after five unanswered calls, and its queue is paused", async () => {
    server.behave({ fault: drops });
    for (let i = 0; i < 5; i++) expect(await register()).to.include({ kind: "retry" });
    expect(pauses).to.have.length(1);
    await db.rows("UPDATE bouncer_circuit SET no_calls_until = now() + interval '1 h'");
    const others = guardBouncer(client, { db, queues, log: silentLogger });
    for (const one of [bouncer, others]) expect(await register(one)).to.be.instanceOf(HandBack);
    expect(server.calls).to.have.length(5);
    expect(pauses).to.have.length(3);
  });

  it("is called once after the pause, and by all jobs when it has answered", async () => {
    server.behave({ fault: drops });
    for (let i = 0; i < 5; i++) await register();
    await pauseEnds();
    expect(await register()).to.include({ kind: "retry" });
    expect(await circuit()).to.deep.equal({ failures: 6, open: true });
    server.behave({});
    await pauseEnds();
    expect(await register()).to.include({ kind: "done" });
    expect(await circuit()).to.deep.equal({ failures: 0, open: false });
    expect(await register()).to.include({ kind: "done" });
  });

  it("resets the failures when it answers", async () => {
    for (const fault of [drops, drops, drops, drops, refuses(400, "BAD_REQUEST"), drops]) {
      server.behave({ fault });
      await register();
    }
    expect(await circuit()).to.deep.equal({ failures: 1, open: false });
  });

  it("is not called for the time given with 429, and no attempt is counted", async () => {
    server.behave({ fault: answers({ status: 429, headers: { "retry-after": "7" } }) });
    expect(await register()).to.be.instanceOf(HandBack);
    expect(pauses).to.deep.equal([7_000]);
    expect(await circuit()).to.deep.equal({ failures: 0, open: false });
  });

  it("is not called for the time given with 503, and the attempt is counted", async () => {
    server.behave({ fault: answers({ status: 503, headers: { "retry-after": "7" } }) });
    expect(await register()).to.include({ kind: "retry", at: "bouncer" });
    expect(pauses).to.deep.equal([7_000]);
  });

  it("logs that it does not answer, without the contents of calls", async () => {
    const { log, text, lines } = captureLog();
    const logging = guardBouncer(client, { db, queues, log });
    server.behave({ fault: drops });
    for (let i = 0; i < 5; i++) await register(logging);
    server.behave({});
    await pauseEnds();
    await register(logging);
    expect(lines.map(({ msg }) => msg)).to.deep.equal([
      "the push bouncer does not answer; opened the circuit breaker",
      "the push bouncer answers again",
    ]);
    for (const secret of ["opaque", "tokenid8", server.config.serverKey])
      expect(text()).not.to.include(secret);
  });

  it("ends a call with the job, and holds no transaction open meanwhile", async () => {
    const controller = new AbortController();
    const idle: boolean[] = [];
    server.behave({
      fault: async (...given) => {
        const open = await db.rows(
          `SELECT FROM pg_stat_activity
           WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
        );
        idle.push(open.length === 0);
        controller.abort(new Error("the process is ending"));
        return hangs(...given);
      },
    });
    const error = await bouncer
      .register(registration, { signal: controller.signal })
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error).with.property("message", "the process is ending");
    expect(idle).to.deep.equal([true]);
  });
});
