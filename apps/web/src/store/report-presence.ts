import type { Client } from "@carillon/client";
import type { Presence } from "./presence.ts";
import type { ServerClock } from "./server-clock.ts";

const intervalMs = 60_000;
/** Milliseconds before the first report, so that it does not delay the first messages. */
const firstAfterMs = 1_000;
/** Milliseconds without keyboard or pointer input after which a person counts as idle. */
const idleAfterMs = 5 * 60_000;

interface Reported {
  readonly client: Client;
  readonly presence: Presence;
  readonly clock: ServerClock;
}

/**
 * Reports the account's presence every minute until the signal is aborted. The answers have the presence of other people and
 * the server's time.
 */
export function reportPresence({ client, presence, clock }: Reported, signal: AbortSignal): void {
  // The first snapshot may arrive after the sign-out. A signal that is already aborted would never stop the timers.
  if (signal.aborted) return;
  let lastInput = Date.now();
  let lastUpdate = -1;
  const notice = () => {
    lastInput = Date.now();
  };
  const report = async () => {
    const isActive = Date.now() - lastInput < idleAfterMs && !document.hidden;
    const answer = await client.updatePresence(
      {
        status: isActive ? "active" : "idle",
        new_user_input: isActive,
        slim_presence: true,
        last_update_id: lastUpdate,
      },
      { signal, retries: 0 },
    );
    lastUpdate = answer.presence_last_update_id ?? lastUpdate;
    clock.sync(answer.server_timestamp);
    presence.add(answer.presences ?? {}, answer.server_timestamp);
  };
  const reportQuietly = () => {
    report().catch(() => {
      // The next minute tries again.
    });
  };
  const first = setTimeout(reportQuietly, firstAfterMs);
  const timer = setInterval(reportQuietly, intervalMs);
  for (const type of ["keydown", "pointermove", "focus"])
    addEventListener(type, notice, { signal });
  signal.addEventListener("abort", () => {
    clearTimeout(first);
    clearInterval(timer);
  });
}
