import type { Message } from "@carillon/client";
import { handleKeys } from "../keyboard.ts";
import { navigate } from "../navigation.ts";
import { conversationOf, routeOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";
import { togglePolicy } from "../store/policies.ts";
import { copyLink, toggleStar } from "./actions.ts";
import type { View } from "./view.ts";

/**
 * Lets the keyboard walk through the messages of a view and act on the selected one.
 * @returns a function that removes the handlers
 */
export function handleMessageKeys(organization: Organization, view: View): () => void {
  const { messages, onReply } = view;
  const { me, notices } = organization;
  const withSelected = (action: (message: Message) => void) => () => {
    const id = messages.selected.value ?? messages.loaded.value.ids.at(-1);
    const message = id === undefined ? undefined : organization.messages.get(id)?.value;
    if (message) action(message);
  };
  return handleKeys({
    next: () => messages.select(1),
    previous: () => messages.select(-1),
    newest: () => {
      messages.selected.value = messages.loaded.value.ids.at(-1);
      if (!messages.hasNewest.value) void messages.load("newest");
    },
    reply: withSelected((message) => onReply(conversationOf(message, me))),
    star: withSelected((message) => notices.attempt(toggleStar(organization, message))),
    copy: withSelected((message) => notices.attempt(copyLink(organization, message))),
    narrow: withSelected((message) =>
      navigate(routeOf(conversationOf(message, me), me, message.id)),
    ),
    edit: withSelected(({ id, sender_id }) => {
      if (sender_id === me) messages.editing.value = id;
    }),
    react: withSelected(({ id }) => {
      messages.dialog.value = { kind: "react", id };
    }),
    mute: withSelected(({ stream_id, subject }) => {
      if (stream_id !== undefined)
        notices.attempt(togglePolicy(organization, stream_id, subject, "muted"));
    }),
  });
}
