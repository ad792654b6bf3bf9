import { setTimeout as pause } from "node:timers/promises";
import { ApiError } from "@carillon/contract";
import { isTransient, type Database } from "@carillon/db";
import { deleteScheduled, deliverAll, editScheduled } from "@carillon/domain";
import { clientIdOf } from "@carillon/model";
import { silentLogger } from "@carillon/kit";
import {
  startGateway,
  startWorker,
  testSite,
  useDatabase,
  type Answer,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { withChance, type Chance } from "./support/chance.ts";
import { crowd, schedule, addDeliveryJobs, type Crowd } from "./support/load.ts";
import { slowMessages } from "./support/blockers.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { expectOneState, newText, type Round } from "./support/race.ts";
import { allSent } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

/** Milliseconds that the delivery of a wave takes, roughly. */
const longestMs = 80;
const waveSize = 50;

describe("Edits and deletions that race with the delivery", () => {
  const db = useDatabase({ max: 20 });

  it("either change the message or find it sent, never both, in 1,000 races", () =>
    withChance(async (chance) => {
      const rounds: Round[] = [];
      const before = new Map<number, string>();
      const raced = async (count: number) => {
        const people = await crowd(db);
        const rows = await scheduledBy(db, people, count, 3_600);
        for (const { id, text } of rows) before.set(id, text);
        for (let wave = 0; wave < rows.length; wave += waveSize) {
          rounds.push(...(await race(db, people, rows.slice(wave, wave + waveSize), chance)));
        }
        return expectOneState(db, rounds, before);
      };
      let tally = await raced(1_000);
      // Which side wins depends on chance and on the load of the machine.
      for (let more = 0; more < 50 && Object.values(tally).includes(0); more++) {
        tally = await raced(waveSize);
      }
      expect(Object.values(tally), JSON.stringify(tally)).not.to.include(0);
    }));
});

const overHttp = 200;

onBothBackends("Edits and deletions over HTTP while a worker delivers", scenarioMs, {
  "leave the old or the new state, and never cause a server error": (backend) =>
    inWorld(backend, (world) => withChance((chance) => raceOverHttp(world, chance))),
});

interface Scheduled {
  readonly id: number;
  readonly text: string;
  readonly sender: TestAccount;
  /** Edit, deletion, or both. */
  readonly tries: ReadonlyArray<"edit" | "remove">;
}

async function scheduledBy(
  db: Database,
  people: Crowd,
  count: number,
  dueIn: number,
): Promise<Scheduled[]> {
  await schedule(db, people, { count, dueIn, seconds: 1, noReminders: true });
  const rows = await db.rows<{ id: number; text: string; senderId: number }>(
    `SELECT id, content AS text, sender_id AS "senderId" FROM scheduled_messages WHERE realm_id = $1 ORDER BY id`,
    [people.realmId],
  );
  const tries = [["edit"], ["remove"], ["edit", "remove"]] as const;
  return rows.map(({ id, text, senderId }, i) => {
    const sender = people.senders.find((one) => one.id === senderId);
    if (!sender) throw new Error(`nobody sent ${id}`);
    return { id, text, sender, tries: tries[i % 3] ?? [] };
  });
}

/** Runs one wave: all rows become due and are delivered, while each is edited or deleted at a random moment. */
async function race(
  db: Database,
  people: Crowd,
  rows: readonly Scheduled[],
  chance: Chance,
): Promise<Round[]> {
  const site = testSite();
  const client = { id: await clientIdOf(db, "test"), name: "test" };
  await db.rows(
    "UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) WHERE id = ANY($1)",
    [rows.map(({ id }) => id)],
  );
  const work = {
    edit: ({ id, sender }: Scheduled) =>
      db.transaction((tx) =>
        editScheduled(tx, site, sender, client, id, { ...unchanged, content: newText(id) }),
      ),
    remove: ({ id, sender }: Scheduled) =>
      db.transaction((tx) => deleteScheduled(tx, site, sender, id)),
  };
  const attempt = async (row: Scheduled, what: "edit" | "remove") => {
    if (!row.tries.includes(what)) return undefined;
    await pause(chance.below(longestMs));
    return statusOf(work[what](row));
  };
  let over = false;
  const options = { db, site, log: silentLogger, batch: 10 };
  const deliver = async () => {
    while (!over) await deliverAgain(options, people.realmId);
  };
  const deliveries = [deliver(), deliver()];
  const rounds = await Promise.all(
    rows.map(async (row): Promise<Round> => {
      const [edit, remove] = await Promise.all([attempt(row, "edit"), attempt(row, "remove")]);
      return { id: row.id, edit, remove };
    }),
  ).finally(() => (over = true));
  await Promise.all(deliveries);
  await deliverAgain(options, people.realmId);
  return rounds;
}

const unchanged = {
  type: undefined,
  to: undefined,
  content: undefined,
  topic: undefined,
  deliverAt: undefined,
};

/** Delivers until nothing is due or another delivery holds the lock; retries transient errors like a worker. */
async function deliverAgain(
  options: Parameters<typeof deliverAll>[0],
  realmId: number,
): Promise<void> {
  for (let more = true; more;) {
    try {
      more = (await deliverAll(options, realmId, { maxBatches: 5 })).more;
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
}

/**
 * Returns the status of the request.
 * @throws any error that is not a refusal
 */
async function statusOf(work: Promise<void>): Promise<number> {
  try {
    await work;
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.facts.reason === "missingTarget" ? 404 : 400;
    throw error;
  }
}

/** A delivery takes about half a second, and the requests arrive during it. */
async function raceOverHttp({ db, queues }: World, chance: Chance): Promise<void> {
  const people = await crowd(db);
  await slowMessages(db, 2);
  const gateway = await startGateway(db, { queues });
  const worker = await startWorker(db, queues);
  try {
    const rows = await scheduledBy(db, people, overHttp, 2);
    const deliveries = rows.map(({ id }) => ({
      realmId: people.realmId,
      scheduledMessageId: id,
      version: 1,
      deliverAt: Math.floor(Date.now() / 1_000) + 2,
    }));
    await addDeliveryJobs(queues, deliveries);
    const rounds = await Promise.all(
      rows.map(async ({ id, sender, tries }): Promise<Round> => {
        await pause(1_500 + chance.below(1_500));
        const path = `/api/v1/scheduled_messages/${id}`;
        const client = gateway.as(sender);
        const [edit, remove] = await Promise.all([
          tries.includes("edit") ? client.patch(path, { content: newText(id) }) : undefined,
          tries.includes("remove") ? client.delete(path) : undefined,
        ]);
        return { id, edit: edit && statusIn(edit), remove: remove && statusIn(remove) };
      }),
    );
    await allSent(db, people.realmId, waitTimeoutMs);
    await expectOneState(db, rounds, new Map(rows.map(({ id, text }) => [id, text])));
  } finally {
    await gateway.close();
    await worker.close();
  }
}

function statusIn({ status, body }: Answer): number {
  expect(body.code, JSON.stringify(body)).to.equal(status === 200 ? undefined : "BAD_REQUEST");
  return status;
}
