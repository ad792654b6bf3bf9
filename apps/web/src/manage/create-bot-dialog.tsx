import { useSignal } from "@preact/signals";
import { textOf } from "../forms.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Field } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";
import { botTypes } from "./bot-types.ts";
import { FormDialog } from "../ui/form-dialog.tsx";

const t = texts.organization;

interface CreateBotDialogProps {
  /** Receives the new bot's key. */
  readonly onKey: (key: string) => void;
  readonly onClose: () => void;
}

/** Creates a bot of the account. */
export function CreateBotDialog({ onKey, onClose }: CreateBotDialogProps) {
  const { client } = useOrganization();
  const type = useSignal(String(botTypes.generic));
  const isOutgoing = type.value === String(botTypes.outgoing);
  return (
    <FormDialog
      title={t.createBot}
      submit={t.create}
      onClose={onClose}
      onSubmit={async (form) => {
        const bot = await client.createBot({
          full_name: textOf(form, "full_name"),
          short_name: textOf(form, "short_name"),
          bot_type: Number(type.peek()),
          ...(isOutgoing && { payload_url: textOf(form, "payload_url") }),
        });
        onKey(bot.api_key);
      }}
    >
      <Field label={t.name} name="full_name" required maxLength={100} />
      <Field label={t.shortName} name="short_name" required hint={t.shortNameHint} />
      <Select
        label={t.type}
        name="bot_type"
        value={type.value}
        options={[
          { value: String(botTypes.generic), label: t.genericBot },
          { value: String(botTypes.incoming), label: t.incomingWebhook },
          { value: String(botTypes.outgoing), label: t.outgoingWebhook },
        ]}
        onChange={(value) => {
          type.value = value;
        }}
      />
      {isOutgoing && (
        <Field label={t.endpoint} name="payload_url" type="url" required maxLength={2048} />
      )}
    </FormDialog>
  );
}
