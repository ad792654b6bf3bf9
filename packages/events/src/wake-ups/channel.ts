/** The channel of wake-ups; the message is an organization's id. */
export const wakeUpChannel = "carillon_events";

/** Returns the organization's id in a message; undefined if it is not one. */
export function realmOf(message: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(message) ? Number(message) : undefined;
}
