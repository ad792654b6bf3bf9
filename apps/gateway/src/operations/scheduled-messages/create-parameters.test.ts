import {
  channel,
  channelMessage,
  directMessage,
  inSeconds,
  type Params,
  schedule,
  scheduleRefused,
  type TestChannel,
  useScene,
} from "@carillon/testkit";

const unknownChannel = 2_000_000_000;

describe("Parameters of a scheduled message", () => {
  const scene = useScene();
  let room: TestChannel;
  before(async () => {
    room = await channel(scene.db, scene.org.realm, { subscribers: [scene.org.member] });
  });

  const refused = (params: Params, code?: string, extra?: Readonly<Record<string, unknown>>) =>
    scheduleRefused(scene, scene.org.member, params, code, extra);

  describe("required parameters", () => {
    for (const name of ["type", "to", "content", "scheduled_delivery_timestamp"]) {
      it(`include ${name}`, async () => {
        const params = channelMessage(room.id, { [name]: undefined });
        await refused(params, "REQUEST_VARIABLE_MISSING", { var_name: name });
      });
    }

    it("are reported in the documented order", async () => {
      const missing = (name: string) => ({ var_name: name });
      await refused({}, "REQUEST_VARIABLE_MISSING", missing("type"));
      await refused({ to: "nonsense" }, "REQUEST_VARIABLE_MISSING", missing("type"));
      await refused({ type: "nonsense" });
      await refused({ type: "channel" }, "REQUEST_VARIABLE_MISSING", missing("to"));
      await refused({ type: "channel", to: 1 }, "REQUEST_VARIABLE_MISSING", missing("content"));
      await refused(
        { type: "channel", to: 1, content: "x" },
        "REQUEST_VARIABLE_MISSING",
        missing("scheduled_delivery_timestamp"),
      );
    });

    it("exclude the topic: a channel message without one is refused with BAD_REQUEST", async () => {
      await refused(channelMessage(room.id, { topic: undefined }));
    });
  });

  describe("parameters of the wrong type", () => {
    const wrong: ReadonlyArray<readonly [name: string, values: readonly unknown[]]> = [
      ["type", ["", "Channel", "CHANNEL", "email", "0", "null", '"channel"']],
      ["scheduled_delivery_timestamp", ["", "soon", "1e12", "4e9", '"4102444800"', "null", "true"]],
      [
        "scheduled_delivery_timestamp",
        ["4102444800.5", "4102444800.0", "[4102444800]", "+4102444800"],
      ],
      ["read_by_sender", ["", "True", "1", "0", "yes", '"true"', "null", "[]"]],
    ];
    for (const [name, values] of wrong) {
      for (const value of values) {
        it(`are refused: ${name} as ${JSON.stringify(value)}`, async () => {
          await refused(channelMessage(room.id, { [name]: value }));
        });
      }
    }

    const shapes = [
      "",
      "general",
      "null",
      "true",
      "{}",
      "1.0",
      "1e2",
      '"1"',
      "[1",
      "[[1]]",
      "[null]",
    ];
    for (const to of [...shapes, '["a@b.test"]', "[true]", "[1.5]", "a@b.test"]) {
      it(`are refused: a destination of ${JSON.stringify(to)}`, async () => {
        await refused(channelMessage(room.id, { to }));
        await refused(directMessage([], { to }));
      });
    }

    it("are refused: a list as the channel, even with one element", async () => {
      await refused(channelMessage(room.id, { to: [room.id] }));
      await refused(channelMessage(room.id, { to: [] }));
    });

    it("are refused: a bare ID, addresses or an empty list for a direct message", async () => {
      const { guest } = scene.org;
      await refused(directMessage([], { to: guest.id }));
      await refused(directMessage([], { to: [guest.deliveryEmail] }));
      await refused(directMessage([], { to: guest.deliveryEmail }));
      await refused(directMessage([], { to: [guest.id, "1"] }));
      await refused(directMessage([]));
    });
  });

  describe("the delivery time", () => {
    it("must be later than now", async () => {
      const [row] = await scene.db.rows<{ now: number }>(
        "SELECT floor(extract(epoch FROM now()))::bigint AS now",
      );
      for (const time of [row?.now ?? 0, inSeconds(-1), 0, -1, "-9007199254740993"]) {
        await refused(channelMessage(room.id, { scheduled_delivery_timestamp: time }));
      }
    });

    it("may be near, or at the end of the year 9999", async () => {
      const client = scene.as(scene.org.member);
      for (const time of [inSeconds(30), 4_102_444_800, 253_402_300_799]) {
        await schedule(client, channelMessage(room.id, { scheduled_delivery_timestamp: time }));
      }
    });

    it("must not be after the year 9999", async () => {
      for (const time of [
        "253402300800",
        "9007199254740993",
        "9223372036854775808",
        "1".repeat(400),
      ]) {
        await refused(channelMessage(room.id, { scheduled_delivery_timestamp: time }));
      }
    });
  });

  describe("order of checks", () => {
    const missingChannel = ["STREAM_DOES_NOT_EXIST", { stream_id: unknownChannel }] as const;

    it("missing and malformed parameters before the time", async () => {
      const past = { scheduled_delivery_timestamp: 1 };
      await refused(
        { ...channelMessage(room.id, past), content: undefined },
        "REQUEST_VARIABLE_MISSING",
        {
          var_name: "content",
        },
      );
    });

    it("the time before the channel", async () => {
      await refused(channelMessage(unknownChannel, { scheduled_delivery_timestamp: 1 }));
    });

    it("the topic before the channel", async () => {
      await refused(channelMessage(unknownChannel, { topic: undefined }));
      await refused(channelMessage(unknownChannel, { topic: "a\u0007b" }));
    });

    it("the content before the channel", async () => {
      await refused(channelMessage(unknownChannel, { content: "  " }));
      await refused(channelMessage(unknownChannel, { content: "a\0b" }));
    });

    it("the channel before mentions and policies", async () => {
      await refused(channelMessage(unknownChannel, { content: "@**all**" }), ...missingChannel);
      await refused(channelMessage(unknownChannel, { topic: "" }), ...missingChannel);
    });
  });

  it("accepts parameters in the query", async () => {
    const params = channelMessage(room.id, { content: "from the query" });
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(params)) query.set(name, String(value));
    const client = scene.as(scene.org.member);
    const answer = await client.send("POST", `/api/v1/scheduled_messages?${query}`);
    if (answer.status !== 200) throw new Error(answer.text);
  });
});
