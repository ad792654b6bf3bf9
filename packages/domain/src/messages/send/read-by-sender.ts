/** Programs in which a person writes; what they send they have read (scheduled-messages.md §0.6). */
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

/** Whether the sender's own copy counts as read when the request does not say. */
export function isUserInterface(clientName: string): boolean {
  return userInterfaces.has(clientName.toLowerCase());
}
