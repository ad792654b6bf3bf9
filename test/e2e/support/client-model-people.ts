import type { ModelState } from "./client-model-state.ts";
import { changeProfile } from "./client-model-profiles.ts";
import { addOnce, take, without, type Item } from "./client-model-lists.ts";

type Appliers = Readonly<Record<string, (event: Item) => void>>;

/** The name of a placeholder for a hidden account. */
export const unknownName = "Unknown user";

/**
 * The state of accounts and groups that a client builds from events.
 * @param listIsIncomplete whether it omits placeholders for hidden accounts
 * @param reactivated gets the accounts that events reactivate
 */
export function peopleAppliers(
  state: ModelState,
  listIsIncomplete: boolean,
  reactivated: Set<number>,
): Appliers {
  const personOf = (id: unknown): Item => {
    const users = [...state.realm_users, ...state.realm_non_active_users];
    const person = users.find(({ user_id }) => user_id === id);
    if (!person) throw new Error(`there is no user ${String(id)}`);
    return person;
  };
  const groupOf = (groupId: unknown): Item => {
    const group = state.realm_user_groups.find(({ id }) => id === groupId);
    if (!group) throw new Error(`there is no group ${String(groupId)}`);
    return group;
  };
  const changeMembers = ({ group_id, user_ids }: Item, sign: 1 | -1) => {
    const group = groupOf(group_id);
    group["members"] = changedIds(group["members"], user_ids, sign, "member");
  };
  const changeSubgroups = ({ group_id, direct_subgroup_ids: ids }: Item, sign: 1 | -1) => {
    const group = groupOf(group_id);
    group["direct_subgroup_ids"] = changedIds(group["direct_subgroup_ids"], ids, sign, "subgroup");
  };
  const activate = (id: unknown, isActive: boolean) => {
    const { realm_users, realm_non_active_users } = state;
    const [from, to] = isActive
      ? [realm_non_active_users, realm_users]
      : [realm_users, realm_non_active_users];
    to.push(take(from, "user_id", id));
    // Members and anonymous groups contain active accounts only; no event lists each change (user-groups.md §2, §6).
    if (isActive) reactivated.add(id as number);
    else forget(state, id as number);
  };
  return {
    "realm_user/add": (event) => {
      const person = without(event["person"] as Item, "is_active");
      // Replaces a placeholder.
      const at = state.realm_users.findIndex(
        ({ user_id, full_name }) => user_id === person["user_id"] && full_name === unknownName,
      );
      if (at >= 0) state.realm_users.splice(at, 1);
      addOnce(state.realm_users, person, "user_id");
    },
    "realm_user/remove": (event) => {
      const { user_id: id } = event["person"] as Item;
      const list = [state.realm_users, state.realm_non_active_users].find((users) =>
        users.some(({ user_id }) => user_id === id),
      );
      take(list ?? state.realm_users, "user_id", id);
      delete state.user_status[String(id)];
      if (!listIsIncomplete) state.realm_users.push({ user_id: id, full_name: unknownName });
    },
    "realm_user/update": (event) => {
      const {
        user_id: id,
        new_email,
        is_active,
        custom_profile_field: profile,
        ...change
      } = event["person"] as Item;
      const person = personOf(id);
      if (profile !== undefined) changeProfile(person, profile as Item);
      if (is_active !== undefined) activate(id, is_active === true);
      const { role } = change;
      const isOwn = id === state.user_id;
      const changed: Item = {
        ...change,
        ...(new_email === undefined ? {} : { email: new_email }),
        ...(role === undefined ? {} : kindsOf(role as number)),
      };
      // The account's own fields are stored beside the lists, too. Neither place has all fields of the event.
      for (const object of [person, ...(isOwn ? [state] : [])])
        for (const [field, value] of Object.entries(changed))
          if (field in object) object[field] = value;
    },
    "realm_bot/add": (event) => {
      addOnce(state.realm_bots, event["bot"] as Item, "user_id");
    },
    "realm_bot/update": (event) => {
      const bot = event["bot"] as Item;
      const known = state.realm_bots.find(({ user_id }) => user_id === bot["user_id"]);
      if (!known) throw new Error(`there is no bot ${String(bot["user_id"])}`);
      Object.assign(known, bot);
    },
    "realm_bot/delete": (event) => {
      take(state.realm_bots, "user_id", (event["bot"] as Item)["user_id"]);
    },
    "user_group/add": (event) => {
      addOnce(state.realm_user_groups, event["group"] as Item, "id");
    },
    "user_group/remove": ({ group_id }) => void take(state.realm_user_groups, "id", group_id),
    "user_group/update": ({ group_id, data }) => void Object.assign(groupOf(group_id), data),
    "user_group/add_members": (event) => changeMembers(event, 1),
    "user_group/remove_members": (event) => changeMembers(event, -1),
    "user_group/add_subgroups": (event) => changeSubgroups(event, 1),
    "user_group/remove_subgroups": (event) => changeSubgroups(event, -1),
    user_status: (event) => {
      const key = String(event["user_id"]);
      const changed = without(event, "type", "id", "user_id") as Record<string, string>;
      const status = { ...state.user_status[key], ...changed };
      if (changed["emoji_name"] === "")
        for (const field of ["emoji_name", "emoji_code", "reaction_type"]) delete status[field];
      if (changed["status_text"] === "") delete status["status_text"];
      if (Object.keys(status).length > 0) state.user_status[key] = status;
      else delete state.user_status[key];
    },
    presence: ({ user_id, presences }) => {
      for (const id of presences ? Object.keys(presences) : [user_id]) personOf(Number(id));
    },
    "typing/start": ({ sender }) => void personOf((sender as Item)["user_id"]),
    "typing/stop": ({ sender }) => void personOf((sender as Item)["user_id"]),
    "typing_edit_message/start": ({ sender_id }) => void personOf(sender_id),
    "typing_edit_message/stop": ({ sender_id }) => void personOf(sender_id),
  };
}

function kindsOf(role: number): Item {
  return {
    role,
    is_owner: role === 100,
    is_admin: role <= 200,
    is_moderator: role === 300,
    is_guest: role === 600,
  };
}

/** Removes an account from every list of members and every anonymous group. */
function forget(state: ModelState, userId: number): void {
  const channels = [
    ...state.streams,
    ...state.subscriptions,
    ...state.unsubscribed,
    ...state.never_subscribed,
  ];
  // Not every client asks for series.
  const series: readonly Item[] | undefined = state.message_series;
  const owners = [...channels, ...state.realm_user_groups, ...(series ?? [])];
  for (const object of [state, ...owners])
    for (const [name, value] of Object.entries(object)) {
      if (name === "members") object[name] = others(value as number[], userId);
      else if (isSet(value))
        object[name] = { ...value, direct_members: others(value.direct_members, userId) };
    }
}

export function isSet(value: unknown): value is { direct_members: number[] } {
  return typeof value === "object" && value !== null && "direct_members" in value;
}

function others(ids: readonly number[], userId: number): number[] {
  return ids.filter((id) => id !== userId);
}

/** Changes a list. @throws Error if an added item exists or a removed one does not */
export function changedIds(before: unknown, ids: unknown, sign: 1 | -1, what: string): number[] {
  const list = before as number[];
  const known = new Set(list);
  for (const id of ids as number[])
    if (known.has(id) === (sign === 1))
      throw new Error(`${id} is ${sign === 1 ? "" : "not "}a ${what} already`);
  return sign === 1
    ? [...list, ...(ids as number[])]
    : list.filter((id) => !(ids as number[]).includes(id));
}
