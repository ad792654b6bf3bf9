import type { Formatter } from "./delivery.ts";

/** What the log keeps beside the fields of the wire, of every `user_group` event. */
interface LoggedGroupChange {
  /** true for a change to a group that is deactivated, before and after. */
  readonly deactivated?: boolean;
}

/** `user_group`: what happens to a deactivated group is told only to clients that know such groups. */
export const formatGroupChange: Formatter = (delivery) => {
  const { deactivated, ...fields } = delivery.fields() as LoggedGroupChange;
  return deactivated && !delivery.has("include_deactivated_groups") ? [] : [delivery.with(fields)];
};

interface LoggedGroupUpdate extends LoggedGroupChange {
  readonly group_id: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** When a group is reactivated: the whole group, for clients that did not have it. */
  readonly group?: object;
}

/**
 * `user_group/update`: for clients that do not know deactivated groups, deactivation is the group's end and
 * reactivation a new group.
 */
export const formatGroupUpdate: Formatter = (delivery) => {
  const { group, deactivated, ...fields } = delivery.fields() as unknown as LoggedGroupUpdate;
  if (delivery.has("include_deactivated_groups")) return [delivery.with(fields)];
  const change = fields.data["deactivated"];
  if (change === undefined) return deactivated ? [] : [delivery.with(fields)];
  if (change === true) return [delivery.with({ group_id: fields.group_id }, "remove")];
  return group ? [delivery.with({ group }, "add")] : [];
};
