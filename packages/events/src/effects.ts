import type { QueueEffect } from "@carillon/contract";

import type { EventQueue, LoggedEvent } from "./queue-options.ts";
import type { PollResult } from "./waiting.ts";

/** Returns the effect of an event on polls and queues, apart from its delivery to clients. */
export function effectOf({ declared, payload }: LoggedEvent): QueueEffect | undefined {
  return declared?.effect?.(payload);
}

/** Returns how the effect ends polls of the queue; undefined if it does not end them. */
export function endBy(
  effect: QueueEffect | undefined,
  { id, userId, options }: EventQueue,
): PollResult | undefined {
  if (!effect) return undefined;
  if (!effect.everybody && effect.queueId !== id && effect.userId !== userId) return undefined;
  if (effect.ends === "refused") return { kind: "refused" };
  if (effect.ends === "empty") return { kind: "events", events: [] };
  return effect.endsAllPublic && options.allPublicChannels
    ? { kind: "events", events: [] }
    : undefined;
}

/** Returns whether queues with `allPublicChannels` get the event even if their account is not in its audience. */
export function isForAllPublic({ declared, payload }: LoggedEvent): boolean {
  return declared?.forAllPublic?.(payload) ?? false;
}
