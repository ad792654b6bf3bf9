import { operandOf, type Term } from "../route.ts";
import { othersOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";
import { channelTitle, titleOf } from "../store/titles.ts";
import { texts } from "../texts.ts";

const kinds: Readonly<Record<string, string>> = {
  mentioned: texts.sidebar.mentions,
  starred: texts.common.starred,
  dm: texts.sidebar.direct,
  private: texts.sidebar.direct,
};

/** Returns the name of a view of messages. */
export function viewTitle(terms: readonly Term[], organization: Organization): string {
  const channelId = operandOf(terms, "channel");
  const topic = operandOf(terms, "topic");
  const people = operandOf(terms, "dm");
  const search = operandOf(terms, "search");
  if (terms.length === 0) return texts.common.allMessages;
  if (typeof search === "string") return texts.search.results(search);
  if (typeof people === "object")
    return titleOf({ others: othersOf(people, organization.me) }, organization);
  if (typeof channelId === "number" && typeof topic === "string")
    return titleOf({ channelId, topic }, organization);
  if (typeof channelId === "number") return channelTitle(channelId, organization);
  const [first] = terms;
  const kind =
    terms.length === 1 && first?.operator === "is" ? kinds[String(first.operand)] : undefined;
  return (
    kind ??
    terms
      .map(
        ({ operator, operand, negated }) => `${negated ? "-" : ""}${operator}:${String(operand)}`,
      )
      .join(" ")
  );
}
