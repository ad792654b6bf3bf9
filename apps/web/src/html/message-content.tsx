import type { Message } from "@carillon/client";
import { Choices } from "../widgets/choices.tsx";
import { Poll } from "../widgets/poll.tsx";
import { widgetOf } from "../widgets/submessages.ts";
import { Todo } from "../widgets/todo.tsx";
import { Rendered } from "./rendered.tsx";

const widgets = new Map([
  ["poll", Poll],
  ["todo", Todo],
  ["zform", Choices],
]);

/** The content of a message: its text, or the widget in place of it. */
export function MessageContent({ message }: { readonly message: Message }) {
  const data = message.submessages.length > 0 ? widgetOf(message.submessages) : undefined;
  const Widget = data && widgets.get(data.type);
  if (data && Widget) return <Widget message={message} data={data} />;
  const html = message.match_content ?? message.content;
  if (!message.is_me_message) return <Rendered html={html} />;
  // The sender's name is above: "Ada" and "waves".
  return <Rendered html={html.replace(/^<p>\/me /, "<p>")} class="rendered me-message" />;
}
