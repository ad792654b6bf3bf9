import { granting, type Permission, type Role } from "./rules.ts";

/** Somebody of the world in whose channels the rules are tried. */
export interface Person {
  readonly role: Role;
  /** The name of the owner, who stands above. */
  readonly botOf?: string;
  /** Subscribed where the channel's subscribers are; else never anywhere. */
  readonly follows: boolean;
  /** Permissions that list the account in every channel. */
  readonly listed: readonly Permission[];
  /** Not yet a member for as long as the organization asks for. */
  readonly isNew?: boolean;
}

const human = (role: Role, listed: readonly Permission[] = []): Person => ({
  role,
  follows: true,
  listed,
});

/** A bot that is subscribed to nothing itself. */
const botOf = (owner: string, over: Partial<Person> = {}): Person => ({
  role: "member",
  botOf: owner,
  follows: false,
  listed: [],
  ...over,
});

/** Every role, every permission by which a channel is seen, and a bot of each kind of owner. */
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
