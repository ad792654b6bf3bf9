import { type ClientCapability, eventOf } from "@carillon/contract";
import type { EventQueue, LoggedEvent, QueueEvent } from "@carillon/events";
import { expect } from "chai";

import { deliveryFaults } from "./checked-presenter.ts";

describe("Events delivered by a test gateway", () => {
  const queue = (...capabilities: ClientCapability[]): EventQueue => ({
    id: "queue",
    realmId: 1,
    userId: 1,
    viewerRole: 400,
    baseSeq: 0,
    idleTimeout: 600,
    options: {
      eventTypes: null,
      allPublicChannels: false,
      applyMarkdown: false,
      clientGravatar: true,
      slimPresence: false,
      narrow: [],
      capabilities,
    },
  });
  const row = (type: string, op: string | null, payload: object): LoggedEvent => ({
    seq: 1,
    type,
    op,
    declared: eventOf(type, op),
    payload: { ...payload },
    audience: null,
    userData: null,
  });
  const off = { group_id: 7, data: { deactivated: true } };
  const deactivation = row("user_group", "update", off);
  const presence = row("presence", null, {
    user_id: 3,
    email: "a@b.test",
    server_timestamp: 5.5,
    active_timestamp: 4,
    idle_timestamp: 5,
  });
  const faults = (delivered: QueueEvent, of: LoggedEvent, ...capabilities: ClientCapability[]) =>
    deliveryFaults(delivered, of, queue(...capabilities));

  it("match their declaration, for current and for older clients", () => {
    const update = { type: "user_group", op: "update", ...off };
    const remove = { type: "user_group", op: "remove", group_id: 7 };
    expect(faults(update, deactivation, "include_deactivated_groups")).to.deep.equal([]);
    expect(faults(remove, deactivation)).to.deep.equal([]);
    expect(faults(remove, deactivation, "include_deactivated_groups")).to.deep.equal([
      "user_group/update became user_group/remove",
    ]);
    const presences = { 3: { active_timestamp: 4, idle_timestamp: 5 } };
    expect(
      faults({ type: "presence", presences }, presence, "simplified_presence_events"),
    ).to.deep.equal([]);
    expect(faults({ type: "presence", presences }, presence)).to.have.length.above(0);
    const website = { client: "website", status: "active", timestamp: 4, pushable: false };
    const old = {
      type: "presence",
      user_id: 3,
      server_timestamp: 5.5,
      presence: { website },
    };
    expect(faults(old, presence)).to.deep.equal([]);
    expect(faults(old, presence, "simplified_presence_events")).to.have.length.above(0);
  });

  it("have no additional, missing or wrongly typed field, at any depth", () => {
    const delivered = { type: "user_group", op: "update", ...off };
    const capability = "include_deactivated_groups";
    for (const [wrong, fault] of [
      [{ ...delivered, deactivated: true }, 'user_group/update: Unrecognized key: "deactivated"'],
      [{ ...delivered, data: { motto: "" } }, 'user_group/update.data: Unrecognized key: "motto"'],
      [
        { ...delivered, data: { name: 1 } },
        "user_group/update.data.name: Invalid input: expected string, received number",
      ],
      [
        { type: "user_group", op: "update", data: {} },
        "user_group/update.group_id: Invalid input: expected number, received undefined",
      ],
      [{ ...delivered, op: "change" }, "user_group/change is not declared as an event for clients"],
    ] as const)
      expect(faults(wrong, deactivation, capability)).to.include(fault);
  });

  it("come from a log row with the required fields", () => {
    const delivered = { type: "user_group", op: "update", ...off };
    const wrong = { ...deactivation, payload: { ...off, why: "" }, userData: { 1: { a: 1 } } };
    expect(faults(delivered, wrong, "include_deactivated_groups")).to.deep.equal([
      'user_group/update: Unrecognized key: "why"',
      "user_group/update has nothing that differs between receivers",
    ]);
  });
});
