import { useId } from "preact/hooks";
import { ChannelChoice } from "./channel-choice.tsx";
import type { Conversation } from "../store/conversation.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { PeopleField } from "./people-field.tsx";

const t = texts.schedule;

export interface PlaceFieldsProps {
  readonly value: Conversation;
  readonly onChange: (value: Conversation) => void;
}

/** Where a message goes: a topic of a channel, or people. */
export function PlaceFields({ value, onChange }: PlaceFieldsProps) {
  const id = useId();
  const { settings, channels } = useOrganization();
  if ("others" in value)
    return (
      <fieldset class="place-fields">
        <legend>{t.to}</legend>
        <PeopleField value={value.others} onChange={(others) => onChange({ others })} />
        <Button
          kind="quiet"
          onClick={() => {
            const [first] = channels.subscriptions.all();
            onChange({ channelId: first?.stream_id ?? 0, topic: "" });
          }}
        >
          {t.toChannel}
        </Button>
      </fieldset>
    );
  return (
    <fieldset class="place-fields">
      <legend>{t.to}</legend>
      <div class="fields">
        <ChannelChoice
          value={value.channelId}
          onChoose={(channelId) => onChange({ ...value, channelId })}
        />
        <input
          id={id}
          aria-label={texts.compose.topic}
          placeholder={texts.compose.topic}
          maxLength={Number(settings.organization.get("max_topic_length") ?? 60)}
          value={value.topic}
          dir="auto"
          onInput={(event) => onChange({ ...value, topic: event.currentTarget.value })}
        />
      </div>
      <Button kind="quiet" onClick={() => onChange({ others: [] })}>
        {t.toPeople}
      </Button>
    </fieldset>
  );
}
