import { captureLog } from "@carillon/testkit";
import { expect } from "chai";
import { skewWatch } from "./clock-skew.ts";
import type { ProcessRow } from "./processes.ts";
import type { Snapshot } from "./readings.ts";
import { verdict, type Finding, type Trouble } from "./verdict.ts";

const living = (role: string): ProcessRow => ({
  processId: role,
  role,
  host: "h",
  pid: 1,
  age: 9,
  lastSeen: 3,
  counters: {},
});

const counts = {
  pendingWithin: 9,
  pendingAfter: 9,
  failed: 3,
  remindersPending: 2,
  remindersFailed: 1,
  intentsPending: 1,
  deadLetters: 0,
  bouncerAway: 0,
};

const lag = { dueLag: 0.4, overdue: 2, outboxOldest: 1, clockSkew: -0.2 };

const well: Snapshot = {
  lag,
  counts,
  lateness: { deliveries: 3, median: 0, p95: 0, max: 0 },
  failures: [],
  processes: [living("worker"), living("gateway")],
  counters: new Map(),
  queues: new Map(),
};

const lost = { ...living("worker"), pid: 7, lastSeen: 23 };

/** What differs from all being well, and what is said then. */
const cases: ReadonlyArray<{
  readonly title: string;
  readonly differs: Partial<Snapshot>;
  readonly found: ReadonlyArray<readonly [Trouble, string, ...string[]]>;
}> = [
  { title: "nothing when all is well", differs: {}, found: [] },
  {
    title: "nothing at the bounds",
    differs: {
      lag: { dueLag: 5, overdue: 9, outboxOldest: 10, clockSkew: 0.9 },
      lateness: { deliveries: 9, median: 1, p95: 2, max: 10 },
      processes: [living("gateway"), { ...living("worker"), lastSeen: 20 }],
    },
    found: [],
  },
  {
    title: "messages that failed, by reason, the most frequent first",
    differs: {
      failures: [
        { reason: "The channel is archived.", count: 50 },
        { reason: "You may not post.", count: 10 },
      ],
    },
    found: [
      [
        "failed",
        "60 failed in the last hour: they were not sent.",
        "50 × The channel is archived.",
        "10 × You may not post.",
      ],
    ],
  },
  {
    title: "no more than five reasons, and none longer than a line",
    differs: {
      failures: Array.from({ length: 8 }, (_, i) => ({ reason: `${i}`.repeat(300), count: 2_000 })),
    },
    found: [
      [
        "failed",
        "10,000 or more failed in the last hour: they were not sent.",
        ...[0, 1, 2, 3, 4].map((i) => `${`2,000 × ${`${i}`.repeat(300)}`.slice(0, 200)}…`),
        "and 3 other reasons",
      ],
    ],
  },
  {
    title: "that 95 of 100 came too late",
    differs: { lateness: { deliveries: 60, median: 0.2, p95: 4.4, max: 5 } },
    found: [
      [
        "late",
        "Messages of the last hour were late: 95 of 100 were sent within 4.4 s, where 2 s is the bound.",
      ],
    ],
  },
  {
    title: "that a single one came much too late",
    differs: { lateness: { deliveries: 1_000, median: 0.2, p95: 0.4, max: 31 } },
    found: [
      [
        "late",
        "Messages of the last hour were late: the last one after 31 s, where 10 s is the bound.",
      ],
    ],
  },
  {
    title: "nothing of lateness where nothing was sent",
    differs: { lateness: { deliveries: 0, median: 0, p95: 9, max: 99 } },
    found: [],
  },
  {
    title: "a process that was lost while others of its role live",
    differs: { processes: [living("worker"), living("gateway"), lost] },
    found: [
      [
        "process-lost",
        "Lost without a word within the last hour: 1 worker.",
        "worker h:7, last seen 23 s ago",
      ],
    ],
  },
  {
    title: "that nobody of a role lives",
    differs: { processes: [living("gateway"), lost] },
    found: [
      ["process-missing", "No worker is alive."],
      [
        "process-lost",
        "Lost without a word within the last hour: 1 worker.",
        "worker h:7, last seen 23 s ago",
      ],
    ],
  },
  {
    title: "what is overdue, and by how much",
    differs: { lag: { ...lag, dueLag: 75, overdue: 412 } },
    found: [["overdue", "412 messages and reminders are overdue, the oldest by 1 min 15 s."]],
  },
  {
    title: "one overdue row as one, and very many as many",
    differs: { lag: { ...lag, dueLag: 6, overdue: 10_001 } },
    found: [["overdue", "More than 10,000 messages and reminders are overdue, the oldest by 6 s."]],
  },
  {
    title: "dead letters",
    differs: { counts: { ...counts, deadLetters: 1_200 } },
    found: [["dead-letters", "Dead letters: 1,200."]],
  },
  {
    title: "that what it should judge by is not known",
    differs: { failures: undefined, counts: undefined },
    found: [["unread", "The database did not tell in time: what has failed, dead letters."]],
  },
  {
    title: "that the stores do not answer, and no more of what is unknown then",
    differs: {
      lag: undefined,
      counts: undefined,
      lateness: undefined,
      failures: undefined,
      processes: undefined,
      counters: undefined,
      queues: undefined,
    },
    found: [
      ["database", "The database does not answer."],
      ["queues", "The queues do not answer."],
    ],
  },
  {
    title: "everything together, worst first",
    differs: {
      queues: undefined,
      lag: { dueLag: 75, overdue: 1, outboxOldest: 31, clockSkew: -2 },
      counts: { ...counts, deadLetters: 2, bouncerAway: 1 },
      lateness: { deliveries: 60, median: 0.2, p95: 4.4, max: 12 },
      failures: [{ reason: "No.", count: 1 }],
      processes: [living("worker"), lost],
    },
    found: [
      ["queues", "The queues do not answer."],
      ["process-missing", "No gateway is alive."],
      ["overdue", "1 message or reminder is overdue, the oldest by 1 min 15 s."],
      ["failed", "1 failed in the last hour: they were not sent.", "1 × No."],
      [
        "late",
        "Messages of the last hour were late: 95 of 100 were sent within 4.4 s, where 2 s is the bound; the last one after 12 s, where 10 s is the bound.",
      ],
      [
        "process-lost",
        "Lost without a word within the last hour: 1 worker.",
        "worker h:7, last seen 23 s ago",
      ],
      ["outbox", "Work does not get into the queues: the oldest waits 31 s."],
      ["dead-letters", "Dead letters: 2."],
      ["bouncer", "The push bouncer does not answer."],
      ["clock", "The database's clock is 2 s behind this machine's."],
    ],
  },
];

describe("the verdict names", () => {
  const told = ({ trouble, text, details }: Finding) => [trouble, text, ...details];
  for (const { title, differs, found } of cases) {
    it(title, () => {
      expect(verdict({ ...well, ...differs }).map(told)).to.deep.equal(found);
    });
  }
});

describe("watching the clocks", () => {
  it("warns once when they part, and says once that they agree again", () => {
    const { log, lines } = captureLog();
    const watch = skewWatch(log);
    for (const seconds of [0, 0.9, -1, -1.5, 3, 0.2, 0]) watch(seconds);
    expect(lines.map(({ level, seconds }) => [level, seconds])).to.deep.equal([
      [40, -1],
      [30, undefined],
    ]);
  });
});
