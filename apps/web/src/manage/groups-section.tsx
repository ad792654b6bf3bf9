import type { UserGroup } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import type { MenuItem } from "../ui/menu.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { actionsColumn } from "./actions-column.tsx";
import { FilteredTable } from "../ui/filtered-table.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { nameOfGroup } from "./group-setting.ts";
import { MembersDialog } from "./members-dialog.tsx";
import { NameFields, namesOf } from "./name-fields.tsx";
import { useAction } from "../ui/use-action.ts";
import { useLoaded } from "../ui/use-loaded.ts";

const t = texts.organization;

type OpenDialog =
  | { readonly what: "create" }
  | { readonly what: "rename" | "members" | "deactivate"; readonly group: UserGroup };

/** The groups of people, to which permissions are given and which messages mention. */
export function GroupsSection() {
  const { client } = useOrganization();
  const list = useLoaded(
    async () => (await client.listUserGroups({ include_deactivated_groups: true })).user_groups,
    ["user_group"],
  );
  const dialog = useSignal<OpenDialog | undefined>(undefined);
  const reactivation = useAction();

  const itemsOf = (group: UserGroup): MenuItem[] => {
    if (group.is_system_group) return [];
    const ask = (what: "rename" | "members" | "deactivate") => () => {
      dialog.value = { what, group };
    };
    if (group.deactivated)
      return [
        {
          label: t.reactivate,
          onChoose: () =>
            void reactivation.run(() =>
              client.updateUserGroup({ user_group_id: group.id, deactivated: false }),
            ),
        },
      ];
    return [
      { label: t.members, onChoose: ask("members") },
      { label: texts.common.edit, onChoose: ask("rename") },
      { label: t.deactivate, danger: true, onChoose: ask("deactivate") },
    ];
  };

  return (
    <>
      <FilteredTable
        caption={t.groups}
        empty={t.noGroups}
        rows={list.value}
        problem={list.problem ?? reactivation.problem}
        keyOf={(group) => group.id}
        wordsOf={(group) => [nameOfGroup(group), group.description]}
        columns={[
          {
            title: t.name,
            cell: (group) => (
              <>
                <bdi>{nameOfGroup(group)}</bdi>
                {group.deactivated && <span class="tag">{texts.common.deactivated}</span>}
              </>
            ),
          },
          { title: t.description, cell: (group) => <bdi>{group.description}</bdi> },
          { title: t.members, cell: (group) => group.members.length },
          actionsColumn((group) => group.name, itemsOf),
        ]}
      >
        <Button
          kind="primary"
          onClick={() => {
            dialog.value = { what: "create" };
          }}
        >
          {t.createGroup}
        </Button>
      </FilteredTable>
      {dialog.value && (
        <GroupDialog
          dialog={dialog.value}
          onClose={() => {
            dialog.value = undefined;
          }}
        />
      )}
    </>
  );
}

function GroupDialog({
  dialog,
  onClose,
}: {
  readonly dialog: OpenDialog;
  readonly onClose: () => void;
}) {
  const { client, me } = useOrganization();
  if (dialog.what === "create")
    return (
      <FormDialog
        title={t.createGroup}
        submit={t.create}
        onClose={onClose}
        onSubmit={(form) => client.createUserGroup({ ...namesOf(form), members: [me] })}
      >
        <NameFields />
      </FormDialog>
    );
  const { group } = dialog;
  switch (dialog.what) {
    case "rename":
      return (
        <FormDialog
          title={texts.common.edit}
          submit={texts.common.save}
          onClose={onClose}
          onSubmit={(form) => client.updateUserGroup({ user_group_id: group.id, ...namesOf(form) })}
        >
          <NameFields name={group.name} description={group.description} />
        </FormDialog>
      );
    case "members":
      return <MembersDialog group={group} onClose={onClose} />;
    case "deactivate":
      return (
        <ConfirmDialog
          title={t.deactivateTitle(group.name)}
          submit={t.deactivate}
          onClose={onClose}
          onConfirm={() => client.deactivateUserGroup({ user_group_id: group.id })}
        >
          {t.deactivateGroupHint}
        </ConfirmDialog>
      );
  }
}
