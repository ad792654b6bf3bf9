import { listScheduled, reminderListing } from "../../scheduled/list.ts";
import type { Section } from "../context/section.ts";

/** The account's reminders that have not been sent, as `GET /reminders` lists them. */
export const reminders: Section = {
  names: ["reminders"],
  load: async ({ tx, actor }) => ({
    reminders: await listScheduled(tx, reminderListing, actor.id),
  }),
};
