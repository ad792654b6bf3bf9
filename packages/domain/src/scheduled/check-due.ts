import {
  type Draft,
  type OutgoingMessage,
  type Realm,
  channelsOf,
  holdAudiences,
  loadClientNames,
} from "@carillon/model";
import { ApiError } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { checkMessages } from "../messages/send/check.ts";
import type { DueRow } from "./claim.ts";
import type { DeliverOptions } from "./deliver.ts";
import { refused } from "./failures.ts";
import type { Failure } from "./outcome.ts";
import { destinationOf } from "./row.ts";

/**
 * Checks due messages by the state of now, and makes them ready to be sent, or says why they are not.
 * @param begun what messages begin that come before these and are not committed yet
 */
export async function checkDue(
  { db, site, reader }: Pick<DeliverOptions, "db" | "site" | "reader">,
  tx: Tx,
  realm: Realm,
  rows: readonly DueRow[],
  begun?: ReadonlySet<string>,
): Promise<Map<DueRow, OutgoingMessage | Failure>> {
  if (rows.length === 0) return new Map();
  const drafts = rows.map(draftOf);
  const [, { results }] = await Promise.all([
    holdAudiences(
      tx,
      channelsOf(drafts.map(({ destination }) => destination)),
      drafts.map(({ senderId }) => senderId),
    ),
    checkMessages(tx, site, realm.id, drafts, { begun, reader }),
  ]);
  const clientNames = await loadClientNames(
    tx,
    db.pool,
    rows.map(({ clientId }) => clientId),
  );
  return new Map(
    rows.map((row, i): [DueRow, OutgoingMessage | Failure] => {
      const result = results[i]!;
      if (result instanceof ApiError) return [row, refused(row, result)];
      const { clientId, readBySender, id: scheduledMessageId } = row;
      const clientName = clientNames.get(clientId) ?? "";
      return [row, { clientId, clientName, readBySender, scheduledMessageId, ...result }];
    }),
  );
}

function draftOf(row: DueRow): Draft {
  return {
    senderId: row.senderId,
    destination: destinationOf(row),
    topic: row.topic,
    topicIsStored: true,
    content: row.content,
  };
}
