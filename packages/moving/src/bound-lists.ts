import {
  maxAlertWords,
  maxChannelFolders,
  maxDomains,
  maxDrafts,
  maxEmoji,
  maxLinkifierInstructions,
  maxLinkifiers,
  maxNavigationViews,
  maxProfileFields,
  maxSavedSnippets,
} from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";
import { patternSize } from "@carillon/markdown";
import { cutContent, maxMessageLength } from "@carillon/model";

import { ask } from "./connect.ts";
import type { Import } from "./journal.ts";
import { idOf, type MappedRow, type Row } from "./map-record.ts";

/** The most rows that an organization or an account can have in a table through the API. */
interface ListBound {
  readonly column: "realm_id" | "user_id";
  readonly max: number;
  readonly what: string;
}

const ofOrganization = (max: number, what: string): ListBound => ({
  column: "realm_id",
  max,
  what: `an organization can have at most ${max} ${what}`,
});
const ofAccount = (max: number, what: string): ListBound => ({
  column: "user_id",
  max,
  what: `an account can have at most ${max} ${what}`,
});

const listBounds: Readonly<Record<string, ListBound>> = {
  linkifiers: ofOrganization(maxLinkifiers, "linkifiers"),
  custom_profile_fields: ofOrganization(maxProfileFields, "profile fields"),
  realm_domains: ofOrganization(maxDomains, "domains"),
  channel_folders: ofOrganization(maxChannelFolders, "channel folders"),
  realm_emoji: ofOrganization(maxEmoji, "custom emoji"),
  drafts: ofAccount(maxDrafts, "drafts"),
  saved_snippets: ofAccount(maxSavedSnippets, "saved snippets"),
  navigation_views: ofAccount(maxNavigationViews, "navigation views"),
  alert_words: ofAccount(maxAlertWords, "alert words"),
};

/** Tables whose texts are cut at the length of a message. */
const cutTexts: ReadonlySet<string> = new Set(["drafts", "saved_snippets"]);

/**
 * Leaves out the rows that exceed the bounds of lists, and cuts long texts: another server may have had other bounds.
 * Reports each such row. Called in the transaction that stores the rows.
 * @param records the records of the rows, by their lines
 */
export async function boundLists(
  of: Import,
  table: string,
  rows: readonly MappedRow[],
  records: ReadonlyMap<number, Row>,
): Promise<readonly MappedRow[]> {
  const bound = listBounds[table];
  if (!bound || rows.length === 0) return rows;
  const { column, max, what } = bound;
  const ownerOf = ({ row }: MappedRow) =>
    column === "realm_id" ? of.realmId : Number(row["user_id"]);
  const counts = await countsOf(of, table, column, [...new Set(rows.map(ownerOf))]);
  let size = table === "linkifiers" ? await sizeOfLinkifiers(of) : 0;
  const kept: MappedRow[] = [];
  const left: number[] = [];
  const leave = ({ line }: MappedRow, why: string) => {
    left.push(idOf("id", records.get(line)?.["id"]));
    of.report(`${table}.ndjson, line ${line}: was left out: ${why}`);
  };
  for (const one of rows) {
    const owner = ownerOf(one);
    const count = (counts.get(owner) ?? 0) + 1;
    const instructions = table === "linkifiers" ? patternSize(String(one.row["pattern"])) : 0;
    if (count > max) leave(one, what);
    else if (size + instructions > maxLinkifierInstructions)
      leave(
        one,
        `the linkifiers of an organization can take at most ${maxLinkifierInstructions} instructions in all`,
      );
    else {
      counts.set(owner, count);
      size += instructions;
      kept.push(cutTexts.has(table) ? withCutText(of, table, one) : one);
    }
  }
  await of.ids.remove(table, left);
  return kept;
}

function withCutText(of: Import, table: string, { row, line }: MappedRow): MappedRow {
  const { content } = row;
  if (typeof content !== "string" || !isLongerThan(content, maxMessageLength)) return { row, line };
  of.report(
    `${table}.ndjson, line ${line}: content has more than ${maxMessageLength} code points: its end was cut off`,
  );
  return { row: { ...row, content: cutContent(content, maxMessageLength) }, line };
}

/** Returns how many rows each organization or account has so far. */
async function countsOf(
  { client }: Import,
  table: string,
  column: string,
  owners: readonly number[],
): Promise<Map<number, number>> {
  const rows = await ask<{ owner: number; count: number }>(
    client,
    `SELECT "${column}" AS owner, count(*)::int AS count FROM "${table}" WHERE "${column}" = ANY($1::int[]) GROUP BY 1`,
    [owners],
  );
  return new Map(rows.map(({ owner, count }) => [owner, count]));
}

async function sizeOfLinkifiers({ client, realmId }: Import): Promise<number> {
  const rows = await ask<{ pattern: string }>(
    client,
    "SELECT pattern FROM linkifiers WHERE realm_id = $1",
    [realmId],
  );
  return rows.reduce((sum, { pattern }) => sum + patternSize(pattern), 0);
}
