import type { Channel } from "@carillon/client";
import { hashOf } from "../route.ts";
import { openLeaving } from "../overlay.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { FilteredTable } from "../ui/filtered-table.tsx";
import { useAction } from "../ui/use-action.ts";
import { joinChannel } from "./membership.ts";

const t = texts.channels;

/** The table of the channels that the account can see. A person opens, joins and leaves channels there. */
export function ChannelsView() {
  const { channels } = useOrganization();
  const { problem, run } = useAction();
  const rows = channels.byId
    .all()
    .filter(({ is_archived }) => !is_archived)
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <div class="page">
      <FilteredTable
        caption={t.title}
        empty={t.none}
        rows={rows}
        problem={problem}
        keyOf={(channel) => channel.stream_id}
        wordsOf={(channel) => [channel.name, channel.description]}
        columns={[
          { title: texts.organization.name, cell: (channel) => <ChannelLink channel={channel} /> },
          {
            title: texts.organization.description,
            cell: (channel) => <bdi>{channel.description}</bdi>,
          },
          { title: texts.organization.subscribers, cell: (channel) => channel.subscriber_count },
          {
            title: t.membership,
            cell: (channel) => <Membership channel={channel} attempt={run} />,
          },
        ]}
      />
    </div>
  );
}

function ChannelLink({ channel: { stream_id, name } }: { readonly channel: Channel }) {
  const terms = [{ operator: "channel", operand: stream_id }];
  return (
    <a href={hashOf({ page: "messages", terms, near: null })}>
      <bdi>#{name}</bdi>
    </a>
  );
}

interface MembershipProps {
  readonly channel: Channel;
  readonly attempt: (request: () => Promise<unknown>) => Promise<boolean>;
}

function Membership({ channel, attempt }: MembershipProps) {
  const organization = useOrganization();
  const isJoined = organization.channels.subscriptions.get(channel.stream_id) !== undefined;
  return isJoined ? (
    <Button label={t.leaveNamed(channel.name)} onClick={() => openLeaving(channel.stream_id)}>
      {t.leave}
    </Button>
  ) : (
    <Button
      label={t.joinNamed(channel.name)}
      onClick={() => void attempt(() => joinChannel(organization, channel))}
    >
      {t.join}
    </Button>
  );
}
