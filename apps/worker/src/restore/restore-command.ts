import type { Database } from "@carillon/db";
import { listArchivedRuns, restoreMessages } from "@carillon/domain";
import { StartupError } from "@carillon/kit";

const usage = "Say what to restore: list, run NUMBER or channel NUMBER";

/**
 * What an operator asks of the archive of removed messages: to list its runs, or to bring messages back.
 * @returns the lines to print
 * @throws StartupError where it cannot be understood
 */
export async function restoreCommand(db: Database, words: readonly string[]): Promise<string[]> {
  const [what, text = "", ...more] = words;
  if (more.length > 0) throw new StartupError(usage);
  if (what === "list" && words.length === 1) return list(db);
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
  if (number === undefined || (what !== "run" && what !== "channel")) throw new StartupError(usage);
  const restored = await restoreMessages(
    db,
    what === "run" ? { run: number } : { channel: number },
  );
  return [`Restored ${restored} ${restored === 1 ? "message" : "messages"}.`];
}

async function list(db: Database): Promise<string[]> {
  const runs = await listArchivedRuns(db);
  if (runs.length === 0) return ["No removed messages are kept."];
  return runs.map(({ id, endedAt, messages, channelId, channel, cause, actorId, realmId }) => {
    const where = channelId === null ? "direct messages" : `channel ${channelId} (${channel})`;
    const who = actorId === null ? "" : ` by account ${actorId}`;
    const time = endedAt.toISOString().slice(0, 19).replace("T", " ");
    return `run ${id}  ${time} UTC  ${messages} messages  ${where} of organization ${realmId}  ${cause}${who}`;
  });
}
