import { useComputed } from "@preact/signals";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";

export interface ChannelChoiceProps {
  readonly value: number | undefined;
  readonly onChoose: (channelId: number) => void;
}

/** The channel that a message goes to. */
export function ChannelChoice({ value, onChoose }: ChannelChoiceProps) {
  const { channels } = useOrganization();
  const subscribed = useComputed(() =>
    channels.subscriptions
      .all()
      .filter(({ is_archived }) => !is_archived)
      .toSorted(byName),
  ).value;
  const known = value === undefined ? undefined : channels.byId.get(value);
  const isListed = subscribed.some(({ stream_id }) => stream_id === value);
  const choices = known && !isListed ? [known, ...subscribed].toSorted(byName) : subscribed;
  return (
    <select
      class="compose-channel"
      aria-label={texts.compose.channel}
      value={value ?? ""}
      onChange={(event) => onChoose(Number(event.currentTarget.value))}
    >
      {value === undefined && <option value="">{texts.compose.chooseChannel}</option>}
      {choices.map(({ stream_id, name }) => (
        <option key={stream_id} value={stream_id}>
          #{name}
        </option>
      ))}
    </select>
  );
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name.localeCompare(other.name);
}
