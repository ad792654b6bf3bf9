import type { Condition } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { reasonOf } from "../reason.ts";
import type { Conversation } from "../store/conversation.ts";
import { recipientsOf } from "../store/outbox.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Menu } from "../ui/menu.tsx";
import { LaterDialog } from "./later-dialog.tsx";
import { firstChoice, presets } from "./presets.ts";
import { RepeatDialog, type Repetition } from "./repeat-dialog.tsx";
import { Repeatable } from "./repeatable.ts";
import { type Rule, textOfRule } from "./rule.ts";
import { type Scheduled, ScheduledNotice } from "./scheduled-notice.tsx";
import { useNow, useTimeStyle } from "../store/use-times.ts";
import { day, timeOfDay } from "../time/words.ts";

const t = texts.schedule;
const weekdaysAtNine: Rule = {
  kind: "weekdays",
  interval: 1,
  days: ["MO"],
  monthDay: 1,
  end: { kind: "never" },
  text: "",
};

export interface SendLaterProps {
  /** Where the message goes; undefined while no channel is chosen. */
  readonly conversation: Conversation | undefined;
  readonly content: string;
  readonly disabled: boolean;
  /** Empties the box, called once the server has the message. */
  readonly onScheduled: () => void;
  /** Puts the text back into the box, called once the message is no longer scheduled. */
  readonly onUndo: (content: string) => void;
}

/** The button beside "Send", with a menu of times. What the server refuses stays in the box. */
export function SendLater({
  conversation,
  content,
  disabled,
  onScheduled,
  onUndo,
}: SendLaterProps) {
  const { client, me } = useOrganization();
  const style = useTimeStyle();
  const dialog = useSignal<"none" | "time" | "condition" | "repeat">("none");
  const error = useSignal<string | undefined>(undefined);
  const scheduled = useSignal<Scheduled | undefined>(undefined);
  const request = useMemo(() => new Repeatable(), []);
  const box = useRef(content);
  box.current = content;
  const isChannel = conversation !== undefined && "channelId" in conversation;

  /** Keeps what was written while the request was on its way. */
  function done(what: Scheduled): void {
    request.done();
    scheduled.value = what;
    if (box.current === what.content) onScheduled();
  }

  async function schedule(seconds: number, unless: readonly Condition[]): Promise<void> {
    if (!conversation) return;
    const params = {
      ...recipientsOf(conversation, me),
      content,
      scheduled_delivery_timestamp: seconds,
      read_by_sender: true,
      ...(unless.length > 0 && { unless }),
    };
    const idempotencyKey = request.keyFor(params);
    const { scheduled_message_id: id } = await client.createScheduledMessage(params, {
      idempotencyKey,
    });
    done({ kind: "message", id, seconds, content });
  }

  async function repeat({ start, timezone, rule, unless }: Repetition): Promise<void> {
    if (!conversation) return;
    const params = {
      ...recipientsOf(conversation, me),
      content,
      start,
      timezone,
      rrule: textOfRule(rule),
      ...(unless.length > 0 && { unless }),
    };
    const idempotencyKey = request.keyFor(params);
    const { series_id: id, occurrences } = await client.createMessageSeries(params, {
      idempotencyKey,
    });
    done({ kind: "series", id, seconds: occurrences[0]?.scheduled_delivery_timestamp, content });
  }

  function open(kind: "time" | "condition" | "repeat"): void {
    error.value = undefined;
    dialog.value = kind;
  }

  const close = () => {
    dialog.value = "none";
  };
  const now = useNow();
  return (
    <>
      {scheduled.value && (
        <ScheduledNotice
          scheduled={scheduled.value}
          onUndone={(text) => {
            scheduled.value = undefined;
            onUndo(text);
          }}
          onDismiss={() => {
            scheduled.value = undefined;
          }}
        />
      )}
      {error.value !== undefined && (
        <div class="compose-notice">
          <Alert>{t.notScheduled(error.value)}</Alert>
        </div>
      )}
      <Menu
        label={texts.compose.sendLater}
        kind="plain"
        placement="above"
        disabled={disabled}
        items={[
          ...presets(now, style.zone).map(({ name, seconds }) => ({
            label: t.presets[name],
            detail:
              name === "inAnHour"
                ? timeOfDay(seconds, style)
                : `${day(seconds, now, style)}, ${timeOfDay(seconds, style)}`,
            onChoose: () => {
              error.value = undefined;
              void schedule(seconds, []).catch((cause: unknown) => {
                error.value = reasonOf(cause);
              });
            },
          })),
          { label: t.chooseTime, onChoose: () => open("time"), isFirstOfGroup: true },
          { label: t.repeat, onChoose: () => open("repeat") },
          { label: t.unlessReply, onChoose: () => open("condition") },
        ]}
      >
        {texts.compose.sendLater}
        <span class="menu-mark" aria-hidden="true" />
      </Menu>
      {(dialog.value === "time" || dialog.value === "condition") && (
        <LaterDialog
          title={dialog.value === "time" ? texts.compose.sendLater : t.unlessTitle}
          conditions={dialog.value === "time" ? [] : [{ kind: "reply" }]}
          hasTopic={isChannel}
          onSubmit={schedule}
          onClose={close}
        />
      )}
      {dialog.value === "repeat" && (
        <RepeatDialog
          title={t.repeatTitle}
          submit={t.schedule}
          hasTopic={isChannel}
          value={{
            start: firstChoice(now, style.zone),
            timezone: style.zone,
            rule: weekdaysAtNine,
            unless: [],
          }}
          onSubmit={repeat}
          onClose={close}
        />
      )}
    </>
  );
}
