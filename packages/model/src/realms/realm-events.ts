import {
  type LoggedFields,
  type NewEvent,
  realmPropertyUpdated,
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
  return realmPropertyUpdated({ property, value });
}

/** What the push bouncer says of an organization. */
export interface PushStatus {
  /** Whether it pushes for the organization. */
  readonly enabled: boolean;
  /** UNIX seconds after which it will not; null where no end is known. */
  readonly endsAt: number | null;
}

/** What everybody is told where the push bouncer says something else than before. */
export function pushStatusEvents(before: PushStatus, now: PushStatus): NewEvent[] {
  const events: NewEvent[] = [];
  if (before.enabled !== now.enabled)
    events.push(
      realmPropertyUpdated({ property: "push_notifications_enabled", value: now.enabled }),
    );
  if (before.endsAt !== now.endsAt)
    events.push(
      realmPropertyUpdated({
        property: "push_notifications_enabled_end_timestamp",
        value: now.endsAt,
      }),
    );
  return events;
}
