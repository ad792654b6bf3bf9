import { useSignal } from "@preact/signals";
import { textOf } from "../forms.ts";
import type { Person } from "../store/people.ts";
import type { Role } from "../store/roles.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Field } from "../ui/field.tsx";
import type { MenuItem } from "../ui/menu.tsx";
import { Select } from "../ui/select.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { actionsColumn } from "./actions-column.tsx";
import { FilteredTable } from "../ui/filtered-table.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { roleOf, roleOptions } from "./role-options.ts";
import { useAction } from "../ui/use-action.ts";
import { type Status, StatusSelect } from "./status-select.tsx";

const t = texts.organization;

type OpenDialog = { readonly what: "rename" | "role" | "deactivate"; readonly person: Person };

/** The people of the organization: their roles, and who is deactivated. */
export function PeopleSection() {
  const { client, people } = useOrganization();
  const status = useSignal<Status>("active");
  const dialog = useSignal<OpenDialog | undefined>(undefined);
  const reactivation = useAction();
  const rows = people.byId
    .all()
    .filter((one) => !one.is_bot && one.is_active === (status.value === "active"))
    .toSorted((one, other) => one.full_name.localeCompare(other.full_name));

  const itemsOf = (person: Person): MenuItem[] => {
    const ask = (what: OpenDialog["what"]) => () => {
      dialog.value = { what, person };
    };
    if (!person.is_active)
      return [
        {
          label: t.reactivate,
          onChoose: () =>
            void reactivation.run(() => client.reactivateUser({ user_id: person.user_id })),
        },
      ];
    return [
      { label: t.changeRole, onChoose: ask("role") },
      { label: t.rename, onChoose: ask("rename") },
      { label: t.deactivate, danger: true, onChoose: ask("deactivate") },
    ];
  };

  return (
    <>
      <FilteredTable
        caption={t.people}
        empty={t.nobody}
        rows={rows}
        problem={reactivation.problem}
        keyOf={(person) => person.user_id}
        wordsOf={(person) => [person.full_name, addressOf(person), roleOf(person.role)]}
        columns={[
          { title: t.name, cell: (person) => <bdi>{person.full_name}</bdi> },
          { title: texts.common.email, cell: (person) => <bdi>{addressOf(person)}</bdi> },
          { title: texts.common.role, cell: (person) => roleOf(person.role) },
          actionsColumn((person) => person.full_name, itemsOf),
        ]}
      >
        <StatusSelect
          value={status.value}
          inactive={texts.common.deactivated}
          onChange={(value) => {
            status.value = value;
          }}
        />
      </FilteredTable>
      {dialog.value && (
        <PersonDialog
          {...dialog.value}
          onClose={() => {
            dialog.value = undefined;
          }}
        />
      )}
    </>
  );
}

function PersonDialog({ what, person, onClose }: OpenDialog & { readonly onClose: () => void }) {
  const { client } = useOrganization();
  const { user_id, full_name } = person;
  switch (what) {
    case "rename":
      return (
        <FormDialog
          title={t.rename}
          submit={texts.common.save}
          onClose={onClose}
          onSubmit={(form) => client.updateUser({ user_id, full_name: textOf(form, "full_name") })}
        >
          <Field label={t.name} name="full_name" value={full_name} required maxLength={100} />
        </FormDialog>
      );
    case "role":
      return (
        <FormDialog
          title={t.roleOf(full_name)}
          submit={texts.common.save}
          onClose={onClose}
          onSubmit={(form) =>
            client.updateUser({ user_id, role: Number(textOf(form, "role")) as Role })
          }
        >
          <Select
            label={texts.common.role}
            name="role"
            value={String(person.role)}
            options={roleOptions}
          />
        </FormDialog>
      );
    case "deactivate":
      return (
        <ConfirmDialog
          title={t.deactivateTitle(full_name)}
          submit={t.deactivate}
          onClose={onClose}
          onConfirm={() => client.deactivateUser({ user_id })}
        >
          {t.deactivateHint}
        </ConfirmDialog>
      );
  }
}

function addressOf({ delivery_email, email }: Person): string {
  return delivery_email ?? email;
}
