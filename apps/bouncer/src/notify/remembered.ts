import type { Fate, Fates } from "../store/calls.ts";
import { deviceOf } from "./entries.ts";

/**
 * What became of a call's notifications when it came before. Those for one device are known by their order only, since a
 * repeat is encrypted anew. Where fewer come than before, because messages were read meanwhile, and not all had one
 * fate, nobody knows which are left: they are not handed over again.
 * @param names of the notifications that come now
 */
export function remembered(names: readonly string[], before: Fates): Fates {
  const now = countByDevice(names);
  const fates = new Map<string, Set<Fate>>();
  for (const [name, fate] of Object.entries(before)) {
    const device = deviceOf(name);
    fates.set(device, (fates.get(device) ?? new Set()).add(settled(fate)));
  }
  const then = countByDevice(Object.keys(before));
  return Object.fromEntries(
    names.flatMap((name) => {
      const device = deviceOf(name);
      const own = before[name];
      if (own === undefined) return [];
      const fewer = (now.get(device) ?? 0) < (then.get(device) ?? 0);
      const mixed = (fates.get(device)?.size ?? 0) > 1;
      return [[name, fewer && mixed ? "unsure" : settled(own)] as const];
    }),
  );
}

/** The process that was handing over is gone: nobody knows how far it came. */
function settled(fate: Fate): Fate {
  return fate === "handing" ? "unsure" : fate;
}

function countByDevice(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(deviceOf(name), (counts.get(deviceOf(name)) ?? 0) + 1);
  return counts;
}
