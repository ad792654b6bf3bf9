import type { Services } from "../services.ts";
import type { Fate } from "../store/calls.ts";
import { type KeptRegistration, type Owner, removeRegistrations } from "../store/registrations.ts";
import { type Entry, handoverOf } from "./entries.ts";

/** Notifications of a call, with how their devices are reached. */
export type Batch = ReadonlyArray<readonly [entry: Entry, registration: KeptRegistration]>;

/**
 * Gives every notification of the batch to its provider, all at once, and forgets devices that are dead.
 * @returns what became of each, by its name
 */
export async function handOver(
  { store, providers, log, measure }: Services,
  owner: Owner,
  batch: Batch,
): Promise<Record<string, Fate>> {
  const whys = new Map<string, number>();
  const ends = await Promise.all(
    batch.map(async ([entry, registration]) => {
      const provider = providers[entry.kind];
      const outcome = provider
        ? await provider.handOver(handoverOf(entry, registration))
        : ({ kind: "undelivered", why: "no provider" } as const);
      measure?.handover(entry.kind, outcome.kind);
      if (outcome.kind !== "sent") {
        const why = `${entry.kind}: ${outcome.kind}, ${outcome.why}`;
        whys.set(why, (whys.get(why) ?? 0) + 1);
      }
      return [entry, registration, outcome.kind] as const;
    }),
  );
  if (whys.size > 0)
    log.warn(
      { server: owner.serverId, counts: Object.fromEntries(whys) },
      "providers did not take every notification",
    );
  const dead = ends.flatMap(([{ tokenId }, { registeredAt }, fate]) =>
    fate === "dead" ? [{ tokenId: Buffer.from(tokenId, "base64"), registeredAt }] : [],
  );
  await removeRegistrations(store, owner, dead);
  return Object.fromEntries(ends.map(([{ name }, , fate]) => [name, fate]));
}
