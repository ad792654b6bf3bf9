import { expect } from "chai";

import { type State, StateMachine } from "./state-machine.ts";

type Light = State<"green"> | State<"yellow"> | State<"red", { readonly cars: number }>;

describe("a state machine", () => {
  it("moves to a state and passes its data to the waiters", async () => {
    const machine = new StateMachine<Light>("a light", { kind: "green" });
    const waiting = machine.until(["red"]);
    machine.move(["green"], { kind: "yellow" });
    machine.move(["green", "yellow"], { kind: "red", cars: 3 });
    machine.move(["red"], { kind: "green" });
    expect(await waiting).to.deep.equal({ kind: "red", cars: 3 });
    expect(machine.state.kind).to.equal("green");
  });

  it("resolves at once in the awaited state", async () => {
    const machine = new StateMachine<Light>("a light", { kind: "red", cars: 1 });
    expect(await machine.until(["red"])).to.deep.equal({ kind: "red", cars: 1 });
  });

  it("refuses a transition from another state and stays in its own", () => {
    const machine = new StateMachine<Light>("a light", { kind: "green" });
    expect(() => machine.move(["yellow"], { kind: "red", cars: 0 })).to.throw(
      "a light is green where it must be yellow",
    );
    expect(machine.state.kind).to.equal("green");
  });
});
