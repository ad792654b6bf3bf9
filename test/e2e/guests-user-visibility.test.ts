import {
  bot,
  changeOrganization,
  channel,
  organization,
  roles,
  useDatabase,
  usePictureWorker,
  useGateway,
  user,
  userGroup,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

import { withChance, type Chance } from "../faults/support/chance.ts";
import { mayStay } from "./support/user-visibility/ids-that-stay.ts";
import { KnownSecrets } from "./support/user-visibility/known-secrets.ts";
import { Listener } from "./support/user-visibility/listener.ts";
import { everythingRead, registrations, unread } from "./support/user-visibility/reads.ts";
import { visibilitySteps } from "./support/user-visibility/steps.ts";
import { tracesIn } from "./support/user-visibility/traces.ts";
import { UserVisibility } from "./support/user-visibility/world.ts";
import { nextStep } from "./support/walk/steps.ts";
import { beginWalk, pick, storyOf, type Walk } from "./support/walk/walk.ts";

const steps = 60;
/** Steps after which events are checked. */
const stepsAtOnce = 2;
const stepsBetweenLooks = 30;

/** A random walk and its viewers. */
interface Watched {
  readonly walk: Walk;
  readonly viewers: readonly TestAccount[];
  readonly known: KnownSecrets;
  listeners: Listener[];
  /** The state after the last step. */
  world: UserVisibility;
  /** How many people the viewers did not see, summed over all checks. */
  hidden: number;
}

// users.md §2.1: after any history, guests see the accounts that the page defines, and at most the ID of others.
describe("Restricted guests after any history", function () {
  this.timeout(120_000);
  const db = useDatabase();
  usePictureWorker(db);
  const gateway = useGateway(db);

  it("have every read operation checked", () => expect(unread()).to.deep.equal([]));

  it("get the accounts that they see, and do not learn the identity of others", () =>
    withChance(async (chance) => {
      const watched = await begin(chance);
      try {
        await look(watched);
        for (let n = stepsAtOnce; n <= steps; n += stepsAtOnce) {
          await takeSteps(watched);
          if (n % stepsBetweenLooks === 0) await look(watched);
        }
      } catch (error) {
        const story = storyOf(watched.walk);
        throw new Error(`${(error as Error).message}\n${story}`, { cause: error });
      }
      expect(watched.hidden, "people who were not seen").to.be.above(0);
    }));

  async function begin(chance: Chance): Promise<Watched> {
    // IDs that are used for nothing else.
    await db.rows("ALTER SEQUENCE users_id_seq RESTART WITH 70000001");
    const org = await organization(db, { row: { enableSpectatorAccess: true } });
    await changeOrganization(db, org.realm, {
      canAccessAllUsersGroupId: org.groups["role:members"],
    });
    const visitor = await user(db, org.realm, { role: roles.guest });
    const machine = await bot(db, org.owner, { role: roles.guest });
    const [one, two, three] = [
      await user(db, org.realm),
      await user(db, org.realm),
      await user(db, org.realm),
    ];
    const people = [org.owner, org.admin, org.moderator, org.member, one, two, three, org.guest];
    const accounts = [...people, visitor, org.bot, machine];
    const team = await userGroup(db, org.realm, { members: accounts });
    const channels = [
      await channel(db, org.owner, { subscribers: [org.guest] }),
      await channel(db, org.owner, { subscribers: [visitor, machine] }),
      await channel(db, org.owner, { inviteOnly: true, subscribers: [org.member, one] }),
      await channel(db, org.owner, { isWebPublic: true, subscribers: [two] }),
    ];
    const known = new KnownSecrets();
    const world = await UserVisibility.read(db, org.realm.id);
    known.learn(world);
    const walk = beginWalk({
      db,
      org,
      gateways: [gateway],
      chance,
      course: visibilitySteps,
      accounts,
      channels,
      groups: [team.id],
    });
    const viewers = [org.guest, visitor, machine, three];
    return { walk, viewers, known, listeners: [], world, hidden: 0 };
  }

  /** Takes steps and checks their events: about people seen before, between or after the steps. */
  async function takeSteps(watched: Watched): Promise<void> {
    const { walk, known } = watched;
    const moments = [watched.world];
    for (let n = 0; n < stepsAtOnce; n++) {
      await nextStep(walk)();
      watched.world = await UserVisibility.read(db, walk.org.realm.id);
      known.learn(watched.world);
      moments.push(watched.world);
    }
    for (const listener of watched.listeners)
      for (const event of await listener.heard())
        checkTraces(watched, kindOf(event), event, listener.viewer, moments);
    watched.listeners = watched.listeners.filter(({ isOver }) => !isOver);
  }

  /** Checks everything that the viewers can read, and registers queues for viewers without one. */
  async function look(watched: Watched): Promise<void> {
    const { walk, viewers, world } = watched;
    for (const viewer of viewers) {
      if (world.people.get(viewer.id)?.isActive !== true) continue;
      const client = gateway.as(viewer);
      for (const registration of Object.entries(registrations))
        if (!watched.listeners.some((one) => one.is(viewer.id, registration[0])))
          watched.listeners.push(await Listener.register(viewer.id, client, registration));
      if (!world.isGuest(viewer.id)) continue;
      const person = pick(walk, walk.accounts);
      const message = walk.messages.length > 0 ? pick(walk, walk.messages).id : 1;
      const about = { person, channel: pick(walk, walk.channels), message };
      const answers = await everythingRead(client, about);
      for (const [name, answer] of answers) checkTraces(watched, name, answer, viewer.id, [world]);
      checkWhole(watched, answers, viewer.id, person.id);
    }
  }

  function checkTraces(
    { known }: Watched,
    what: string,
    answer: unknown,
    viewer: number,
    moments: readonly UserVisibility[],
  ): void {
    const hidden = known.hiddenFrom(viewer, moments);
    const leaks = tracesIn(answer, hidden).filter(
      ({ idOnly, path }) => !(idOnly && mayStay(`${what}: ${path}`)),
    );
    const first = leaks[0];
    if (!first) return;
    const places = [...new Set(leaks.map(({ idOnly, path }) => `${path}${idOnly ? " (id)" : ""}`))];
    throw new Error(
      `${what} tells ${viewer} of ${first.person}: ${places.join(", ")} in ${JSON.stringify(answer).slice(0, 2_000)}`,
    );
  }

  /** Every visible account is included in the responses. */
  function checkWhole(
    watched: Watched,
    answers: Awaited<ReturnType<typeof everythingRead>>,
    viewer: number,
    person: number,
  ): void {
    const { world } = watched;
    const seen = world.seenBy(viewer);
    const idsIn = (name: string, ...fields: readonly string[]) =>
      fields
        .flatMap((field) => answers.get(name)?.[field] as Array<{ user_id: number }>)
        .map(({ user_id }) => user_id)
        .toSorted((a, b) => a - b);
    expect(idsIn("get-users", "members"), `accounts of ${viewer}`).to.deep.equal(seen);
    expect(
      idsIn("register new", "realm_users", "realm_non_active_users"),
      `snapshot of ${viewer}`,
    ).to.deep.equal(seen);
    expect(
      idsIn("register old", "realm_users", "realm_non_active_users"),
      `snapshot of ${viewer} with stand-ins`,
    ).to.deep.equal([...world.people.keys()].toSorted((a, b) => a - b));
    for (const name of ["get-user", "get-status", "get-presence"])
      if (!world.sees(viewer, person))
        expect(answers.get(name)?.["result"], `${name} of ${person} by ${viewer}`).to.equal(
          "error",
        );
    expect(answers.get("get-user")?.["result"] === "success").to.equal(world.sees(viewer, person));
    watched.hidden += world.people.size - seen.length;
  }

  function kindOf({ type, op = "" }: Readonly<Record<string, unknown>>): string {
    return `${String(type)}/${String(op)}`;
  }
});
