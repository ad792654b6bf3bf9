import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";

const t = texts.schedule;

/** How many messages wait, and how many failed, beside the link of the schedule. */
export function ScheduleCount() {
  const { plans } = useOrganization();
  const messages = plans.scheduled.all();
  const failed = messages.filter((message) => message.failed).length;
  const waiting = messages.length - failed;
  return (
    <>
      {waiting > 0 && (
        <span class="plain-count">
          {" "}
          <span aria-hidden="true">{waiting}</span>
          <span class="for-readers">{t.waitingCount(waiting)}</span>
        </span>
      )}
      {failed > 0 && (
        <span class="failed-count">
          <span aria-hidden="true">{failed}</span>
          <span class="for-readers">{t.failedCount(failed)}</span>
        </span>
      )}
    </>
  );
}
