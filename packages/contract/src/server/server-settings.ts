import { z } from "zod";
import { operation } from "../operation.ts";

/** `GET /server_settings` (http-contract.md §10). */
export const getServerSettings = operation({
  id: "get-server-settings",
  method: "GET",
  path: "/api/v1/server_settings",
  access: "anyone",
  summary: "What to know before logging in",
  description:
    "The organization is the one whose subdomain is the first label of `Host`, else the first of the server.",
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
    external_authentication_methods: z.array(z.unknown()),
  },
});
