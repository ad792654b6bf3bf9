import { type Account, requireMessage } from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";

/** Maximum code points of a description. */
const maxDescriptionLength = 1_000;

export interface Report {
  readonly messageId: number;
  readonly type: string;
  readonly description: string | undefined;
}

/**
 * Rejects the report of a message: no organization has a channel for reports, and accepting one would suggest that it
 * is read.
 * @throws ApiError `BAD_REQUEST`, always
 */
export async function reportMessage(
  sql: Sql,
  account: Account,
  { messageId, type, description = "" }: Report,
): Promise<never> {
  await requireMessage(sql, account, messageId);
  if (isLongerThan(description, maxDescriptionLength))
    throw errors.badRequest(`description has more than ${maxDescriptionLength} characters`);
  if (type === "other" && description.trim() === "")
    throw errors.badRequest("description is required for a report of the type other");
  throw errors.badRequest(
    "The organization has no channel for reports: tell an administrator about the message instead",
  );
}
