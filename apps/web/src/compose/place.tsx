import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { ChannelChoice } from "../recipients/channel-choice.tsx";
import type { ComposeState } from "./compose-state.ts";
import { Icon } from "../ui/icon.tsx";

const t = texts.compose;

/** Where the message goes: people, or a channel and a topic. */
export function Place({ state }: { readonly state: ComposeState }) {
  const { people, settings } = useOrganization();
  const { others } = state;
  if (others.value) {
    const names = others.value.map((id) => people.nameOf(id) ?? texts.messages.unknownPerson);
    return (
      <div class="compose-place">
        <bdi class="compose-people">
          {t.toDirect(names.join(", ") || texts.messages.noteToSelf)}
        </bdi>
        {state.canChangePlace && (
          <Button
            kind="quiet"
            label={t.toAChannel}
            onClick={() => {
              others.value = undefined;
            }}
          >
            <Icon name="close" />
          </Button>
        )}
      </div>
    );
  }
  return (
    <div class="compose-place">
      <ChannelChoice
        value={state.channelId.value}
        onChoose={(id) => {
          state.channelId.value = id;
        }}
      />
      <input
        class="compose-topic"
        aria-label={t.topic}
        placeholder={t.topic}
        maxLength={Number(settings.organization.get("max_topic_length") ?? 60)}
        value={state.topic.value}
        dir="auto"
        onInput={(event) => {
          state.topic.value = event.currentTarget.value;
        }}
      />
    </div>
  );
}
