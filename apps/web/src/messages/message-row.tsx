import type { Message } from "@carillon/client";
import { useComputed } from "@preact/signals";
import { MessageContent } from "../html/message-content.tsx";
import { openProfile } from "../overlay.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { TimeOfDay } from "../ui/time.tsx";
import { useWhenIdle } from "../ui/when-idle.ts";
import { useTimeStyle } from "../store/use-times.ts";
import { fullDay } from "../time/words.ts";
import { ConversationLink } from "./conversation-link.tsx";
import { EditForm } from "./edit-form.tsx";
import { hasHistory } from "./history.ts";
import { MessageActions } from "./message-actions.tsx";
import { Reactions } from "./reactions.tsx";
import { useView } from "./view.ts";
import { Icon } from "../ui/icon.tsx";

export interface MessageRowProps {
  readonly id: number;
  readonly previousId: number | undefined;
}

/** A message, under a line for its day and conversation if they differ from those of the message before. */
export function MessageRow({ id, previousId }: MessageRowProps) {
  const { messages } = useOrganization();
  const view = useView();
  const style = useTimeStyle();
  const message = messages.get(id)?.value;
  const previous = previousId === undefined ? undefined : messages.get(previousId)?.value;
  if (!message) return <div />;
  const day = fullDay(message.timestamp, style);
  const isNewDay = !previous || fullDay(previous.timestamp, style) !== day;
  const isNewPlace = view.isMixed && (!previous || !isSamePlace(previous, message));
  const isFirstUnread = id === view.messages.firstUnread.value;
  const isNewSender =
    isNewDay ||
    isNewPlace ||
    isFirstUnread ||
    previous.sender_id !== message.sender_id ||
    message.timestamp - previous.timestamp > 600;
  return (
    <div class={isNewSender ? "row row-first" : "row"} data-message-id={id}>
      {isNewDay && <div class="day">{day}</div>}
      {isNewPlace && <ConversationLink message={message} />}
      {isFirstUnread && <div class="first-unread">{texts.messages.unread}</div>}
      <MessageArticle message={message} hasSender={isNewSender} />
    </div>
  );
}

interface MessageArticleProps {
  readonly message: Message;
  readonly hasSender: boolean;
}

function MessageArticle({ message, hasSender }: MessageArticleProps) {
  const { people, topicPolicies } = useOrganization();
  const { messages } = useView();
  const hasActions = useWhenIdle();
  const { id, sender_id: senderId } = message;
  const name = people.nameOf(senderId) ?? message.sender_full_name;
  const isSelected = useComputed(() => messages.selected.value === id).value;
  const isMuted = topicPolicies.mutedUsers.get(senderId) !== undefined;
  const picture = people.byId.get(senderId)?.avatar_url ?? message.avatar_url;
  return (
    <article class={isSelected ? "message selected" : "message"} aria-label={name}>
      {hasSender && <Avatar name={name} id={senderId} url={picture} />}
      {hasSender && (
        <header class="message-header">
          <button
            type="button"
            class="sender"
            title={texts.people.open(name)}
            onClick={() => openProfile(senderId)}
          >
            <bdi>{name}</bdi>
          </button>
          <MessageTime message={message} />
        </header>
      )}
      <div class="message-body">
        {messages.editing.value === id ? (
          <EditForm message={message} onClose={() => (messages.editing.value = undefined)} />
        ) : isMuted ? (
          <p class="hint">{texts.people.muted}</p>
        ) : (
          <MessageContent message={message} />
        )}
        <Reactions message={message} />
      </div>
      {!hasSender && <MessageTime message={message} />}
      {hasActions && <MessageActions message={message} />}
    </article>
  );
}

function MessageTime({ message }: { readonly message: Message }) {
  return (
    <span class="message-time">
      <TimeOfDay seconds={message.timestamp} />
      {message.last_edit_timestamp !== undefined && <EditedMark message={message} />}
      {message.flags.includes("starred") && (
        <span class="starred" role="img" aria-label={texts.common.starred}>
          <Icon name="star" filled />
        </span>
      )}
    </span>
  );
}

/** Marks an edited message. Opens its edit history if the organization lets people see it. */
function EditedMark({ message }: { readonly message: Message }) {
  const { settings } = useOrganization();
  const { messages } = useView();
  if (!hasHistory(message, settings)) return <span>{texts.messages.edited}</span>;
  return (
    <button
      type="button"
      class="edited"
      title={texts.messages.history}
      onClick={() => (messages.dialog.value = { kind: "history", id: message.id })}
    >
      {texts.messages.edited}
    </button>
  );
}

function isSamePlace(one: Message, other: Message): boolean {
  return (
    one.recipient_id === other.recipient_id &&
    one.subject.toLowerCase() === other.subject.toLowerCase()
  );
}
