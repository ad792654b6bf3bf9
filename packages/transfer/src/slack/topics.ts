import { cleanLine, UniqueNames } from "../clean-names.ts";

/** Code points of a thread's topic before a number that makes it unique. */
const most = 50;

/**
 * Topics of threads. Slack's threads have no names: a thread's topic is the first words of the message that began it, or
 * the time of that message if it has no words. Memory: some 200 bytes for a thread.
 */
export class ThreadTopics {
  readonly #topics = new Map<string, string>();
  readonly #names = new Map<string, UniqueNames>();
  /** Topics that threads do not get. */
  readonly #reserved: string;

  /** @param reserved the topic of messages outside threads */
  constructor(reserved: string) {
    this.#reserved = reserved;
  }

  /**
   * Returns the topic of a thread.
   * @param threadTs the time of the message that began it
   * @param words text of that message, if it is the one at hand
   */
  of(channel: string, threadTs: string, words: string | undefined): string {
    const key = `${channel}/${threadTs}`;
    const known = this.#topics.get(key);
    if (known !== undefined) return known;
    let names = this.#names.get(channel);
    if (!names) {
      names = new UniqueNames(60);
      names.take(this.#reserved);
      this.#names.set(channel, names);
    }
    const topic = names.take(firstWords(words ?? "") || `Thread of ${timeOf(threadTs)}`);
    this.#topics.set(key, topic);
    return topic;
  }
}

function firstWords(text: string): string {
  const points = Array.from(cleanLine(text));
  if (points.length <= most) return points.join("");
  const start = points.slice(0, most).join("");
  const space = start.lastIndexOf(" ");
  return `${(space > most / 2 ? start.slice(0, space) : start).trimEnd()}…`;
}

function timeOf(ts: string): string {
  const date = new Date(Number(ts) * 1000);
  return Number.isNaN(date.getTime())
    ? "an unknown time"
    : date.toISOString().slice(0, 16).replace("T", " ");
}
