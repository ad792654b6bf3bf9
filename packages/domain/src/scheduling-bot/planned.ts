import { statement } from "@carillon/db";
import { findChannel, loadAccounts, loadUserVisibility, unknownName } from "@carillon/model";
import { scheduledKind, undelivered } from "@carillon/scheduling";

import {
  scheduledColumns,
  scheduledOverrides,
  scheduledTables,
  type ScheduledRow,
} from "../scheduled/row.ts";
import type { BotContext } from "./context.ts";
import type { ListedLine, ShownPlace } from "./texts.ts";

/** Lines of a list. */
const shown = 20;

const next = statement({
  name: "bot-planned",
  text: `SELECT ${scheduledColumns} FROM ${scheduledTables}
    WHERE s.sender_id = $1 AND ${undelivered("s")} ORDER BY s.deliver_at, s.id LIMIT ${shown}`,
  overrides: scheduledOverrides,
});

const count = statement({
  name: "bot-planned-count",
  text: `SELECT count(*)::int AS total FROM scheduled_messages s WHERE s.sender_id = $1 AND ${undelivered("s")}`,
});

/** Lists the account's next 20 unsent messages and reminders, and counts all. */
export async function listPlanned(
  context: BotContext,
): Promise<{ readonly lines: ListedLine[]; readonly total: number }> {
  const { tx, actor } = context;
  const [rows, counted] = [await tx.rows(next, [actor.id]), await tx.first(count, [actor.id])];
  const lines: ListedLine[] = [];
  for (const row of rows) {
    const isReminder = row.kind === scheduledKind.reminder;
    const { localTime } = context.zones.toLocal(row.deliverAt, context.timezone);
    lines.push({
      id: String(row.id),
      kind: isReminder ? "reminder" : "message",
      place: isReminder ? undefined : await placeOfRow(context, row),
      time: { instant: Math.floor(row.deliverAt), localTime, timezone: context.timezone },
      isFailed: row.failed,
      text: isReminder ? (row.note ?? "") : row.content,
    });
  }
  return { lines, total: counted?.total ?? 0 };
}

/** Returns the place of a scheduled message, as far as its sender sees it. */
export async function placeOfRow(
  { tx, actor, realm }: BotContext,
  { channelId, memberIds, topic }: Pick<ScheduledRow, "channelId" | "memberIds" | "topic">,
): Promise<ShownPlace> {
  if (channelId !== null) {
    const channel = await findChannel(tx, actor, channelId, { access: "metadata", archived: true });
    return { kind: "channel", channel, topic };
  }
  const others = (memberIds ?? []).filter((id) => id !== actor.id);
  if (others.length === 0) return { kind: "me" };
  const accounts = await loadAccounts(tx, realm.id, others);
  const { sees } = await loadUserVisibility(tx, actor);
  const names = others.map((id) => {
    const account = accounts.get(id);
    return account && sees(account) ? account.fullName : unknownName;
  });
  return { kind: "people", names };
}
