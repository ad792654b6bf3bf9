import { expect } from "chai";
import { splitNotifications } from "./split-notifications.ts";

describe("splitNotifications", () => {
  /** Entries with so many devices each. */
  const split = (devices: readonly number[], again = false) =>
    splitNotifications(
      devices.map((_, i) => `entry ${i}`),
      devices.flatMap((count, entry) => Array.from({ length: count }, () => ({ entry }))),
      again,
    );

  it("leaves 400 notifications in one call, and splits 401", () => {
    expect(split([100, 100, 100, 100])).to.equal(undefined);
    expect(split([100, 100, 100, 100, 1])).to.deep.equal([
      ["entry 0", "entry 1", "entry 2", "entry 3"],
      ["entry 4"],
    ]);
  });

  it("leaves 500 notifications in a repeated call, and splits 501", () => {
    expect(split([100, 100, 100, 100, 100], true)).to.equal(undefined);
    expect(split([100, 100, 100, 100, 100, 1], true)).to.deep.equal([
      ["entry 0", "entry 1", "entry 2", "entry 3"],
      ["entry 4", "entry 5"],
    ]);
  });

  it("never splits an entry, and leaves out those without a device", () => {
    expect(split([450])).to.equal(undefined);
    expect(split([300, 0, 200])).to.deep.equal([["entry 0"], ["entry 2"]]);
    expect(split([])).to.equal(undefined);
  });
});
