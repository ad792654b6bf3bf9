import { expect } from "chai";
import { storage } from "./storage.ts";

describe("The browser's storage", () => {
  /** What the browser stores. */
  const stored: Record<string, string> = {};
  let isFull = false;
  before(() =>
    Object.assign(globalThis, {
      localStorage: {
        getItem: (key: string) => stored[key] ?? null,
        setItem(key: string, value: string) {
          if (isFull) throw new Error("full");
          stored[key] = value;
        },
        removeItem: (key: string) => delete stored[key],
      },
    }),
  );
  after(() => Reflect.deleteProperty(globalThis, "localStorage"));

  it("gets values that the browser has refused as soon as there is room", () => {
    storage.write("old", 1);
    isFull = true;
    storage.write("new", 2);
    expect(storage.isRefused.value).to.equal(true);
    expect(storage.read("new")).to.equal(2);
    storage.write("newer", 3);
    isFull = false;
    storage.remove("old");
    expect(storage.isRefused.value).to.equal(false);
    expect(stored).to.deep.equal({ "carillon:new": "2", "carillon:newer": "3" });
  });

  it("no longer counts as refused once the refused values are removed", () => {
    isFull = true;
    storage.write("refused", 1);
    storage.remove("new");
    expect(storage.isRefused.value).to.equal(true);
    storage.remove("refused");
    expect(storage.isRefused.value).to.equal(false);
    expect(storage.read("refused")).to.equal(undefined);
  });
});
