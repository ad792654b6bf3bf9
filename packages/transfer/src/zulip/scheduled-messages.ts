import { cut } from "../clean-names.ts";
import type { ConversionReport } from "../conversion-report.ts";
import type { RecipientTargets } from "./recipient-targets.ts";
import type { RealmTables } from "./realm-tables.ts";
import { defined, RowProblem } from "./row.ts";

interface Known {
  readonly report: ConversionReport;
  readonly accountIds: ReadonlySet<number>;
  readonly channelIds: ReadonlySet<number>;
  readonly clientIds: ReadonlySet<number>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Records = readonly Readonly<Record<string, unknown>>[];

/** Returns the scheduled messages that are still to be sent, and the recipients that they name. */
export function scheduledMessagesOf(
  tables: RealmTables,
  targets: RecipientTargets,
  { report, accountIds, channelIds, clientIds, now }: Known,
): { recipients: Records; scheduled: Records } {
  const recipients = new Map<number, Readonly<Record<string, unknown>>>();
  const conversations = new Map<string, number>();
  const scheduled = tables.map("zerver_scheduledmessage", (row) => {
    if (row.flag("delivered")) {
      report.skip("scheduled messages that were sent");
      return undefined;
    }
    const senderId = row.number("sender");
    const clientId = row.number("sending_client");
    const recipient = row.number("recipient");
    // The protocol has whole seconds.
    const deliverAt = `${row.time("scheduled_timestamp").slice(0, 19)}Z`;
    if (!row.flag("failed") && Date.parse(deliverAt) <= now)
      throw new RowProblem(`was due at ${deliverAt}, and would be sent at once`);
    const channel = targets.channel(recipient);
    const members = channel === undefined ? targets.conversation(recipient, senderId) : undefined;
    const isKnown =
      accountIds.has(senderId) &&
      clientIds.has(clientId) &&
      (channel === undefined
        ? members?.every((one) => accountIds.has(one)) === true
        : channelIds.has(channel));
    if (!isKnown) throw new RowProblem("its sender, program or recipient is not in the export");
    let recipientId = recipient;
    if (members) {
      // Two recipients of Zulip can be one conversation: a person's, and that of a group of two.
      const key = members.toSorted((a, b) => a - b).join(",");
      recipientId = conversations.get(key) ?? 1_000_000_000 + conversations.size;
      conversations.set(key, recipientId);
      recipients.set(recipientId, { id: recipientId, member_ids: members });
    } else recipients.set(recipient, { id: recipient, channel_id: channel });
    const isReminder = row.maybeNumber("delivery_type") === 2;
    return defined({
      id: row.id,
      kind: isReminder ? 2 : 1,
      sender_id: senderId,
      recipient_id: recipientId,
      channel_id: channel,
      topic: channel === undefined ? "" : cut(row.text("subject").trim(), 60),
      content: row.text("content"),
      client_id: clientId,
      deliver_at: deliverAt,
      read_by_sender: row.maybeFlag("read_by_sender") ?? true,
      failed: row.flag("failed"),
      failure_message: row.maybeText("failure_message"),
      reminder_target_message_id: isReminder
        ? row.maybeNumber("reminder_target_message_id")
        : undefined,
    });
  });
  return { recipients: [...recipients.values()], scheduled };
}
