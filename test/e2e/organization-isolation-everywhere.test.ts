import { allOperations, exampleOf } from "@carillon/contract";
import {
  changesOf,
  lastEventSeq,
  organization,
  type Answer,
  useDatabase,
  useGateway,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import { classify, furtherThings, requests, type Request } from "./support/isolation/requests.ts";
import { makeThings, nothing, type Things } from "./support/isolation/things.ts";

/**
 * Calls every operation with a thing of another organization in each parameter: the response equals that for a thing
 * that does not exist, and nothing more is changed.
 */
describe("Things of another organization", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let here: TestOrganization;
  let there: TestOrganization;
  let own: Things;
  let theirs: Things;

  before(async () => {
    here = await organization(db);
    own = await makeThings(db, gateway, here, furtherThings());
    // IDs of the other organization are numbers that mean nothing else in a response.
    await db.rows(
      `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 900000 + coalesce(last_value, 0))
       FROM pg_sequences WHERE schemaname = 'public' AND max_value > 1000000`,
    );
    // The owner of a bot is told of a missing channel once in five minutes.
    await db.rows("UPDATE users SET owner_told_at = now() WHERE id = $1", [here.bot.id]);
    there = await organization(db);
    theirs = await makeThings(db, gateway, there, furtherThings());
  });

  it("are covered in every parameter of every operation: a new parameter needs a line in `parameters.ts`", () => {
    expect(allOperations.flatMap((operation) => classify(operation).unknown)).to.deep.equal([]);
  });

  const ask = ({ operation, path, params }: Request, things: Things) => {
    const isOfBot = operation.access === "bot" || operation.takesPayload;
    const caller = isOfBot ? here.bot : here.owner;
    const given = params(own, things);
    const client = gateway.as(caller);
    const { headers, bytes } = exampleOf(operation);
    if (operation.takesPayload) {
      const query = new URLSearchParams(given as Record<string, string>);
      return client.send("POST", `${path(own, things)}?${query}`, { headers, body: bytes ?? "" });
    }
    if (operation.protocol)
      return client.send(operation.method, path(own, things), { headers, body: bytes ?? null });
    if (operation.method === "GET") return client.get(path(own, things), given);
    return client[operation.method.toLowerCase() as "post"](path(own, things), given);
  };

  /** Values that differ between two responses: event queue IDs, times, log positions. */
  const fresh =
    /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<="(last_event_id|\w*timestamp)":)[\d.]+/g;

  /** The response without the names of the requested things. */
  const received = ({ status, text }: Answer, things: Things) => {
    const strings = [things.email, things.channelName, things.queue];
    const named = strings.reduce((rest, name) => rest.replaceAll(name, "NAMED"), text);
    return `${status} ${named.replaceAll(/\b(2000000000|9\d{5})\b/g, "NAMED").replaceAll(fresh, "FRESH")}`;
  };

  it("exist if they are the caller's own", async () => {
    const reads = requests().filter(({ operation: { method, raw } }) => method === "GET" && !raw);
    // These operations refuse existing things of this organization, too.
    const untold = [
      "get-channel-email-address",
      "get-presence",
      // Its bot is not called.
      "get-bot-webhook",
      "get-bot-webhook-deliveries",
    ];
    const refused: string[] = [];
    for (const request of reads) {
      const { status, text } = await ask(request, own);
      if (status !== 200 && !untold.includes(request.operation.id))
        refused.push(`${request.what}: ${text}`);
    }
    expect(refused).to.deep.equal([]);
  });

  for (const request of requests())
    it(`are unknown to ${request.what}`, async () => {
      const missing = await changesOf(db, () => ask(request, nothing));
      const before = await lastEventSeq(db, there.realm.id);
      const other = await changesOf(db, () => ask(request, theirs));
      expect(received(other.result, theirs)).to.equal(received(missing.result, nothing));
      expect(other.tables).to.deep.equal(missing.tables);
      expect(await lastEventSeq(db, there.realm.id)).to.equal(before);
      expect(other.result.text).to.not.include("secret");
    });
});
