import { notificationSounds } from "./registry.ts";

/** What clients offer for settings, sent beside them (settings-and-profile-fields.md §1.2). */
export const settingChoices = {
  emojiset_choices: [
    { key: "google", text: "Google" },
    { key: "twitter", text: "Twitter" },
    { key: "text", text: "Plain text" },
  ],
  available_notification_sounds: notificationSounds,
};
