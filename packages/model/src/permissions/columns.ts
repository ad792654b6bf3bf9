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
