import { signal } from "@preact/signals";
import { useOrganization } from "./use-organization.ts";
import type { TimeStyle } from "../time/words.ts";

const refreshMs = 15_000;

/** Counts up while the page is open, so that all views are drawn again at once. */
const ticks = signal(0);
setInterval(() => {
  ticks.value++;
}, refreshMs);

/** Returns the server's time in seconds, and draws the view again as it passes. */
export function useNow(): number {
  void ticks.value;
  return useOrganization().clock.now();
}

/** Returns how times are written for the person, in the time zone of the account or else of the browser. */
export function useTimeStyle(): TimeStyle {
  return useOrganization().timeStyle.value;
}
