/**
 * The folders of a package from the lowest rank to the highest: what stands in one line may be imported by every line
 * below it in this list, and by no folder beside it. A new folder takes its place here.
 */
export const ranks: Readonly<Record<string, ReadonlyArray<readonly string[]>>> = {
  "packages/model/src": [
    ["audit", "permissions", "profile-fields", "settings", "site", "sql"],
    ["realms"],
    ["users"],
    ["bots", "channels", "groups"],
    ["messages"],
  ],
  "packages/domain/src": [
    [
      "alert-words",
      "channels/events",
      "messages/flags",
      "messages/read/narrow",
      "messages/search",
      "sight",
    ],
    ["messages/read"],
    ["messages/marking", "messages/send"],
    [
      "messages/reactions",
      "messages/removal",
      "messages/reports",
      "messages/submessages",
      "reminders",
    ],
    ["messages/change"],
    ["channels/upkeep", "deletion", "retention"],
    ["notices", "scheduled", "typing"],
    [
      "bot-storage",
      "drafts",
      "muted-users",
      "navigation-views",
      "presence",
      "profile-fields",
      "saved-snippets",
      "user-status",
      "user-topics",
    ],
    ["channels/notices", "channels/rights"],
    ["channels/archive", "channels/create", "channels/defaults", "channels/read"],
    ["channels/update"],
    ["channels/subscriptions"],
    ["groups"],
    ["users"],
    ["bots", "settings"],
    ["realms"],
    ["channel-folders", "linkifiers", "server"],
    ["event-formats"],
    ["register/context", "register/realm"],
    ["register/sections"],
    ["register"],
  ],
};
