import { allOperations, clientCapabilities, type Operation } from "@carillon/contract";
import type { GatewayClient, Params } from "@carillon/testkit";

/** What a viewer's reads are about, drawn anew each time. */
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

/** Every operation that reads, by its id; several kinds of one have a word behind it. */
const reads: Readonly<Record<string, Read>> = {
  "get-users": { path: () => "/users", params: () => ({ include_custom_profile_fields: true }) },
  "get-users some": {
    path: () => "/users",
    params: (subject) => ({ user_ids: [id(subject)], client_gravatar: false }),
  },
  "get-user": {
    path: (subject) => `/users/${id(subject)}`,
    params: () => ({ include_custom_profile_fields: true }),
  },
  "get-user-by-email": { path: ({ person }) => `/users/${person.deliveryEmail}` },
  "get-own-user": { path: () => "/users/me" },
  "get-status": { path: (subject) => `/users/${id(subject)}/status` },
  "get-presence": { path: (subject) => `/users/${id(subject)}/presence` },
  "get-presence by address": { path: ({ person }) => `/users/${person.deliveryEmail}/presence` },
  "list-presences": { path: () => "/realm/presence" },
  "list-alert-words": { path: () => "/users/me/alert_words" },
  "list-reminders": { path: () => "/reminders" },
  "list-realm-emoji": { path: () => "/realm/emoji" },
  "list-channel-folders": { path: () => "/channel_folders" },
  "get-settings": { path: () => "/settings" },
  "get-drafts": { path: () => "/drafts" },
  "list-linkifiers": { path: () => "/realm/linkifiers" },
  "get-navigation-views": { path: () => "/navigation_views" },
  "list-scheduled-messages": { path: () => "/scheduled_messages" },
  "list-profile-fields": { path: () => "/realm/profile_fields" },
  "get-saved-snippets": { path: () => "/saved_snippets" },
  "list-channels": { path: () => "/streams", params: () => ({ include_subscribed: true }) },
  "get-channel": { path: ({ channel }) => `/streams/${channel.id}` },
  "get-channel-id": {
    path: () => "/get_stream_id",
    params: ({ channel }) => ({ stream: channel.name }),
  },
  "get-channel-email-address": { path: ({ channel }) => `/streams/${channel.id}/email_address` },
  "list-topics": { path: ({ channel }) => `/users/me/${channel.id}/topics` },
  "list-subscribers": { path: ({ channel }) => `/streams/${channel.id}/members` },
  "list-subscriptions": {
    path: () => "/users/me/subscriptions",
    params: () => ({ include_subscribers: true }),
  },
  "get-subscription-status": {
    path: ({ person, channel }) => `/users/${person.id}/subscriptions/${channel.id}`,
  },
  "get-user-channels": { path: (subject) => `/users/${id(subject)}/channels` },
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
  "get-message": { path: ({ message }) => `/messages/${message}` },
  "get-message-history": { path: ({ message }) => `/messages/${message}/history` },
  "get-read-receipts": { path: ({ message }) => `/messages/${message}/read_receipts` },
  "list-user-groups": { path: () => "/user_groups" },
};

/** What an operation that reads does not need here, and why. */
const apart: Readonly<Record<string, string>> = {
  "get-avatar": "answers with a picture",
  "get-events": "is asked by queues",
  "get-bot-api-key": "tells a key, to who administers the bot",
};

/** Operations that accounts of all kinds read by, and that are missing in the table. */
export function unread(operations: readonly Operation[] = allOperations): string[] {
  const known = new Set(
    [...Object.keys(reads), ...Object.keys(apart)].map((one) => one.split(" ")[0]),
  );
  return operations
    .filter(
      ({ method, access, id: name }) =>
        method === "GET" && access === "account" && !known.has(name),
    )
    .map(({ id: name }) => name);
}

/** What the account is answered, refusals too, by the name of the read; snapshots of two kinds among them. */
export async function everythingRead(
  client: GatewayClient,
  subject: Subject,
): Promise<Map<string, Readonly<Record<string, unknown>>>> {
  const answers = new Map<string, Readonly<Record<string, unknown>>>();
  for (const [name, { path, params }] of Object.entries(reads)) {
    const asked = params?.(subject);
    const { body } = await client.get(`/api/v1${path(subject)}`, asked);
    // What was asked for is known.
    answers.set(name, { ...body, msg: "" });
  }
  for (const [name, params] of Object.entries(registrations))
    answers.set(name, (await client.post("/api/v1/register", params)).body);
  return answers;
}

/** What the newest clients say of themselves, and the oldest. */
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
