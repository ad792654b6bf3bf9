import type { Message } from "@carillon/client";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";

const t = texts.messages;

export interface MessageDialogProps {
  readonly message: Message;
  readonly onClose: () => void;
}

/** Asks before a message is deleted. */
export function RemoveDialog({ message, onClose }: MessageDialogProps) {
  const { client } = useOrganization();
  return (
    <ConfirmDialog
      title={texts.common.deleteMessage}
      submit={texts.common.delete}
      onConfirm={() => client.deleteMessage({ message_id: message.id })}
      onClose={onClose}
    >
      {t.removeHint}
    </ConfirmDialog>
  );
}
