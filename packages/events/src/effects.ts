import type { QueueEffect } from "@carillon/contract";

import type { EventQueue, LoggedEvent } from "./queue-options.ts";
import type { PollResult } from "./waiting.ts";

/** What the event does to polls and queues, whatever it tells clients. */
export function effectOf({ declared, payload }: LoggedEvent): QueueEffect | undefined {
  return declared?.effect?.(payload);
}

/** How an effect ends the polls of a queue; undefined where it does not. */
export function endBy(
  effect: QueueEffect | undefined,
  { id, userId, options }: EventQueue,
): PollResult | undefined {
  if (!effect || (effect.queueId !== id && effect.userId !== userId)) return undefined;
  if (effect.ends === "refused") return { kind: "refused" };
  if (effect.ends === "empty") return { kind: "events", events: [] };
  return effect.endsAllPublic && options.allPublicChannels
    ? { kind: "events", events: [] }
    : undefined;
}

/** Whether queues that listen to all public channels get the event, without regard to the receivers. */
export function isForAllPublic({ declared, payload }: LoggedEvent): boolean {
  return declared?.forAllPublic?.(payload) ?? false;
}
