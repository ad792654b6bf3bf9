import { errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";

import { loadRealm } from "../realms/realm.ts";
import { maxTopicLength, normaliseTopic } from "./topic.ts";

/**
 * The topic, as it is stored, that `topic_name` of a request means.
 * @throws ApiError `BAD_REQUEST` for one that no message can have
 */
export async function namedTopic(sql: Sql, realmId: number, text: string): Promise<string> {
  if (isLongerThan(text.trim(), maxTopicLength))
    throw errors.badRequest(`topic_name must not have more than ${maxTopicLength} characters`);
  return normaliseTopic(text, await loadRealm(sql, realmId));
}
