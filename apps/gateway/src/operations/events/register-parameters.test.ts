import { refusedWith, succeeded, useScene } from "@carillon/testkit";
import { expect } from "chai";

const register = "/api/v1/register";
const events = "/api/v1/events";

// events.md §1–3: malformed parameters that no client sends on purpose.
describe("Malformed parameters of POST /register", () => {
  const scene = useScene();
  const member = () => scene.as(scene.org.member);
  const queues = async () => {
    const [row] = await scene.db.rows<{ count: number }>(
      "SELECT count(*)::int AS count FROM event_queue",
    );
    return row?.count;
  };
  const usable = async (params: Record<string, unknown>) =>
    succeeded(await member().post(register, { fetch_event_types: [], ...params }));

  const wrong: ReadonlyArray<readonly [name: string, value: string]> = [
    ["event_types", "message"],
    ["event_types", '"message"'],
    ["event_types", "[1]"],
    ["event_types", "[null]"],
    ["event_types", "{}"],
    ["event_types", '["a\\u0000"]'],
    ["event_types", ""],
    ["fetch_event_types", '[["message"]]'],
    ["fetch_event_types", "true"],
    ["client_capabilities", "[]"],
    ["client_capabilities", "null"],
    ["client_capabilities", '"empty_topic_name"'],
    ["client_capabilities", '{"empty_topic_name":1}'],
    ["client_capabilities", '{"empty_topic_name":"true"}'],
    ["client_capabilities", '{"empty_topic_name":null}'],
    ["client_capabilities", '{"notification_settings_null":[]}'],
    ["apply_markdown", "1"],
    ["apply_markdown", '"true"'],
    ["client_gravatar", "null"],
    ["slim_presence", "yes"],
    ["presence_history_limit_days", "-1"],
    ["presence_history_limit_days", "1.5"],
    ["presence_history_limit_days", "99999999999999999999"],
    ["include_subscribers", "some"],
    ["include_subscribers", "null"],
    ["all_public_streams", "0"],
    ["narrow", "{}"],
    ["narrow", "[[]]"],
    ["narrow", '[["channel",["a"]]]'],
    ["narrow", '[{"operator":"channel","operand":"a"}]'],
    ["narrow", '[["near","1"]]'],
    ["narrow", '[["is",""]]'],
    ["narrow", '[["topic","\\ud800"]]'],
    ["narrow", JSON.stringify(Array.from({ length: 101 }, () => ["is", "unread"]))],
    ["narrow", JSON.stringify([["topic", "w".repeat(1_001)]])],
    ["idle_queue_timeout", "0"],
    ["idle_queue_timeout", "-1"],
    ["idle_queue_timeout", "1.0"],
    ["idle_queue_timeout", "phone"],
    ["idle_queue_timeout", "null"],
    ["idle_queue_timeout", '"600"'],
    ["idle_queue_timeout", "99999999999999999999"],
  ];
  for (const [name, value] of wrong)
    it(`refuses ${name} = ${value.slice(0, 60)} and creates no queue`, async () => {
      const before = await queues();
      refusedWith(await member().post(register, { [name]: value }));
      expect(await queues()).to.equal(before);
    });

  it("accepts unknown capabilities with any value", async () => {
    const odd = '{"no_such_thing":7,"__proto__":true,"constructor":{},"empty_topic_name":true}';
    await usable({ client_capabilities: odd });
  });

  it("accepts the longest and largest valid values", async () => {
    const { idle_queue_timeout_secs: secs } = await usable({
      idle_queue_timeout: "10000000000000000",
    });
    expect(secs).to.equal(604_800);
    expect((await usable({ idle_queue_timeout: 1 }))["idle_queue_timeout_secs"]).to.equal(1);
    succeeded(
      await member().post(register, {
        fetch_event_types: ["presence"],
        presence_history_limit_days: "10000000000000000",
      }),
    );
  });

  it("ignores twenty thousand unknown event types and stores none of them", async () => {
    const types = Array.from({ length: 19_998 }, (_, n) => `No such type ${n}`);
    const { queue_id: id } = await usable({ event_types: [...types, "message", "message"] });
    const [row] = await scene.db.rows<{ options: { eventTypes: string[] } }>(
      "SELECT options FROM event_queue WHERE queue_id = $1",
      [id],
    );
    expect(row?.options.eventTypes).to.deep.equal(["message"]);
  });

  it("allows an account at most 100 queues, also under concurrent requests", async () => {
    const { owner } = scene.org;
    const client = scene.as(owner);
    const ask = () => client.post(register, { fetch_event_types: [] });
    for (let i = 0; i < 12; i++) await Promise.all(Array.from({ length: 10 }, ask));
    const newest = succeeded(await ask());
    const [row] = await scene.db.rows<{ count: number }>(
      "SELECT count(*)::int AS count FROM event_queue WHERE user_id = $1",
      [owner.id],
    );
    expect(row?.count).to.equal(100);
    const { queue_id, last_event_id } = newest;
    succeeded(await client.get(events, { queue_id, last_event_id, dont_block: true }));
  });
});
