/** The channel of wake-ups; an organization's id is the message. */
export const wakeUpChannel = "carillon_events";

/** The organization that a message names; undefined where it is none. */
export function realmOf(message: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(message) ? Number(message) : undefined;
}
