import type { SnapshotLists, Snapshot } from "@carillon/client";
import { Keyed } from "./keyed.ts";
import { roles } from "./roles.ts";
import type { Area, OrganizationEvent } from "./events.ts";

/** An account of the organization. */
export type Person = NonNullable<SnapshotLists["realm_users"]>[number] & {
  readonly is_active: boolean;
};

/** The accounts of the organization. */
export class People implements Area {
  readonly byId = new Keyed<number, Person>();

  load(snapshot: Snapshot): void {
    const lists = [
      { list: snapshot.realm_users, is_active: true },
      { list: snapshot.realm_non_active_users, is_active: false },
      { list: snapshot["cross_realm_bots"] as SnapshotLists["realm_users"], is_active: true },
    ];
    this.byId.replace(
      lists.flatMap(({ list = [], is_active }) =>
        list.map((person) => [person.user_id, { ...person, is_active }] as const),
      ),
    );
  }

  apply(event: OrganizationEvent): void {
    if (event.type !== "realm_user") return;
    const { person } = event;
    if (event.op === "add") this.byId.set(person.user_id, { ...event.person, is_active: true });
    else if (event.op === "remove") this.byId.delete(person.user_id);
    else this.byId.patch(person.user_id, changesOf(event.person));
  }

  nameOf(id: number): string | undefined {
    return this.byId.get(id)?.full_name;
  }
}

type Change = Extract<OrganizationEvent, { type: "realm_user"; op: "update" }>["person"];

function changesOf(person: Change): Partial<Person> {
  const { user_id: _, ...changes } = person;
  if ("new_email" in changes) return { email: changes.new_email };
  if ("custom_profile_field" in changes) return {};
  if ("role" in changes) {
    const { role } = changes;
    return {
      role,
      is_owner: role === roles.owner,
      is_admin: role <= roles.administrator,
      is_guest: role === roles.guest,
    };
  }
  return changes;
}
