import type { Services } from "../services.ts";
import type { NotificationState } from "../store/calls.ts";
import { type KeptRegistration, type Owner, removeRegistrations } from "../store/registrations.ts";
import { type Entry, handoverOf } from "./entries.ts";

/** Notifications of a call, with their devices' registrations. */
export type Batch = ReadonlyArray<readonly [entry: Entry, registration: KeptRegistration]>;

/**
 * Hands all notifications of the batch to their providers in parallel, and removes dead registrations.
 * @returns the outcome of each notification, by name
 */
export async function handOver(
  { store, providers, log, measure }: Services,
  owner: Owner,
  batch: Batch,
): Promise<Record<string, NotificationState>> {
  const reasons = new Map<string, number>();
  const ends = await Promise.all(
    batch.map(async ([entry, registration]) => {
      const provider = providers[entry.kind];
      const outcome = provider
        ? await provider.handOver(handoverOf(entry, registration))
        : ({ kind: "undelivered", why: "no provider" } as const);
      measure?.handover(entry.kind, outcome.kind);
      if (outcome.kind !== "sent") {
        const why = `${entry.kind}: ${outcome.kind}, ${outcome.why}`;
        reasons.set(why, (reasons.get(why) ?? 0) + 1);
      }
      return [entry, registration, outcome.kind] as const;
    }),
  );
  if (reasons.size > 0)
    log.warn(
      { server: owner.serverId, counts: Object.fromEntries(reasons) },
      "providers did not accept every notification",
    );
  const dead = ends.flatMap(([{ tokenId }, { registeredAt }, state]) =>
    state === "dead" ? [{ tokenId: Buffer.from(tokenId, "base64"), registeredAt }] : [],
  );
  await removeRegistrations(store, owner, dead);
  return Object.fromEntries(ends.map(([{ name }, , state]) => [name, state]));
}
