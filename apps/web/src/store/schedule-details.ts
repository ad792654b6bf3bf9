import type { Client, Condition, WithheldMessage } from "@carillon/client";
import { signal } from "@preact/signals";
import { reasonOf } from "../reason.ts";
import type { Item } from "./events.ts";
import { Keyed } from "./keyed.ts";
import type { Listener } from "./organization.ts";

interface Source {
  readonly client: Client;
  listen(listener: Listener): () => void;
}

/** Why a message was not sent. */
export interface ScheduleFailure {
  readonly reason: string;
  /** Seconds since the epoch; null if unknown. */
  readonly failed_timestamp: number | null;
}

/** Changes that follow one another faster than this are read once. */
const restMs = 200;

/**
 * What the records of scheduled messages do not have: conditions, reasons of failures, and withheld messages. It is read
 * when a view needs it, and again when messages are added or change.
 */
export class ScheduleDetails {
  /** Conditions by the id of the scheduled message; messages without conditions are absent. */
  readonly conditions = new Keyed<number, readonly Condition[]>();
  /** Time of the last check-in in seconds since the epoch, by the id of the scheduled message. */
  readonly lastCheckIns = new Keyed<number, number>();
  readonly failures = new Keyed<number, ScheduleFailure>();
  readonly withheld = new Keyed<number, WithheldMessage>();
  readonly state = signal<"loading" | "loaded" | "failed">("loading");
  readonly reason = signal("");
  readonly #source: Source;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ending = new AbortController();

  constructor(source: Source) {
    this.#source = source;
  }

  /** Reads everything and follows the events, until the returned function is called. */
  follow(): () => void {
    this.#ending = new AbortController();
    const ignore = this.#source.listen((item) => this.#take(item));
    void this.load();
    return () => {
      ignore();
      clearTimeout(this.#timer);
      this.#ending.abort();
    };
  }

  async load(): Promise<void> {
    const { client } = this.#source;
    const { signal } = this.#ending;
    try {
      const [{ conditions }, { failures }, { withheld_messages: withheld }] = await Promise.all([
        client.listConditions({}, { signal }),
        client.listFailedScheduledMessages({}, { signal }),
        client.listWithheldMessages({}, { signal }),
      ]);
      this.conditions.replace(
        conditions.map((one) => [one.scheduled_message_id, one.unless] as const),
      );
      this.lastCheckIns.replace(
        conditions.flatMap(({ scheduled_message_id: id, last_check_in: at }) =>
          at === null ? [] : [[id, at] as const],
        ),
      );
      this.failures.replace(failures.map((one) => [one.scheduled_message_id, one] as const));
      this.withheld.replace(withheld.map((one) => [one.scheduled_message_id, one] as const));
      this.state.value = "loaded";
    } catch (error) {
      if (signal.aborted) return;
      this.reason.value = reasonOf(error);
      this.state.value = "failed";
    }
  }

  #take(item: Item): void {
    if (item.type === "withheld_messages")
      for (const one of item.withheld_messages) this.withheld.set(one.scheduled_message_id, one);
    if (item.type === "scheduled_messages" && item.op === "remove") {
      this.conditions.delete(item.scheduled_message_id);
      this.failures.delete(item.scheduled_message_id);
    } else if (item.type === "registered" || item.type === "scheduled_messages") {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.load(), restMs);
    }
  }
}
