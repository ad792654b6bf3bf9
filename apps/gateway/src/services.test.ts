import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { RequestDeadline } from "@carillon/db";
import type { FileRequest } from "@carillon/domain";
import { silentLogger } from "@carillon/kit";
import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { GroupCommit } from "./group-commit/group-commit.ts";
import { bindServices, type Services } from "./services.ts";
import { SharedLookUp } from "./shared-look-up.ts";

describe("the services of a request", () => {
  const db = useDatabase();

  it("share hidden classes: V8 would retain a request with its own class", () => {
    const { isFast, isSame } = shapes();
    const site = { url: "", development: false, pushConfigured: false } as Services["site"];
    const keys = new SharedLookUp<Uint8Array, never>(db, async () => []);
    const readableFiles = new SharedLookUp<FileRequest, never>(db, async () => []);
    const visits = new SharedLookUp<number, boolean>(db, async () => []);
    const group = new GroupCommit({ db, site, log: silentLogger });
    const parts = { db, site, keys, readableFiles, visits, group, log: silentLogger };
    const whole: Services = {
      ...parts,
      events: { poll: async () => ({ kind: "queueDeleted" }) },
      guesses: {} as Services["guesses"],
      mails: {} as Services["mails"],
      inviteRules: [],
      identities: undefined,
      tokens: undefined,
      botStorageLimit: 0,
      files: {} as Services["files"],
      intake: {} as Services["intake"],
      bouncer: undefined,
      pictures: {} as Services["pictures"],
      webhooks: {} as Services["webhooks"],
    };
    const bound = () => {
      const {
        db: own,
        keys: ownKeys,
        readableFiles: ownFiles,
        visits: ownVisits,
        group: ownGroup,
      } = bindServices(whole, new RequestDeadline());
      const other = own.within(new RequestDeadline());
      return {
        db: own,
        keys: ownKeys,
        readableFiles: ownFiles,
        visits: ownVisits,
        group: ownGroup,
        other,
      };
    };
    const [first, second] = [bound(), bound()];
    for (const [name, one] of Object.entries(first)) {
      expect(isFast(one), `${name} has a shape that is shared`).to.equal(true);
      expect(isSame(one, second[name as keyof typeof second]), name).to.equal(true);
    }
  });
});

/** What V8 knows of the shapes of objects. */
function shapes() {
  setFlagsFromString("--allow-natives-syntax");
  const isFast = runInNewContext("(one) => %HasFastProperties(one)") as (one: object) => boolean;
  const isSame = runInNewContext("(one, other) => %HaveSameMap(one, other)") as (
    one: object,
    other: object,
  ) => boolean;
  // What is inside of a function is read when it is first called.
  if (!isFast({}) || !isSame({}, {})) throw new Error("V8 cannot be asked for shapes any more");
  setFlagsFromString("--no-allow-natives-syntax");
  return { isFast, isSame };
}
