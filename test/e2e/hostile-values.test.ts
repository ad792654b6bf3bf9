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

import { hostile } from "./support/hostile.ts";

describe("Hostile values", () => {
  const scene = useScene();
  let room: TestChannel;
  let id: number;

  before(async () => {
    const { org } = scene;
    room = await channel(scene.db, org.realm, { subscribers: [org.member] });
    id = await schedule(scene.as(org.member), channelMessage(room.id));
  });

  /** Lists all responses that are neither a success nor an ordinary refusal. */
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
    it(`in ${name} cause no internal error in scheduling or editing`, async () => {
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
    it(`in ${name} cause no internal error in sending`, async () => {
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

  it("cause no internal error in rendering", async () => {
    for (const [what, content] of hostile) {
      ordinary(await scene.as(scene.org.member).post(`${messagesPath}/render`, { content }), what);
    }
    nothingBroke();
  });

  it("in the path cause no internal error in editing and deleting", async () => {
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

  it("in raw bodies cause no internal error", async () => {
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
