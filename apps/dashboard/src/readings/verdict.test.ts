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
  stopping: false,
  counters: {},
});

const counts = {
  pendingWithin: 9,
  pendingAfter: 9,
  failed: 3,
  remindersPending: 2,
  remindersFailed: 1,
  seriesActive: 0,
  seriesPaused: 0,
  seriesEnded: 0,
  intentsPending: 1,
  deadLetters: 0,
  bouncerAway: 0,
};

const lag = { dueLag: 0.4, overdue: 2, outboxOldest: 1, clockSkew: -0.2 };

const standby = {
  name: "db2",
  address: "10.0.0.2",
  state: "streaming",
  isSynchronous: true,
  behindBytes: 0,
  behindSeconds: null,
};
const replication = {
  address: "10.0.0.1",
  port: 5432,
  timeline: 1,
  commitsWait: true,
  standbys: [standby],
};

const well: Snapshot = {
  lag,
  counts,
  lateness: { deliveries: 3, median: 0, p95: 0, max: 0 },
  failures: [],
  processes: [living("worker"), living("gateway")],
  counters: new Map(),
  queues: new Map(),
  storage: { files: 2, bytes: 10, waiting: 0, overdue: 0 },
  replication,
};

const lost = { ...living("worker"), pid: 7, lastSeen: 23 };

const byServer = (reason: string, count: number) => ({
  reason,
  count,
  byServer: true,
  latestAt: 1,
});
const people = (reason: string, count: number) => ({ ...byServer(reason, count), byServer: false });

