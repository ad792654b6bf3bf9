import type { Operation } from "./primitives/operation.ts";

/** Areas of several resources, with the paths below `/api/v1/` that belong to them. The first match counts. */
const areas: ReadonlyArray<readonly [area: string, path: RegExp]> = [
  ["scheduled-messages", /^(scheduled_messages|reminders)\b/],
  ["messages", /^(messages|submessage$|mark_\w+_as_read$)/],
  [
    "push",
    /^(mobile_push|register_client_device|remove_client_device)\b|\/(android_gcm_reg_id|apns_device_token)$/,
  ],
  ["events", /^(events|register)\b/],
  ["topics", /^user_topics|\/muted_topics$/],
  ["presence", /\/(presence|status)$|^typing\b/],
  [
    "channels",
    /^(streams|channels|channel_folders|get_stream_id|default_streams)\b|\/subscriptions\b|\/topics$/,
  ],
  ["user-groups", /^user_groups/],
  ["bots", /^(bots|bot_storage|event_subscriptions|external)\b/],
  ["personal-lists", /^(navigation_views|saved_snippets|drafts)\b/],
  ["settings", /^settings|^realm\/user_settings_defaults$/],
  ["profile-fields", /^realm\/profile_fields\b|\/profile_data$/],
  ["organization", /^realm/],
  ["accounts", /^(users|accounts|fetch_api_key|dev_fetch_api_key|jwt|avatar)\b/],
  ["files", /^(user_uploads|user_avatars|attachments|tus)\b/],
  ["server", /^(server_settings|static)\b/],
];

/**
 * Returns the area of an operation: its page in the reference, and its tag in the OpenAPI document. HTML pages form the
 * area `pages`. A path that matches none of the `areas` belongs to an area named after its first segment.
 */
export function areaOf({ path, page }: Pick<Operation, "path" | "page">): string {
  if (page) return "pages";
  const below = path.replace(/^\/(api\/v1\/)?/, "");
  const [first = ""] = below.split("/");
  return areas.find(([, paths]) => paths.test(below))?.[0] ?? first.replaceAll("_", "-");
}
