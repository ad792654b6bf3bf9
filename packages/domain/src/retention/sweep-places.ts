import { column, statement, type Database } from "@carillon/db";
import { leads } from "@carillon/scheduling";
import { retention } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";

import { removal } from "../messages/removal/removal.ts";
import type { RemovalRun } from "../messages/removal/removal-run.ts";
import type { Place } from "./expired-places.ts";
import { removeExpired } from "./remove-expired.ts";

/** What a sweep works with. */
export interface Sweeping {
  readonly db: Database;
  readonly log: Logger;
  /** Fires when it is to come to an end. */
  readonly signal: AbortSignal;
}

/** A place, and the run of removing that goes on there. */
interface Going {
  readonly place: Place;
  run: RemovalRun;
}

/** What a lane has done. */
interface Swept {
  /** Messages that went. */
  removed: number;
  /** Whether none is left of the places that it has taken. */
  complete: boolean;
}

/**
 * Removes what the places of an organization keep no longer, two of them at once as long as nobody sends: the second
 * lane takes another processor of the database's, which belongs to those who send. It ends with the first message that
 * is sent, and leaves its place to the other one.
 */
export async function sweepPlaces(
  sweeping: Sweeping,
  realmId: number,
  places: readonly Place[],
): Promise<Swept> {
  const left = places.map((place): Going => {
    return { place, run: { ...place, realmId, cause: "retention", actorId: null } };
  });
  const swept: Swept = { removed: 0, complete: true };
  const { db } = sweeping;
  const before = await lastMessageId(db);
  const nobodySends = async () => (await lastMessageId(db)) === before;
  await Promise.all([
    sweepLane(sweeping, left, 0, swept),
    sweepLane(sweeping, left, 1, swept, nobodySends),
  ]);
  // What the second has left when the first had nothing to do any more.
  await sweepLane(sweeping, left, 0, swept);
  return swept;
}

/** Takes one place after the other. @param goesOn asked before each batch */
async function sweepLane(
  { db, log, signal }: Sweeping,
  left: Going[],
  lane: number,
  swept: Swept,
  goesOn?: () => Promise<boolean>,
): Promise<void> {
  for (let going = left.shift(); going; going = left.shift()) {
    const { place, run } = going;
    try {
      for (let next: RemovalRun | undefined = run; next;) {
        going.run = next;
        if (goesOn && !(await goesOn())) {
          left.unshift(going);
          return;
        }
        const batch = signal.aborted ? undefined : await sweepBatch(db, going, lane);
        if (!batch) {
          swept.complete = false;
          break;
        }
        swept.removed += batch.count;
        next = batch.next;
      }
    } catch (error) {
      // The other channels' messages do not wait for this one's.
      swept.complete = false;
      log.error({ err: error, realmId: run.realmId, ...place }, "messages could not be removed");
    }
  }
}

/** @returns undefined where another process leads the lane */
function sweepBatch(db: Database, { place, run }: Going, lane: number) {
  return removal(db, async (tx, alone) =>
    (await leads(tx, retention, run.realmId, lane))
      ? removeExpired(tx, place, run, retention.bound.batch, alone)
      : undefined,
  );
}

const newest = statement({
  name: "retention-newest-message",
  text: "SELECT last_value AS id FROM messages_id_seq",
  row: { id: column.bigint },
});

async function lastMessageId(db: Database): Promise<number | undefined> {
  const [row] = await db.rows(newest);
  return row?.id;
}
