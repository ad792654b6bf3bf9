import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect } from "chai";

import type { Integration, WebhookParameters } from "./integration.ts";
import { integrations } from "./load-integrations.ts";
import { readMessages } from "./read-messages.ts";

/** A request in a folder beside its integration: `NAME.json` is the payload, `NAME.txt` says what becomes of it. */
interface Fixture {
  readonly name: string;
  readonly payload: unknown;
  /** The value of the event header. */
  readonly event: string | undefined;
  readonly parameters: WebhookParameters;
  /** `event: topic` and content of each message. */
  readonly expected: ReadonlyArray<readonly [heading: string, content: string]>;
}

const folder = (name: string) =>
  fileURLToPath(new URL(`./integrations/${name.replaceAll("_", "-")}/`, import.meta.url));

export function fixturesOf({ name, eventHeader }: Integration): Fixture[] {
  const files = readdirSync(folder(name)).filter((file) => file.endsWith(".json"));
  return files.sort().map((file) => {
    const payload: unknown = JSON.parse(readFileSync(folder(name) + file, "utf8"));
    const text = readFileSync(folder(name) + file.replace(/json$/, "txt"), "utf8");
    const [head = "", ...messages] = `\n${text}`.split("\n=== ");
    const lines = head.split("\n").filter((line) => line !== "");
    const given = (prefix: string) =>
      lines.find((line) => line.startsWith(prefix))?.slice(prefix.length);
    return {
      name: file.replace(/\.json$/, ""),
      payload,
      event: eventHeader === undefined ? undefined : given(`${eventHeader}: `),
      parameters: {
        branches: given("branches=")?.split(","),
        name: given("name=") ?? "instance",
        desc: given("desc=") ?? "alertname",
        editResolved: false,
      },
      expected: messages.map((message) => {
        const end = message.indexOf("\n");
        return [message.slice(0, end), message.slice(end + 1).trimEnd()] as const;
      }),
    };
  });
}

describe("Integrations", () => {
  for (const integration of integrations.values()) {
    it(`${integration.name}: makes the messages of its fixtures`, () => {
      const fixtures = fixturesOf(integration);
      expect(fixtures, "write fixtures").to.have.length.at.least(2);
      for (const { name, event, payload, parameters, expected } of fixtures) {
        const filter = { only: undefined, exclude: undefined };
        const messages = readMessages(integration, { event, payload, parameters, filter });
        const made = messages.map(
          (one) => [`${one.event ?? event ?? ""}: ${one.topic}`, one.content] as const,
        );
        expect(made, name).to.deep.equal(expected);
      }
    });
  }

  it("name their events, each of which has a fixture", () => {
    for (const integration of integrations.values()) {
      const shown = new Set(
        fixturesOf(integration).flatMap(({ expected }) =>
          expected.map(([heading]) => heading.slice(0, heading.indexOf(": "))),
        ),
      );
      for (const event of integration.events)
        if (!/Hook (?:close|reopen)$/.test(event)) expect([...shown]).to.include(event);
      for (const event of shown)
        if (event !== "" && event !== ":") expect(integration.events).to.include(event);
    }
  });
});
