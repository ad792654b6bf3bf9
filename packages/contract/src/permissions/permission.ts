import type { SystemGroupName } from "./system-groups.ts";

/**
 * A permission that groups hold, as it is declared (user-groups.md §3). The value that an organization, a channel or a
 * user group has given it is a group setting.
 */
export interface Permission<Name extends string = string> {
  /** The name on the wire. The column that refers to its group is NAME_id. */
  readonly name: Name;
  /** A group, or the creator of the object. */
  readonly default: SystemGroupName | "creator";
  /** If false, guests never hold the permission either. */
  readonly allowEveryone: boolean;
  readonly allowNobody: boolean;
  readonly requireSystemGroup: boolean;
  /** If given, other system groups are refused. */
  readonly allowedSystemGroups?: readonly SystemGroupName[];
  /** System groups that are also refused. */
  readonly forbiddenSystemGroups?: readonly SystemGroupName[];
  /** Only owners may change it. */
  readonly ownersOnly?: true;
  /** One more sentence for the reference. */
  readonly note?: string;
}

/** By their names in code: the names on the wire in camelCase. */
export type Permissions = Readonly<Record<string, Permission>>;

/** The names on the wire. */
export type NamesOf<Declared extends Permissions> = Declared[keyof Declared]["name"];

type Options = Partial<Omit<Permission, "name" | "default">>;

/** Declares a permission of groups, with its wire name and the group that new rows have. */
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
