import type { UserVisibility } from "./world.ts";

/** All names and texts of people so far: former ones must not be revealed either. */
export class KnownSecrets {
  readonly #byPerson = new Map<number, Set<string>>();

  learn({ people }: UserVisibility): void {
    for (const { id, secrets } of people.values()) {
      const own = this.#byPerson.get(id) ?? new Set();
      for (const secret of secrets) own.add(secret);
      this.#byPerson.set(id, own);
    }
  }

  /** The secrets of accounts that the viewer saw at none of these moments. */
  hiddenFrom(viewer: number, moments: readonly UserVisibility[]): ReadonlyMap<number, Set<string>> {
    return new Map(
      [...this.#byPerson].filter(([id]) => !moments.some((moment) => moment.sees(viewer, id))),
    );
  }
}
