/** Clients whose users have read what they send (scheduled-messages.md §0.6). */
const userInterfaces = new Set([
  "zulipandroid",
  "zulipios",
  "zulipdesktop",
  "zulipmobile",
  "zulipelectron",
  "zulipterminal",
  "snipe",
  "website",
  "ios",
  "android",
]);

/** Whether the sender's own copy counts as read unless the request says otherwise. */
export function isUserInterface(clientName: string): boolean {
  return userInterfaces.has(clientName.toLowerCase());
}
