import {
  type AuditFilter,
  type AuditLine,
  findNamedAccounts,
  findOrganization,
  readAudit,
} from "@carillon/domain";
import type { Sql } from "@carillon/db";

import type { Context } from "../context.ts";
import { withDatabase } from "../installation.ts";
import { readWhen } from "../when.ts";

interface Options {
  readonly organization?: string;
  readonly since?: string;
  readonly until?: string;
  readonly account?: string;
  readonly kind?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** Rows of one read. */
const pageSize = 500;

/** Prints one line of text or JSON for each entry of the audit log. */
export async function showAudit(context: Context, options: Options): Promise<void> {
  const { since, until, kind } = options;
  const times = {
    ...(since !== undefined && { since: readWhen("--since", since) }),
    ...(until !== undefined && { until: readWhen("--until", until) }),
    ...(kind !== undefined && { type: kind }),
  };
  await withDatabase(context, async ({ db }) => {
    const filter = { ...times, ...(await scopeOf(db, options)) };
    let left = options.limit;
    let before: number | undefined;
    do {
      const limit = Math.min(left, pageSize);
      const page = await readAudit(db, filter, {
        limit,
        ...(before !== undefined && { before }),
      });
      for (const line of page.lines)
        context.terminal.say(options.json ? JSON.stringify(asJson(line)) : asText(line));
      left -= page.lines.length;
      before = page.next;
    } while (left > 0 && before !== undefined);
    if (before !== undefined)
      context.terminal.note(`More entries exist: raise --limit (${options.limit}).`);
  });
}

/**
 * Finds the organization and the accounts to which the options restrict the list.
 * @throws ApiError when one does not exist
 */
async function scopeOf(sql: Sql, { organization, account }: Options): Promise<AuditFilter> {
  const realm = organization === undefined ? undefined : await findOrganization(sql, organization);
  const accounts = account === undefined ? [] : await findNamedAccounts(sql, realm, account);
  return {
    ...(realm && { realmId: realm.id }),
    ...(account !== undefined && { userIds: accounts.map(({ id }) => id) }),
  };
}

function asJson({ at, ...line }: AuditLine): object {
  return { ...line, at: new Date(at * 1_000).toISOString() };
}

function asText(line: AuditLine): string {
  const { at, realmName, type, data } = line;
  const by =
    line.actingUserId === null
      ? typeof data["operator"] === "string"
        ? `operator ${data["operator"]}`
        : "the server or an operator"
      : (line.actingUserEmail ?? `account ${line.actingUserId}`);
  const about = line.userId === null ? "" : `  ${line.userEmail ?? `account ${line.userId}`}`;
  const more = Object.keys(data).length === 0 ? "" : `  ${JSON.stringify(data)}`;
  return `${new Date(at * 1_000).toISOString()}  ${realmName}  ${type}${about}  by ${by}${more}`;
}
