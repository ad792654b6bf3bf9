import type { Draft, MessageSeries, Reminder, ScheduledMessage, Snapshot } from "@carillon/client";
import { Keyed } from "./keyed.ts";
import type { Area, OrganizationEvent } from "./events.ts";

/** The account's drafts, scheduled messages, series and reminders. */
export class Plans implements Area {
  readonly drafts = new Keyed<number, Draft>();
  readonly scheduled = new Keyed<number, ScheduledMessage>();
  readonly series = new Keyed<number, MessageSeries>();
  readonly reminders = new Keyed<number, Reminder>();

  load(snapshot: Snapshot): void {
    const { drafts = [], scheduled_messages: scheduled = [] } = snapshot;
    const { message_series = [], reminders = [] } = snapshot;
    this.drafts.replace(drafts.map((draft) => [draft.id, draft]));
    this.scheduled.replace(scheduled.map((one) => [one.scheduled_message_id, one]));
    this.series.replace(message_series.map((one) => [one.series_id, one]));
    this.reminders.replace(reminders.map((one) => [one.reminder_id, one]));
  }

  apply(event: OrganizationEvent): void {
    if (event.type === "drafts") {
      if (event.op === "add") for (const draft of event.drafts) this.drafts.set(draft.id, draft);
      else if (event.op === "update") this.drafts.set(event.draft.id, event.draft);
      else this.drafts.delete(event.draft_id);
    } else if (event.type === "scheduled_messages") {
      if (event.op === "add")
        for (const one of event.scheduled_messages)
          this.scheduled.set(one.scheduled_message_id, one);
      else if (event.op === "update")
        this.scheduled.set(event.scheduled_message.scheduled_message_id, event.scheduled_message);
      else this.scheduled.delete(event.scheduled_message_id);
    } else if (event.type === "message_series") {
      if (event.op === "remove") this.series.delete(event.series_id);
      else this.series.set(event.message_series.series_id, event.message_series);
    } else if (event.type === "reminders") {
      if (event.op === "remove") this.reminders.delete(event.reminder_id);
      else for (const one of event.reminders) this.reminders.set(one.reminder_id, one);
    }
  }
}
