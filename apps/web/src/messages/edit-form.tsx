import type { Message } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { reasonOf } from "../reason.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";

export interface EditFormProps {
  readonly message: Message;
  readonly onClose: () => void;
}

/** The text of a message while its sender changes it. A refused change stays, with the reason. */
export function EditForm({ message, onClose }: EditFormProps) {
  const { client } = useOrganization();
  const content = useSignal<string | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const box = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    client
      .getMessage({ message_id: message.id, apply_markdown: false })
      .then((answer) => (content.value = answer.message.content))
      .catch((cause: unknown) => (error.value = reasonOf(cause)));
  }, [client, message.id]);
  useEffect(() => box.current?.focus(), [content.value === undefined]);

  async function save(): Promise<void> {
    if (content.value === undefined) return;
    try {
      await client.updateMessage({ message_id: message.id, content: content.value });
      onClose();
    } catch (cause) {
      error.value = reasonOf(cause);
    }
  }

  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {content.value !== undefined && (
        <textarea
          ref={box}
          aria-label={texts.common.edit}
          rows={Math.min(12, content.value.split("\n").length + 1)}
          dir="auto"
          value={content.value}
          onInput={(event) => {
            content.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") onClose();
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void save();
          }}
        />
      )}
      {error.value !== undefined && <Alert>{error.value}</Alert>}
      <div class="edit-actions">
        <Button kind="primary" type="submit">
          {texts.common.save}
        </Button>
        <Button onClick={onClose}>{texts.app.cancel}</Button>
      </div>
    </form>
  );
}
