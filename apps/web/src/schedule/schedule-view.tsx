import type { ScheduledMessage } from "@carillon/client";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo } from "preact/hooks";
import { ScheduleDetails } from "../store/schedule-details.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { ReminderEntry } from "./reminder-entry.tsx";
import { type Report, ReportLine } from "./report.tsx";
import { type OpenDialog, ScheduleDialog } from "./schedule-dialog.tsx";
import { ScheduledEntry } from "./scheduled-entry.tsx";
import { SeriesEntry } from "./series-entry.tsx";
import { WithheldEntry } from "./withheld-entry.tsx";

const t = texts.schedule;
/** Entries of a section that are drawn at first, and added by each click. */
const pageSize = 50;

/** What the account has scheduled: what failed first, since it waits for the person. */
export function ScheduleView() {
  const organization = useOrganization();
  const { plans } = organization;
  const details = useMemo(() => new ScheduleDetails(organization), [organization]);
  useEffect(() => details.follow(), [details]);
  const report = useSignal<Report | undefined>(undefined);
  const dialog = useSignal<OpenDialog | undefined>(undefined);
  const openDialog = (value: OpenDialog) => {
    dialog.value = value;
  };
  const tell = (value: Report) => {
    report.value = value;
  };

  const messages = plans.scheduled
    .all()
    .toSorted(
      (a, b) =>
        a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp ||
        a.scheduled_message_id - b.scheduled_message_id,
    );
  const entry = (message: ScheduledMessage) => (
    <ScheduledEntry
      key={message.scheduled_message_id}
      message={message}
      details={details}
      onReport={tell}
      onOpen={openDialog}
    />
  );
  const failed = messages.filter((message) => message.failed);
  const upcoming = messages.filter((message) => !message.failed);
  const series = plans.series
    .all()
    .toSorted((a, b) => Number(a.state === "ended") - Number(b.state === "ended"));
  const withheld = details.withheld
    .all()
    .toSorted((a, b) => b.withheld_timestamp - a.withheld_timestamp);
  const reminders = plans.reminders
    .all()
    .toSorted((a, b) => a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp);
  const isEmpty = messages.length + series.length + withheld.length + reminders.length === 0;

  return (
    <div class="page schedule">
      <ReportLine
        report={report.value}
        onDismiss={() => {
          report.value = undefined;
        }}
      />
      {details.state.value === "failed" && (
        <Alert>
          {t.detailsFailed(details.reason.value)}{" "}
          <Button kind="quiet" onClick={() => void details.load()}>
            {texts.app.retry}
          </Button>
        </Alert>
      )}
      {isEmpty ? (
        <EmptySchedule />
      ) : (
        <>
          {failed.length > 0 && (
            <Section title={t.failedTitle} hint={t.failedHint} items={failed} draw={entry} />
          )}
          <Section title={t.upcomingTitle} empty={t.upcomingEmpty} items={upcoming} draw={entry} />
          <Section
            title={t.repeatingTitle}
            empty={t.repeatingEmpty}
            items={series}
            draw={(one) => (
              <SeriesEntry key={one.series_id} series={one} onReport={tell} onOpen={openDialog} />
            )}
          />
          <Section
            title={t.remindersTitle}
            empty={t.remindersEmpty}
            items={reminders}
            draw={(one) => <ReminderEntry key={one.reminder_id} reminder={one} onReport={tell} />}
          />
          <Section
            title={t.withheldTitle}
            empty={t.withheldEmpty}
            hint={t.withheldHint}
            items={withheld}
            draw={(message) => (
              <WithheldEntry key={message.scheduled_message_id} message={message} />
            )}
          />
        </>
      )}
      <ScheduleDialog
        dialog={dialog.value}
        onClose={() => {
          dialog.value = undefined;
        }}
      />
    </div>
  );
}

interface SectionProps<Item> {
  readonly title: string;
  readonly hint?: string;
  /** What the section is for, shown while nothing is in it. */
  readonly empty?: string;
  readonly items: readonly Item[];
  readonly draw: (item: Item) => ComponentChildren;
}

function Section<Item>({ title, hint, empty, items, draw }: SectionProps<Item>) {
  const id = useId();
  const shown = useSignal(pageSize);
  const more = items.length - shown.value;
  return (
    <section class="schedule-section" aria-labelledby={id}>
      <h3 id={id}>
        {title} {items.length > 0 && <span class="section-count">{items.length}</span>}
      </h3>
      {hint !== undefined && items.length > 0 && <p class="hint">{hint}</p>}
      {items.length === 0 ? (
        <p class="hint">{empty}</p>
      ) : (
        <ul class="entries">{items.slice(0, shown.value).map(draw)}</ul>
      )}
      {more > 0 && (
        <Button
          onClick={() => {
            shown.value += pageSize;
          }}
        >
          {t.showMore(more)}
        </Button>
      )}
    </section>
  );
}

function EmptySchedule() {
  return (
    <div class="schedule-empty">
      <h3>{t.empty}</h3>
      <p>{t.emptyHint}</p>
      <ul>
        {t.emptyWays.map((way) => (
          <li key={way}>{way}</li>
        ))}
      </ul>
    </div>
  );
}
