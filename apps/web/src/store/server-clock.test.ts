import { expect } from "chai";
import { ServerClock } from "./server-clock.ts";

const day = 86_400;
const here = () => Math.floor(Date.now() / 1_000);

describe("ServerClock", () => {
  it("is the server's, however wrong the machine's clock is", () => {
    const clock = new ServerClock();
    clock.sync(here() - day);
    expect(clock.now()).to.be.closeTo(here() - day, 2);
  });

  it("follows the machine's clock again once that is set right", () => {
    const clock = new ServerClock();
    clock.sync(here() + day);
    clock.sync(here());
    expect(clock.now()).to.be.closeTo(here(), 2);
  });

  it("ignores differences that the transport may have caused, and answers without a time", () => {
    const clock = new ServerClock();
    clock.sync(here() - 3);
    clock.sync(undefined);
    expect(clock.now()).to.be.closeTo(here(), 1);
  });
});
