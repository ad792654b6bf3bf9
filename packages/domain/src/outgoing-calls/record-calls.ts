import { statement, type Tx } from "@carillon/db";
import { callJob } from "@carillon/jobs";
import { randomKey } from "@carillon/kit";
import type { NumberedMessage } from "@carillon/model";
import { addJobsAfterCommit } from "@carillon/outbox";

/** Type of a bot that is called at a URL (users.md §5). */
export const outgoingWebhook = 3;

/** Maximum waiting calls in one conversation of a bot. */
const maxInConversation = 100;

/** Maximum waiting calls of an organization. */
const maxInOrganization = 10_000;

/**
 * If this many calls of a bot wait, a new one gets no job: calls that end add it. A thousand jobs of a bot whose endpoint
 * hangs would delay those of other bots.
 */
const maxJobs = 20;

const insert = statement({
  name: "outgoing-calls-insert",
  text: `WITH organization AS (
      SELECT count(*) >= ${maxInOrganization} AS full FROM (
        SELECT FROM outgoing_call WHERE realm_id = $1 AND state = 'waiting' LIMIT ${maxInOrganization}) w
    ), inserted AS (
      INSERT INTO outgoing_call (realm_id, bot_id, message_id, conversation, trigger, webhook_id, overflowed)
      SELECT $1, c.bot_id, c.message_id, c.conversation, c.trigger, c.webhook_id, organization.full OR (
          SELECT count(*) >= ${maxInConversation} FROM (SELECT FROM outgoing_call w
            WHERE w.bot_id = c.bot_id AND w.conversation = c.conversation AND w.state = 'waiting'
            LIMIT ${maxInConversation}) w)
      FROM (SELECT bot_id, message_id, trigger, webhook_id, recipient_id || ':' || lower(topic) AS conversation
        FROM unnest($2::int[], $3::bigint[], $4::int[], $5::text[], $6::text[], $7::text[])
          AS given (bot_id, message_id, recipient_id, topic, trigger, webhook_id)) c
      JOIN bot_service s ON s.bot_id = c.bot_id, organization
      ON CONFLICT DO NOTHING RETURNING id, bot_id, version, calls, overflowed
    )
    SELECT i.id AS "callId", i.version, i.calls, NOT i.overflowed AND (
        SELECT count(*) >= ${maxJobs} FROM (SELECT FROM outgoing_call w
          WHERE w.bot_id = i.bot_id AND w.state = 'waiting' LIMIT ${maxJobs}) w) AS crowded
    FROM inserted i ORDER BY i.id`,
});

/**
 * Records the calls that messages of people cause: of outgoing webhook bots that they mention in a channel, or that are
 * among the recipients of a direct message (bot-platform.md §2.2). Messages of bots cause none, so that no two bots answer
 * each other for ever. Sends no statement for other messages.
 */
export async function recordCalls(
  tx: Tx,
  realmId: number,
  messages: readonly NumberedMessage[],
): Promise<void> {
  const calls = messages.flatMap(callsOf);
  if (calls.length === 0) return;
  const recorded = await tx.rows(insert, [
    realmId,
    calls.map(({ botId }) => botId),
    calls.map(({ messageId }) => messageId),
    calls.map(({ recipientId }) => recipientId),
    calls.map(({ topic }) => topic),
    calls.map(({ trigger }) => trigger),
    calls.map(() => `call_${randomKey(24)}`),
  ]);
  addJobsAfterCommit(
    tx,
    recorded.filter(({ crowded }) => !crowded).map((call) => callJob(call)),
  );
}

function callsOf({
  id,
  sender,
  target,
  topic,
  recipientId,
  mentionedCallees = [],
}: NumberedMessage) {
  if (sender.isBot) return [];
  const call = { messageId: id, recipientId };
  if (target.kind === "channel")
    return mentionedCallees.map((botId) => ({ ...call, botId, topic, trigger: "mention" }));
  return target.participants
    .filter(({ botType }) => botType === outgoingWebhook)
    .map((bot) => ({ ...call, botId: bot.id, topic: "", trigger: "direct_message" }));
}
