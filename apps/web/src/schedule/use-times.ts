import { signal } from "@preact/signals";
import { useOrganization } from "../store/use-organization.ts";
import type { Organization } from "../store/organization.ts";
import type { TimeStyle } from "./words.ts";
import { isZone } from "./zones.ts";

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
  return timeStyleOf(useOrganization());
}

function timeStyleOf({ people, settings, me }: Organization): TimeStyle {
  const zone = people.byId.get(me)?.timezone ?? "";
  return {
    zone: isZone(zone) ? zone : Intl.DateTimeFormat().resolvedOptions().timeZone,
    // The texts are English, and so are the times in them.
    locale: navigator.language.startsWith("en") ? navigator.language : "en-GB",
    twentyFourHours: settings.own.get("twenty_four_hour_time") === true,
  };
}
