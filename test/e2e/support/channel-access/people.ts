import { granting, type Permission, type Role } from "./rules.ts";

/** An account of the world for tests of the access rules. */
export interface Person {
  readonly role: Role;
  /** The name of the bot's owner, who precedes it in the list. */
  readonly botOf?: string;
  /** True: has the subscription of the channel's plan. False: was never subscribed. */
  readonly follows: boolean;
  /** Permissions that include the account in every channel. */
  readonly listed: readonly Permission[];
  /** True while the account's waiting period has not ended. */
  readonly isNew?: boolean;
}

const human = (role: Role, listed: readonly Permission[] = []): Person => ({
  role,
  follows: true,
  listed,
});

/** A bot without subscriptions of its own. */
const botOf = (owner: string, over: Partial<Person> = {}): Person => ({
  role: "member",
  botOf: owner,
  follows: false,
  listed: [],
  ...over,
});

/** Every role, every permission that shows a channel, and a bot of each kind of owner. */
export const people: Readonly<Record<string, Person>> = {
  owner: human("owner"),
  administrator: human("administrator"),
  moderator: human("moderator"),
  member: human("member", ["can_send_message_group", "can_create_topic_group"]),
  newcomer: { ...human("member"), isNew: true },
  guest: human("guest", ["can_send_message_group"]),
  channelAdministrator: human("member", ["can_administer_channel_group"]),
  adder: human("member", ["can_add_subscribers_group"]),
  subscriber: human("member", ["can_subscribe_group"]),
  listedGuest: human("guest", granting),
  listedModerator: human("moderator", granting),
  readingAdministrator: human("administrator", ["can_subscribe_group"]),
  loner: { ...human("member"), follows: false },
  botOfOwner: botOf("owner"),
  botOfAdministrator: botOf("administrator"),
  botOfModerator: botOf("moderator"),
  botOfMember: botOf("member"),
  botOfGuest: botOf("guest", { role: "guest" }),
  botOfAdder: botOf("adder"),
  administratorBot: botOf("loner", { role: "administrator" }),
  followingBot: botOf("loner", { follows: true }),
  listedBot: botOf("loner", { listed: ["can_subscribe_group", "can_send_message_group"] }),
};

/** @throws Error for a name that is not in {@link people} */
export function personNamed(name: string): Person {
  const person = people[name];
  if (!person) throw new Error(`there is nobody called ${name}`);
  return person;
}
