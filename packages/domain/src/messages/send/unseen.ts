import {
  type NumberedMessage,
  type Realm,
  seesByChannel,
  sharesConversation,
} from "@carillon/model";
import { roles } from "@carillon/contract";
import { statement, notNull, type Sql } from "@carillon/db";

const guestsNotSeeing = statement({
  name: "guests-not-seeing-senders",
  text: `SELECT w.place::int, u.id FROM unnest($2::int[], $3::int[]) WITH ORDINALITY AS w (sender, channel_id, place)
      JOIN subscriptions s ON s.channel_id = w.channel_id AND s.active AND s.is_user_active
      JOIN users u ON u.id = s.user_id AND u.role = ${roles.guest} AND u.id <> w.sender
    WHERE NOT EXISTS (SELECT FROM subscriptions own
        WHERE own.user_id = w.sender AND own.channel_id = w.channel_id AND own.active AND own.is_user_active)
      AND NOT ${seesByChannel("u.id", "w.sender")} AND NOT ${sharesConversation("$1", "u.id", "w.sender")}`,
  overrides: { place: notNull },
});

/**
 * Loads the receivers who cannot see the sender, by the message's index (users.md §2.1): guests, if the sender is not
 * subscribed to the channel.
 */
export async function loadUnseen(
  sql: Sql,
  realm: Realm,
  messages: ReadonlyArray<Pick<NumberedMessage, "sender" | "target">>,
): Promise<Map<number, number[]>> {
  const unseen = new Map<number, number[]>();
  if (!realm.restrictsGuests) return unseen;
  const places = messages.flatMap(({ target, sender }, place) =>
    target.kind === "channel" && !sender.isBot ? [{ place, sender, target }] : [],
  );
  if (places.length === 0) return unseen;
  const rows = await sql.rows(guestsNotSeeing, [
    realm.id,
    places.map(({ sender }) => sender.id),
    places.map(({ target }) => target.channel.id),
  ]);
  for (const row of rows) {
    const place = places[row.place - 1]?.place ?? 0;
    const ids = unseen.get(place);
    if (ids) ids.push(row.id);
    else unseen.set(place, [row.id]);
  }
  return unseen;
}
