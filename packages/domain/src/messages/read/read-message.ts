import type { MessageResource, ProgramNeed } from "@carillon/contract";
import {
  loadRealm,
  noSuchMessage,
  presentMessage,
  requireMessage,
  type Reader,
} from "@carillon/model";
import type { Sql } from "@carillon/db";

import { hydrate, loadMessages } from "./hydrate.ts";

export interface MessageRequest {
  readonly id: number;
  readonly applyMarkdown: boolean;
  readonly allowEmptyTopicName: boolean;
  /** Of the program that asks. */
  readonly needs: readonly ProgramNeed[];
  /** `PUBLIC_URL` */
  readonly siteUrl: string;
}

/** The answer of `GET /messages/{message_id}`, in wire spelling. */
export interface MessageAnswer {
  message: MessageResource;
  raw_content: string;
}

/**
 * Retrieves one message that the viewer may access (messages.md §6.1).
 * @param sql a transaction, repeatable read and read only
 * @throws ApiError `BAD_REQUEST`
 */
export async function readMessage(
  sql: Sql,
  viewer: Reader,
  request: MessageRequest,
): Promise<MessageAnswer> {
  await requireMessage(sql, viewer, request.id);
  const [realm, loaded] = await Promise.all([
    loadRealm(sql, viewer.realmId),
    loadMessages(sql, viewer, [request.id], request.needs),
  ]);
  const [found] = await hydrate(loaded);
  if (!found) throw noSuchMessage();
  return {
    message: presentMessage(found.message, found.flags, {
      ...request,
      realm,
      viewer,
      sight: loaded.sight,
      clientGravatar: true,
    }),
    raw_content: found.message.content,
  };
}
