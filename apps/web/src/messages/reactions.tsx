import type { Message } from "@carillon/client";
import { EmojiSign } from "../emoji/emoji-sign.tsx";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { react } from "./actions.ts";

type Reaction = Message["reactions"][number];

/** The reactions to a message, one button for each emoji, which adds the account's own or takes it back. */
export function Reactions({ message }: { readonly message: Message }) {
  const organization = useOrganization();
  const { people, me, notices } = organization;
  if (message.reactions.length === 0) return null;
  return (
    <div class="reactions">
      {grouped(message.reactions).map((group) => {
        const [first] = group;
        const names = group.map(
          ({ user_id }) => people.nameOf(user_id) ?? texts.messages.unknownPerson,
        );
        const label = texts.messages.reaction(first.emoji_name, names);
        return (
          <button
            key={`${first.reaction_type} ${first.emoji_code}`}
            type="button"
            class="reaction"
            aria-pressed={group.some(({ user_id }) => user_id === me)}
            aria-label={label}
            title={label}
            onClick={() => notices.attempt(react(organization, message, first))}
          >
            <EmojiSign emoji={first} />
            <span aria-hidden="true">{group.length}</span>
          </button>
        );
      })}
    </div>
  );
}

/** Reactions with the same emoji, in the order in which the first of each came. */
function grouped(reactions: readonly Reaction[]): Array<[Reaction, ...Reaction[]]> {
  const groups = new Map<string, [Reaction, ...Reaction[]]>();
  for (const reaction of reactions) {
    const key = `${reaction.reaction_type} ${reaction.emoji_code}`;
    const group = groups.get(key);
    if (group) group.push(reaction);
    else groups.set(key, [reaction]);
  }
  return [...groups.values()];
}
