import { allOperations } from "@carillon/contract";
import {
  channel,
  organization,
  scheduledMessage,
  toChannel,
  messagesPath,
  useDatabase,
  useGateway,
  usePictureWorker,
  useProcesses,
} from "@carillon/testkit";
import { expect } from "chai";
import { fuzz, hasFuzzer } from "./support/fuzzer.ts";
import { rememberAccount } from "./support/restore.ts";

const seed = Number(process.env["CARILLON_FUZZ_SEED"] ?? 496);
/** Requests of all callers together, without the requests at the bounds: see `npm run test:fuzz`. */
const wanted = Number(process.env["CARILLON_FUZZ_REQUESTS"] ?? 3_000);
const bounds = process.env["CARILLON_FUZZ_BOUNDS"] === "true";

const callers = ["owner", "admin", "moderator", "member", "guest", "bot", "nobody"] as const;
const examples = Math.ceil(wanted / callers.length / allOperations.length);

/**
 * Sends requests generated from the OpenAPI document, and checks the answers against it. The gateway also compares
 * every answer, refusal and event with its declaration, and answers 500 if one differs.
 */
describe("Generated requests", function () {
  this.timeout(0);
  before("look for the fuzzer", function () {
    if (!hasFuzzer) this.skip();
  });
  const db = useDatabase();
  usePictureWorker(db);
  let requests = 0;
  let restore: (() => Promise<void>) | undefined;
  const byStatus = new Map<number, number>();
  const gateway = useGateway(db, {
    events: { heartbeatMs: [300, 300] },
    app: {
      onRequest({ status }) {
        requests++;
        byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
        // A request may change the credentials of later ones.
        if (status === 401) void restore?.();
      },
    },
  });
  const processes = useProcesses();

  for (const caller of callers) {
    it(`as ${caller} are answered as the OpenAPI document says`, async () => {
      const org = await organization(db);
      const everybody = [org.owner, org.admin, org.moderator, org.member, org.guest, org.bot];
      const room = await channel(db, org.realm, { subscribers: everybody });
      await channel(db, org.realm, { subscribers: everybody, inviteOnly: true });
      await channel(db, org.realm);
      const [scheduled, sent]: [number[], number[]] = [[], []];
      for (const account of everybody) {
        scheduled.push((await scheduledMessage(db, account, room)).id);
        const { body } = await gateway.as(account).post(messagesPath, toChannel(room.id));
        sent.push(Number(body["id"]));
      }
      const groups = Object.values(org.groups);
      const account = caller === "nobody" ? undefined : org[caller];
      const auth = account && { email: account.deliveryEmail, apiKey: account.apiKey };
      restore = account && (await rememberAccount(db, account));
      const before = requests;
      byStatus.clear();
      const { well, report } = await fuzz(processes, {
        url: gateway.url,
        auth,
        ids: [
          ["scheduled|reminder", scheduled],
          ["message|msg|anchor", sent],
          ["stream|channel|^to$", [room.id]],
          ["user_group|subgroup", groups],
          ["user|principal|member|bot", everybody.map(({ id }) => id)],
        ],
        seed,
        examples,
        bounds,
      });
      restore = undefined;
      const count = requests - before;
      const statuses = [...byStatus]
        .toSorted(([a], [b]) => a - b)
        .map(([status, times]) => `${status}: ${times}`);
      console.log(`      ${count} requests as ${caller}; ${statuses.join(", ")}`);
      expect(well, report).to.equal(true);
      expect(count, "requests").to.be.greaterThan(allOperations.length);
    });
  }
});
