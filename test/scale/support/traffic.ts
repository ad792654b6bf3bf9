import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@carillon/db";
import { clientOf, inSeconds, waitFor, type TestAccount } from "@carillon/testkit";
import { expect } from "chai";
import { crowd, type Crowd } from "../../faults/support/load.ts";
import {
  followQueue,
  registerReader,
  type QueueReader,
} from "../../faults/support/queue-reader.ts";
import { allSent, expectSentOnce } from "../../faults/support/verdict.ts";
import { waitTimeoutMs } from "../../faults/support/patience.ts";

/** A request and its answer: the status, or why there was none. */
interface Asked {
  readonly content: string;
  readonly scheduled: boolean;
  answer?: number | string;
  id?: number;
}

/** Accounts of one organization that write, schedule and poll at one address, until they are stopped. */
export interface Traffic {
  /**
   * Waits until each account makes progress: requests are answered, workers deliver messages, each client receives more
   * events.
   * @param more how many of each, ten unless given
   */
  flows(more?: number): Promise<void>;
  /**
   * Stops the accounts and checks the result: each message of a successful request exists once, of any other request at
   * most once; each scheduled message was sent once; each client received each message of its account once, in log
   * order.
   * @returns the answers other than success, in order
   */
  end(): Promise<ReadonlyArray<number | string>>;
}

/** Scheduled messages are due this many seconds later; longer than a request takes on a busy machine. */
const soonSeconds = 5;
/** Pause between two requests of one account, in milliseconds. */
const breathMs = 40;

export async function startTraffic(db: Database, url: string): Promise<Traffic> {
  const people = await crowd(db);
  const asked: Asked[] = [];
  const readers: QueueReader[] = [];
  for (const account of people.senders)
    readers.push(followQueue(account, await registerReader(url, account), () => url));
  let over = false;
  const writers = people.senders.map(async (sender, place) => {
    for (let n = 0; !over; n++) {
      const one: Asked = { content: `${place}-${n}`, scheduled: place % 2 === 1 };
      asked.push(one);
      await ask(url, people, sender, one);
      await pause(breathMs);
    }
  });
  const done = (scheduled: boolean) =>
    asked.filter((one) => one.answer === 200 && one.scheduled === scheduled).length;

  return {
    async flows(more = 10) {
      const before = [done(false), done(true), await delivered(db, people)] as const;
      const received = readers.map(({ messages }) => messages.length);
      const on = async () =>
        done(false) > before[0] + more &&
        done(true) > before[1] + more &&
        (await delivered(db, people)) > before[2] + more &&
        readers.every(({ messages }, i) => messages.length > (received[i] ?? 0) + more);
      await waitFor(on, { what: "all get on", timeoutMs: waitTimeoutMs, everyMs: 50 });
    },
    async end() {
      over = true;
      await Promise.all(writers);
      await allSent(db, people.realmId, waitTimeoutMs);
      await expectAnswered(db, people, asked);
      await expectReceived(db, people, readers);
      const polls = readers.flatMap(({ failures }) => failures);
      await Promise.all(readers.map((reader) => reader.stop()));
      const refused = asked.flatMap(({ answer = "none" }) => (answer === 200 ? [] : [answer]));
      return [...refused, ...polls];
    },
  };
}

async function ask(url: string, people: Crowd, sender: TestAccount, one: Asked): Promise<void> {
  const params = { type: "channel", to: people.channels[0]?.id, topic: "t", content: one.content };
  const client = clientOf(url, sender);
  try {
    const answer = await (one.scheduled
      ? client.post("/api/v1/scheduled_messages", {
          ...params,
          scheduled_delivery_timestamp: inSeconds(soonSeconds),
        })
      : client.post("/api/v1/messages", params));
    one.answer = answer.status;
    one.id = Number(answer.body[one.scheduled ? "scheduled_message_id" : "id"]);
  } catch (error) {
    one.answer = (error as { cause?: { code?: string } }).cause?.code ?? String(error);
  }
}

async function delivered(db: Database, { realmId }: Crowd): Promise<number> {
  const rows = await db.rows("SELECT FROM scheduled_messages WHERE realm_id = $1 AND delivered", [
    realmId,
  ]);
  return rows.length;
}

async function expectAnswered(db: Database, people: Crowd, asked: readonly Asked[]) {
  const rows = await db.rows<{ id: number; content: string; scheduled: number | null }>(
    `SELECT m.id, m.content, m.scheduled_message_id AS scheduled FROM messages m
     WHERE m.recipient_id = $1 AND m.topic = 't'`,
    [people.channels[0]?.recipientId],
  );
  const byContent = new Map(rows.map((row) => [row.content, row]));
  expect(byContent.size, "none is there twice").to.equal(rows.length);
  for (const { content, scheduled, answer, id } of asked) {
    if (answer !== 200) continue;
    const row = byContent.get(content);
    expect(scheduled ? row?.scheduled : row?.id, content).to.equal(id);
  }
  const wanted = new Set(asked.map(({ content }) => content));
  expect(rows.filter(({ content }) => !wanted.has(content))).to.deep.equal([]);
  const sent = rows.filter(({ scheduled }) => scheduled !== null).length;
  await expectSentOnce(db, people.realmId, sent);
}

async function expectReceived(db: Database, people: Crowd, readers: readonly QueueReader[]) {
  for (const [i, reader] of readers.entries()) {
    const rows = await db.rows<{ id: number }>(
      `SELECT m.id FROM event_log e JOIN messages m ON m.id = (e.payload #>> '{message,id}')::bigint
       JOIN user_messages u ON u.message_id = m.id AND u.user_id = $2
       WHERE e.realm_id = $1 AND e.type = 'message' ORDER BY e.seq`,
      [people.realmId, people.senders[i]?.id],
    );
    await reader.waitForMessages(rows.length);
    expect(reader.messages, `what ${i} is told of`).to.deep.equal(rows.map(({ id }) => id));
  }
}
