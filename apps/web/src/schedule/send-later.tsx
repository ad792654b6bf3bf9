import { useSignal } from "@preact/signals";
import { textOf } from "../forms.ts";
import { reasonOf } from "../reason.ts";
import type { Conversation } from "../store/conversation.ts";
import { recipientsOf } from "../store/outbox.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";

export interface SendLaterProps {
  readonly conversation: Conversation;
  readonly content: string;
  readonly onClose: () => void;
  /** Called once the server has the message. */
  readonly onScheduled: () => void;
}

/** The form that schedules a message. */
export function SendLater({ conversation, content, onClose, onScheduled }: SendLaterProps) {
  const { client, me } = useOrganization();
  const error = useSignal<string | undefined>(undefined);

  async function schedule(form: HTMLFormElement): Promise<void> {
    const time = Date.parse(textOf(form, "time"));
    try {
      await client.createScheduledMessage({
        ...recipientsOf(conversation, me),
        content,
        scheduled_delivery_timestamp: Math.round(time / 1_000),
      });
      onScheduled();
    } catch (cause) {
      error.value = reasonOf(cause);
    }
  }

  return (
    <Dialog title={texts.compose.sendLater} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void schedule(event.currentTarget);
        }}
      >
        <Field label={texts.schedule.time} name="time" type="datetime-local" required />
        {error.value !== undefined && <Alert>{error.value}</Alert>}
        <Button kind="primary" type="submit">
          {texts.schedule.schedule}
        </Button>
      </form>
    </Dialog>
  );
}
