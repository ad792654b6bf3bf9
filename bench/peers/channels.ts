import { roles } from "@carillon/contract";
import { pool, serveBare, type Caller } from "./bare-server.ts";
import { byId, groupValues, type Parts } from "./group-values.ts";

// The minimal cost of listing channels, by `GET /streams` and in the snapshot of `POST /register`: the queries share no
// database snapshot, and no event queue is created.
serveBare((caller, url) => answer(caller, url));

const settings = [
  "can_add_subscribers_group",
  "can_administer_channel_group",
  "can_create_topic_group",
  "can_delete_any_message_group",
  "can_delete_own_message_group",
  "can_move_messages_out_of_channel_group",
  "can_move_messages_within_channel_group",
  "can_remove_subscribers_group",
  "can_resolve_topics_group",
  "can_send_message_group",
  "can_subscribe_group",
] as const;
type Setting = (typeof settings)[number];

interface ChannelRow extends Record<Setting, number> {
  readonly stream_id: number;
  readonly invite_only: boolean;
  readonly is_web_public: boolean;
}
interface SubscriptionRow {
  readonly channel_id: number;
  readonly active: boolean;
  readonly is_muted: boolean;
}
interface Group {
  readonly id: number;
  readonly name: string;
}

const channelsText = `SELECT id AS stream_id, name, description, rendered_description,
    floor(extract(epoch FROM date_created))::int AS date_created, creator_id, invite_only, is_web_public,
    history_public_to_subscribers, is_archived, folder_id, first_message_id::float8, message_retention_days,
    topics_policy, is_recently_active, subscriber_count, weekly_traffic AS stream_weekly_traffic,
    ${settings.map((name) => `${name}_id AS ${name}`).join(", ")}
  FROM channels WHERE realm_id = $1 AND NOT is_archived ORDER BY lower(name)`;
const subscriptionsText = `SELECT s.channel_id, s.active, s.color, s.is_muted, NOT s.is_muted AS in_home_view,
    s.pin_to_top, s.desktop_notifications, s.audible_notifications, s.push_notifications, s.email_notifications,
    s.wildcard_mentions_notify
  FROM subscriptions s JOIN channels c ON c.id = s.channel_id WHERE c.realm_id = $1 AND s.user_id = $2`;
const membersText = `SELECT m.group_id AS id, json_agg(m.user_id ORDER BY m.user_id) AS ids
  FROM user_group g JOIN user_group_member m ON m.group_id = g.id JOIN users u ON u.id = m.user_id
  WHERE g.realm_id = $1 AND u.is_active AND NOT EXISTS (SELECT FROM named_user_group n WHERE n.id = g.id) GROUP BY 1`;
const subgroupsText = `SELECT s.supergroup_id AS id, json_agg(s.subgroup_id ORDER BY s.subgroup_id) AS ids
  FROM user_group_subgroup s JOIN user_group g ON g.id = s.supergroup_id
  WHERE g.realm_id = $1 AND NOT EXISTS (SELECT FROM named_user_group n WHERE n.id = g.id) GROUP BY 1`;
const namedText = "SELECT id, name FROM named_user_group WHERE realm_id = $1";
const ownText = `WITH RECURSIVE own (id) AS (
    SELECT group_id FROM user_group_member WHERE user_id = $1
    UNION SELECT s.supergroup_id FROM own JOIN user_group_subgroup s ON s.subgroup_id = own.id
  ) SELECT id FROM own`;

const policies: Readonly<Record<string, number>> = {
  "role:administrators": 2,
  "role:fullmembers": 3,
  "role:moderators": 4,
};

async function answer(user: Caller, url: string): Promise<object> {
  const values = [user.realm_id];
  const [channels, subscriptions, members, subgroups, named, own] = await Promise.all([
    pool.query<ChannelRow>({ name: "channels", text: channelsText, values }),
    pool.query<SubscriptionRow>({
      name: "subscriptions",
      text: subscriptionsText,
      values: [...values, user.id],
    }),
    pool.query<Parts>({ name: "members", text: membersText, values }),
    pool.query<Parts>({ name: "subgroups", text: subgroupsText, values }),
    pool.query<Group>({ name: "named", text: namedText, values }),
    pool.query<{ id: number }>({ name: "own", text: ownText, values: [user.id] }),
  ]);
  const byChannel = new Map(subscriptions.rows.map((row) => [row.channel_id, row]));
  const subscribed = (id: number) => byChannel.get(id)?.active === true;
  const groups = new Set(own.rows.map(({ id }) => id));
  const known = (channel: ChannelRow) =>
    !channel.invite_only ||
    subscribed(channel.stream_id) ||
    user.role <= roles.administrator ||
    groups.has(channel.can_administer_channel_group) ||
    groups.has(channel.can_add_subscribers_group) ||
    groups.has(channel.can_subscribe_group);
  const listed = (channel: ChannelRow) => !channel.invite_only || subscribed(channel.stream_id);
  const nameOf = new Map(named.rows.map(({ id, name }) => [id, name]));
  const value = groupValues(nameOf, byId(members.rows), byId(subgroups.rows));
  const present = (channel: ChannelRow) => {
    const policy = policies[nameOf.get(channel.can_send_message_group) ?? ""] ?? 1;
    const object: Record<string, unknown> = {
      ...channel,
      stream_post_policy: policy,
      is_announcement_only: policy === 2,
    };
    for (const name of settings) object[name] = value(channel[name]);
    return object;
  };
  if (url.startsWith("/api/v1/streams"))
    return { streams: channels.rows.filter(listed).map(present) };
  const visible = channels.rows.filter(known);
  const lists = {
    subscriptions: [] as object[],
    unsubscribed: [] as object[],
    never_subscribed: [] as object[],
    streams: visible.map(present),
  };
  for (const [i, { stream_id }] of visible.entries()) {
    const row = byChannel.get(stream_id);
    if (!row) {
      lists.never_subscribed.push(lists.streams[i]!);
      continue;
    }
    const { channel_id: _, active, ...fields } = row;
    lists[active ? "subscriptions" : "unsubscribed"].push({ ...lists.streams[i], ...fields });
  }
  return lists;
}
