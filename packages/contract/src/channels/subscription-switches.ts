/** The properties of one's own subscription that are on or off, by the names that requests use. */
export const subscriptionSwitches = [
  "is_muted",
  "in_home_view",
  "pin_to_top",
  "desktop_notifications",
  "audible_notifications",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
] as const;
