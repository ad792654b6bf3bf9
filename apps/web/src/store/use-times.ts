import { signal } from "@preact/signals";
import { useOrganization } from "./use-organization.ts";
import type { TimeStyle } from "../time/words.ts";

const refreshMs = 15_000;

/** Counts up every 15 seconds. All views that show the current time depend on it, so they redraw together. */
const ticks = signal(0);
setInterval(() => {
  ticks.value++;
}, refreshMs);

/** Returns the server's time in seconds since the epoch, and redraws the component every 15 seconds. */
export function useNow(): number {
  void ticks.value;
  return useOrganization().clock.now();
}

/** Returns how times are written for the account. */
export function useTimeStyle(): TimeStyle {
  return useOrganization().timeStyle.value;
}
