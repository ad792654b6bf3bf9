import { channelReadable } from "../channels/access-sql.ts";
import type { Fragment } from "../sql/sql-values.ts";
import type { Reader } from "./reader.ts";

/**
 * Whether a message `m` that the viewer has a row of still counts (messages.md §2.1): direct ones do, those of
 * channels while their content may be read. `OFFSET 0` keeps the planner from turning the look-up of a window's
 * rows into a join with everything.
 */
export function messageReadable(viewer: Pick<Reader, "id" | "role">): Fragment {
  return (values) => `NOT m.is_channel OR EXISTS (
    SELECT 1 FROM recipients r JOIN channels c ON c.id = r.channel_id
    WHERE r.id = m.recipient_id AND ${channelReadable(viewer)(values)} OFFSET 0)`;
}
