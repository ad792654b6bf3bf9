import {
  anonymousGroup,
  changeChannel,
  channel,
  type GatewayClient,
  roles,
  type Scene,
  send,
  subscribe,
  succeeded,
  type TestAccount,
  type TestChannel,
  toChannel,
  unsubscribe,
  user,
  userGroup,
} from "@carillon/testkit";

import { people, personNamed, type Person } from "./people.ts";
import {
  granting,
  privacies,
  subscriptions,
  type Case,
  type Permission,
  type Privacy,
  type Sent,
  type Subscription,
} from "./rules.ts";

/** A channel of the world, with the inputs of the rules. */
export interface Place {
  readonly title: string;
  readonly privacy: Privacy;
  readonly archived: boolean;
  /** The subscription of all accounts that follow channels. */
  readonly subscription: Subscription;
  /** The holders of a permission to send or to create topics that is not granted to all accounts. */
  readonly limited?: { readonly permission: Permission; readonly to: "listed" | "full members" };
  readonly channel: TestChannel;
  readonly messages: Readonly<Record<Sent, number>>;
}

/** An organization in which every kind of account meets every kind of channel. */
export interface World {
  readonly accounts: Readonly<Record<string, TestAccount>>;
  /** An administrator who is subscribed to every channel and sends the messages. */
  readonly herald: TestAccount;
  /** Channels of every privacy, active and archived, with every subscription; all accounts may post. */
  readonly places: readonly Place[];
  /** Active channels with subscriptions in which posting is restricted. */
  readonly limitedPlaces: readonly Place[];
  as(name: string): GatewayClient;
}

type Plan = Omit<Place, "channel" | "messages" | "title">;

const limitable = ["can_send_message_group", "can_create_topic_group"] as const;
const postable = { archived: false, subscription: "subscribed" } as const;

const plans: readonly Plan[] = privacies.flatMap((privacy) =>
  [false, true].flatMap((archived) =>
    subscriptions.map((subscription) => ({ privacy, archived, subscription })),
  ),
);

const limitedPlans: readonly Plan[] = [
  ...privacies.flatMap((privacy) =>
    limitable
      // All accounts may create topics if history is protected (channels.md §4.11).
      .filter((permission) => privacy !== "private, protected" || permission === limitable[0])
      .map((permission): Plan => ({
        ...postable,
        privacy,
        limited: { permission, to: "listed" },
      })),
  ),
  { ...postable, privacy: "public", limited: { permission: limitable[0], to: "full members" } },
];

const titleOf = ({ privacy, archived, subscription, limited }: Plan) =>
  [
    `${archived ? "archived, " : ""}${privacy}, ${subscription}`,
    ...(limited ? [`${limited.permission} for ${limited.to}`] : []),
  ].join(", ");

/** The inputs of the rules for that account and channel. */
export function caseOf(name: string, place: Place): Case {
  const of = (who: Person) => ({
    subscription: who.follows ? place.subscription : "never",
    listed:
      place.limited?.to === "full members"
        ? who.role === "guest" || who.isNew
          ? []
          : [place.limited.permission]
        : who.listed,
  });
  const person = personNamed(name);
  const owner = person.botOf ? personNamed(person.botOf) : undefined;
  const { privacy, archived, limited } = place;
  return {
    privacy,
    archived,
    role: person.role,
    ...of(person),
    everyones: limitable.filter((permission) => permission !== limited?.permission),
    ...(owner && { owner: of(owner) }),
  };
}

