import type { Message } from "@carillon/client";
import { conversationOf } from "../store/conversation.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { copyLink, isResolved, markUnreadFrom, toggleResolved, toggleStar } from "./actions.ts";
import type { MessageDialog } from "./message-window.ts";
import { hasHistory } from "./history.ts";
import { useView } from "./view.ts";
import { Icon } from "../ui/icon.tsx";

const t = texts.messages;

/** What can be done with a message: shown where the pointer or the focus is, or the keyboard has selected it. */
export function MessageActions({ message }: { readonly message: Message }) {
  const organization = useOrganization();
  const { messages, onReply } = useView();
  const { notices, me, settings } = organization;
  const isStarred = message.flags.includes("starred");
  const open = (kind: MessageDialog["kind"]) => {
    messages.dialog.value = { kind, id: message.id };
  };
  const items: MenuItem[] = [
    ...(message.sender_id === me
      ? [{ label: texts.common.edit, onChoose: () => (messages.editing.value = message.id) }]
      : []),
    ...(message.type === "stream"
      ? [
          { label: t.move, onChoose: () => open("move") },
          {
            label: isResolved(message) ? t.unresolve : t.resolve,
            onChoose: () => notices.attempt(toggleResolved(organization, message)),
          },
        ]
      : []),
    {
      label: t.markUnread,
      onChoose: () => {
        messages.keepUnreadFrom(message.id);
        notices.attempt(markUnreadFrom(organization, message));
      },
    },
    ...(hasHistory(message, settings)
      ? [{ label: t.history, onChoose: () => open("history") }]
      : []),
    ...(settings.organization.get("enable_read_receipts") === false
      ? []
      : [{ label: t.readBy, onChoose: () => open("readers") }]),
    { label: t.remind, onChoose: () => open("remind") },
    { label: t.copyLink, onChoose: () => notices.attempt(copyLink(organization, message)) },
    { label: texts.common.delete, danger: true, onChoose: () => open("remove") },
  ];
  return (
    <div class="message-actions">
      <Button kind="quiet" label={t.react} onClick={() => open("react")}>
        <Icon name="react" />
      </Button>
      <Button kind="quiet" label={t.reply} onClick={() => onReply(conversationOf(message, me))}>
        <Icon name="reply" />
      </Button>
      <Button
        kind="quiet"
        label={isStarred ? t.unstar : t.star}
        onClick={() => notices.attempt(toggleStar(organization, message))}
      >
        <Icon name="star" filled={isStarred} />
      </Button>
      <Menu label={t.more} items={items}>
        <Icon name="more" />
      </Menu>
    </div>
  );
}
