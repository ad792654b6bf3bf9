import type { Snapshot, StreamEvent } from "@carillon/client";

/** The types of events that the client listens to. Opt-in types are sent only to clients that name them. */
export const eventTypes = [
  "channel_folder",
  "default_streams",
  "delete_message",
  "drafts",
  "invites_changed",
  "message",
  "message_series",
  "muted_users",
  "presence",
  "reaction",
  "realm",
  "realm_bot",
  "realm_domains",
  "realm_emoji",
  "realm_user",
  "reminders",
  "scheduled_messages",
  "stream",
  "submessage",
  "subscription",
  "typing",
  "update_message",
  "update_message_flags",
  "user_group",
  "user_settings",
  "user_status",
  "user_topic",
  "withheld_messages",
] as const;

/** The sections of the snapshot that the client keeps. */
export const sections = [
  "channel_folders",
  "default_streams",
  "drafts",
  "message",
  "message_series",
  "muted_users",
  "presence",
  "realm",
  "realm_bot",
  "realm_emoji",
  "realm_user",
  "realm_user_groups",
  "recent_private_conversations",
  "reminders",
  "scheduled_messages",
  "stream",
  "subscription",
  "update_message_flags",
  "user_settings",
  "user_status",
  "user_topic",
] as const;

export type Item = StreamEvent<(typeof eventTypes)[number]>;
export type OrganizationEvent = Exclude<Item, { type: "registered" }>;

/** A part of the data of an organization. It begins with the snapshot and follows the events. */
export interface Area {
  load(snapshot: Snapshot): void;
  apply(event: OrganizationEvent): void;
}
