import type { Site } from "@carillon/model";
import { reportTypes, supportedPermissionSettings } from "@carillon/contract";
import { externalAccounts } from "../../profile-fields/external-accounts.ts";
import { emojiDataUrl } from "../../server/emoji-data.ts";

/** What is the same for every organization of the server. */
export function serverFacts(site: Site) {
  return {
    server_emoji_data_url: emojiDataUrl(site),
    server_thumbnail_formats: [],
    server_supported_permission_settings: supportedPermissionSettings,
    server_report_message_types: reportTypes,
    server_web_public_streams_enabled: true,
    server_needs_upgrade: false,
    jitsi_server_url: null,
    realm_default_external_accounts: externalAccounts,
    giphy_rating_options: {},
  };
}
