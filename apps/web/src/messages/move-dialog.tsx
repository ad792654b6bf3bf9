import { useSignal } from "@preact/signals";
import { textOf } from "../forms.ts";
import { reasonOf } from "../reason.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import type { MessageDialogProps } from "./remove-dialog.tsx";

const t = texts.messages;
const scopes = ["change_one", "change_later", "change_all"] as const;

/** Moves a message, or also others of its topic, to another topic or channel. */
export function MoveDialog({ message, onClose }: MessageDialogProps) {
  const { client, channels } = useOrganization();
  const error = useSignal<string | undefined>(undefined);

  async function move(form: HTMLFormElement): Promise<void> {
    const scope = scopes.find((one) => one === textOf(form, "scope")) ?? "change_one";
    try {
      await client.updateMessage({
        message_id: message.id,
        topic: textOf(form, "topic"),
        stream_id: Number(textOf(form, "channel")),
        propagate_mode: scope,
        send_notification_to_old_thread: textOf(form, "old") !== "",
        send_notification_to_new_thread: textOf(form, "new") !== "",
      });
      onClose();
    } catch (cause) {
      error.value = reasonOf(cause);
    }
  }

  return (
    <Dialog title={t.moveTitle} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void move(event.currentTarget);
        }}
      >
        <div class="field">
          <label for="move-channel">{t.newChannel}</label>
          <select id="move-channel" name="channel" defaultValue={message.stream_id}>
            {channels.byId
              .all()
              .filter(({ is_archived }) => !is_archived)
              .toSorted((one, other) => one.name.localeCompare(other.name))
              .map(({ stream_id, name }) => (
                <option
                  key={stream_id}
                  value={stream_id}
                  selected={stream_id === message.stream_id}
                >
                  {name}
                </option>
              ))}
          </select>
        </div>
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
        {error.value !== undefined && <Alert>{error.value}</Alert>}
        <div class="dialog-actions">
          <Button onClick={onClose}>{texts.app.cancel}</Button>
          <Button kind="primary" type="submit">
            {t.move}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
