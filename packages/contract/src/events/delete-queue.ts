import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `DELETE /events` (events.md §3). */
export const deleteEventQueue = operation({
  id: "delete-event-queue",
  method: "DELETE",
  path: "/api/v1/events",
  access: "account",
  summary: "Delete an event queue",
  example: { made: { QUEUE_ID: ["register", "queue_id"] }, params: { queue_id: "$QUEUE_ID" } },
  params: { queue_id: form.text() },
  errors: ["BAD_EVENT_QUEUE_ID"],
});
