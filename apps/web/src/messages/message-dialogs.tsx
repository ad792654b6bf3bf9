import { EmojiPicker } from "../emoji/emoji-picker.tsx";
import { RemindDialog } from "../schedule/remind-dialog.tsx";
import { useOrganization } from "../store/use-organization.ts";
import { react } from "./actions.ts";
import { HistoryDialog } from "./history-dialog.tsx";
import { MoveDialog } from "./move-dialog.tsx";
import { ReadersDialog } from "./readers-dialog.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import { useView } from "./view.ts";

/** The dialog that an action on a message has opened. */
export function MessageDialogs() {
  const organization = useOrganization();
  const { messages } = useView();
  const { value: dialog } = messages.dialog;
  const message = dialog && organization.messages.get(dialog.id)?.value;
  if (!message) return null;
  const close = () => {
    messages.dialog.value = undefined;
  };
  switch (dialog.kind) {
    case "react":
      return (
        <EmojiPicker
          onClose={close}
          onChoose={(emoji) => {
            close();
            organization.notices.attempt(react(organization, message, emoji));
          }}
        />
      );
    case "move":
      return <MoveDialog message={message} onClose={close} />;
    case "remind":
      return <RemindDialog messageId={message.id} onClose={close} />;
    case "remove":
      return <RemoveDialog message={message} onClose={close} />;
    case "history":
      return <HistoryDialog message={message} onClose={close} />;
    case "readers":
      return <ReadersDialog message={message} onClose={close} />;
  }
}
