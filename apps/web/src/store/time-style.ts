import { computed, type ReadonlySignal } from "@preact/signals";
import type { People } from "./people.ts";
import type { Settings } from "./settings.ts";
import type { TimeStyle } from "../time/words.ts";
import { isZone } from "../time/zones.ts";

/** Computes how times are written for an account: in its time zone, or the browser's if it has none, with 12 or 24 hours. */
export function timeStyleOf(
  people: People,
  settings: Settings,
  me: number,
): ReadonlySignal<TimeStyle> {
  // A separate computed value, so that changes of other people do not redraw all messages.
  const zone = computed(() => {
    const own = people.byId.get(me)?.timezone ?? "";
    return isZone(own) ? own : Intl.DateTimeFormat().resolvedOptions().timeZone;
  });
  const hasTwentyFourHours = computed(() => settings.own.get("twenty_four_hour_time") === true);
  return computed(() => ({
    zone: zone.value,
    // The texts are English, and so are the times in them.
    locale: navigator.language.startsWith("en") ? navigator.language : "en-GB",
    twentyFourHours: hasTwentyFourHours.value,
  }));
}
