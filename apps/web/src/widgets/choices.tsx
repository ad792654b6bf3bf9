import { conversationOf } from "../store/conversation.ts";
import { useOrganization } from "../store/use-organization.ts";
import { Button } from "../ui/button.tsx";
import type { WidgetProps } from "./poll.tsx";
import { isObject, listOf, textOf } from "./submessages.ts";

/** Answers that a bot offers. Pressing one sends it as a message. */
export function Choices({ message, data }: WidgetProps) {
  const { outbox, me } = useOrganization();
  const heading = textOf(data.extra["heading"]);
  const choices = listOf(data.extra["choices"]).filter(isObject);
  return (
    <section class="widget" aria-label={heading}>
      <h3 dir="auto">{heading}</h3>
      <ul>
        {choices.map((choice, at) => (
          <li key={at} class="poll-option">
            <Button
              onClick={() => outbox.send(conversationOf(message, me), textOf(choice["reply"]))}
            >
              {textOf(choice["short_name"])}
            </Button>
            <span dir="auto">{textOf(choice["long_name"])}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
