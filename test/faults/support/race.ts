import type { Database } from "@carillon/db";
import { expect } from "chai";

/** What was attempted on a message during its delivery, with the HTTP status of each answer. */
export interface Round {
  readonly id: number;
  /** Undefined if there was no edit. */
  readonly edit?: number | undefined;
  readonly remove?: number | undefined;
}

export interface Tally {
  /** Edits before the delivery, and edits that were too late. */
  readonly edited: number;
  readonly tooLate: number;
  /** Deletions before the delivery, and deletions after the message was sent. */
  readonly unsent: number;
  readonly sentFirst: number;
}

export const newText = (id: number): string => `edited ${id}`;

/**
 * Checks that each message is in a state that some order of edit, deletion and delivery leaves, and that agrees with
 * the answers.
 * @param before the texts as scheduled
 */
export async function expectOneState(
  db: Database,
  rounds: readonly Round[],
  before: ReadonlyMap<number, string>,
): Promise<Tally> {
  const ids = rounds.map(({ id }) => id);
  const sent = groupBy(
    await db.rows<{ id: number; text: string }>(
      "SELECT scheduled_message_id AS id, content AS text FROM messages WHERE scheduled_message_id = ANY($1)",
      [ids],
    ),
  );
  const rows = groupBy(
    await db.rows<{ id: number; text: string }>(
      `SELECT id, CASE WHEN delivered THEN 'delivered' WHEN failed THEN 'failed' ELSE 'pending' END AS text
       FROM scheduled_messages WHERE id = ANY($1)`,
      [ids],
    ),
  );
  const tally = { edited: 0, tooLate: 0, unsent: 0, sentFirst: 0 };
  for (const round of rounds) {
    const { id, edit, remove } = round;
    const old = before.get(id);
    const texts = sent.get(id) ?? [];
    const what = JSON.stringify({ ...round, texts, row: rows.get(id) ?? [] });
    expect(texts.length, what).to.be.at.most(1);
    expect([undefined, 200, 400, ...(remove === undefined ? [] : [404])], what).to.include(edit);
    expect(remove, what).to.be.oneOf([undefined, 200]);
    // A sent message has the text of a successful edit, else the old text.
    if (texts.length > 0) expect(texts, what).to.deep.equal([edit === 200 ? newText(id) : old]);
    // An edit refused as too late implies that the message was sent.
    if (edit === 400) expect(texts.length, what).to.equal(1);
    expect(rows.get(id) ?? [], what).to.deep.equal(remove === undefined ? ["delivered"] : []);
    if (remove === undefined) expect(texts.length, what).to.equal(1);
    if (edit === 200) tally.edited++;
    if (edit === 400) tally.tooLate++;
    if (remove !== undefined) tally[texts.length === 0 ? "unsent" : "sentFirst"]++;
  }
  return tally;
}

function groupBy(rows: ReadonlyArray<{ id: number; text: string }>): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const { id, text } of rows) groups.set(id, [...(groups.get(id) ?? []), text]);
  return groups;
}
