import { expect } from "chai";
import { ofOldestDevices, splitNotifications } from "./split-notifications.ts";

describe("splitNotifications", () => {
  /** Entries with so many devices each. */
  const split = (devices: readonly number[]) =>
    splitNotifications(
      devices.map((_, i) => `entry ${i}`),
      devices.flatMap((count, entry) => Array.from({ length: count }, () => ({ entry }))),
    );

  it("leaves 400 notifications in one call, and splits 401", () => {
    expect(split([100, 100, 100, 100])).to.equal(undefined);
    expect(split([100, 100, 100, 100, 1])).to.deep.equal([
      ["entry 0", "entry 1", "entry 2", "entry 3"],
      ["entry 4"],
    ]);
  });

  it("never splits an entry, and omits entries without a device", () => {
    expect(split([450])).to.equal(undefined);
    expect(split([300, 0, 200])).to.deep.equal([["entry 0"], ["entry 2"]]);
    expect(split([])).to.equal(undefined);
  });
});

describe("ofOldestDevices", () => {
  const of = (deviceIds: readonly number[]) =>
    deviceIds.map((deviceId) => ({ target: { deviceId } }));
  const ids = (count: number) => Array.from({ length: count }, (_, i) => count - i);

  it("keeps 500 notifications, and of 501 all but that of the newest device, in their order", () => {
    expect(ofOldestDevices(of(ids(500)))).to.deep.equal(of(ids(500)));
    expect(ofOldestDevices(of(ids(501)))).to.deep.equal(of(ids(501).slice(1)));
  });
});
