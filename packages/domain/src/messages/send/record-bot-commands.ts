import type { Tx } from "@carillon/db";
import { botCommand } from "@carillon/jobs";
import type { NumberedMessage } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

/**
 * Records the messages that people send to the scheduling bot in their direct conversation with it, for the job that
 * answers them (once-and-again.md §5). Messages of bots are left out, so that no two bots answer each other for ever.
 * Scheduled messages and those of series are marked: a series with the text `send s5 now` would send itself for ever.
 */
export async function recordBotCommands(
  tx: Tx,
  realmId: number,
  messages: readonly NumberedMessage[],
): Promise<void> {
  const commands = messages
    .filter(isCommand)
    .map(({ id, sender, scheduledMessageId, isAutomatic = false }) => ({
      key: String(id),
      payload: {
        messageId: id,
        userId: sender.id,
        isScheduled: isAutomatic || scheduledMessageId !== undefined,
      },
    }));
  await recordIntents(tx, realmId, botCommand, commands);
}

function isCommand({ sender, target }: NumberedMessage): boolean {
  if (target.kind !== "direct" || sender.isBot || target.participants.length !== 2) return false;
  return target.participants.some(({ systemBotKind }) => systemBotKind === "scheduling");
}
