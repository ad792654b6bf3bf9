import {
  type Audience,
  clientCapabilities,
  eventOf,
  roles,
  type ClientCapability,
} from "@carillon/contract";
import type { EventQueue, LoggedEvent, QueueEvent, QueueOptions } from "@carillon/events";

import type { Via } from "./outgoing-event.ts";
import { presentEvent } from "./present-event.ts";

/** Returns every capability except these. */
export function allBut(...missing: readonly ClientCapability[]): ClientCapability[] {
  return clientCapabilities.filter((capability) => !missing.includes(capability));
}

/** Returns a queue of account 1, without any capability. */
export function queue(
  options: Partial<QueueOptions> = {},
  userId = 1,
  id = "queue",
  role: number = roles.member,
): EventQueue {
  return {
    id,
    realmId: 1,
    userId,
    viewerRole: role,
    baseSeq: 0,
    options: {
      eventTypes: null,
      allPublicChannels: false,
      applyMarkdown: false,
      clientGravatar: true,
      slimPresence: false,
      narrow: [],
      capabilities: [],
      ...options,
    },
    idleTimeout: 600,
  };
}

/** The relevant fields of a log row, which an older version may have written. */
interface Row {
  readonly type?: string;
  readonly op?: string | undefined;
  readonly payload?: object;
  readonly audience?: Audience;
  readonly userData?: object | null | undefined;
}

/** Returns the event as read from the log. */
export function logged({ audience, op, type, payload = {}, userData = null }: Row): LoggedEvent {
  const ids = typeof audience === "string" ? JSON.parse(`[${audience.slice(1, -1)}]`) : audience;
  const row = {
    seq: 1,
    type,
    payload,
    userData,
    op: op ?? null,
    audience: ids ?? null,
  };
  return declaredRow(JSON.parse(JSON.stringify(row)) as Omit<LoggedEvent, "declared">);
}

const declaredRows = new WeakMap<object, LoggedEvent>();

/** Returns one object for each row, as a gateway's cache does. */
function declaredRow(row: Omit<LoggedEvent, "declared">): LoggedEvent {
  let known = declaredRows.get(row);
  if (!known) declaredRows.set(row, (known = { ...row, declared: eventOf(row.type, row.op) }));
  return known;
}

/** The emoji of the organization whose events are presented. */
export const testEmoji = {
  1: {
    id: "1",
    name: "acme",
    source_url: "/user_avatars/1/emoji/images/00000000.png",
    still_url: null,
    deactivated: false,
    author_id: 7,
  },
};

/** Returns what the queue receives if the empty topic's display name is "misc". */
export function presented(
  event: Omit<LoggedEvent, "declared">,
  to: EventQueue,
  via: Via = "audience",
) {
  return presentEvent(
    declaredRow(event),
    to,
    {
      emptyTopicDisplayName: "misc",
      siteUrl: "http://carillon.test",
      host: "carillon.test",
      realmEmoji: testEmoji,
      secrets: { open: (sealed) => Buffer.from(sealed).toString("utf8") },
    },
    via,
  );
}

/** Returns what a queue receives with only this capability, and with all others. */
export function presentWithAndWithout(
  event: Row,
  capability: ClientCapability,
): { with: readonly QueueEvent[]; without: readonly QueueEvent[] } {
  const row = logged(event);
  return {
    with: presented(row, queue({ capabilities: [capability] })),
    without: presented(row, queue({ capabilities: allBut(capability) })),
  };
}
