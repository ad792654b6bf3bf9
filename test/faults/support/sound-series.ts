import type { Database } from "@carillon/db";
import { expect } from "chai";

/** A series that breaks a rule, and the rule. */
interface Unsound {
  readonly rule: string;
  readonly series: number | null;
}

/**
 * Checks all series of a database between two deliveries (once-and-again.md §3.4): what is planned, what was sent and how
 * it is recorded agree.
 */
export async function expectSoundSeries(db: Database): Promise<void> {
  const unsound = await db.rows<Unsound>(
    `WITH pending AS (
       SELECT series_id, occurrence, detached FROM scheduled_messages
       WHERE series_id IS NOT NULL AND NOT delivered AND NOT failed
     ),
     planned AS (SELECT series_id, count(*) AS rows FROM pending WHERE NOT detached GROUP BY 1),
     sent AS (
       SELECT s.series_id, s.occurrence, count(*) AS messages, min(m.id) AS message_id
       FROM messages m JOIN scheduled_messages s ON s.id = m.scheduled_message_id
       WHERE s.series_id IS NOT NULL GROUP BY 1, 2
     )
     SELECT 'an active series has one planned occurrence, and no other series has any' AS rule, m.id AS series
     FROM message_series m LEFT JOIN planned p ON p.series_id = m.id
     WHERE coalesce(p.rows, 0) <> (m.state = 'active')::int
     UNION ALL
     SELECT 'a deleted series has no pending messages', p.series_id
     FROM pending p LEFT JOIN message_series m ON m.id = p.series_id WHERE m.id IS NULL
     UNION ALL
     SELECT 'a date has one pending message at most', series_id
     FROM pending GROUP BY series_id, occurrence HAVING count(*) > 1
     UNION ALL
     SELECT 'a date is sent once', series_id FROM sent WHERE messages > 1
     UNION ALL
     SELECT 'what was sent has a run that names its message', s.series_id
     FROM sent s JOIN message_series m ON m.id = s.series_id
     LEFT JOIN series_runs r ON r.series_id = s.series_id AND r.occurrence = s.occurrence
     WHERE (r.outcome, r.message_id) IS DISTINCT FROM ('sent', s.message_id)
     UNION ALL
     SELECT 'a run of a sent occurrence has its message', r.series_id
     FROM series_runs r LEFT JOIN messages m ON m.id = r.message_id WHERE r.outcome = 'sent' AND m.id IS NULL
     UNION ALL
     SELECT 'a pending date has not been sent, skipped or withheld', p.series_id
     FROM pending p JOIN series_runs r USING (series_id, occurrence)
     WHERE r.outcome IN ('sent', 'skipped', 'withheld')
     UNION ALL
     SELECT 'a series counts the messages that it has sent', m.id
     FROM message_series m LEFT JOIN series_runs r ON r.series_id = m.id AND r.outcome = 'sent'
     GROUP BY m.id, m.sent_count HAVING count(r.occurrence) <> m.sent_count
     UNION ALL
     SELECT 'the planned occurrence is later than the last one that ended', m.id
     FROM message_series m JOIN pending p ON p.series_id = m.id AND NOT p.detached
     WHERE p.occurrence <= m.last_occurrence`,
  );
  expect(unsound).to.deep.equal([]);
}
