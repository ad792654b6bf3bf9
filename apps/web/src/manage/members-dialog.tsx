import type { UserGroup } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Field } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

const t = texts.organization;
/** Maximum people in the list; the filter finds the others. */
const longest = 50;

/** Chooses the direct members of a group. */
export function MembersDialog(props: { readonly group: UserGroup; readonly onClose: () => void }) {
  const { group, onClose } = props;
  const { client, people } = useOrganization();
  const filter = useSignal("");
  const chosen = useSignal<ReadonlySet<number>>(new Set(group.members));
  const words = filter.value.toLowerCase();
  const offered = people.byId
    .all()
    .filter((one) => one.is_active && one.full_name.toLowerCase().includes(words))
    .toSorted(
      (one, other) =>
        Number(chosen.value.has(other.user_id)) - Number(chosen.value.has(one.user_id)) ||
        one.full_name.localeCompare(other.full_name),
    );

  const save = () => {
    const before = new Set(group.members);
    return client.updateUserGroupMembers({
      user_group_id: group.id,
      add: [...chosen.value].filter((id) => !before.has(id)),
      delete: group.members.filter((id) => !chosen.value.has(id)),
    });
  };

  return (
    <FormDialog
      title={t.membersOf(group.name)}
      submit={texts.common.save}
      onClose={onClose}
      onSubmit={save}
    >
      <Field
        label={t.filter}
        name="filter"
        value={filter.value}
        onInput={(value) => {
          filter.value = value;
        }}
      />
      <fieldset class="choices long-choices">
        <legend>{t.people}</legend>
        {offered.slice(0, longest).map(({ user_id: id, full_name: name }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={chosen.value.has(id)}
              onChange={() => {
                const next = new Set(chosen.value);
                if (!next.delete(id)) next.add(id);
                chosen.value = next;
              }}
            />{" "}
            <bdi>{name}</bdi>
          </label>
        ))}
      </fieldset>
      {offered.length > longest && <p class="hint">{t.moreFound(offered.length - longest)}</p>}
    </FormDialog>
  );
}