/** Creates the accounts, the groups and the channels. */
export async function makeWorld(scene: Scene): Promise<World> {
  const { db, org } = scene;
  const herald = await user(db, org.realm, { role: roles.administrator });
  const accounts: Record<string, TestAccount> = {};
  for (const [name, { role, botOf }] of Object.entries(people)) {
    const owner = botOf === undefined ? undefined : accounts[botOf];
    accounts[name] = await user(db, org.realm, {
      role: roles[role],
      ...(owner && { isBot: true, botOwnerId: owner.id }),
    });
  }
  const accountOf = (name: string) => {
    const account = accounts[name];
    if (!account) throw new Error(`there is nobody called ${name}`);
    return account;
  };
  await db.rows(
    "UPDATE users SET date_joined = now() - interval '10 days' WHERE realm_id = $1 AND id <> $2",
    [org.realm.id, accountOf("newcomer").id],
  );
  const settings = {
    waiting_period_threshold: 3,
    can_add_subscribers_group: { new: org.groups["role:nobody"] },
  };
  succeeded(await scene.as(org.owner).patch("/api/v1/realm", settings));
  const values = await groupValues(scene, accounts, herald);
  const world = { accounts, herald, as: (name: string) => scene.as(accountOf(name)) };
  const make = async (plan: Plan, index: number): Promise<Place> => {
    const made = await makeChannel(scene, world, plan);
    const column = (permission: Permission) =>
      plan.limited?.to === "full members" && permission === plan.limited.permission
        ? org.groups["role:fullmembers"]
        : values(permission, index);
    await changeChannel(db, made.channel, {
      isArchived: plan.archived,
      canAdministerChannelGroupId: await column("can_administer_channel_group"),
      canAddSubscribersGroupId: await column("can_add_subscribers_group"),
      canSubscribeGroupId: await column("can_subscribe_group"),
      ...(plan.limited?.permission === "can_send_message_group" && {
        canSendMessageGroupId: await column("can_send_message_group"),
      }),
      ...(plan.limited?.permission === "can_create_topic_group" && {
        canCreateTopicGroupId: await column("can_create_topic_group"),
      }),
    });
    return { ...plan, ...made, title: titleOf(plan) };
  };
  return {
    ...world,
    places: await Promise.all(plans.map(make)),
    limitedPlaces: await Promise.all(limitedPlans.map(make)),
  };
}

async function makeChannel(
  scene: Scene,
  { accounts, herald }: Pick<World, "accounts" | "herald">,
  { privacy, subscription }: Plan,
): Promise<Pick<Place, "channel" | "messages">> {
  const { db, org } = scene;
  const made = await channel(db, org.realm, {
    subscribers: [herald],
    inviteOnly: privacy.startsWith("private"),
    isWebPublic: privacy === "web-public",
    historyPublicToSubscribers: privacy !== "private, protected",
  });
  const followers = Object.entries(accounts)
    .filter(([name]) => people[name]?.follows)
    .map(([, account]) => account);
  const say = (topic: Sent) => send(scene.as(herald), toChannel(made.id, { topic }));
  const before = await say("before");
  if (subscription !== "never") await subscribe(db, made, ...followers);
  const during = await say("during");
  if (subscription === "was subscribed") await unsubscribe(db, made, ...followers);
  return { channel: made, messages: { before, during } };
}

/** Group-setting values with the people of a permission, in a form that differs between channels. */
async function groupValues(
  { db, org }: Scene,
  accounts: World["accounts"],
  herald: TestAccount,
): Promise<(permission: Permission, place: number) => number | Promise<number>> {
  const { id: realmId } = org.realm;
  const listedIn = (permission: Permission) =>
    Object.entries(accounts)
      .filter(([name]) => people[name]?.listed.includes(permission))
      .map(([, account]) => account);
  const groups = new Map<Permission, { named: number; nested: number }>();
  for (const permission of [...granting, ...limitable]) {
    const named = await userGroup(db, org.realm, { members: listedIn(permission) });
    const middle = await userGroup(db, org.realm, { subgroups: [named.id] });
    const nested = await userGroup(db, org.realm, { members: [herald], subgroups: [middle.id] });
    groups.set(permission, { named: named.id, nested: nested.id });
  }
  return (permission, place) => {
    const made = groups.get(permission);
    if (!made) throw new Error(`${permission} lists nobody`);
    const { named, nested } = made;
    const ids = listedIn(permission).map(({ id }) => id);
    const ways = [
      () => named,
      () => nested,
      () => anonymousGroup(db, realmId, ids),
      () => anonymousGroup(db, realmId, [herald.id], [nested]),
    ];
    // Shifted by one for each privacy, so that every subscription meets every form.
    return ways[(place + Math.floor(place / 6)) % ways.length]?.() ?? named;
  };
}
