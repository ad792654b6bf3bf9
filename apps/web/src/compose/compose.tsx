import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { operandOf, type Term } from "../route.ts";
import { type Conversation, othersOf } from "../store/conversation.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { ChannelChoice } from "./channel-choice.tsx";

const t = texts.compose;

export interface ComposeProps {
  readonly terms: readonly Term[];
  /** Opens the form that schedules the message. */
  readonly onSendLater: (conversation: Conversation, content: string, done: () => void) => void;
}

/** The form that writes a message to the conversation of the view. */
export function Compose({ terms, onSendLater }: ComposeProps) {
  const organization = useOrganization();
  const box = useRef<HTMLTextAreaElement>(null);
  const people = operandOf(terms, "dm");
  const channelId = useSignal(numberOf(operandOf(terms, "channel")));
  const topic = useSignal(String(operandOf(terms, "topic") ?? ""));
  const content = useSignal("");

  useEffect(() => {
    if (box.current) grow(box.current);
  }, [content.value]);

  const conversation: Conversation | undefined =
    typeof people === "object"
      ? { others: othersOf(people, organization.me) }
      : channelId.value === undefined
        ? undefined
        : { channelId: channelId.value, topic: topic.value.trim() };
  const canSend = conversation !== undefined && content.value.trim() !== "";

  function clear(): void {
    content.value = "";
    box.current?.focus();
  }

  function send(): void {
    if (!conversation || !canSend) return;
    organization.outbox.send(conversation, content.value);
    clear();
  }

  return (
    <form
      class="compose"
      aria-label={t.region}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {typeof people !== "object" && (
        <div class="compose-place">
          <ChannelChoice
            value={channelId.value}
            onChoose={(id) => {
              channelId.value = id;
            }}
          />
          <input
            class="compose-topic"
            aria-label={t.topic}
            placeholder={t.topic}
            maxLength={Number(organization.settings.organization.get("max_topic_length") ?? 60)}
            value={topic.value}
            dir="auto"
            onInput={(event) => {
              topic.value = event.currentTarget.value;
            }}
          />
        </div>
      )}
      <textarea
        ref={box}
        class="compose-message"
        aria-label={t.message}
        placeholder={t.message}
        rows={1}
        dir="auto"
        value={content.value}
        onInput={(event) => {
          content.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="compose-actions">
        <Button
          disabled={!canSend}
          onClick={() => conversation && onSendLater(conversation, content.value, clear)}
        >
          {t.sendLater}
        </Button>
        <Button kind="primary" type="submit" disabled={!canSend}>
          {t.send}
        </Button>
      </div>
    </form>
  );
}

/** Makes the box as high as its text; the style sheet says how high at most. */
function grow(box: HTMLTextAreaElement): void {
  box.style.blockSize = "auto";
  box.style.blockSize = `${box.scrollHeight + 2}px`;
}

function numberOf(operand: Term["operand"] | undefined): number | undefined {
  return typeof operand === "number" ? operand : undefined;
}
