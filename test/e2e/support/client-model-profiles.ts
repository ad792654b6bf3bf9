import type { ModelState } from "./client-model-state.ts";
import type { Item } from "./client-model-lists.ts";

type Values = Record<string, { readonly value: string; readonly rendered_value?: string }>;

/** Applies a `realm_user` event of a person's custom profile field. */
export function changeProfile(person: Item, changed: Item): void {
  const { id, ...value } = changed as { id: number; value: string | null; rendered_value?: string };
  const values = person["profile_data"] as Values;
  const before = values[id]?.value ?? null;
  if (before === value.value) throw new Error(`field ${id} says ${before ?? "nothing"} already`);
  if (value.value === null) delete values[id];
  else values[id] = value as Values[string];
}

const dropdown = 3;

/** No event lists the values that are deleted with a field or a choice. */
export function forgetProfileValues(state: ModelState): void {
  const fields = new Map(state.custom_profile_fields.map((field) => [String(field["id"]), field]));
  const isLeft = (id: string, value: string) => {
    const field = fields.get(id);
    return field?.["type"] === dropdown
      ? Object.hasOwn(JSON.parse(String(field["field_data"])) as object, value)
      : field !== undefined;
  };
  for (const { profile_data } of [...state.realm_users, ...state.realm_non_active_users])
    for (const [id, { value }] of Object.entries((profile_data ?? {}) as Values))
      if (!isLeft(id, value)) delete (profile_data as Values)[id];
}
