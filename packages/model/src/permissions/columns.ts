import type { Permission, Permissions } from "@carillon/contract";

/** The column that refers to the group of a permission. */
export function columnOf({ name }: Permission): string {
  return `${name}_id`;
}

/** The columns of all the permissions, in their order. */
export function columnsOf(permissions: Permissions): string[] {
  return Object.values(permissions).map(columnOf);
}

/** The groups of all the permissions of a row as one JSON object, by the permissions' names inside of the code. */
export function groupsObject(permissions: Permissions): string {
  const fields = Object.entries(permissions).map(
    ([key, permission]) => `'${key}', ${columnOf(permission)}`,
  );
  return `json_build_object(${fields.join(", ")})`;
}

/** The groups of permissions under the names that columns have in the code: `canJoinGroupId` for `canJoinGroup`. */
export function groupIds<Key extends string>(
  groups: Readonly<Record<Key, number>>,
): Record<`${Key}Id`, number> {
  const ids = Object.entries<number>(groups).map(([key, group]) => [`${key}Id`, group]);
  return Object.fromEntries(ids) as Record<`${Key}Id`, number>;
}
