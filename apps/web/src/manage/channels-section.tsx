import type { Channel } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { textOf } from "../forms.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import type { MenuItem } from "../ui/menu.tsx";
import { Select } from "../ui/select.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { actionsColumn } from "./actions-column.tsx";
import { FilteredTable } from "../ui/filtered-table.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { NameFields, namesOf } from "./name-fields.tsx";
import { useAction } from "../ui/use-action.ts";
import { type Status, StatusSelect } from "./status-select.tsx";

const t = texts.organization;

type OpenDialog =
  | { readonly what: "create" }
  | { readonly what: "edit" | "archive"; readonly channel: Channel };

/** The channels that the account can see, archived ones among them. */
export function ChannelsSection() {
  const { client, channels } = useOrganization();
  const dialog = useSignal<OpenDialog | undefined>(undefined);
  const status = useSignal<Status>("active");
  const change = useAction();
  const rows = channels.byId
    .all()
    .filter(({ is_archived }) => is_archived === (status.value === "inactive"))
    .toSorted((one, other) => one.name.localeCompare(other.name));

  const itemsOf = (channel: Channel): MenuItem[] => {
    const { stream_id } = channel;
    const ask = (what: "edit" | "archive") => () => {
      dialog.value = { what, channel };
    };
    if (channel.is_archived)
      return [
        {
          label: t.unarchive,
          onChoose: () =>
            void change.run(() => client.updateChannel({ stream_id, is_archived: false })),
        },
      ];
    return [
      { label: texts.common.edit, onChoose: ask("edit") },
      { label: t.archive, danger: true, onChoose: ask("archive") },
    ];
  };

  return (
    <>
      <FilteredTable
        caption={t.channels}
        empty={t.noChannels}
        rows={rows}
        problem={change.problem}
        keyOf={(channel) => channel.stream_id}
        wordsOf={(channel) => [channel.name, channel.description, privacyOf(channel)]}
        columns={[
          { title: t.name, cell: (channel) => <bdi>{channel.name}</bdi> },
          { title: t.description, cell: (channel) => <bdi>{channel.description}</bdi> },
          { title: t.access, cell: privacyOf },
          { title: t.subscribers, cell: (channel) => channel.subscriber_count },
          actionsColumn((channel) => channel.name, itemsOf),
        ]}
      >
        <StatusSelect
          value={status.value}
          inactive={t.archived}
          onChange={(value) => {
            status.value = value;
          }}
        />
        <Button
          kind="primary"
          onClick={() => {
            dialog.value = { what: "create" };
          }}
        >
          {t.createChannel}
        </Button>
      </FilteredTable>
      {dialog.value && (
        <ChannelDialog
          dialog={dialog.value}
          onClose={() => {
            dialog.value = undefined;
          }}
        />
      )}
    </>
  );
}

function ChannelDialog({
  dialog,
  onClose,
}: {
  readonly dialog: OpenDialog;
  readonly onClose: () => void;
}) {
  const { client, channels, me } = useOrganization();
  const folders = [
    { value: "", label: texts.common.none },
    ...channels.folders
      .all()
      .filter(({ is_archived }) => !is_archived)
      .map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  if (dialog.what === "create")
    return (
      <FormDialog
        title={t.createChannel}
        submit={t.create}
        onClose={onClose}
        onSubmit={(form) => {
          const folder = textOf(form, "folder");
          return client.createChannel({
            ...namesOf(form),
            subscribers: [me],
            invite_only: textOf(form, "access") === "private",
            announce: new FormData(form).has("announce"),
            ...(folder !== "" && { folder_id: Number(folder) }),
          });
        }}
      >
        <NameFields />
        <Select label={t.access} name="access" options={accessOptions} />
        <Select label={t.folder} name="folder" options={folders} />
        <label>
          <input type="checkbox" name="announce" /> {t.announce}
        </label>
      </FormDialog>
    );
  const { channel } = dialog;
  const { stream_id } = channel;
  if (dialog.what === "archive")
    return (
      <ConfirmDialog
        title={t.archiveTitle(channel.name)}
        submit={t.archive}
        onClose={onClose}
        onConfirm={() => client.archiveChannel({ stream_id })}
      >
        {t.archiveHint}
      </ConfirmDialog>
    );
  return (
    <FormDialog
      title={texts.common.edit}
      submit={texts.common.save}
      onClose={onClose}
      onSubmit={(form) => {
        const { name, description } = namesOf(form);
        const isPrivate = textOf(form, "access") === "private";
        const folder = textOf(form, "folder");
        const folderId = folder === "" ? null : Number(folder);
        // Only what was changed: each setting needs a permission of its own.
        return client.updateChannel({
          stream_id,
          ...(name !== channel.name && { new_name: name }),
          ...(description !== channel.description && { description }),
          ...(isPrivate !== channel.invite_only && { is_private: isPrivate }),
          ...(folderId !== channel.folder_id && { folder_id: folderId }),
        });
      }}
    >
      <NameFields name={channel.name} description={channel.description} />
      <Select
        label={t.access}
        name="access"
        value={channel.invite_only ? "private" : "public"}
        options={accessOptions}
      />
      <Select
        label={t.folder}
        name="folder"
        value={channel.folder_id === null ? "" : String(channel.folder_id)}
        options={folders}
      />
    </FormDialog>
  );
}

const accessOptions = [
  { value: "public", label: t.public },
  { value: "private", label: t.private },
];

function privacyOf({ invite_only, is_web_public }: Channel): string {
  if (invite_only) return t.private;
  return is_web_public ? t.webPublic : t.public;
}
