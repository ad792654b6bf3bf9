import {
  addSubscriptions,
  createChannel,
  createUser,
  deactivateUser,
  register,
  updateUser,
} from "@carillon/contract";
import { lockKey, type Tx } from "@carillon/db";
import { lockChannels } from "@carillon/model";
import {
  bot,
  channel,
  countWaiting,
  organization,
  refusedWith,
  roles,
  useDatabase,
  useGateway,
  user,
  waitFor,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

// docs/decisions/018: a request that waits for a lock holds no lock that comes later in the order.
describe("Requests that wait for locks", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  /** Waits until the request blocks on the transaction; throws with its result if it ends instead. */
  async function blocking(holder: Tx, request: Promise<unknown>): Promise<void> {
    const ends: string[] = [];
    request.then(
      () => ends.push("it was answered"),
      (error: unknown) => ends.push(String(error)),
    );
    const blocked = async () => {
      // PostgreSQL keeps the list for a transaction, and the request may open a connection after it was read first.
      await holder.rows("SELECT pg_stat_clear_snapshot()");
      return holder.rows(
        "SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))",
      );
    };
    await waitFor(async () => ends.length > 0 || (await blocked()).length > 0, {
      what: "a request waits for us",
    });
    expect(ends, "how the request ended").to.deep.equal([]);
  }

  const keep = (holder: Tx, table: string, id: number) =>
    holder.rows(`SELECT FROM ${table} WHERE id = $1 FOR NO KEY UPDATE`, [id]);
  /** Fails if another transaction has locked the row. */
  const free = (holder: Tx, table: string, id: number, strength = "NO KEY UPDATE") =>
    holder.rows(`SELECT FROM ${table} WHERE id = $1 FOR ${strength} NOWAIT`, [id]);

  describe("while an owner who gets another bot is deactivated", () => {
    let late: TestAccount;
    let early: TestAccount;
    let leaving: TestAccount;
    let low: { readonly id: number };
    let high: { readonly id: number };
    beforeEach(async () => {
      late = await bot(db, org.owner);
      leaving = await user(db, org.realm, { role: roles.owner });
      early = await bot(db, leaving);
      low = await channel(db, org.owner, { subscribers: [leaving] });
      high = await channel(db, org.owner, { subscribers: [late] });
    });

    /**
     * Blocks the request at its last transaction, after a bot of another owner has been transferred.
     * @param blocker what the transaction waits for
     * @param look runs while it waits
     */
    async function deactivate(
      blocker: (tx: Tx) => Promise<unknown>,
      look: (tx: Tx) => Promise<unknown>,
    ): Promise<void> {
      let request: Promise<unknown> | undefined;
      let first: Promise<unknown> = Promise.resolve();
      await db.transaction(async (second) => {
        let letGo = () => {};
        const looked = new Promise<void>((resolve) => (letGo = resolve));
        await new Promise<void>((resolve, reject) => {
          first = db.transaction(async (tx) => {
            await keep(tx, "users", early.id);
            const asked = gateway
              .as(org.owner)
              .succeed(deactivateUser, { path: { user_id: leaving.id } });
            request = asked;
            await blocking(tx, asked);
            resolve();
            await looked;
          });
          first.catch(reject);
        });
        await db.rows("UPDATE users SET bot_owner_id = $2 WHERE id = $1", [late.id, leaving.id]);
        await blocker(second);
        letGo();
        await first;
        await blocking(second, request ?? first);
        await look(second);
      });
      await request;
      const left = await db.rows("SELECT FROM users WHERE id = ANY($1::int[]) AND is_active", [
        [leaving.id, early.id, late.id],
      ]);
      expect(left).to.deep.equal([]);
    }

    it("lock all accounts in one order, before the organization", () =>
      deactivate(
        (tx) => keep(tx, "users", late.id),
        async (tx) => {
          await free(tx, "users", leaving.id);
          await free(tx, "realms", org.realm.id);
        },
      ));

    it("lock all channels in one order", () =>
      deactivate(
        (tx) => keep(tx, "channels", low.id),
        (tx) => free(tx, "channels", high.id),
      ));
  });

  it("change an owner's role: wait for the owner's bots without a lock of the organization", async () => {
    const owner = await user(db, org.realm, { role: roles.owner });
    const robot = await bot(db, owner);
    let request: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await keep(tx, "users", robot.id);
      request = gateway
        .as(org.owner)
        .succeed(updateUser, { path: { user_id: owner.id }, params: { role: roles.guest } });
      await blocking(tx, request);
      await free(tx, "realms", org.realm.id);
    });
    await request;
  });

  it("deactivate an account: do not block references to the account", async () => {
    const leaving = await user(db, org.realm);
    const room = await channel(db, org.owner, { subscribers: [leaving] });
    let request: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await keep(tx, "channels", room.id);
      request = gateway.as(org.owner).succeed(deactivateUser, { path: { user_id: leaving.id } });
      await blocking(tx, request);
      // Like a message of the account that sets its topic policy while it holds the channel's audience lock.
      await free(tx, "users", leaving.id, "KEY SHARE");
    });
    await request;
  });

  it("register: refuse an account that is being deactivated, without a queue", async () => {
    const leaving = await user(db, org.realm);
    const room = await channel(db, org.owner, { subscribers: [leaving] });
    let leave: Promise<unknown> | undefined;
    let come: Promise<void> | undefined;
    await db.transaction(async (tx) => {
      await keep(tx, "channels", room.id);
      leave = gateway.as(org.owner).succeed(deactivateUser, { path: { user_id: leaving.id } });
      await blocking(tx, leave);
      come = gateway
        .as(leaving)
        .call(register, { params: { event_types: ["message"] } })
        .then((answer) => refusedWith(answer, "UNAUTHORIZED"));
      await waitFor(async () => (await countWaiting(db.pool)) === 2, { what: "both wait" });
    });
    await leave;
    expect(come).to.be.a("promise");
    await come;
    expect(
      await db.rows("SELECT FROM event_queue WHERE user_id = $1", [leaving.id]),
    ).to.have.length(0);
  });
});

