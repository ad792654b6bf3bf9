import {
  type LoggedFields,
  type NewEvent,
  realmPolicyUpdated,
  realmUpdated,
} from "@carillon/contract";

type Changed = LoggedFields<typeof realmUpdated>["data"];

/** What everybody is told of new settings of the organization, by their wire names; nothing where there are none. */
export function realmUpdatedEvents(data: Changed): NewEvent[] {
  if (Object.keys(data).length === 0) return [];
  return [realmUpdated({ property: "default", data })];
}

/** What everybody is told of one of the numbers that older clients know permissions by. */
export function realmPolicyEvent(property: string, value: number): NewEvent {
  return realmPolicyUpdated({ property, value });
}
