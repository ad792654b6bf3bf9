/** What a group consists of: its members, or its subgroups. */
export interface Parts {
  readonly id: number;
  readonly ids: number[];
}

export type ById = ReadonlyMap<number, number[]>;

export const byId = (rows: readonly Parts[]): ById => new Map(rows.map(({ id, ids }) => [id, ids]));

/** How a group is shown that is the value of a permission: by its id if it has a name, else by what it consists of. */
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
