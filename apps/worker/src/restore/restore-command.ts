import type { Database } from "@carillon/db";
import { listArchivedRuns, restoreMessages, type RestoreSelection } from "@carillon/domain";
import { counted, StartupError } from "@carillon/kit";

const usage = "Say what to restore: list, run NUMBER, channel NUMBER or account NUMBER";

/**
 * Runs an operator's command on the archive of removed messages: lists the runs of removals, or restores messages.
 * @returns the lines to print
 * @throws StartupError with the usage, for an unknown command
 */
export async function restoreCommand(db: Database, words: readonly string[]): Promise<string[]> {
  const [what, text = "", ...more] = words;
  if (more.length > 0) throw new StartupError(usage);
  if (what === "list" && words.length === 1) return list(db);
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
  const wanted = number === undefined ? undefined : selection(what, number);
  if (!wanted) throw new StartupError(usage);
  const restored = await restoreMessages(db, wanted);
  return [`Restored ${counted(restored, "message")}.`];
}

function selection(what: string | undefined, number: number): RestoreSelection | undefined {
  switch (what) {
    case "run":
      return { run: number };
    case "channel":
      return { channel: number };
    case "account":
      return { account: number };
    default:
      return undefined;
  }
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
