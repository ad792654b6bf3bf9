import type { Database } from "@carillon/db";
import { type Lag, readCounters, readLag } from "@carillon/scheduling";
import { queueNames, type QueueName } from "@carillon/jobs";
import { cached, systemClock, type Clock, type Logger } from "@carillon/kit";
import type { QueueCounts, Queues } from "@carillon/queue";
import { lateMessages, type LateMessage } from "../overview.ts";
import { listStorage, type OrganizationStorage } from "../storage/list.ts";
import { skewWatch } from "./clock-skew.ts";
import { readCounts, type Counts } from "./counts.ts";
import { readFailures, type RecentFailures } from "./failures.ts";
import { readLateness, type Lateness } from "./lateness.ts";
import { readProcesses, type ProcessRow } from "./processes.ts";
import { readReplication, type Replication } from "./replication.ts";
import { readStorage, type StorageFigures } from "./storage.ts";

/** The jobs of each queue, by state. */
export type QueueDepths = ReadonlyMap<QueueName, QueueCounts>;

/** Current readings; undefined if the store did not answer in time. */
export interface Snapshot {
  readonly lag: Lag | undefined;
  readonly counts: Counts | undefined;
  readonly lateness: Lateness | undefined;
  /** Of the last hour. */
  readonly failures: readonly RecentFailures[] | undefined;
  readonly processes: readonly ProcessRow[] | undefined;
  readonly counters: ReadonlyMap<string, number> | undefined;
  readonly queues: QueueDepths | undefined;
  readonly storage: StorageFigures | undefined;
  readonly replication: Replication | undefined;
}

export interface Readings {
  /** Whether the database answers. */
  healthy(): Promise<boolean>;
  snapshot(): Promise<Snapshot>;
  /** Overdue messages; undefined if the database did not answer in time. */
  late(): Promise<readonly LateMessage[] | undefined>;
  /** The organizations with most bytes of uploaded files. Rejects if the database does not answer in time. */
  organizations(): Promise<readonly OrganizationStorage[]>;
  /** Makes the next snapshot read failures again. */
  forgetFailures(): void;
  /** UNIX seconds by the database's clock, accurate to a round trip; undefined if it did not answer in time. */
  now(): Promise<number | undefined>;
}

/** Cache time of counted files, in milliseconds: they may be millions, and change slowly. */
const storageMs = 60_000;

/** Cache time of health checks, in milliseconds; short, because probes need a fresh answer. */
const healthMs = 500;

/** Reads everything that metrics and overview show. Each part is cached briefly and fails independently. */
export function openReadings(
  db: Database,
  queues: Queues,
  log: Logger,
  clock: Clock = systemClock,
): Readings {
  const watch = skewWatch(log);
  let skew: number | undefined;
  const healthy = cached(() => db.answers(), { minMs: healthMs });
  const parts = {
    lag: cached(async () => {
      const lag = await readLag(db, clock);
      skew = lag.clockSkew;
      watch(skew);
      return lag;
    }),
    counts: cached(() => readCounts(db)),
    lateness: cached(() => readLateness(db)),
    failures: cached(() => readFailures(db)),
    processes: cached(() => readProcesses(db)),
    counters: cached(() => readCounters(db)),
    queues: cached(() => readDepths(queues)),
    late: cached(() => lateMessages(db)),
    storage: cached(() => readStorage(db), { minMs: storageMs }),
    replication: cached(() => readReplication(db)),
    organizations: cached(() => listStorage(db), { minMs: storageMs }),
  };
  const known = <T>(part: Promise<T>): Promise<T | undefined> => part.catch(() => undefined);
  return {
    healthy: () => healthy().catch(() => false),
    late: () => known(parts.late()),
    organizations: () => parts.organizations(),
    forgetFailures: () => parts.failures.forget(),
    async now() {
      // Uses the last known skew, so that a page need not wait.
      const reading = known(parts.lag());
      if (skew === undefined) await reading;
      return skew === undefined ? undefined : clock.now() / 1_000 + skew;
    },
    async snapshot() {
      const [lag, counts, lateness, failures, processes, counters, depths, storage, replication] =
        await Promise.all([
          known(parts.lag()),
          known(parts.counts()),
          known(parts.lateness()),
          known(parts.failures()),
          known(parts.processes()),
          known(parts.counters()),
          known(parts.queues()),
          known(parts.storage()),
          known(parts.replication()),
        ]);
      const ofRows = { lag, counts, lateness, failures, processes, counters, storage };
      return { ...ofRows, queues: depths, replication };
    },
  };
}

async function readDepths(queues: Queues): Promise<QueueDepths> {
  const depths = await Promise.all(
    queueNames.map(async (name) => [name, await queues.queue(name).counts()] as const),
  );
  return new Map(depths);
}
