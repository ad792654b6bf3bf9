import {
  type MessageInput,
  type OutgoingMessage,
  type Realm,
  channelsOf,
  lockAudiencesShared,
  loadClientNames,
  loadAfter,
} from "@carillon/model";
import { ApiError } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { checkMessages } from "../messages/send/check.ts";
import type { DueRow } from "./due-row.ts";
import type { DeliverOptions } from "./delivery-options.ts";
import { rejected } from "./failures.ts";
import type { Failure } from "./outcome.ts";
import { destinationOf } from "./row.ts";

/**
 * Checks due messages against the current state, and returns for each the message to send or its failure.
 * @param started topics and conversations that earlier messages start and that are not committed yet
 */
export async function checkDue(
  { db, site, parser }: Pick<DeliverOptions, "db" | "site" | "parser">,
  tx: Tx,
  realm: Realm,
  rows: readonly DueRow[],
  started?: ReadonlySet<string>,
): Promise<Map<DueRow, OutgoingMessage | Failure>> {
  if (rows.length === 0) return new Map();
  const inputs = rows.map(inputOf);
  const { checked } = await loadAfter(
    lockAudiencesShared(
      tx,
      channelsOf(inputs.map(({ destination }) => destination)),
      inputs.map(({ senderId }) => senderId),
    ),
    { checked: checkMessages(tx, site, realm.id, inputs, { started, parser }) },
  );
  const clientNames = await loadClientNames(
    tx,
    db.pool,
    rows.map(({ clientId }) => clientId),
  );
  return new Map(
    rows.map((row, i): [DueRow, OutgoingMessage | Failure] => {
      const result = checked.results[i]!;
      if (result instanceof ApiError) return [row, rejected(row, result)];
      const { clientId, readBySender, id: scheduledMessageId } = row;
      const clientName = clientNames.get(clientId) ?? "";
      return [row, { clientId, clientName, readBySender, scheduledMessageId, ...result }];
    }),
  );
}

function inputOf(row: DueRow): MessageInput {
  return {
    senderId: row.senderId,
    destination: destinationOf(row),
    topic: row.topic,
    topicIsStored: true,
    content: row.content,
  };
}
