import * as z from "zod";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** `GET /server_settings` (http-contract.md §10). */
export const getServerSettings = operation({
  id: "get-server-settings",
  method: "GET",
  path: "/api/v1/server_settings",
  access: "anyone",
  summary: "Get the server's settings",
  description:
    "Needs no login. The organization is the one whose subdomain is the first label of `Host`, else the first one of the server.",
  result: {
    zulip_version: z.string(),
    zulip_merge_base: z.string(),
    zulip_feature_level: z.int(),
    push_notifications_enabled: z.boolean(),
    is_incompatible: z.boolean(),
    email_auth_enabled: z.boolean(),
    require_email_format_usernames: z.boolean(),
    realm_url: z.string(),
    realm_uri: z.string(),
    realm_name: z.string(),
    realm_icon: z.string(),
    realm_description: z.string(),
    realm_web_public_access_enabled: z.boolean(),
    authentication_methods: z.record(z.string(), z.boolean()),
    external_authentication_methods: z.array(
      z.strictObject({
        name: z.string(),
        display_name: z.string(),
        display_icon: z.string().nullable(),
        login_url: z.string(),
        signup_url: z.string(),
      }),
    ),
  },
});

/** `server_emoji_data_url` (events.md §1.3). */
export const getEmojiData = operation({
  id: "get-emoji-data",
  method: "GET",
  path: "/static/emoji/{version}",
  access: "anyone",
  raw: [{ status: 200, about: "The names by code.", type: "application/json" }],
  summary: "Get the names of the emoji",
  description:
    'A JSON object: `{"code_to_names": {"1f642": ["smile", …], …}}`, with the name that is shown as the first. Clients ' +
    "get the address, which contains the current version, as `server_emoji_data_url`; its answer may be cached forever. " +
    "With any other version, the answer is the current one, too, for clients that use servers of two releases.",
  pathParams: { version: path.text() },
});
