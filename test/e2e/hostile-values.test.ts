import {
  type Answer,
  channel,
  channelMessage,
  directMessage,
  inSeconds,
  messagesPath,
  schedule,
  scheduledMessagesPath,
  type TestChannel,
  toChannel,
  toUsers,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

/** Values that have broken servers before. */
const hostile: ReadonlyArray<readonly [what: string, value: string]> = [
  ["nothing", ""],
  ["a space", " "],
  ["null", "null"],
  ["a boolean", "true"],
  ["zero", "0"],
  ["minus zero", "-0"],
  ["a negative number", "-1"],
  ["a fraction", "0.5"],
  ["an exponent", "1e400"],
  ["a number beyond 31 bits", "2147483648"],
  ["a number beyond 53 bits", "9007199254740993"],
  ["a number beyond 63 bits", "9223372036854775808"],
  ["a number beyond 64 bits", "-18446744073709551617"],
  ["a very long number", "9".repeat(5_000)],
  ["no number", "NaN"],
  ["infinity", "Infinity"],
  ["a list", "[]"],
  ["a list of a number beyond 63 bits", "[9223372036854775808]"],
  ["a list of minus one", "[-1]"],
  ["a list of null", "[null]"],
  ["a list of text with a zero character", '["a\\u0000b"]'],
  ["a list of half a surrogate pair", '["\\ud800"]'],
  ["many numbers", JSON.stringify(Array.from({ length: 20_000 }, (_, n) => n + 1_000_000))],
  ["an object", "{}"],
  ["a prototype", '{"__proto__":{"a":1},"constructor":1}'],
  ["broken JSON", '{"a":'],
  ["deep lists", deep],
  ["a zero character", "\0"],
  ["text with a zero character", "a\0b"],
  ["JSON text with a zero character", '"a\\u0000b"'],
  ["half a surrogate pair as JSON", '"\\ud800"'],
  ["control characters", "\u0001\u0002\u001b"],
  ["a byte order mark", "\ufeff"],
  ["non-characters", "\uffff\ufdd0"],
  ["right-to-left marks", "\u202e\u2066abc"],
  ["many combining marks", `a${"\u0301".repeat(5_000)}`],
  ["SQL", "'; DROP TABLE messages; --"],
  ["a format", "%s%n%x${1}{{x}}"],
  ["broken escapes", "%zz%"],
  ["a path", "../../../etc/passwd"],
  ["Markdown in the deep", "> ".repeat(3_000)],
  ["brackets in the deep", "[".repeat(9_000)],
  ["many stars", "*".repeat(9_999)],
  ["many mentions", "@**all** ".repeat(1_000)],
  ["many backticks", "`a".repeat(4_000)],
  ["a long word", "w".repeat(200_000)],
  ["an array in a name", "a[b]=c&d[]=e"],
];

describe("Hostile values", () => {
  const scene = useScene();
  let room: TestChannel;
  let id: number;

  before(async () => {
    const { org } = scene;
    room = await channel(scene.db, org.realm, { subscribers: [org.member] });
    id = await schedule(scene.as(org.member), channelMessage(room.id));
  });

  /** What was answered otherwise than by a success or an ordinary refusal, all of it in one test. */
  let broken: string[] = [];
  const ordinary = ({ status, body, text }: Answer, what: string) => {
    const success = status === 200 && body.result === "success";
    const refusal = status === 400 && body.result === "error" && typeof body.code === "string";
    if (!success && !refusal) broken.push(`${what}: ${status} ${text.slice(0, 200)}`);
  };
  beforeEach(() => (broken = []));
  const nothingBroke = () => expect(broken.join("\n")).to.equal("");

  const parameters = ["type", "to", "content", "topic", "subject", "client", "read_by_sender"];
  for (const name of [...parameters, "scheduled_delivery_timestamp"]) {
    it(`in ${name} never break scheduling or editing`, async () => {
      const client = scene.as(scene.org.member);
      const bases = [channelMessage(room.id), directMessage([scene.org.guest.id])];
      for (const [what, value] of hostile) {
        for (const base of bases) {
          const params = { ...base, [name]: value };
          if (name === "subject") delete (params as Record<string, unknown>)["topic"];
          ordinary(await client.post(scheduledMessagesPath, params), what);
        }
        ordinary(await client.patch(`${scheduledMessagesPath}/${id}`, { [name]: value }), what);
        const whole = { ...channelMessage(room.id), topic: undefined, subject: "x", [name]: value };
        ordinary(await client.patch(`${scheduledMessagesPath}/${id}`, whole), what);
      }
      nothingBroke();
    });
  }

  for (const name of [...parameters, "queue_id", "local_id"]) {
    it(`in ${name} never break sending`, async () => {
      const client = scene.as(scene.org.member);
      for (const [what, value] of hostile) {
        for (const base of [toChannel(room.id), toUsers([scene.org.guest.id])]) {
          const params = { ...base, [name]: value };
          if (name === "subject") delete (params as Record<string, unknown>)["topic"];
          ordinary(await client.post(messagesPath, params), what);
        }
      }
      nothingBroke();
    });
  }

  it("never break rendering", async () => {
    for (const [what, content] of hostile) {
      ordinary(await scene.as(scene.org.member).post(`${messagesPath}/render`, { content }), what);
    }
    nothingBroke();
  });

  it("in the path never break editing and deleting", async () => {
    const client = scene.as(scene.org.member);
    const time = { scheduled_delivery_timestamp: inSeconds(60) };
    for (const which of [
      "0",
      "00",
      "-1",
      "1.0",
      "1e3",
      "9223372036854775808",
      "9".repeat(1_000),
      "abc",
      "%00",
      "1%00",
      "%ED%A0%80",
      "%zz",
      "%2F",
      "..%2f..",
      "null",
      "%E2%88%9E",
      "",
    ]) {
      for (const answer of [
        await client.patch(`${scheduledMessagesPath}/${which}`, time),
        await client.delete(`${scheduledMessagesPath}/${which}`),
      ]) {
        expect(answer.status, `${which}: ${answer.text}`).to.be.oneOf([400, 404, 405]);
        expect(answer.body.result).to.equal("error");
        expect(answer.body.code).to.be.a("string");
      }
    }
  });

  it("in raw bodies never break anything", async () => {
    const client = scene.as(scene.org.member);
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const rest = `&to=${room.id}&topic=t&scheduled_delivery_timestamp=${inSeconds(60)}`;
    for (const body of [
      `type=channel&content=%ED%A0%80${rest}`,
      `type=channel&content=%FF%FE%zz%${rest}`,
      `type=channel&content=a%00b${rest}`,
      `type=channel&content=x&topic=%C0%80${rest}`,
      `type=channel&content=x&content=y&content=z${rest}`,
      `type[]=channel&content[a]=x${rest}`,
      "&&&===&=x&%",
      "=".repeat(5_000),
    ]) {
      ordinary(
        await client.send("POST", scheduledMessagesPath, { body, headers }),
        body.slice(0, 60),
      );
    }
    nothingBroke();
    for (const type of ["application/json", "text/plain", "multipart/form-data", "nonsense"]) {
      const sent = { body: '{"type":"channel"}', headers: { "Content-Type": type } };
      const answer = await client.send("POST", scheduledMessagesPath, sent);
      expect(answer.status, `${type}: ${answer.text}`).to.equal(400);
    }
  });

  it("leave the account's list readable", async () => {
    const answer = await scene.as(scene.org.member).get(scheduledMessagesPath);
    expect(answer.status, answer.text.slice(0, 500)).to.equal(200);
  });
});
