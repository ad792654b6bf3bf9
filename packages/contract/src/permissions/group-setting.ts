import * as z from "zod";
import { bounds } from "../primitives/bounds.ts";
import { shape } from "../primitives/shape.ts";

/** A group-setting value (user-groups.md §3): the ID of a named group, or a set of accounts and groups. */
export const groupSettingInput = z
  .union([
    shape.id,
    z.object({ direct_members: z.array(shape.id), direct_subgroups: z.array(shape.id) }),
  ])
  .refine(
    (value) =>
      typeof value === "number" ||
      value.direct_members.length + value.direct_subgroups.length <= bounds.accounts,
    `must not name more than ${bounds.accounts} accounts and groups`,
  );

/**
 * The update form (user-groups.md §3): the new value, and the one that the caller expects it to replace. A bare value
 * is refused.
 */
export const groupSettingUpdate = z.object({
  new: groupSettingInput,
  old: groupSettingInput.optional(),
});

/** A group-setting value in an answer or an event. */
export const groupSettingValue = z.union([
  z.int(),
  z.strictObject({ direct_members: z.array(z.int()), direct_subgroups: z.array(z.int()) }),
]);

/** The value of a permission on the wire (user-groups.md §3): a named group, or an anonymous group. */
export type GroupSettingValue = z.infer<typeof groupSettingValue>;

/** A set of accounts and groups. */
export type GroupParts = Exclude<GroupSettingValue, number>;

/** The form of an update: the new value, and optionally the expected old one (user-groups.md §3). */
export type GroupSettingUpdate = z.infer<typeof groupSettingUpdate>;
