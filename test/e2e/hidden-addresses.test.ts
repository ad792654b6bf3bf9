import { createHash } from "node:crypto";
import { allOperations } from "@carillon/contract";
import {
  channel,
  type Params,
  roles,
  send,
  succeeded,
  type TestAccount,
  toChannel,
  toUsers,
  user,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

/** The roles that see an address, by `email_address_visibility` (users.md §2). */
const seeing: Readonly<Record<number, readonly number[]>> = {
  1: [100, 200, 300, 400, 600],
  2: [100, 200, 300, 400],
  3: [100, 200],
  4: [],
  5: [100, 200, 300],
};

// An MD5 hash of an address reveals the address to anyone who can guess it.
describe("Hidden e-mail addresses", () => {
  const scene = useScene();
  const md5 = (address: string) => createHash("md5").update(address.toLowerCase()).digest("hex");

  /** The addresses and their hashes that an account must not read, with what they reveal. */
  type Secrets = ReadonlyMap<string, string>;
  interface Shy {
    readonly account: TestAccount;
    visibility: number;
    /** Everything that the account has received. */
    readonly addresses: string[];
  }
  const secretsFor = (viewer: TestAccount, people: readonly Shy[]): Secrets =>
    new Map(
      people
        .filter(
          ({ account, visibility }) =>
            account.id !== viewer.id && !seeing[visibility]?.includes(viewer.role),
        )
        .flatMap(({ addresses, visibility }) =>
          addresses.map((address) => [address, visibility] as const),
        )
        .flatMap(([address, visibility]) => [
          [address.toLowerCase(), `address, visibility ${visibility}`],
          [md5(address), `hash, visibility ${visibility}`],
        ]),
    );
  const expectNone = (text: string, secrets: Secrets, where: string) => {
    const lower = text.toLowerCase();
    for (const [secret, what] of secrets)
      expect(lower.includes(secret), `${where}: ${what}`).to.equal(false);
  };

  it("appear in no response and no event for accounts that may not see them, nor do their hashes", async () => {
    const { db, gateway, org } = scene;
    const people: Shy[] = [];
    for (const visibility of [1, 2, 3, 4, 5]) {
      const settings = { email_address_visibility: visibility };
      const account = await user(db, org.realm, { settings });
      people.push({ account, visibility, addresses: [account.deliveryEmail] });
    }
    const viewers: TestAccount[] = [];
    for (const role of Object.values(roles)) viewers.push(await user(db, org.realm, { role }));
    viewers.push(org.bot);
    const shy = people.map(({ account }) => account);
    const room = await channel(db, org.realm, { subscribers: [...shy, ...viewers] });
    const queues = Object.fromEntries(
      viewers.flatMap((account) => [
        [`${account.role} ${account.id}`, { account, params: { client_gravatar: true } }],
        [`${account.role} ${account.id} plain`, { account, params: { client_gravatar: false } }],
      ]),
    );

    const events = await watch(gateway, queues, async () => {
      const newcomer = {
        email: "newcomer@hidden.test",
        full_name: "Newcomer",
        password: "correct horse",
      };
      await db.rows(
        "UPDATE users SET can_create_users = true, can_change_user_emails = true WHERE id = $1",
        [org.owner.id],
      );
      const { user_id } = succeeded(await scene.as(org.owner).post("/api/v1/users", newcomer));
      expect(user_id).to.be.a("number");
      for (const { account } of people) {
        await send(scene.as(account), toChannel(room.id));
        await send(scene.as(account), toUsers(viewers.map(({ id }) => id)));
        await scene.as(account).patch("/api/v1/settings", { full_name: `Somebody ${account.id}` });
      }
      for (const one of people) {
        const address = `moved-${one.account.id}@hidden.test`;
        one.addresses.push(address);
        succeeded(
          await scene
            .as(org.owner)
            .patch(`/api/v1/users/${one.account.id}`, { new_email: address }),
        );
      }
    });
    for (const viewer of viewers)
      for (const [name, received] of Object.entries(events))
        if (name.startsWith(`${viewer.role} ${viewer.id}`)) {
          expect(received, name).not.to.have.length(0);
          expectNone(JSON.stringify(received), secretsFor(viewer, people), `events of ${name}`);
        }

    const read = { anchor: "newest", num_before: 100, num_after: 0, narrow: [] };
    const params: Record<string, Params> = { "get-messages": read };
    for (const viewer of viewers) {
      const secrets = secretsFor(viewer, people);
      const client = scene.as(viewer);
      for (const { id, method, path, access } of allOperations) {
        if (method !== "GET" || access === "anyone" || path.includes("{") || id === "get-events")
          continue;
        for (const client_gravatar of [true, false]) {
          const { text } = await client.get(path, { ...params[id], client_gravatar });
          expectNone(text, secrets, `${viewer.role}: GET ${path}`);
        }
      }
      for (const client_gravatar of [true, false]) {
        const { text } = await client.post("/api/v1/register", { client_gravatar });
        expectNone(text, secrets, `${viewer.role}: register`);
      }
      for (const { account } of people) {
        const one = await client.get(`/api/v1/users/${account.id}`, { client_gravatar: false });
        expectNone(one.text, secrets, `${viewer.role}: one user`);
        const picture = await client.send("GET", `/avatar/${account.id}`, { redirect: "manual" });
        expectNone(picture.headers.get("location") ?? "", secrets, `${viewer.role}: avatar`);
      }
    }
  });

  it("change the picture for accounts that gain or lose sight of the address", async () => {
    const { db, gateway, org } = scene;
    const account = await user(db, org.realm, { settings: { email_address_visibility: 4 } });
    const queues = { admin: { account: org.admin }, member: { account: org.member } };
    const events = await watch(gateway, queues, async () => {
      for (const visibility of [3, 5, 4])
        succeeded(
          await scene
            .as(account)
            .patch("/api/v1/settings", { email_address_visibility: visibility }),
        );
    });
    const pictures = (name: "admin" | "member") =>
      (events[name] ?? []).flatMap(({ person }) => {
        const url = (person as { avatar_url?: string } | undefined)?.avatar_url;
        return url === undefined
          ? []
          : [url.includes(md5(account.deliveryEmail)) ? "gravatar" : url];
      });
    const own = new RegExp(`/avatar/${account.id}\\?version=1$`);
    const [shown, still, hidden] = pictures("admin");
    expect([shown, still]).to.deep.equal(["gravatar", "gravatar"]);
    expect(hidden).to.match(own);
    expect(pictures("member")).to.have.length(3).and.not.to.include("gravatar");
  });
});
