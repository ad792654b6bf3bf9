import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { reasonOf } from "../reason.ts";
import { hashOf } from "../route.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { useNow, useTimeStyle } from "../store/use-times.ts";
import { absolute, relative } from "../time/words.ts";

const t = texts.schedule;

/** What has just been scheduled. */
export interface Scheduled {
  readonly kind: "message" | "series";
  readonly id: number;
  /** When it is sent, or sent first; undefined if the rule has no time any more. */
  readonly seconds: number | undefined;
  readonly content: string;
}

export interface ScheduledNoticeProps {
  readonly scheduled: Scheduled;
  /** Called with the text once the message is no longer scheduled. */
  readonly onUndone: (content: string) => void;
  readonly onDismiss: () => void;
}

/** Shows when the message will be sent, with a button to undo it. */
export function ScheduledNotice({ scheduled, onUndone, onDismiss }: ScheduledNoticeProps) {
  const { client, plans } = useOrganization();
  const now = useNow();
  const style = useTimeStyle();
  const error = useSignal<string | undefined>(undefined);
  const { kind, id, seconds, content } = scheduled;
  const isThere = (kind === "series" ? plans.series : plans.scheduled).get(id) !== undefined;
  const wasThere = useRef(false);

  // Once it is sent there is nothing to take back: the server would accept that, and the text would be there twice.
  useEffect(() => {
    if (wasThere.current && !isThere) onDismiss();
    wasThere.current ||= isThere;
  }, [isThere]);

  async function undo(): Promise<void> {
    try {
      if (kind === "series") await client.deleteMessageSeries({ series_id: id });
      else await client.deleteScheduledMessage({ scheduled_message_id: id });
      onUndone(content);
    } catch (cause) {
      error.value = reasonOf(cause);
    }
  }

  return (
    <div class="compose-notice">
      <div class="scheduled-notice" role="status">
        <p>
          {seconds === undefined
            ? t.scheduledWithoutTime
            : t.scheduledFor[kind](relative(seconds, now, style), absolute(seconds, style))}
        </p>
        <div class="scheduled-notice-actions">
          <Button kind="quiet" onClick={() => void undo()}>
            {t.undo}
          </Button>
          <a href={hashOf({ page: "schedule" })}>{texts.common.mySchedule}</a>
          <Button kind="quiet" label={texts.app.close} onClick={onDismiss}>
            ✕
          </Button>
        </div>
      </div>
      {error.value !== undefined && <Alert>{error.value}</Alert>}
    </div>
  );
}
