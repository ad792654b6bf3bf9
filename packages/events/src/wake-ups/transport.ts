import type { Database, PostCommitBus } from "@carillon/db";
import type { Logger } from "@carillon/kit";

/** Carries the wake-ups of one process to the others. */
export interface Transport {
  /** Wakes the processes that wait for events of these organizations. May fail. */
  send(realmIds: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

export interface WakeUpOptions {
  readonly db: Database;
  /** Where commits of this process are published; by default the database's own bus. */
  readonly postCommit?: PostCommitBus | undefined;
  /** If set, wake-ups go over Redis; otherwise over `pg_notify`. */
  readonly redisUrl: string | undefined;
  readonly log: Logger;
  /** Called for wake-ups of every process, including this one; without it, this process does not subscribe. */
  readonly onWake?: (realmId: number) => void;
  /** Called when wake-ups may have been lost: read every log. */
  readonly onReconnected?: () => void;
}
