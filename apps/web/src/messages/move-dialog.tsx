import { textOf } from "../forms.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Field } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Select } from "../ui/select.tsx";
import type { MessageDialogProps } from "./remove-dialog.tsx";

const t = texts.messages;
const scopes = ["change_one", "change_later", "change_all"] as const;

/** Moves a message, or also others of its topic, to another topic or channel. */
export function MoveDialog({ message, onClose }: MessageDialogProps) {
  const { client, channels } = useOrganization();
  const offered = channels.byId
    .all()
    .filter(({ is_archived }) => !is_archived)
    .toSorted((one, other) => one.name.localeCompare(other.name));

  const move = (form: HTMLFormElement) => {
    const channel = Number(textOf(form, "channel"));
    const topic = textOf(form, "topic");
    // Only what was changed: a move to another channel needs a permission of its own.
    return client.updateMessage({
      message_id: message.id,
      ...(topic !== message.subject && { topic }),
      ...(channel !== message.stream_id && { stream_id: channel }),
      propagate_mode: scopes.find((one) => one === textOf(form, "scope")) ?? "change_one",
      send_notification_to_old_thread: textOf(form, "old") !== "",
      send_notification_to_new_thread: textOf(form, "new") !== "",
    });
  };

  return (
    <FormDialog title={t.moveTitle} submit={t.move} onSubmit={move} onClose={onClose}>
      <Select
        label={t.newChannel}
        name="channel"
        value={String(message.stream_id)}
        options={offered.map(({ stream_id, name }) => ({ value: String(stream_id), label: name }))}
      />
      <Field label={t.newTopic} name="topic" value={message.subject} />
      <fieldset class="choices">
        <legend>{t.scope}</legend>
        {scopes.map((scope) => (
          <label key={scope}>
            <input
              type="radio"
              name="scope"
              value={scope}
              defaultChecked={scope === "change_later"}
            />
            {t.scopes[scope]}
          </label>
        ))}
      </fieldset>
      <label class="check">
        <input type="checkbox" name="old" />
        {t.notifyOld}
      </label>
      <label class="check">
        <input type="checkbox" name="new" defaultChecked />
        {t.notifyNew}
      </label>
    </FormDialog>
  );
}
