import { listScheduled, scheduledListing } from "../../scheduled/list.ts";
import type { Section } from "../context/section.ts";

/** The account's scheduled messages that have not been sent, as `GET /scheduled_messages` lists them. */
export const scheduledMessages: Section = {
  names: ["scheduled_messages"],
  load: async ({ tx, actor }) => ({
    scheduled_messages: await listScheduled(tx, scheduledListing, actor.id),
  }),
};
