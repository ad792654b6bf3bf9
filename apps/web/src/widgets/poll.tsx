import type { Message } from "@carillon/client";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { AddForm } from "./add-form.tsx";
import { nextIndex, pollOf } from "./poll-state.ts";
import { useAct } from "./act.ts";
import type { WidgetData } from "./submessages.ts";

const t = texts.widgets;

export interface WidgetProps {
  readonly message: Message;
  readonly data: WidgetData;
}

/** A poll. Pressing an option votes for it, or takes the vote back. */
export function Poll({ message, data }: WidgetProps) {
  const { me, people } = useOrganization();
  const { act, problem } = useAct(message.id);
  const { question, options } = pollOf(data, message.sender_id);
  return (
    <section class="widget" aria-label={t.poll}>
      <h3 dir="auto">{question || t.poll}</h3>
      <ul>
        {options.map(({ key, text, voters }) => {
          const hasVoted = voters.has(me);
          const names = [...voters].map((id) => people.nameOf(id) ?? texts.messages.unknownPerson);
          return (
            <li key={key} class="poll-option">
              <button
                type="button"
                class="poll-vote"
                aria-pressed={hasVoted}
                aria-label={t.vote(text, voters.size)}
                onClick={() => act({ type: "vote", key, vote: hasVoted ? -1 : 1 })}
              >
                {voters.size}
              </button>
              <span>
                <bdi>{text}</bdi>{" "}
                {names.length > 0 && <bdi class="poll-voters">{listed(names)}</bdi>}
              </span>
            </li>
          );
        })}
      </ul>
      <AddForm
        label={t.newOption}
        button={t.addOption}
        onAdd={(option) => act({ type: "new_option", option, idx: nextIndex(data, me, "idx") })}
      />
      {problem !== undefined && <Alert>{problem}</Alert>}
    </section>
  );
}

const shown = 5;

function listed(names: readonly string[]): string {
  const rest = names.length - shown;
  return names.slice(0, shown).join(", ") + (rest > 0 ? ` ${t.more(rest)}` : "");
}
