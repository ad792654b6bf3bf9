import type { Channel } from "@carillon/model";

import type { NextChannel } from "./next-channel.ts";

/** A property of a channel that gets another value. */
export interface ChangedProperty {
  /** As on the wire. */
  readonly name: string;
  readonly before: unknown;
  readonly value: string | number | boolean | null;
}

/** The properties by their names on the wire. */
const properties = {
  invite_only: "inviteOnly",
  history_public_to_subscribers: "historyPublicToSubscribers",
  is_web_public: "isWebPublic",
  is_default_stream: "isDefault",
  message_retention_days: "messageRetentionDays",
  topics_policy: "topicsPolicy",
  description: "description",
  folder_id: "folderId",
  name: "name",
} as const satisfies Readonly<Record<string, keyof NextChannel>>;

/** A channel as it was, with whether it was a default one. */
export type PreviousChannel = Channel & { readonly isDefault: boolean };

/** What differs between a channel as it was and as it is to be; the name last, by which it is known until then. */
export function changedProperties(before: PreviousChannel, next: NextChannel): ChangedProperty[] {
  return Object.entries(properties).flatMap(([name, key]) =>
    before[key] === next[key] ? [] : [{ name, before: before[key], value: next[key] }],
  );
}
