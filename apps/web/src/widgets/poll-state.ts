import { listOf, textOf, type WidgetData } from "./submessages.ts";

export interface PollOption {
  /** Names the option in votes: who added it, and the number that they gave it. */
  readonly key: string;
  readonly text: string;
  readonly voters: ReadonlySet<number>;
}

export interface Poll {
  readonly question: string;
  readonly options: readonly PollOption[];
}

/** Computes a poll from its submessages. */
export function pollOf({ extra, actions }: WidgetData, senderId: number): Poll {
  let question = textOf(extra["question"]);
  const options = new Map<string, { key: string; text: string; voters: Set<number> }>();
  const add = (key: string, text: string) => {
    if (text !== "" && !options.has(key)) options.set(key, { key, text, voters: new Set() });
  };
  for (const [at, text] of listOf(extra["options"]).entries()) add(`canned,${at}`, textOf(text));
  for (const { senderId: actor, data } of actions)
    switch (data["type"]) {
      case "new_option":
        if (![...options.values()].some(({ text }) => text === data["option"]))
          add(`${actor},${Number(data["idx"])}`, textOf(data["option"]));
        break;
      case "question":
        if (actor === senderId) question = textOf(data["question"]);
        break;
      case "vote": {
        const voters = options.get(textOf(data["key"]))?.voters;
        if (data["vote"] === 1) voters?.add(actor);
        else if (data["vote"] === -1) voters?.delete(actor);
        break;
      }
      default:
    }
  return { question, options: [...options.values()] };
}

/** Returns a number for a new option that the account has not given yet. */
export function nextIndex({ actions }: WidgetData, me: number, field: "idx" | "key"): number {
  const used = actions
    .filter(({ senderId }) => senderId === me)
    .map(({ data }) => Number(data[field] ?? 0))
    .filter((number) => Number.isInteger(number));
  return Math.max(0, ...used) + 1;
}
