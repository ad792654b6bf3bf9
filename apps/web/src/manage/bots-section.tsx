import { useSignal } from "@preact/signals";
import type { Person } from "../store/people.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import type { MenuItem } from "../ui/menu.tsx";
import { actionsColumn } from "./actions-column.tsx";
import { BotEndpointDialog } from "./bot-endpoint-dialog.tsx";
import { botTypes } from "./bot-types.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { CreateBotDialog } from "./create-bot-dialog.tsx";
import { FilteredTable } from "../ui/filtered-table.tsx";
import { Secret } from "./secret.tsx";
import { useAction } from "../ui/use-action.ts";

const t = texts.organization;

type OpenDialog =
  | { readonly what: "create" }
  | { readonly what: "endpoint" | "deactivate" | "key"; readonly bot: Person };

/** The bots of the organization, their owners and endpoints. */
export function BotsSection() {
  const { client, people } = useOrganization();
  const dialog = useSignal<OpenDialog | undefined>(undefined);
  const newKey = useSignal<string | undefined>(undefined);
  const reactivation = useAction();
  const rows = people.byId
    .all()
    .filter((one) => one.is_bot && !one.is_system_bot)
    .toSorted(
      (one, other) =>
        Number(other.is_active) - Number(one.is_active) ||
        one.full_name.localeCompare(other.full_name),
    );
  const ownerOf = ({ bot_owner_id: id }: Person) =>
    typeof id === "number" ? (people.nameOf(id) ?? "") : "";

  const itemsOf = (bot: Person): MenuItem[] => {
    const ask = (what: "endpoint" | "deactivate" | "key") => () => {
      dialog.value = { what, bot };
    };
    if (!bot.is_active)
      return [
        {
          label: t.reactivate,
          onChoose: () =>
            void reactivation.run(() => client.reactivateUser({ user_id: bot.user_id })),
        },
      ];
    return [
      { label: t.endpoints, onChoose: ask("endpoint") },
      { label: t.newKey, onChoose: ask("key") },
      { label: t.deactivate, danger: true, onChoose: ask("deactivate") },
    ];
  };
  const close = () => {
    dialog.value = undefined;
    newKey.value = undefined;
  };

  return (
    <>
      <FilteredTable
        caption={t.bots}
        empty={t.noBots}
        rows={rows}
        problem={reactivation.problem}
        keyOf={(bot) => bot.user_id}
        wordsOf={(bot) => [bot.full_name, bot.email, ownerOf(bot), typeOf(bot)]}
        columns={[
          {
            title: t.name,
            cell: (bot) => (
              <>
                <bdi>{bot.full_name}</bdi>
                {!bot.is_active && <span class="tag">{texts.common.deactivated}</span>}
              </>
            ),
          },
          { title: texts.common.email, cell: (bot) => bot.email },
          { title: t.type, cell: typeOf },
          { title: t.owner, cell: (bot) => <bdi>{ownerOf(bot)}</bdi> },
          actionsColumn((bot) => bot.full_name, itemsOf),
        ]}
      >
        <Button
          kind="primary"
          onClick={() => {
            dialog.value = { what: "create" };
          }}
        >
          {t.createBot}
        </Button>
      </FilteredTable>
      {newKey.value !== undefined && (
        <Dialog title={t.newKey} onClose={close}>
          <p class="hint">{t.keyOnce}</p>
          <Secret label={t.key} value={newKey.value} />
        </Dialog>
      )}
      {newKey.value === undefined && dialog.value && (
        <BotDialog
          dialog={dialog.value}
          onKey={(key) => {
            newKey.value = key;
          }}
          onClose={() => {
            if (newKey.peek() === undefined) close();
          }}
        />
      )}
    </>
  );
}

interface BotDialogProps {
  readonly dialog: OpenDialog;
  readonly onKey: (key: string) => void;
  readonly onClose: () => void;
}

function BotDialog({ dialog, onKey, onClose }: BotDialogProps) {
  const { client } = useOrganization();
  if (dialog.what === "create") return <CreateBotDialog onKey={onKey} onClose={onClose} />;
  const { user_id: bot_id, full_name: name } = dialog.bot;
  switch (dialog.what) {
    case "endpoint":
      return <BotEndpointDialog bot={dialog.bot} onClose={onClose} />;
    case "key":
      return (
        <ConfirmDialog
          title={t.newKeyTitle(name)}
          submit={t.newKey}
          onClose={onClose}
          onConfirm={async () => {
            onKey((await client.regenerateBotApiKey({ bot_id })).api_key);
          }}
        >
          {t.newKeyHint}
        </ConfirmDialog>
      );
    case "deactivate":
      return (
        <ConfirmDialog
          title={t.deactivateTitle(name)}
          submit={t.deactivate}
          onClose={onClose}
          onConfirm={() => client.deactivateBot({ bot_id })}
        >
          {t.deactivateBotHint}
        </ConfirmDialog>
      );
  }
}

function typeOf({ bot_type: type }: Person): string {
  if (type === botTypes.incoming) return t.incomingWebhook;
  return type === botTypes.outgoing ? t.outgoingWebhook : t.genericBot;
}
