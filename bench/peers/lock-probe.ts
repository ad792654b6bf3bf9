import pg from "pg";
import { lockClass } from "@carillon/db";

/** The organization and the channel of the locks that the probe takes. */
export interface ProbeRequest {
  readonly realmId: number;
  readonly channelId: number;
}

/** The longest waits for each lock since the previous report, in milliseconds. */
export interface ProbeWaits {
  /** For the group graph, shared: requests that subscribe accounts or create channels take it. */
  readonly groups: number;
  /** For the channel's row: requests that change the channel or its subscribers take it. */
  readonly channel: number;
  /** For the head of the event log: every request that emits events takes it. */
  readonly head: number;
}

const everyMs = 2;
const texts: Readonly<Record<keyof ProbeWaits, string>> = {
  groups: `SELECT pg_advisory_xact_lock_shared(${lockClass.groups}, $1)`,
  channel: "SELECT FROM channels WHERE id = $1 FOR NO KEY UPDATE",
  head: "SELECT FROM event_head WHERE realm_id = $1 FOR NO KEY UPDATE",
};
let longest = { groups: 0, channel: 0, head: 0 };
/** When the probe began to wait for each lock that it does not hold yet. */
const waitingSince = new Map<keyof ProbeWaits, number>();

process.on("message", (wanted: ProbeRequest | "read") => {
  if (wanted !== "read") return void start(wanted);
  for (const [kind, since] of waitingSince) note(kind, since);
  process.send?.(longest);
  longest = { groups: 0, channel: 0, head: 0 };
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
console.log("probe started");

/** Takes and releases each lock repeatedly, on its own connection. */
async function start({ realmId, channelId }: ProbeRequest): Promise<void> {
  const kinds = Object.keys(texts) as Array<keyof ProbeWaits>;
  await Promise.all(kinds.map((kind) => take(kind, kind === "channel" ? channelId : realmId)));
}

async function take(kind: keyof ProbeWaits, key: number): Promise<void> {
  const client = new pg.Client({ connectionString: process.env["DATABASE_URL"] });
  await client.connect();
  for (;;) {
    // Without a transaction block the lock is released at once.
    const since = performance.now();
    waitingSince.set(kind, since);
    await client.query({ name: kind, text: texts[kind], values: [key] });
    waitingSince.delete(kind);
    note(kind, since);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function note(kind: keyof ProbeWaits, since: number): void {
  longest[kind] = Math.max(longest[kind], performance.now() - since);
}
