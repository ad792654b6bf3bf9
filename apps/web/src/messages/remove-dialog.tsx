import type { Message } from "@carillon/client";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

export interface MessageDialogProps {
  readonly message: Message;
  readonly onClose: () => void;
}

/** Asks before a message is deleted. */
export function RemoveDialog({ message, onClose }: MessageDialogProps) {
  const { client, notices } = useOrganization();
  return (
    <Dialog title={texts.messages.removeTitle} onClose={onClose}>
      <p>{texts.messages.removeHint}</p>
      <div class="dialog-actions">
        <Button onClick={onClose}>{texts.app.cancel}</Button>
        <Button
          kind="danger"
          onClick={() => {
            onClose();
            notices.attempt(client.deleteMessage({ message_id: message.id }));
          }}
        >
          {texts.messages.remove}
        </Button>
      </div>
    </Dialog>
  );
}
