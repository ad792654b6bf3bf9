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

/** Every capability but these. */
export function allBut(...missing: readonly ClientCapability[]): ClientCapability[] {
  return clientCapabilities.filter((capability) => !missing.includes(capability));
}

/** A queue of account 1, without any capability. */
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
    userVisibility: role,
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

/** A row of the log, of which a test gives what matters: also one that an older version wrote. */
interface Row {
  readonly type?: string;
  readonly op?: string | undefined;
  readonly payload?: object;
  readonly audience?: Audience;
  readonly userData?: object | null | undefined;
}

/** The event as the log gives it back. */
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

/** The row as a gateway keeps it: one object, however often it is asked for. */
function declaredRow(row: Omit<LoggedEvent, "declared">): LoggedEvent {
  let known = declaredRows.get(row);
  if (!known) declaredRows.set(row, (known = { ...row, declared: eventOf(row.type, row.op) }));
  return known;
}

/** What the queue is told where the empty topic is called "misc". */
export function told(event: Omit<LoggedEvent, "declared">, to: EventQueue, via: Via = "audience") {
  return presentEvent(
    declaredRow(event),
    to,
    { emptyTopicDisplayName: "misc", siteUrl: "http://carillon.test", host: "carillon.test" },
    via,
  );
}

/** What a queue is told that has this capability alone, and one that has all others. */
export function toldWith(
  event: Row,
  capability: ClientCapability,
): { with: readonly QueueEvent[]; without: readonly QueueEvent[] } {
  const row = logged(event);
  return {
    with: told(row, queue({ capabilities: [capability] })),
    without: told(row, queue({ capabilities: allBut(capability) })),
  };
}