// docs/decisions/012: permissions are checked with the state after the locks are taken.
describe("Requests that lose a prerequisite while they wait", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let room: { readonly id: number; readonly name: string };
  let friend: TestAccount;
  beforeEach(async () => {
    org = await organization(db);
    friend = await user(db, org.realm);
    room = await channel(db, org.owner, {
      inviteOnly: true,
      subscribers: [org.owner, org.member],
    });
  });

  /** The response of a request that waits while `change` runs. */
  async function meanwhile(
    hold: (tx: Tx) => Promise<unknown>,
    request: () => Promise<{ status: number; body: { msg: string } }>,
    change: (tx: Tx) => Promise<unknown>,
  ) {
    let answer: ReturnType<typeof request> | undefined;
    await db.transaction(async (tx) => {
      await hold(tx);
      answer = request();
      await waitFor(async () => (await countWaiting(db.pool)) === 1, { what: "the request waits" });
      await change(tx);
    });
    return (await answer)!;
  }

  const addFriend = () =>
    gateway.as(org.member).call(addSubscriptions, {
      params: { subscriptions: [{ name: room.name }], principals: [friend.id] },
    });
  const removeMember = (tx: Tx) =>
    tx.rows("UPDATE subscriptions SET active = false WHERE channel_id = $1 AND user_id = $2", [
      room.id,
      org.member.id,
    ]);

  it("subscribe no account to a private channel that the caller was removed from", async () => {
    const answer = await meanwhile((tx) => lockChannels(tx, [room.id]), addFriend, removeMember);
    refusedWith(answer);
    expect(answer.body.msg).to.equal(`You cannot subscribe to ${room.name}`);
    const added = await db.rows("SELECT FROM subscriptions WHERE user_id = $1", [friend.id]);
    expect(added).to.have.length(0);
  });

  const loses = (column: string, value: unknown) => (tx: Tx) =>
    tx.rows(`UPDATE users SET ${column} = $2 WHERE id = $1`, [org.owner.id, value]);
  for (const [what, change, status] of [
    ["no longer an administrator", loses("role", roles.member), 400],
    ["deactivated", loses("is_active", false), 401],
  ] as const)
    it(`create no account if the caller is ${what} once the password is hashed`, async () => {
      const params = { email: "late@example.com", password: "long enough", full_name: "Lea Late" };
      const answer = await meanwhile(
        (tx) => lockKey(tx, "groups", org.realm.id),
        () => gateway.as(org.owner).call(createUser, { params }),
        change,
      );
      expect(answer.status).to.equal(status);
      expect(
        await db.rows("SELECT FROM users WHERE delivery_email = $1", [params.email]),
      ).to.have.length(0);
    });

  const newChannel = () =>
    gateway.as(org.member).call(createChannel, {
      params: { name: "brand new", subscribers: [org.member.id] },
    });
  const subscribeToNew = () =>
    gateway.as(org.member).call(addSubscriptions, {
      params: { subscriptions: [{ name: "brand new" }] },
    });
  for (const [what, request] of [
    ["create a channel", newChannel],
    ["subscribe to a new one", subscribeToNew],
  ] as const) {
    it(`do not ${what} if the organization no longer allows it`, async () => {
      const nobody = org.groups["role:nobody"];
      const answer = await meanwhile(
        (tx) => lockKey(tx, "groups", org.realm.id),
        request,
        (tx) =>
          tx.rows("UPDATE realms SET can_create_public_channel_group_id = $2 WHERE id = $1", [
            org.realm.id,
            nobody,
          ]),
      );
      refusedWith(answer);
    });

    it(`do not ${what} if the caller is deactivated`, async () => {
      const answer = await meanwhile(
        (tx) => lockKey(tx, "groups", org.realm.id),
        request,
        (tx) => tx.rows("UPDATE users SET is_active = false WHERE id = $1", [org.member.id]),
      );
      refusedWith(answer, "UNAUTHORIZED");
    });
  }
});
