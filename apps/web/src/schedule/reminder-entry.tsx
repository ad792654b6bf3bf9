import type { Reminder } from "@carillon/client";
import { hashOf } from "../route.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { Entry, When } from "./entry.tsx";
import type { Report } from "./report.tsx";

const t = texts.schedule;

export interface ReminderEntryProps {
  readonly reminder: Reminder;
  readonly onReport: (report: Report) => void;
}

/** A reminder of a message in the schedule. */
export function ReminderEntry({ reminder, onReport }: ReminderEntryProps) {
  const { client, notices } = useOrganization();
  const { reminder_id, reminder_target_message_id: near, failed } = reminder;
  const remove = async () => {
    await client.deleteReminder({ reminder_id });
    onReport({ text: t.deleted });
  };
  return (
    <Entry
      head={<When seconds={reminder.scheduled_delivery_timestamp} />}
      html={reminder.rendered_content}
      kind={failed ? "failed" : undefined}
      actions={
        <>
          <a class="button" href={hashOf({ page: "messages", terms: [], near })}>
            {t.goToMessage}
          </a>
          <Button kind="danger" onClick={() => notices.attempt(remove())}>
            {texts.common.delete}
          </Button>
        </>
      }
    >
      {failed && <p class="entry-reason">{t.reminderFailed}</p>}
    </Entry>
  );
}
