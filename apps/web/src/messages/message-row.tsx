import type { Message } from "@carillon/client";
import { Rendered } from "../html/rendered.tsx";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { dayOf, TimeOfDay } from "../ui/time.tsx";
import { ConversationLink } from "./conversation-link.tsx";

export interface MessageRowProps {
  readonly id: number;
  readonly previousId: number | undefined;
  /** Whether messages of several conversations are in the view. */
  readonly isMixed: boolean;
  /** Whether the line above says that the messages from here on are new. */
  readonly isFirstUnread: boolean;
}

/** A message, under a line for its day and conversation if they differ from those of the message before. */
export function MessageRow({ id, previousId, isMixed, isFirstUnread }: MessageRowProps) {
  const { messages, people } = useOrganization();
  const message = messages.get(id)?.value;
  const previous = previousId === undefined ? undefined : messages.get(previousId)?.value;
  if (!message) return <div />;
  const isNewDay = !previous || dayOf(previous.timestamp) !== dayOf(message.timestamp);
  const isNewPlace = isMixed && (!previous || !isSamePlace(previous, message));
  const isNewSender =
    isNewDay ||
    isNewPlace ||
    isFirstUnread ||
    previous.sender_id !== message.sender_id ||
    message.timestamp - previous.timestamp > 600;
  const name = people.nameOf(message.sender_id) ?? message.sender_full_name;
  return (
    <div class={isNewSender ? "row row-first" : "row"} data-message-id={id}>
      {isNewDay && <div class="day">{dayOf(message.timestamp)}</div>}
      {isNewPlace && <ConversationLink message={message} />}
      {isFirstUnread && <div class="first-unread">{texts.messages.unread}</div>}
      <article class="message" aria-label={name}>
        {isNewSender && <Avatar name={name} id={message.sender_id} url={message.avatar_url} />}
        {isNewSender && (
          <header class="message-header">
            <bdi class="sender">{name}</bdi>
          </header>
        )}
        <Rendered html={message.match_content ?? message.content} />
        <div class="message-time">
          {message.last_edit_timestamp !== undefined && (
            <span class="edited">{texts.messages.edited}</span>
          )}
          <TimeOfDay seconds={message.timestamp} />
        </div>
      </article>
    </div>
  );
}

function isSamePlace(one: Message, other: Message): boolean {
  return (
    one.recipient_id === other.recipient_id &&
    one.subject.toLowerCase() === other.subject.toLowerCase()
  );
}
