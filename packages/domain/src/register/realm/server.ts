import type { Site } from "@carillon/model";
import { supportedPermissionSettings } from "@carillon/contract";
import { externalAccounts } from "../../profile-fields/external-accounts.ts";
import { emojiDataUrl } from "../../server/emoji-data.ts";

/** Why a message can be reported. */
const reportTypes = [
  { key: "spam", name: "Spam" },
  { key: "harassment", name: "Harassment" },
  { key: "inappropriate", name: "Inappropriate content" },
  { key: "norms", name: "Breaks the rules of the organization" },
  { key: "other", name: "Something else" },
];

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
