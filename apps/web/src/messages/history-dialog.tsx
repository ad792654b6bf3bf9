import type { GetMessageHistoryResult } from "@carillon/client";
import { Rendered } from "../html/rendered.tsx";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { DayAndTime } from "../ui/time.tsx";
import { useLoaded } from "../ui/use-loaded.ts";
import type { MessageDialogProps } from "./remove-dialog.tsx";

const t = texts.messages;

type Version = GetMessageHistoryResult["message_history"][number];

/** The versions of a message, latest first: what was changed, when, and by which account. */
export function HistoryDialog({ message, onClose }: MessageDialogProps) {
  const { client } = useOrganization();
  const { value, problem } = useLoaded(
    () => client.getMessageHistory({ message_id: message.id, allow_empty_topic_name: true }),
    ["update_message"],
  );
  return (
    <Dialog title={t.history} onClose={onClose}>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {value === undefined && problem === undefined && <p role="status">{texts.app.connecting}</p>}
      <ol class="versions">
        {value?.message_history.toReversed().map((version, at) => (
          <VersionEntry key={value.message_history.length - at} version={version} />
        ))}
      </ol>
    </Dialog>
  );
}

function VersionEntry({ version }: { readonly version: Version }) {
  const { people, channels } = useOrganization();
  const { user_id: editor, timestamp, prev_topic, topic, prev_stream, stream } = version;
  const name = editor === null ? undefined : people.nameOf(editor);
  const channelName = (id: number | undefined) =>
    (id === undefined ? undefined : channels.nameOf(id)) ?? t.unknownChannel;
  const isMoveOnly =
    version.prev_content === undefined && (prev_topic !== undefined || prev_stream !== undefined);
  return (
    <li class="version">
      <p class="version-head">
        <bdi>{name ?? t.unknownPerson}</bdi> <DayAndTime seconds={timestamp} />
      </p>
      {prev_stream !== undefined && (
        <p dir="auto">{t.channelWas(channelName(prev_stream), channelName(stream))}</p>
      )}
      {prev_topic !== undefined && (
        <p dir="auto">
          {t.topicWas(prev_topic || texts.sidebar.noTopic, topic || texts.sidebar.noTopic)}
        </p>
      )}
      {!isMoveOnly && <Rendered html={version.content_html_diff ?? version.rendered_content} />}
    </li>
  );
}
