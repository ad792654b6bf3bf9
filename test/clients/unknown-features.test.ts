import { allEvents } from "@carillon/contract";
import type { GatewayClient } from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";
import { useServer } from "./support/server.ts";
import { seriesSoon, soon } from "./support/soon.ts";
import { eventBatch, message, parsed } from "./support/shapes.ts";

type Event = z.infer<typeof eventBatch>["events"][number];

/** The events of a queue of an account. */
class Queue {
  readonly #client: GatewayClient;
  readonly #id: string;
  #last: number;
  readonly heard: Event[] = [];

  constructor(client: GatewayClient, id: string, last: number) {
    this.#client = client;
    this.#id = id;
    this.#last = last;
  }

  /** Polls until an event matches. */
  async until(matches: (event: Event) => boolean): Promise<void> {
    while (!this.heard.some(matches)) await this.#poll(false);
  }

  /** Reads what is there. */
  async drain(): Promise<void> {
    const before = this.heard.length;
    await this.#poll(true);
    if (this.heard.length > before) await this.drain();
  }

  async #poll(dont_block: boolean): Promise<void> {
    const { body } = await this.#client.get("/api/v1/events", {
      queue_id: this.#id,
      last_event_id: this.#last,
      dont_block,
    });
    const { events } = parsed(eventBatch, body);
    this.#last = events.at(-1)?.id ?? this.#last;
    this.heard.push(...events);
  }
}

/** The record of scheduled-messages.md §0.7: a strict client fails on any other field. */
const scheduledMessage = z.strictObject({
  scheduled_message_id: z.int(),
  type: z.literal(["stream", "private"]),
  to: z.union([z.int(), z.array(z.int())]),
  topic: z.string().optional(),
  content: z.string(),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: z.int(),
  failed: z.boolean(),
});

const frame = { id: z.int(), type: z.literal("scheduled_messages") };
const strictEvents = {
  scheduled_messages: z.discriminatedUnion("op", [
    z.strictObject({
      ...frame,
      op: z.literal("add"),
      scheduled_messages: z.array(scheduledMessage),
    }),
    z.strictObject({ ...frame, op: z.literal("update"), scheduled_message: scheduledMessage }),
    z.strictObject({ ...frame, op: z.literal("remove"), scheduled_message_id: z.int() }),
  ]),
  message: z.strictObject({
    id: z.int(),
    type: z.literal("message"),
    message,
    flags: z.array(z.string()),
  }),
};

/** Types of events that clients made for other servers know. */
const knownTypes = [
  ...new Set(
    allEvents.filter(({ optIn, internal }) => !optIn && !internal).map(({ type }) => type),
  ),
];
const ownTypes = ["message_series", "withheld_messages"];

describe("Clients that know nothing of series, conditions and the scheduling bot", () => {
  const server = useServer();
  let phone: Queue;
  let strict: Queue;
  let modern: Queue;

  async function register(params: Record<string, unknown>): Promise<Queue> {
    const { body, status, text } = await server.as("member").post("/api/v1/register", params);
    expect(status, text).to.equal(200);
    const { queue_id, last_event_id } = body;
    return new Queue(server.as("member"), String(queue_id), Number(last_event_id));
  }

  const done = async (answer: ReturnType<GatewayClient["post"]>) => {
    const { status, body, text } = await answer;
    expect(status, text).to.equal(200);
    return body;
  };
  const isMessage = (content: string) => (event: Event) =>
    event.type === "message" && (event["message"] as { content: string }).content.includes(content);

  before("send by a series, by the bot and not at all", async () => {
    const member = server.as("member");
    phone = await register({ apply_markdown: true });
    strict = await register({ event_types: knownTypes, apply_markdown: true });
    modern = await register({ event_types: ownTypes, fetch_event_types: [] });
    const bells = { type: "channel", to: 1, topic: "bells" };

    await done(
      member.post("/api/v1/message_series", seriesSoon({ ...bells, content: "An occurrence" })),
    );
    const doomed = await done(
      member.post("/api/v1/channels/create", { name: "doomed", subscribers: [] }),
    );
    await done(
      member.post(
        "/api/v1/message_series",
        seriesSoon({ ...bells, to: doomed["id"], content: "Never sent" }),
      ),
    );
    await done(server.as("owner").delete(`/api/v1/streams/${String(doomed["id"])}`));
    await done(
      member.post("/api/v1/scheduled_messages", {
        ...bells,
        topic: "question",
        content: "Not sent",
        scheduled_delivery_timestamp: soon(),
        unless: [{ kind: "reply" }],
      }),
    );
    await done(
      server
        .as("owner")
        .post("/api/v1/messages", { ...bells, topic: "question", content: "The reply" }),
    );
    const asked = { event_types: [], fetch_event_types: ["realm_user"] };
    const { cross_realm_bots } = await done(member.post("/api/v1/register", asked));
    const bots = cross_realm_bots as ReadonlyArray<{ user_id: number; full_name: string }>;
    const bot = bots.find(({ full_name }) => full_name === "Scheduling Bot");
    for (const content of ["every weekday at 9:00 to me: Hello", "list"])
      await done(member.post("/api/v1/messages", { type: "direct", to: [bot?.user_id], content }));

    for (const queue of [phone, strict]) {
      await queue.until(isMessage("An occurrence"));
      await queue.until(isMessage("To undo this"));
      await queue.until(isMessage("are planned"));
      await queue.until(
        (event) =>
          event.type === "message" &&
          (event["message"] as { sender_full_name: string }).sender_full_name ===
            "Notification Bot",
      );
    }
    for (const type of ownTypes) await modern.until((event) => event.type === type);
    for (const queue of [phone, strict]) await queue.drain();
  });

  it("get the messages of series, the notice of one that failed, and the bot's answers", () => {
    for (const { heard } of [phone, strict])
      for (const event of heard.filter(({ type }) => type === "message"))
        parsed(strictEvents.message, event);
  });

  it("see the next message of a series as any scheduled message, field by field", async () => {
    for (const { heard } of [phone, strict]) {
      const events = heard.filter(({ type }) => type === "scheduled_messages");
      expect(events.map((event) => event["op"])).to.include.members(["add", "remove", "update"]);
      for (const event of events) parsed(strictEvents.scheduled_messages, event);
    }
    const { body } = await server.as("member").get("/api/v1/scheduled_messages");
    const list = parsed(z.array(scheduledMessage), body["scheduled_messages"]);
    expect(list.filter(({ content }) => content === "An occurrence")).to.have.length(1);
    expect(list.filter(({ failed }) => failed).map(({ content }) => content)).to.deep.equal([
      "Never sent",
    ]);
  });

  it("get no event of a type that they do not know", () => {
    for (const { heard } of [phone, strict])
      for (const { type } of heard) expect(type).to.be.oneOf(knownTypes);
    expect(new Set(modern.heard.map(({ type }) => type))).to.deep.equal(new Set(ownTypes));
  });

  it("find neither in a snapshot that names no sections", async () => {
    const { body } = await server.as("member").post("/api/v1/register");
    expect(body).to.have.property("scheduled_messages");
    for (const type of ownTypes) expect(body).not.to.have.property(type);
  });
});
