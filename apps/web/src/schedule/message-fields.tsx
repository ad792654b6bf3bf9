import type { Signal } from "@preact/signals";
import { PlaceFields } from "../recipients/place-fields.tsx";
import { type Conversation, keyOf } from "../store/conversation.ts";
import { recipientsOf } from "../store/outbox.ts";
import { TextField } from "./text-field.tsx";

export interface MessageFieldsProps {
  readonly content: Signal<string>;
  readonly place: Signal<Conversation>;
}

/** The fields for the text and the recipients of a scheduled message. */
export function MessageFields({ content, place }: MessageFieldsProps) {
  return (
    <>
      <TextField
        value={content.value}
        onChange={(value) => {
          content.value = value;
        }}
      />
      <PlaceFields
        value={place.value}
        onChange={(value) => {
          place.value = value;
        }}
      />
    </>
  );
}

/** Returns the parameters that change the recipients of a scheduled message; none if they stay the same. */
export function moveTo(place: Conversation, before: Conversation, me: number) {
  const isSame = keyOf(place) === keyOf(before) && topicOf(place) === topicOf(before);
  return isSame ? {} : recipientsOf(place, me);
}

function topicOf(place: Conversation): string {
  return "topic" in place ? place.topic : "";
}
