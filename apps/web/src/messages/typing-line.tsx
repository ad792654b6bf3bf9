import type { Conversation } from "../store/conversation.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";

/** Who is writing in a conversation. The line keeps its place, so that nothing jumps. */
export function TypingLine({ conversation }: { readonly conversation: Conversation }) {
  const { typing, people } = useOrganization();
  const names = typing
    .in(conversation)
    .map((id) => people.nameOf(id) ?? texts.messages.unknownPerson);
  return (
    <p class="typing" role="status">
      {names.length > 0 && <bdi>{texts.messages.typing(names)}</bdi>}
    </p>
  );
}