/** Differences from a snapshot without problems, and the findings for them. */
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
      replication: { ...replication, standbys: [{ ...standby, behindSeconds: 60 }] },
    },
    found: [],
  },
  {
    title: "that commits wait for a standby that is not connected",
    differs: {
      replication: { ...replication, standbys: [{ ...standby, isSynchronous: false }] },
    },
    found: [
      [
        "standby-missing",
        "Every commit waits for a synchronous standby, and none is connected. " +
          "Start the standby, or empty synchronous_standby_names on the primary.",
      ],
    ],
  },
  {
    title: "no missing standby if the database user may not see standbys",
    differs: { replication: { ...replication, standbys: [{ ...standby, isSynchronous: null }] } },
    found: [],
  },
  {
    title: "which standby is more than a minute behind",
    differs: {
      replication: {
        ...replication,
        standbys: [standby, { ...standby, name: "db3", isSynchronous: false, behindSeconds: 75 }],
      },
    },
    found: [
      [
        "standby-behind",
        "The standby db3 is 1 min 15 s behind: promoting it may lose acknowledged messages.",
      ],
    ],
  },
  {
    title: "failed messages by reason, server errors apart from refusals by the organization",
    differs: {
      failures: [
        people("The channel is archived.", 50),
        people("You may not post.", 10),
        byServer("Something went wrong on the server.", 1),
      ],
    },
    found: [
      [
        "failed",
        "1 message or reminder failed in the last hour, because of a server error.",
        "1 × Something went wrong on the server.",
      ],
      [
        "refused",
        "60 messages and reminders failed in the last hour, because the organization no longer allows them.",
        "50 × The channel is archived.",
        "10 × You may not post.",
      ],
    ],
  },
  {
    title: "no more than five reasons, and none longer than a line",
    differs: {
      failures: Array.from({ length: 8 }, (_, i) => byServer(`${i}`.repeat(300), 2_000)),
    },
    found: [
      [
        "failed",
        "10,000 or more messages and reminders failed in the last hour, because of a server error.",
        ...[0, 1, 2, 3, 4].map((i) => `${`2,000 × ${`${i}`.repeat(300)}`.slice(0, 200)}…`),
        "and 3 other reasons",
      ],
    ],
  },
  {
    title: "that the 95th percentile was too late",
    differs: { lateness: { deliveries: 60, median: 0.2, p95: 4.4, max: 5 } },
    found: [["late", "Messages of the last hour were late: p95 4.4 s (limit 2 s)."]],
  },
  {
    title: "that a single one came much too late",
    differs: { lateness: { deliveries: 1_000, median: 0.2, p95: 0.4, max: 31 } },
    found: [["late", "Messages of the last hour were late: worst 31 s (limit 10 s)."]],
  },
  {
    title: "no lateness if nothing was sent",
    differs: { lateness: { deliveries: 0, median: 0, p95: 9, max: 99 } },
    found: [],
  },
  {
    title: "a store of uploaded files that processes cannot use",
    differs: {
      processes: [living("worker"), { ...living("gateway"), counters: { filesAway: 1 } }],
    },
    found: [["files", "The store of uploaded files cannot be used.", "gateway h:1"]],
  },
  {
    title: "a process that stopped sending heartbeats while others of its role run",
    differs: { processes: [living("worker"), living("gateway"), lost] },
    found: [
      [
        "process-lost",
        "Stopped sending heartbeats in the last hour, without SIGTERM: 1 worker.",
        "worker h:7, last seen 23 s ago",
      ],
    ],
  },
  {
    title: "nothing for a process stopped by SIGTERM, before and after its last heartbeat",
    differs: {
      processes: [
        living("worker"),
        living("gateway"),
        { ...lost, stopping: true },
        { ...living("worker"), stopping: true },
      ],
    },
    found: [],
  },
  {
    title: "that the only worker is stopping",
    differs: { processes: [{ ...living("worker"), stopping: true }, living("gateway")] },
    found: [["process-missing", "No worker is running."]],
  },
  {
    title: "that no process of a role is running",
    differs: { processes: [living("gateway"), lost] },
    found: [
      ["process-missing", "No worker is running."],
      [
        "process-lost",
        "Stopped sending heartbeats in the last hour, without SIGTERM: 1 worker.",
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
    title: "that readings are missing",
    differs: { failures: undefined, counts: undefined },
    found: [["unread", "The database did not answer in time: failures, dead letters."]],
  },
  {
    title: "that the stores do not answer, and nothing else that is unknown then",
    differs: {
      lag: undefined,
      counts: undefined,
      lateness: undefined,
      failures: undefined,
      processes: undefined,
      counters: undefined,
      queues: undefined,
      storage: undefined,
      replication: undefined,
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
      failures: [byServer("No.", 1)],
      processes: [living("worker"), lost],
    },
    found: [
      ["queues", "The queues do not answer."],
      ["process-missing", "No gateway is running."],
      ["overdue", "1 message or reminder is overdue, the oldest by 1 min 15 s."],
      [
        "failed",
        "1 message or reminder failed in the last hour, because of a server error.",
        "1 × No.",
      ],
      [
        "late",
        "Messages of the last hour were late: p95 4.4 s (limit 2 s), worst 12 s (limit 10 s).",
      ],
      [
        "process-lost",
        "Stopped sending heartbeats in the last hour, without SIGTERM: 1 worker.",
        "worker h:7, last seen 23 s ago",
      ],
      ["outbox", "Outbox backlog: the oldest job has waited 31 s to enter its queue."],
      ["dead-letters", "Dead letters: 2."],
      ["bouncer", "The push bouncer does not answer."],
      ["clock", "The database's clock is 2 s behind this machine's."],
    ],
  },
];

describe("the verdict names", () => {
  const textsOf = ({ trouble, text, details }: Finding) => [trouble, text, ...details];
  for (const { title, differs, found } of cases) {
    it(title, () => {
      expect(verdict({ ...well, ...differs }).map(textsOf)).to.deep.equal(found);
    });
  }
});

describe("watching the clocks", () => {
  it("warns once about skew, and logs once when it ends", () => {
    const { log, lines } = captureLog();
    const watch = skewWatch(log);
    for (const seconds of [0, 0.9, -1, -1.5, 3, 0.2, 0]) watch(seconds);
    expect(lines.map(({ level, seconds }) => [level, seconds])).to.deep.equal([
      [40, -1],
      [30, undefined],
    ]);
  });
});
