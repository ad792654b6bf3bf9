import { lockClass, type Database } from "@carillon/db";
import {
  botAnswers,
  createdSeries,
  dailySeries,
  organization,
  startGateway,
  type GatewayClient,
  type TestAccount,
  type TestOrganization,
  user,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { killWorkersAt, type Point } from "./support/kill-workers.ts";
import { scenarioMs, waitTimeoutMs } from "./support/patience.ts";
import { expectSoundSeries } from "./support/sound-series.ts";
import { inWorld, type World } from "./support/world.ts";

/** A command about a series, and what it leaves if it is done once. */
interface Command {
  readonly text: (seriesId: number) => string;
  /** The command creates the series. */
  readonly creates?: boolean;
  /** The series is paused before. */
  readonly paused?: boolean;
  /** The statement that makes the change. */
  readonly change: string;
  readonly answer: RegExp;
  /** The last entry of the audit log, without `message_series_`. */
  readonly audit: string;
  /** The last event of the series. */
  readonly event: string;
  readonly state: string | null;
  /** Messages of the series. */
  readonly sent?: number;
}

const commands: readonly Command[] = [
  {
    text: () => "every day at 9:00 to me: Plans?",
    creates: true,
    change: "INSERT ON message_series",
    answer: /^Series `s\d+` goes to/,
    audit: "created",
    event: "add",
    state: "active",
  },
  {
    text: (id) => `skip s${id}`,
    change: "INSERT ON series_runs",
    answer: /is left out/,
    audit: "skipped",
    event: "update",
    state: "active",
  },
  {
    text: (id) => `pause s${id}`,
    change: "UPDATE ON message_series",
    answer: /is paused/,
    audit: "paused",
    event: "update",
    state: "paused",
  },
  {
    text: (id) => `resume s${id}`,
    paused: true,
    change: "INSERT ON scheduled_messages",
    answer: /is resumed/,
    audit: "resumed",
    event: "update",
    state: "active",
  },
  {
    text: (id) => `cancel s${id}`,
    change: "DELETE ON message_series",
    answer: /is cancelled/,
    audit: "deleted",
    event: "remove",
    state: null,
  },
  {
    text: (id) => `send s${id} now`,
    change: "INSERT ON messages",
    answer: /is sent to/,
    audit: "sent",
    event: "add",
    state: "active",
    sent: 1,
  },
];

/** Where the job of a command is when its worker is killed. */
const places: ReadonlyArray<(command: Command) => Pick<Point, "statement" | "commits">> = [
  () => ({ statement: "UPDATE OF state ON job_intent" }),
  ({ change }) => ({ statement: `AFTER ${change}` }),
  () => ({ statement: "AFTER INSERT ON user_messages" }),
  () => ({ statement: "COMMIT OF INSERT ON messages" }),
  () => ({ statement: "COMMIT OF INSERT ON messages", commits: true }),
];

/** Workers at a time: each does four commands at once. */
const workers = 4;

/** Commands at a time: each round waits until the queue notices that its workers are gone. */
const perRound = 15;

/** A command of a person who gives no other one. */
interface Given extends Command {
  readonly org: TestOrganization;
  readonly person: TestAccount;
  readonly place: string;
}

onBothBackends("Workers killed while they do commands about series", scenarioMs, {
  "are replaced, and each command is done once and answered once": (backend) =>
    inWorld(backend, killInCommands),
});

async function killInCommands(world: World): Promise<void> {
  const { db } = world;
  const all: Given[] = [];
  const gateway = await startGateway(db);
  try {
    const asked = places.flatMap((place) =>
      commands.map((command) => ({ command, ...place(command) })),
    );
    while (asked.length > 0) {
      const points: Point[] = [];
      for (const { command, statement, commits = false } of asked.splice(0, perRound)) {
        // Commits with events of one organization wait for each other, so each command has its own.
        const org = await organization(db);
        const person = await user(db, org.realm);
        await give(gateway.as(person), org, person, command);
        const holder = { lockClass: lockClass.botCommands, key: person.id };
        points.push({ statement, holder, commits });
        const place = `${statement}${commits ? ", which commits" : ""}`;
        all.push({ ...command, org, person, place });
      }
      await killWorkersAt(world, points, { workers });
    }
  } finally {
    await gateway.close();
  }
  await world.worker();
  for (const { org, person, place, text } of all)
    await waitFor(async () => (await botAnswers(db, org.schedulingBot, person)).length > 0, {
      what: `${text(0)} is answered, ${place}`,
      timeoutMs: waitTimeoutMs,
    });
  await queueIsEmpty(world);
  for (const given of all) await expectDoneOnce(db, given);
  const [open] = await db.rows(
    "SELECT FROM job_intent WHERE job = 'bot-command' AND state <> 'done'",
  );
  expect(open, "commands that are not done").to.equal(undefined);
  await expectSoundSeries(db);
}

/** Sends a person's command, about a series of the person. */
async function give(
  client: GatewayClient,
  org: TestOrganization,
  { id }: TestAccount,
  { text, creates, paused }: Command,
): Promise<void> {
  const about = { type: "direct", to: [id], topic: undefined };
  const series = creates ? 0 : await createdSeries(client, dailySeries(0, about));
  if (paused) await expectSuccess(client.post(`/api/v1/message_series/${series}/pause`));
  await expectSuccess(
    client.post("/api/v1/messages", {
      type: "direct",
      to: [org.schedulingBot.id],
      content: text(series),
    }),
  );
}

async function expectSuccess(asked: ReturnType<GatewayClient["post"]>): Promise<void> {
  const answer = await asked;
  expect(answer.status, answer.text).to.equal(200);
}

/** Waits until no job is left that could do or answer a command again. */
async function queueIsEmpty({ queues }: World): Promise<void> {
  const left = async () => {
    const { active, waiting, delayed } = await queues.queue("commands").counts();
    return active + waiting + delayed;
  };
  await waitFor(async () => (await left()) === 0, {
    what: "the queue of commands is empty",
    timeoutMs: waitTimeoutMs,
  });
}

async function expectDoneOnce(
  db: Database,
  { org, person, place, ...command }: Given,
): Promise<void> {
  const said = `${command.text(0)}, ${place}`;
  const answers = await botAnswers(db, org.schedulingBot, person);
  expect(answers, said).to.have.length(1);
  expect(answers[0]?.content, said).to.match(command.answer);
  const [found] = await db.rows(
    `SELECT (SELECT array_agg(substr(event_type, 16) ORDER BY id) FROM audit_log
        WHERE acting_user_id = $1 AND event_type LIKE 'message_series_%') AS audit,
       (SELECT array_agg(op ORDER BY seq) FROM event_log
        WHERE type = 'message_series' AND audience @> ARRAY[$1::int]) AS events,
       (SELECT state FROM message_series WHERE author_id = $1) AS state,
       (SELECT count(*)::int FROM messages m JOIN recipients r ON r.id = m.recipient_id
        WHERE m.sender_id = $1 AND r.member_ids = ARRAY[$1::int]) AS sent`,
    [person.id],
  );
  const { creates, paused, audit, event, state, sent = 0 } = command;
  const before = creates ? [] : ["created", ...(paused ? ["paused"] : [])];
  const told = creates ? [] : ["add", ...(paused ? ["update"] : [])];
  expect(found, said).to.deep.equal({
    audit: [...before, audit],
    events: audit === "sent" ? told : [...told, event],
    state,
    sent,
  });
}
