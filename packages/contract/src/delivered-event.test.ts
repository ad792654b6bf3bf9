import { expect } from "chai";
import * as z from "zod";
import { schemaOf } from "./primitives/json-schema.ts";
import { allEvents, kindOf } from "./events/all-events.ts";
import { deliveredEvent } from "./delivered-event.ts";
import { eventReference } from "./events/event-reference.ts";

const forClients = allEvents.filter(({ internal }) => !internal);

describe("delivered events", () => {
  it("are alternatives in the OpenAPI document: exactly the served ones", () => {
    const { oneOf } = schemaOf(z.array(deliveredEvent), "output")["items"] as {
      oneOf: Array<{ title: string; properties: Record<string, unknown>; required: string[] }>;
    };
    const served = forClients.filter(({ notServedYet }) => !notServedYet).map(kindOf);
    expect([...new Set(oneOf.map(({ title }) => title))].toSorted()).to.deep.equal(
      served.toSorted(),
    );
    const presence = oneOf.filter(({ title }) => title === "presence");
    expect(presence.map(({ properties }) => Object.keys(properties))).to.deep.equal([
      ["id", "type", "presences"],
      ["id", "type", "user_id", "email", "server_timestamp", "presence"],
    ]);
    expect(presence[1]?.required).not.to.include("email");
  });

  it("have a section each in the reference, with the forms for older clients", () => {
    const page = eventReference();
    for (const event of forClients) expect(page).to.contain(`\n## \`${kindOf(event)}\`\n`);
    expect(page).to.contain("Without `archived_channels`: Archiving is sent as `delete`");
    expect(page).to.contain("(`user_group/remove`, `user_group/add`)");
    expect(page).to.contain("For `ZulipTerminal`: Includes the user who reacted.");
    expect(page).not.to.contain("api_key_changed");
  });

  it("are checked against their declarations, and errors name the wrong field", () => {
    const faults = (event: object) =>
      deliveredEvent.safeParse(event).error?.issues.map(({ message }) => message);
    expect(faults({ id: 5, type: "user_group", op: "remove", group_id: 1 })).to.equal(undefined);
    expect(faults({ id: 5, type: "user_group", op: "remove", group: 1 })).to.deep.equal([
      "user_group/remove.group_id: Invalid input: expected number, received undefined",
      'user_group/remove: Unrecognized key: "group"',
    ]);
    expect(faults({ id: 5, type: "bell" })).to.deep.equal([
      "bell is not declared as an event for clients",
    ]);
  });
});
