import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoggedHandover } from "@carillon/bouncer";
import { connectStore } from "@carillon/db";
import { sealerOf } from "@carillon/kit";
import { bouncerMigrations } from "@carillon/push";
import {
  channel,
  createBouncerDatabase,
  crowd,
  phoneToken,
  plannedPushes,
  send,
  startApp,
  startGateway,
  testSecretKey,
  toChannel,
  user,
  organization,
  waitFor,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { type ChooseMishap, type Mishap, mishaps, startFaultyWay } from "./support/faulty-way.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

onBothBackends("A push to hundreds of devices", scenarioMs, {
  "is shown once on each when it is split and each part fails at first, though devices come meanwhile":
    (backend) => inWorld(backend, partsThatFail),
  "is shown once on each when the worker is killed in its call, though it would be split by then": (
    backend,
  ) => inWorld(backend, killedInItsCall),
});

/** Devices that a worker notifies in a first call. */
const maxPerCall = 400;

async function partsThatFail(world: World): Promise<void> {
  const people = 5;
  const perPerson = 90;
  const keys: string[] = [];
  await withPhones(world, people, async ({ add, startWay, plan, isOver, shown }) => {
    const first = [...(await plan()), ...(await add(perPerson - 1))];
    expect(people * perPerson).to.be.above(maxPerCall);
    // The first part is handed over and nobody hears of it; the second does not get there.
    const faults = ["drop once it is done", "500"] as const;
    const push = await startWay(({ name, idempotencyKey = "" }) => {
      if (name !== "notify" || keys.includes(idempotencyKey)) return undefined;
      const fault = faults[keys.push(idempotencyKey) - 1];
      if (!fault) return undefined;
      const mishap: Mishap = async (call) => {
        await add(6);
        await mishaps[fault]?.(call);
      };
      return { name: fault, mishap };
    });
    await world.worker(push.variables);
    await isOver();
    expect(push.befallen).to.deep.equal(faults.map((one) => `notify: ${one}`));
    expect(keys).to.have.length(2);
    assertOnce(await shown(), first);
  });
}

async function killedInItsCall(world: World): Promise<void> {
  const people = 4;
  const perPerson = 95;
  const keys = new Set<string>();
  await withPhones(world, people, async ({ add, startWay, plan, isOver, shown }) => {
    const first = [...(await plan()), ...(await add(perPerson - 1))];
    let called: () => void = () => {};
    const calling = new Promise<void>((resolve) => (called = resolve));
    const push = await startWay(({ name, idempotencyKey = "" }) => {
      if (name !== "notify") return undefined;
      const isFirst = keys.size === 0;
      keys.add(idempotencyKey);
      if (!isFirst) return undefined;
      const mishap: Mishap = async (call) => {
        await call.forward();
        called();
      };
      return { name: "killed", mishap };
    });
    const worker = await world.worker(push.variables);
    await calling;
    await worker.kill();
    await add(10);
    expect(people * (perPerson + 10)).to.be.above(maxPerCall);
    await world.worker(push.variables);
    await isOver();
    expect(keys).to.have.property("size", 1);
    assertOnce(await shown(), first);
  });
}

/** Devices that came after a part was over have nothing to show. */
function assertOnce(shown: readonly string[], first: readonly string[]): void {
  expect(shown).to.have.length(new Set(shown).size);
  expect(shown).to.include.members([...first]);
}

interface Phones {
  /** Gives each person more devices, which the bouncer knows. @returns the tokens of all that were added */
  add(this: void, perPerson: number): Promise<string[]>;
  /** Puts a faulty proxy before the bouncer. */
  startWay(
    this: void,
    choose: ChooseMishap,
  ): Promise<{
    readonly variables: Readonly<Record<string, string>>;
    readonly befallen: readonly string[];
  }>;
  /** Sends a message to everybody and plans its push, while everybody has one device. @returns their tokens */
  plan(this: void): Promise<string[]>;
  /** Waits until no push is pending. */
  isOver(this: void): Promise<unknown>;
  /** Returns the tokens that the provider was given notifications for, with repetitions. */
  shown(this: void): Promise<string[]>;
}

/** Runs the bouncer as a process, and people of an organization with phones. */
async function withPhones(
  { db, queues }: World,
  count: number,
  scenario: (phones: Phones) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-handovers-"));
  const handovers = join(folder, "handovers.jsonl");
  const database = await createBouncerDatabase();
  const server = {
    PUSH_SERVER_ID: "2f0d6e0c-3c0e-4b7e-9d0a-6f1b8b3f5a11",
    PUSH_SERVER_KEY: "the-key-of-the-server",
  };
  const bouncer: TestProcess = startApp("bouncer", {
    ...server,
    PUSH_BOUNCER: "embedded",
    BOUNCER_DATABASE_URL: database.url,
    BOUNCER_PORT: "0",
    BOUNCER_HANDOVER_LOG: handovers,
    SECRET_KEY: testSecretKey,
  });
  const closing: Array<() => Promise<unknown>> = [() => bouncer.kill()];
  try {
    const line = await bouncer.waitForLine("bouncer started", waitTimeoutMs);
    const url = `http://127.0.0.1:${String(line["port"])}`;
    const store = await connectStore(database.url, { max: 2, name: "test" }, bouncerMigrations);
    closing.push(() => store.close());
    const gateway = await startGateway(db, { queues, site: { pushConfigured: true } });
    closing.push(() => gateway.close());
    const { owner, realm } = await organization(db);
    const { uuid: realmUuid } = await db.prisma.realm.findUniqueOrThrow({
      where: { id: realm.id },
    });
    const somebody = await user(db, realm);
    const people = [somebody, ...(await crowd(db, somebody, count - 1))];
    const room = await channel(db, owner, { subscribers: [owner, ...people] });

    const sealer = sealerOf(testSecretKey, "bouncer");
    const add = async (perPerson: number): Promise<string[]> => {
      const tokens = Array.from({ length: perPerson * count }, () => phoneToken("fcm"));
      const ids = tokens.map(({ tokenId }) => Buffer.from(tokenId, "base64"));
      // What registering leaves behind; hundreds of registrations would take most of the test's time.
      await store.rows(
        `INSERT INTO registration (server_id, realm_uuid, token_id, kind, sealed_token)
         SELECT $1, $2, id, 'fcm', sealed FROM unnest($3::bytea[], $4::bytea[]) AS w (id, sealed)`,
        [
          server.PUSH_SERVER_ID,
          realmUuid,
          ids,
          tokens.map(({ token }) => sealer.seal(Buffer.from(token))),
        ],
      );
      await db.rows(
        `INSERT INTO client_devices (user_id, push_key, push_key_id, push_token_id, push_token_kind)
         SELECT ($1::int[])[1 + n % $3], decode(rpad('31', 66, '0'), 'hex'), 1, token, 'fcm'
         FROM unnest($2::bytea[]) WITH ORDINALITY AS w (token, n)`,
        [
          people.map(({ id }) => id),
          tokens.map(({ tokenId }) => Buffer.from(tokenId, "base64")),
          count,
        ],
      );
      return tokens.map(({ token }) => token);
    };
    await scenario({
      add,
      async startWay(choose) {
        const way = await startFaultyWay(() => url, choose);
        closing.push(() => way.close());
        return { variables: { ...server, PUSH_BOUNCER_URL: way.url }, befallen: way.befallen };
      },
      async plan() {
        const tokens = await add(1);
        await send(gateway.as(owner), toChannel(room.id, { content: "@**all** once" }));
        expect(await plannedPushes(db)).to.have.length(tokens.length);
        return tokens;
      },
      isOver: () =>
        waitFor(
          async () =>
            (await db.rows("SELECT FROM job_intent WHERE job LIKE '%push%' AND state = 'pending'"))
              .length === 0,
          { what: "nothing waits to be pushed", timeoutMs: waitTimeoutMs },
        ),
      async shown() {
        const lines = (await readFile(handovers, "utf8")).trim().split("\n");
        return lines.map((one) => (JSON.parse(one) as LoggedHandover).token);
      },
    });
  } finally {
    for (const close of closing.toReversed()) await close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
}
