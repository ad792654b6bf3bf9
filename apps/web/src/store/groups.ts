import type { Snapshot, UserGroup } from "@carillon/client";
import type { Area, OrganizationEvent } from "./events.ts";
import { Keyed } from "./keyed.ts";

type Change = Extract<OrganizationEvent, { type: "user_group" }>;

/** The groups of the organization. */
export class Groups implements Area {
  readonly byId = new Keyed<number, UserGroup>();

  load({ realm_user_groups: groups = [] }: Snapshot): void {
    this.byId.replace(groups.map((group) => [group.id, group]));
  }

  apply(event: OrganizationEvent): void {
    if (event.type !== "user_group") return;
    if (event.op === "add") this.byId.set(event.group.id, event.group);
    else if (event.op === "remove") this.byId.delete(event.group_id);
    else if (event.op === "update") this.byId.patch(event.group_id, event.data);
    else this.#changeMembers(event);
  }

  /** Returns whether an account is in a group, directly or by its subgroups. */
  has(groupId: number, userId: number, seen = new Set<number>()): boolean {
    if (seen.has(groupId)) return false;
    seen.add(groupId);
    const group = this.byId.get(groupId);
    if (!group) return false;
    return (
      group.members.includes(userId) ||
      group.direct_subgroup_ids.some((id) => this.has(id, userId, seen))
    );
  }

  #changeMembers(event: Exclude<Change, { op: "add" | "remove" | "update" }>): void {
    const group = this.byId.get(event.group_id);
    if (!group) return;
    if (event.op === "add_members" || event.op === "remove_members")
      this.byId.patch(group.id, {
        members: changed(group.members, event.user_ids, event.op === "add_members"),
      });
    else
      this.byId.patch(group.id, {
        direct_subgroup_ids: changed(
          group.direct_subgroup_ids,
          event.direct_subgroup_ids,
          event.op === "add_subgroups",
        ),
      });
  }
}

function changed(ids: readonly number[], given: readonly number[], isAdded: boolean): number[] {
  const rest = ids.filter((id) => !given.includes(id));
  return isAdded ? [...rest, ...given] : rest;
}
