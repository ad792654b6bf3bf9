import type { UserVisibility } from "./world.ts";

/** Everything that people have been called and have said of themselves so far: what was once theirs is not told either. */
export class KnownSecrets {
  readonly #byPerson = new Map<number, Set<string>>();

  learn({ people }: UserVisibility): void {
    for (const { id, secrets } of people.values()) {
      const own = this.#byPerson.get(id) ?? new Set();
      for (const secret of secrets) own.add(secret);
      this.#byPerson.set(id, own);
    }
  }

  /** Of those whom the viewer has not seen at any of the moments. */
  hiddenFrom(viewer: number, moments: readonly UserVisibility[]): ReadonlyMap<number, Set<string>> {
    return new Map(
      [...this.#byPerson].filter(([id]) => !moments.some((moment) => moment.sees(viewer, id))),
    );
  }
}
