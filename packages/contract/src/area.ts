import type { Operation } from "./operation.ts";

/** Areas of the API, with the paths below its prefix that belong to them; the first that fits counts. */
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
  ["bots", /^bot(s|_storage)\b/],
  ["personal-lists", /^(navigation_views|saved_snippets|drafts)\b/],
  ["settings", /^settings|^realm\/user_settings_defaults$/],
  ["profile-fields", /^realm\/profile_fields\b|\/profile_data$/],
  ["organization", /^realm/],
  ["accounts", /^(users|accounts|fetch_api_key|dev_fetch_api_key|avatar)\b/],
  ["server", /^(server_settings|static)\b/],
];

/** The names of all areas. */
export const areaNames: ReadonlySet<string> = new Set(areas.map(([area]) => area));

/**
 * What an operation is about: its page of the reference, and its tag in the OpenAPI document. A path of no area is one
 * by its first segment.
 */
export function areaOf(operation: Operation): string {
  const path = operation.path.replace(/^\/(api\/v1\/)?/, "");
  return areas.find(([, paths]) => paths.test(path))?.[0] ?? /^[^/]*/.exec(path)?.[0] ?? "other";
}
