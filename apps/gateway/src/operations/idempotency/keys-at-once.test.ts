import { lockClass } from "@carillon/db";
import {
  askWithKey,
  behindOne,
  channel,
  countQueries,
  type Gateway,
  messagesPath,
  nth,
  refused,
  replayed,
  send,
  startGateway,
  succeeded,
  toChannel,
  user,
  useBlocker,
  useScene,
  type Answer,
  type KeyedAsk,
  type Params,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Concurrent requests with an Idempotency-Key", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let sender: TestAccount;
  let room: TestChannel;
  /** Waits only a moment for keys. */
  let other: Gateway;
  let keys = 0;

  before(async () => {
    const { db, org } = scene;
    sender = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [org.member, sender] });
    other = await startGateway(db, { keyWaitMs: 1 });
  });
  after(() => other.close());

  const newKey = () => `at-once-${++keys}`;
  const draft = (key: string): KeyedAsk => ({
    path: "/api/v1/drafts",
    params: { drafts: [{ type: "stream", to: [room.id], topic: "a", content: key }] },
    key,
  });
  const message = (key: string, params: Params = {}): KeyedAsk => ({
    path: messagesPath,
    params: toChannel(room.id, { content: key, ...params }),
    key,
  });
  const ask = (asked: KeyedAsk, gateway: Gateway = scene.gateway) =>
    askWithKey(gateway.as(sender), asked);
  const stored = async (content: string) => {
    const rows = await scene.db.rows(
      "SELECT id FROM messages WHERE content = $1 UNION ALL SELECT id FROM drafts WHERE content = $1",
      [content],
    );
    return rows.length;
  };
  /** Keeps changes from committing until the returned function is called. */
  const block = async () => {
    await blocker.lock("LOCK TABLE event_head IN EXCLUSIVE MODE");
    return () => blocker.release();
  };
  const expectOnce = async (answers: readonly Answer[], content: string) => {
    for (const answer of answers) succeeded(answer);
    expect(new Set(answers.map(({ text }) => text)).size, "different answers").to.equal(1);
    expect(answers.filter((answer) => replayed(answer) === "false")).to.have.length(1);
    expect(await stored(content)).to.equal(1);
  };

  for (const [what, make] of [
    ["one transaction", draft],
    ["a shared commit", message],
  ] as const) {
    it(`run once when they are equal, by ${what}`, async () => {
      const key = newKey();
      await expectOnce(await Promise.all(Array.from({ length: 20 }, () => ask(make(key)))), key);
    });

    it(`run once through two gateways, by ${what}`, async () => {
      const key = newKey();
      const patient = await startGateway(scene.db);
      try {
        const asked = Array.from({ length: 20 }, (_, i) =>
          ask(make(key), i % 2 === 0 ? scene.gateway : patient),
        );
        await expectOnce(await Promise.all(asked), key);
      } finally {
        await patient.close();
      }
    });

    it(`wait for one another, in a gateway and between two, by ${what}`, async () => {
      const key = newKey();
      const patient = await startGateway(scene.db);
      try {
        const release = await block();
        const first = ask(make(key));
        await blocker.untilWaiting(1, "the first one is about to commit");
        const repeats = [ask(make(key)), ask(make(key), patient)];
        await blocker.untilWaiting(2, "the other gateway waits for its key");
        await release();
        await expectOnce([await first, ...(await Promise.all(repeats))], key);
      } finally {
        await patient.close();
      }
    });

    it(`are refused if the first one runs too long, and answered afterwards, by ${what}`, async () => {
      const key = newKey();
      const release = await block();
      const first = ask(make(key));
      await blocker.untilWaiting(1, "the first one is about to commit");
      const late = await ask(make(key), other);
      const body = await refused(scene.db, async () => late, "IDEMPOTENCY_KEY_IN_USE", {});
      expect(body.msg).to.contain("same key again");
      expect(late.headers.get("Retry-After")).to.equal("1");
      expect(replayed(late)).to.equal("false");
      await release();
      await expectOnce([await first, await ask(make(key), other)], key);
    });
  }

  it("are refused in the same gateway if the first one runs too long", async () => {
    const key = newKey();
    const release = await block();
    const first = ask(draft(key), other);
    await blocker.untilWaiting(1, "the first one is about to commit");
    const answers = await Promise.all([ask(draft(key), other), ask(draft(key), other)]);
    for (const answer of answers) {
      await refused(scene.db, async () => answer, "IDEMPOTENCY_KEY_IN_USE", {});
      expect(answer.headers.get("Retry-After")).to.equal("1");
    }
    await release();
    await expectOnce([await first, await ask(draft(key), other)], key);
  });

  it("with other parameters wait, and are refused", async () => {
    const key = newKey();
    const release = await block();
    const first = ask(draft(key));
    await blocker.untilWaiting(1, "the first one is about to commit");
    const second = ask({ ...draft(key), params: draft(newKey()).params ?? {} });
    await release();
    succeeded(await first);
    await refused(scene.db, () => second, "IDEMPOTENCY_KEY_REUSED", {});
  });

  it("run one after another if the first one is refused", async () => {
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ask(message(key, { to: `no ${key}` }))),
    );
    for (const answer of answers)
      await refused(scene.db, async () => answer, "STREAM_DOES_NOT_EXIST");
    await channel(scene.db, scene.org.realm, { name: `no ${key}`, subscribers: [sender] });
    await expectOnce([await ask(message(key, { to: `no ${key}` }))], key);
  });

  describe("in a group commit", () => {
    const holder = useBlocker(scene.db);
    /** Sends them in one batch, behind a request that is being written. */
    const behind = (asked: ReadonlyArray<() => Promise<Answer>>) =>
      behindOne(
        scene.gateway,
        blocker,
        () => send(scene.gateway.as(scene.org.member), toChannel(room.id)),
        asked,
      );
    const sentAt = async (content: string) => {
      const [row] = await scene.db.rows<{ sentAt: string }>(
        `SELECT sent_at::text AS "sentAt" FROM messages WHERE content = $1`,
        [content],
      );
      return row?.sentAt;
    };

    it("are answered without a commit if their keys are known, and the other requests share a commit", async () => {
      const [known, reused, fresh] = [newKey(), newKey(), newKey()];
      const plain = scene.gateway.as(sender);
      const before = [await ask(message(known)), await ask(message(reused))];
      const line = await behind([
        () => plain.post(messagesPath, toChannel(room.id, { content: `plain ${fresh}` })),
        () => ask(message(known)),
        () => ask(message(reused, { content: "other" })),
        () => ask(message(fresh)),
      ]);
      const answers = await line.answers();
      const [replay, refusal] = [nth(answers, 1), nth(answers, 2)];
      for (const answer of [nth(answers, 0), replay, nth(answers, 3)]) succeeded(answer);
      expect(replay.text).to.equal(nth(before, 0).text);
      expect(answers.slice(1).map((answer) => replayed(answer))).to.deep.equal([
        "true",
        "false",
        "false",
      ]);
      await refused(scene.db, async () => refusal, "IDEMPOTENCY_KEY_REUSED", {});
      expect(await sentAt(fresh)).to.equal(await sentAt(`plain ${fresh}`));
      expect([await stored(known), await stored(fresh)]).to.deep.equal([1, 1]);
    });

    it("leave their batch if the lock of their key is taken, and do not delay the others", async () => {
      const [held, free] = [newKey(), newKey()];
      await ask(message(held));
      await holder.lock("SELECT pg_advisory_xact_lock($1, $2)", [
        lockClass.idempotencyKey,
        await forget(),
      ]);
      const line = await behind([() => ask(message(held)), () => ask(message(free))]);
      const both = line.answers();
      succeeded(await nth(line.pending, 1));
      await holder.untilWaiting(1, "the request waits for its key");
      expect(await stored(held)).to.equal(1);
      await holder.release();
      succeeded(nth(await both, 0));
      expect(await stored(held)).to.equal(2);
    });

    it("do not begin to write after a batch that requests left because of their keys", async () => {
      const [known, fresh] = [newKey(), newKey()];
      await ask(message(known));
      const transaction = async () => {
        const { statements } = await countQueries(scene.db, () => ask(message(known)));
        return statements.slice(statements.findIndex((text) => text.startsWith("BEGIN")) + 1);
      };
      await transaction();
      const [tries, looksUp, ...rest] = await transaction();
      expect(tries).to.contain("pg_try_advisory_xact_lock");
      expect(looksUp).to.contain("FROM idempotency_keys");
      expect(rest).to.deep.equal(["ROLLBACK"]);
      await expectOnce([await ask(message(fresh))], fresh);
    });

    it("need no extra round trip for their keys", async () => {
      const client = scene.gateway.as(sender);
      const texts = async (work: () => Promise<unknown>) =>
        (await countQueries(scene.db, work)).statements;
      // Once before: names of programs and the like are stored at first.
      await ask(message(newKey()));
      const without = await texts(() => client.post(messagesPath, toChannel(room.id)));
      const withKey = await texts(() => ask(message(newKey())));
      const ofKeys = (text: string) =>
        /idempotency_keys|pg_try_advisory_xact_lock\(1130/.test(text);
      expect(withKey.filter((text) => !ofKeys(text))).to.deep.equal(without);
      const begin = withKey.findIndex((text) => text.startsWith("BEGIN"));
      // Sent before the answer to BEGIN, and the last with the COMMIT.
      expect(withKey.map(ofKeys).flatMap((isOfKey, i) => (isOfKey ? [i] : []))).to.deep.equal([
        begin + 1,
        begin + 2,
        withKey.length - 2,
      ]);
    });
  });

  describe("whose row was stored by a request without the lock", () => {
    /** Stores the answer of a key while its request is about to write it. */
    const storedMeanwhile = async (asked: KeyedAsk, table: string, content: string) => {
      const first = await ask(asked);
      const { id, account_id: accountId, fingerprint } = await rowOf(first);
      await forget();
      await blocker.lock(`LOCK TABLE ${table} IN EXCLUSIVE MODE`);
      const second = ask(asked);
      await blocker.untilWaiting(1, "the request has looked its key up");
      await scene.db.rows(
        `INSERT INTO idempotency_keys (id, account_id, fingerprint, answer) VALUES ($1, $2, $3, $4)`,
        [id, accountId, fingerprint, first.text],
      );
      await blocker.release();
      expect(replayed(await second), (await second).text).to.equal("true");
      expect(await stored(content)).to.equal(1);
    };

    it("roll back and get the answer that was stored meanwhile, by one transaction", async () => {
      const key = newKey();
      await storedMeanwhile(draft(key), "drafts", key);
    });

    it("roll back and get the answer that was stored meanwhile, by a shared commit", async () => {
      const key = newKey();
      await storedMeanwhile(message(key), "messages", key);
    });
  });

  /** Returns the row of the answer. */
  async function rowOf({ text }: Answer) {
    const { result: _result, msg: _msg, ...answer } = JSON.parse(text) as Record<string, unknown>;
    const rows = await scene.db.rows<{ id: string; account_id: number; fingerprint: Buffer }>(
      "SELECT id, account_id, fingerprint FROM idempotency_keys WHERE answer::jsonb = $1",
      [JSON.stringify(answer)],
    );
    return nth(rows, 0);
  }

  /** Deletes the latest row. Returns the second key of its advisory lock. */
  async function forget(): Promise<number> {
    const rows = await scene.db.rows<{ lock: number }>(
      `DELETE FROM idempotency_keys WHERE created_at = (SELECT max(created_at) FROM idempotency_keys)
       RETURNING ('x' || left(id::text, 8))::bit(32)::int AS lock`,
    );
    return nth(rows, 0).lock;
  }
});
