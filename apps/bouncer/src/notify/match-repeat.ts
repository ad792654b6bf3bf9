import type { NotificationState, NotificationStates } from "../store/calls.ts";
import { deviceOf } from "./entries.ts";

/**
 * Matches a repeated call's notifications with the outcomes of the first try. Notifications for one device match by their
 * order, because the repeat encrypts them again. A device may have fewer notifications than before, if messages were read
 * in the meantime. If its outcomes also differ, they cannot be matched: they count as `unsure` and are not sent again.
 * @param names names of the repeated call's notifications
 */
export function matchRepeat(
  names: readonly string[],
  before: NotificationStates,
): NotificationStates {
  const now = countByDevice(names);
  const states = new Map<string, Set<NotificationState>>();
  for (const [name, state] of Object.entries(before)) {
    const device = deviceOf(name);
    states.set(device, (states.get(device) ?? new Set()).add(settled(state)));
  }
  const then = countByDevice(Object.keys(before));
  return Object.fromEntries(
    names.flatMap((name) => {
      const device = deviceOf(name);
      const own = before[name];
      if (own === undefined) return [];
      const fewer = (now.get(device) ?? 0) < (then.get(device) ?? 0);
      const mixed = (states.get(device)?.size ?? 0) > 1;
      return [[name, fewer && mixed ? "unsure" : settled(own)] as const];
    }),
  );
}

/** Returns the outcome of a notification; unknown (`unsure`) if the process died while it handed the notification over. */
function settled(state: NotificationState): NotificationState {
  return state === "handing" ? "unsure" : state;
}

function countByDevice(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(deviceOf(name), (counts.get(deviceOf(name)) ?? 0) + 1);
  return counts;
}
