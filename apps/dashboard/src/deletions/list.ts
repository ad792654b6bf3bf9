import { statement, typed, type RowOf, type Sql } from "@carillon/db";
import { deleteMessages } from "@carillon/jobs";

/** Maximum number of listed deletions; unfinished ones come first. */
const maxRows = 100;

const latest = statement({
  name: "dashboard-deletions",
  // `planned`: Messages when the steps were planned; the actual number may differ.
  // `now`: The database's clock.
  text: `SELECT j.id, j.realm_id AS "realmId", r.name AS "realmName", j.user_id AS "userId",
      u.full_name AS "userName", j.acting_user_id AS "actorId", a.full_name AS "actorName",
      j.public_channel_messages AS "publicChannels", j.private_channel_messages AS "privateChannels",
      j.direct_messages AS direct, i.state, i.id AS "intentId",
      s.steps, s.done, s.planned, s.deleted, left(s.error, 1000) AS "lastError",
      extract(epoch FROM j.created_at)::float8 AS "createdAt",
      extract(epoch FROM j.finished_at)::float8 AS "finishedAt", extract(epoch FROM now())::float8 AS now
    FROM message_deletion_jobs j JOIN realms r ON r.id = j.realm_id
    LEFT JOIN users u ON u.id = j.user_id LEFT JOIN users a ON a.id = j.acting_user_id
    LEFT JOIN job_intent i ON i.unique_key = '${deleteMessages.name}/' || j.id
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS steps, count(finished_at)::int AS done, coalesce(sum(planned), 0)::int AS planned,
        coalesce(sum(deleted), 0)::int AS deleted, max(last_error) FILTER (WHERE finished_at IS NULL) AS error
      FROM message_deletion_steps WHERE job_id = j.id) s
    WHERE j.id = ANY(ARRAY(
      (SELECT id FROM message_deletion_jobs WHERE finished_at IS NULL LIMIT ${maxRows})
      UNION (SELECT id FROM message_deletion_jobs ORDER BY id DESC LIMIT ${maxRows})))
    ORDER BY j.finished_at IS NULL DESC, j.id DESC LIMIT ${maxRows}`,
  overrides: {
    /** State of the background job; null once its row has been deleted. */
    state: typed<"pending" | "done" | "dead">(),
  },
});

/** Progress of deleting a deactivated account's messages. Times are UNIX seconds. */
export type DeletionView = RowOf<typeof latest>;

/** Lists running deletions, then the latest finished ones. */
export function listDeletions(sql: Sql): Promise<DeletionView[]> {
  return sql.rows(latest);
}
