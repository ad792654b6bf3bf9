import type { SystemGroupName } from "./system-groups.ts";

/**
 * A permission that groups hold, as it is declared (user-groups.md §3). What an organization, a channel or a user group
 * has set it to is a group setting.
 */
export interface Permission<Name extends string = string> {
  /** As on the wire. The column that refers to its group is called so, too, with `_id`. */
  readonly name: Name;
  /** A group, or the one who creates what the permission belongs to. */
  readonly default: SystemGroupName | "creator";
  /** Where false, guests never hold the permission either. */
  readonly allowEveryone: boolean;
  readonly allowNobody: boolean;
  readonly requireSystemGroup: boolean;
  /** Where given, no other system group will do. */
  readonly allowedSystemGroups?: readonly SystemGroupName[];
  /** System groups that are refused besides. */
  readonly forbiddenSystemGroups?: readonly SystemGroupName[];
  /** Only owners may change it. */
  readonly ownersOnly?: true;
  /** For the reference: a sentence about what the rest does not tell. */
  readonly note?: string;
}

/** By their names inside of the code: those on the wire in camelCase. */
export type Permissions = Readonly<Record<string, Permission>>;

/** The names on the wire. */
export type NamesOf<Declared extends Permissions> = Declared[keyof Declared]["name"];

type Options = Partial<Omit<Permission, "name" | "default">>;

export function permission<const Name extends string>(
  name: Name,
  initial: Permission["default"],
  options: Options = {},
): Permission<Name> {
  return {
    name,
    default: initial,
    allowEveryone: false,
    allowNobody: true,
    requireSystemGroup: false,
    ...options,
  };
}
