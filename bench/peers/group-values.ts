/** The members of a group, or its subgroups. */
export interface Parts {
  readonly id: number;
  readonly ids: number[];
}

export type ById = ReadonlyMap<number, number[]>;

export const byId = (rows: readonly Parts[]): ById => new Map(rows.map(({ id, ids }) => [id, ids]));

/**
 * Returns a function that converts the group of a permission into the protocol's value: its id if it has a name, else
 * its members and subgroups.
 */
export function groupValues(
  named: { has(id: number): boolean },
  members: ById,
  subgroups: ById,
): (id: number) => number | object {
  return (id) =>
    named.has(id)
      ? id
      : { direct_members: members.get(id) ?? [], direct_subgroups: subgroups.get(id) ?? [] };
}
