import { allOperations, clientCapabilities, exampleOf, type Operation } from "@carillon/contract";
import type { GatewayClient, Params } from "@carillon/testkit";

/** The things that a viewer's reads refer to, drawn for each check. */
export interface Subject {
  readonly person: { readonly id: number; readonly deliveryEmail: string };
  readonly channel: { readonly id: number; readonly name: string };
  readonly message: number;
}

interface Read {
  readonly path: (subject: Subject) => string;
  readonly params?: (subject: Subject) => Params;
}

const id = ({ person }: Subject) => person.id;
const newest = { anchor: "newest", num_before: 100, num_after: 0 };

/** The values of path parameters. */
const named: Readonly<Record<string, (subject: Subject) => string | number>> = {
  user_id: id,
  user_id_or_email: id,
  email: ({ person }) => person.deliveryEmail,
  stream_id: ({ channel }) => channel.id,
  message_id: ({ message }) => message,
};

/** Reads with parameters, by operation ID; variants of an operation have a word appended. */
const written: Readonly<Record<string, Read>> = {
  "get-users": { path: () => "/users", params: () => ({ include_custom_profile_fields: true }) },
  "get-users some": {
    path: () => "/users",
    params: (subject) => ({ user_ids: [id(subject)], client_gravatar: false }),
  },
  "get-user": {
    path: (subject) => `/users/${id(subject)}`,
    params: () => ({ include_custom_profile_fields: true }),
  },
  "get-presence by address": { path: ({ person }) => `/users/${person.deliveryEmail}/presence` },
  "list-channels": { path: () => "/streams", params: () => ({ include_subscribed: true }) },
  "get-channel-id": {
    path: () => "/get_stream_id",
    params: ({ channel }) => ({ stream: channel.name }),
  },
  "list-subscriptions": {
    path: () => "/users/me/subscriptions",
    params: () => ({ include_subscribers: true }),
  },
  "get-messages": {
    path: () => "/messages",
    params: () => ({ ...newest, client_gravatar: true, apply_markdown: false }),
  },
  "get-messages of a channel": {
    path: () => "/messages",
    params: ({ channel }) => ({
      ...newest,
      narrow: [{ operator: "channel", operand: channel.id }],
      client: "ZulipTerminal",
    }),
  },
  "get-messages of a person": {
    path: () => "/messages",
    params: ({ person }) => ({ ...newest, narrow: [{ operator: "sender", operand: person.id }] }),
  },
  "match-narrow": {
    path: () => "/messages/matches_narrow",
    params: ({ person, message }) => ({
      msg_ids: [message],
      narrow: [{ operator: "sender", operand: person.id }],
    }),
  },
};

/** Operations that are not checked here, with the reason. */
const apart: Readonly<Record<string, string>> = {
  "get-file-temporary-url": "tells an address of a file, and names no account",
  "get-bot-api-key": "tells a key, to who administers the bot",
  "get-bot-webhook": "tells tokens and secrets, to who administers the bot",
  "get-bot-webhook-deliveries": "tells of calls, to who administers the bot",
  "get-event-subscriptions": "tells of subscriptions, to the bot and who administers it",
  "get-event-subscription": "tells of a subscription, to the bot and who administers it",
  "get-event-subscription-deliveries": "tells of calls, to the bot and who administers it",
  "list-series-occurrences": "tells dates and outcomes of a series, and names no account",
};

/** Read operations for accounts of all kinds. */
const readBy = ({ method, access, raw, longPoll, id: name }: Operation) =>
  method === "GET" && access === "account" && !raw && !longPoll && !(name in apart);

/** Derives the read from the declaration; undefined if its path refers to something other than a subject. */
function derived(operation: Operation): Read | undefined {
  if (operation.pathDecoders.some(({ name }) => !(name in named))) return undefined;
  const template = operation.path.replace("/api/v1", "");
  const { params } = exampleOf(operation);
  return {
    path: (subject) =>
      template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(named[name]?.(subject))),
    params: () => params,
  };
}

/** Read operations for accounts of all kinds whose request cannot be derived from the declaration. */
export function unread(operations: readonly Operation[] = allOperations): string[] {
  return operations
    .filter((operation) => readBy(operation) && !(operation.id in written) && !derived(operation))
    .map(({ id: name }) => name);
}

/** All reads, by operation ID with an optional word. */
const reads: Readonly<Record<string, Read>> = {
  ...written,
  ...Object.fromEntries(
    allOperations
      .filter((operation) => readBy(operation) && !(operation.id in written))
      .flatMap((operation) => {
        const read = derived(operation);
        return read ? [[operation.id, read]] : [];
      }),
  ),
};

/** The account's responses by name of the read, including refusals and two kinds of snapshots. */
export async function everythingRead(
  client: GatewayClient,
  subject: Subject,
): Promise<Map<string, Readonly<Record<string, unknown>>>> {
  const answers = new Map<string, Readonly<Record<string, unknown>>>();
  for (const [name, { path, params }] of Object.entries(reads)) {
    const asked = params?.(subject);
    const { body } = await client.get(`/api/v1${path(subject)}`, asked);
    // The request's own value is known to the viewer.
    answers.set(name, { ...body, msg: "" });
  }
  for (const [name, params] of Object.entries(registrations))
    answers.set(name, (await client.post("/api/v1/register", params)).body);
  return answers;
}

/** The capabilities of the newest and the oldest clients. */
export const registrations = {
  "register new": {
    client_capabilities: Object.fromEntries(clientCapabilities.map((name) => [name, true])),
    include_subscribers: true,
    slim_presence: true,
    apply_markdown: true,
    client_gravatar: true,
  },
  "register old": { include_subscribers: true, client: "ZulipTerminal" },
} as const;
