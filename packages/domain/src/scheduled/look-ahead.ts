import type { ApiError } from "@carillon/contract";
import type { Sql } from "@carillon/db";

import { checkMessages } from "../messages/check.ts";
import type { CheckedMessage, Draft } from "../messages/draft.ts";
import type { Realm } from "../realms/realm.ts";
import type { Site } from "../site.ts";
import { peekDue, type DueRow } from "./claim.ts";
import { destinationOf, type ScheduledRow } from "./row.ts";

/** For each row what the checker says of it. */
export type CheckResults = ReadonlyArray<CheckedMessage | ApiError>;

/**
 * What one run of deliveries in an organization remembers from batch to batch. While PostgreSQL writes a batch, the
 * next one is read and checked on another connection: the two take turns otherwise, with a core idle each
 * (a third of the time). What was found ahead counts only if exactly these rows, unchanged, are then claimed.
 */
export class DeliveryMemory {
  /** Topics and conversations begun by the messages let through so far; the checks' own. */
  letThrough = new Set<string>();
  /** Topics known to have a message; the visibility policies' own. */
  begun = new Set<string>();
  #ahead: Promise<Ahead | undefined> | undefined;

  /** Starts to check the rows after `last`. A failure is no matter: they are checked when they are claimed. */
  lookAhead(sql: Sql, site: Site, realm: Realm, last: ScheduledRow, limit: number): void {
    const letThrough = new Set(this.letThrough);
    const look = async (): Promise<Ahead> => {
      const rows = (await peekDue(sql, realm.id, limit, last)).filter((row) =>
        mayBeSent(row, realm),
      );
      return { rows, letThrough, results: await checkRows(sql, site, realm, rows, letThrough) };
    };
    this.#ahead = look().catch(() => undefined);
  }

  /** The results for these rows, from the look ahead if it saw the same. */
  async check(sql: Sql, site: Site, realm: Realm, rows: readonly DueRow[]): Promise<CheckResults> {
    const ahead = await this.settled();
    if (ahead && sameRows(ahead.rows, rows)) {
      this.letThrough = ahead.letThrough;
      return ahead.results;
    }
    return checkRows(sql, site, realm, rows, this.letThrough);
  }

  /** Forgets everything: what a batch that was rolled back began has not begun. */
  async forget(): Promise<void> {
    await this.settled();
    this.letThrough = new Set();
    this.begun = new Set();
  }

  /** Waits for the look under way, and forgets it. */
  async settled(): Promise<Ahead | undefined> {
    const ahead = await this.#ahead;
    this.#ahead = undefined;
    return ahead;
  }
}

interface Ahead {
  readonly rows: readonly DueRow[];
  readonly results: CheckResults;
  readonly letThrough: Set<string>;
}

/** Whether nothing about the row itself forbids to send it. */
export function mayBeSent(row: DueRow, realm: Realm): boolean {
  return row.senderActive && !realm.deactivated && !row.tooLate;
}

function checkRows(
  sql: Sql,
  site: Site,
  realm: Realm,
  rows: readonly DueRow[],
  letThrough: Set<string>,
): Promise<CheckResults> {
  return checkMessages(sql, site, realm, rows.map(draftOf), letThrough);
}

function draftOf(row: DueRow): Draft {
  return {
    senderId: row.senderId,
    destination: destinationOf(row),
    topic: row.topic,
    content: row.content,
  };
}

function sameRows(a: readonly DueRow[], b: readonly DueRow[]): boolean {
  return (
    a.length === b.length &&
    a.every((row, i) => row.id === b[i]?.id && row.version === b[i]?.version)
  );
}
