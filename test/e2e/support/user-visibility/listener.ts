import { succeeded, type GatewayClient, type Params } from "@carillon/testkit";

/** A queue that is polled after each step; it ends when its account is deactivated. */
export class Listener {
  readonly viewer: number;
  readonly #kind: string;
  readonly #client: GatewayClient;
  readonly #queueId: string;
  #lastId: number;
  isOver = false;

  private constructor(
    viewer: number,
    kind: string,
    client: GatewayClient,
    { queue_id, last_event_id }: Readonly<Record<string, unknown>>,
  ) {
    this.viewer = viewer;
    this.#kind = kind;
    this.#client = client;
    this.#queueId = String(queue_id);
    this.#lastId = Number(last_event_id);
  }

  static async register(
    viewer: number,
    client: GatewayClient,
    [kind, params]: readonly [string, Params],
  ): Promise<Listener> {
    const asked = { ...params, fetch_event_types: [] };
    return new Listener(
      viewer,
      kind,
      client,
      succeeded(await client.post("/api/v1/register", asked)),
    );
  }

  is(viewer: number, kind: string): boolean {
    return this.viewer === viewer && this.#kind === kind;
  }

  /** The events since the last call. */
  async heard(): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> {
    const { status, body } = await this.#client.get("/api/v1/events", {
      queue_id: this.#queueId,
      last_event_id: this.#lastId,
      dont_block: true,
    });
    if (status !== 200) {
      this.isOver = true;
      return [];
    }
    const events = body["events"] as ReadonlyArray<Readonly<Record<string, unknown>>>;
    this.#lastId = Math.max(this.#lastId, ...events.map(({ id }) => Number(id)));
    return events;
  }
}
