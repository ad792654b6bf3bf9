import { getEvents, register } from "@carillon/contract";
import type { NumberedEvent } from "@carillon/events";
import type { Gateway, TestAccount } from "@carillon/testkit";
import { expect } from "chai";

import type { Chance } from "../../faults/support/chance.ts";
import { ClientModel } from "./client-model.ts";

/** A client with an event queue that polls random gateways and sometimes loses a response. */
export class QueueClient {
  readonly name: string;
  readonly account: TestAccount;
  readonly first: Readonly<Record<string, unknown>>;
  readonly model: ClientModel;
  readonly queueId: string;
  readonly #gateways: readonly Gateway[];
  readonly #chance: Chance;
  readonly #params: Readonly<Record<string, unknown>>;
  /** The last acknowledged event ID. */
  lastId: number;
  /** True once a poll was refused: the account is deactivated, or its API key has changed. */
  ended = false;

  private constructor(
    account: TestAccount,
    gateways: readonly Gateway[],
    chance: Chance,
    params: Readonly<Record<string, unknown>>,
    answer: { queue_id: string; last_event_id: number },
  ) {
    this.account = account;
    this.#gateways = gateways;
    this.#chance = chance;
    this.#params = params;
    this.first = structuredClone(answer) as Readonly<Record<string, unknown>>;
    this.model = new ClientModel(this.first, this.can("user_list_incomplete"));
    this.queueId = answer.queue_id;
    this.lastId = answer.last_event_id;
    this.name = `${account.fullName} (${account.id}) from event ${this.lastId}`;
  }

  /** @returns undefined for a deactivated account */
  static async register(
    account: TestAccount,
    gateways: readonly Gateway[],
    chance: Chance,
    params: Readonly<Record<string, unknown>>,
  ): Promise<QueueClient | undefined> {
    const gateway = gateways.at(chance.below(gateways.length))!;
    const { status, body } = await gateway.as(account).call(register, { params });
    if (status === 401) return undefined;
    if (body.result !== "success") throw new Error(`${account.fullName}: ${JSON.stringify(body)}`);
    return new QueueClient(account, gateways, chance, params, body);
  }

  /** Whether the client declares the capability. */
  can(capability: string): boolean {
    const { client_capabilities = {} } = this.#params;
    const all = Object.entries(client_capabilities as Readonly<Record<string, boolean>>);
    return all.some(([name, able]) => name === capability && able);
  }

  /** A new snapshot for this client. */
  async freshSnapshot(): Promise<Readonly<Record<string, unknown>>> {
    return this.#gateway().as(this.account).succeed(register, { params: this.#params });
  }

  /**
   * Polls once and applies new events. One time in five the response is lost, and one time in ten two polls are open at
   * once: no event may be missing or differ then.
   * @returns the number of events
   */
  async poll(block: boolean): Promise<number> {
    try {
      return await this.#poll(block);
    } catch (error) {
      if (!(error instanceof QueueEnded)) throw error;
      this.ended = true;
      return 0;
    }
  }

  async #poll(block: boolean): Promise<number> {
    const how = block ? this.#chance.below(10) : 9;
    const lost = how < 2 ? await this.#ask(true) : [];
    const [events, others] =
      how === 2
        ? await Promise.all([this.#ask(true), this.#ask(true)])
        : [await this.#ask(block), []];
    const taken = merged(events, others);
    expect(idsOf(taken), `${this.name}: told again`).to.include.members(idsOf(lost));
    for (const event of taken) {
      expect(event.id, `${this.name}: ${JSON.stringify(event)}`).to.be.greaterThan(this.lastId);
      this.model.apply(event);
      this.lastId = event.id;
    }
    return taken.length;
  }

  /** Polls until all events committed before the call have been received. */
  async drain(): Promise<void> {
    while ((await this.poll(false)) > 0);
  }

  async #ask(block: boolean): Promise<readonly NumberedEvent[]> {
    const { status, body } = await this.#gateway()
      .as(this.account)
      .call(getEvents, {
        params: { queue_id: this.queueId, last_event_id: this.lastId, dont_block: !block },
      });
    if (status === 401 || body.code === "BAD_EVENT_QUEUE_ID") throw new QueueEnded();
    if (body.result !== "success") throw new Error(`${this.name}: ${JSON.stringify(body)}`);
    const { events } = body;
    const ids = events.map(({ id }) => id);
    const ascending = [...new Set(ids)].toSorted((a, b) => a - b);
    expect(ids, `${this.name}: ids rise`).to.deep.equal(ascending);
    return (events as readonly NumberedEvent[]).filter(({ type }) => type !== "heartbeat");
  }

  #gateway(): Gateway {
    return this.#gateways.at(this.#chance.below(this.#gateways.length))!;
  }
}

/** Expected for deactivated accounts only. */
class QueueEnded extends Error {}

/** Merges two responses, oldest event first; events in both must be equal. */
function merged(
  events: readonly NumberedEvent[],
  others: readonly NumberedEvent[],
): readonly NumberedEvent[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  for (const event of others) {
    const same = byId.get(event.id);
    if (same) expect(event).to.deep.equal(same);
    byId.set(event.id, event);
  }
  return [...byId.values()].toSorted((a, b) => a.id - b.id);
}

function idsOf(events: readonly NumberedEvent[]): number[] {
  return events.map(({ id }) => id);
}
