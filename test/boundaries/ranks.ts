/**
 * The folders of a package, and the files directly in it, from the lowest rank to the highest: a line may import the lines
 * above it in this list, and nothing of its own line. A new folder takes its place here.
 */
export const ranks: Readonly<Record<string, ReadonlyArray<readonly string[]>>> = {
  "packages/model/src": [
    ["audit", "folding", "permissions", "profile-fields", "push", "settings", "site", "sql"],
    ["realms"],
    ["users"],
    ["bots", "channels", "groups"],
    ["messages"],
  ],
  "packages/domain/src": [
    [
      "alert-words",
      "batches",
      "bot-storage",
      "channel-events",
      "drafts",
      "messages/read/narrow",
      "messages/search",
      "muted-users",
      "navigation-views",
      "notifications",
      "presence",
      "push/devices",
      "reordering",
      "saved-snippets",
      "sight",
      "user-status",
      "user-topics",
    ],
    [
      "channel-folders",
      "linkifiers",
      "messages/flags",
      "messages/read",
      "messages/send",
      "profile-fields",
      "push/bouncer",
    ],
    [
      "event-formats",
      "messages",
      "messages/marking",
      "messages/removal",
      "notices",
      "reminders",
      "typing",
    ],
    ["channels", "deletion", "groups", "messages/change", "retention", "scheduled"],
    ["users"],
    ["bots", "realms", "server", "settings"],
    ["operators", "register/sections"],
    ["register"],
  ],
};
