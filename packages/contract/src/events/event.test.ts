import { expect } from "chai";
import * as z from "zod";
import { allEvents, eventOf } from "./all-events.ts";
import { deliveredFaults, loggedFaults } from "./catalogue.ts";
import { event } from "../primitives/event.ts";

describe("a declared event", () => {
  const rung = event({
    type: "bell",
    op: "ring",
    about: "Somebody rings.",
    to: "some",
    fields: { user_id: z.int(), tones: z.array(z.string()).optional() },
    own: { loud: z.boolean() },
  });
  const silenced = event({ type: "bell", op: "silence", about: "", to: "everybody", fields: {} });

  it("is the constructor of its events, with the logged fields", () => {
    const made = rung({ user_id: 3 }, { audience: [1, 2], userData: { 1: { loud: true } } });
    expect(made).to.deep.include({ type: "bell", op: "ring", payload: { user_id: 3 } });
    expect(made).to.deep.include({ audience: [1, 2], userData: { 1: { loud: true } } });
    expect(silenced({})).to.deep.include({ type: "bell", op: "silence", audience: null });
  });

  it("does not compile with a wrong payload or without receivers, nor does a literal in place of an event", () => {
    const receivers = { audience: [1] };
    // @ts-expect-error a field of another type
    rung({ user_id: "3" }, receivers);
    // @ts-expect-error a field too many
    rung({ user_id: 3, why: "" }, receivers);
    // @ts-expect-error the receivers are missing
    rung({ user_id: 3 });
    // @ts-expect-error a field that is not among the receivers' own
    rung({ user_id: 3 }, { ...receivers, userData: { 1: { quiet: true } } });
    // @ts-expect-error an event to everybody has no receivers
    silenced({}, receivers);
    // @ts-expect-error only a declaration makes an event
    const made: ReturnType<typeof rung> = { type: "bell", op: "ring", payload: {}, ...receivers };
    expect(made).to.be.an("object");
  });

  it("is found by type and op, and is unique", () => {
    for (const each of allEvents) expect(eventOf(each.type, each.op ?? null)).to.equal(each);
    expect(eventOf("bell", "ring")).to.equal(undefined);
    expect(eventOf("user_group", null)).to.equal(undefined);
  });

  it("accepts one of several forms, and no mixture", () => {
    const sender = { user_id: 1, email: "a@b.test" };
    const head = { type: "typing", op: "start", sender };
    const direct = { ...head, message_type: "direct", recipients: [sender] };
    const inChannel = { ...head, message_type: "stream", stream_id: 4, topic: "" };
    for (const receivers of [direct, inChannel])
      expect(deliveredFaults(receivers)).to.deep.equal([]);
    expect(deliveredFaults({ ...direct, stream_id: 4 })).to.have.lengthOf(1);
    expect(deliveredFaults(head)).to.have.length.above(0);
  });

  it("is never delivered to clients if it is internal", () => {
    expect(deliveredFaults({ type: "filler" })).to.have.lengthOf(1);
    const row = { type: "filler", op: null, payload: {}, userData: null };
    expect(loggedFaults(row)).to.deep.equal([]);
  });
});
