import { getMessage, getMessages, matchNarrow } from "@carillon/contract";
import { accessMessages, loadAccounts } from "@carillon/model";
import {
  bot,
  changeOrganization,
  channel,
  organization,
  roles,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
  userGroup,
} from "@carillon/testkit";
import { expect } from "chai";

import { withChance, type Chance } from "../faults/support/chance.ts";
import { type ModelUser, VisibilityModel } from "./support/visibility/model.ts";
import { draw, type History, takeStep, words } from "./support/visibility/steps.ts";

const steps = 120;
const stepsBetweenLooks = 20;

// messages.md §2 and §6: after any history, accounts see the messages that the page defines.
describe("Messages after any history of joins, leaves, moves, changes and deletions", () => {
  const db = useDatabase();
  const gateway = useGateway(db);

  async function begin(org: TestOrganization, chance: Chance): Promise<History> {
    await changeOrganization(db, org.realm, {
      sendChannelEventsMessages: false,
      enableSpectatorAccess: true,
    });
    const model = new VisibilityModel();
    const changing = [
      org.guest,
      await user(db, org.realm),
      await user(db, org.realm, { role: roles.guest }),
    ];
    const bots = [org.bot, await bot(db, org.admin)];
    const people = [org.owner, org.admin, org.member, ...changing, ...bots];
    for (const { id, role } of people) model.users.push({ id, isGuest: role === roles.guest });
    const team = await userGroup(db, org.realm, { members: [org.member] });
    model.team.add(org.member.id);
    const kinds = [
      { privacy: "public" },
      { privacy: "web-public", isWebPublic: true },
      { privacy: "private, shared", inviteOnly: true, historyPublicToSubscribers: true },
      { privacy: "private, protected", inviteOnly: true },
    ] as const;
    const names = new Map<number, string>();
    for (const { privacy, ...kind } of kinds)
      for (const opensToTeam of [false, true]) {
        const groups = opensToTeam ? { canSubscribeGroupId: team.id } : {};
        const room = await channel(db, org.owner, { ...kind, groups, subscribers: [org.owner] });
        names.set(room.id, room.name);
        model.channels.push({
          id: room.id,
          opensToTeam,
          privacy,
          isArchived: false,
          subscribers: new Set([org.owner.id]),
        });
      }
    return {
      gateway,
      chance,
      model,
      owner: org.owner,
      accounts: new Map(people.map((person) => [person.id, person])),
      teamId: team.id,
      changingRole: changing.map(({ id }) => id),
      names,
      story: [],
      done: new Map(),
    };
  }

  const accountOf = ({ accounts }: History, { id }: ModelUser): TestAccount => {
    const account = accounts.get(id);
    if (!account) throw new Error(`nobody has the id ${id}`);
    return account;
  };

  /** All accounts' personal histories, and what they see in one named channel and in all public ones. */
  async function compareLists(history: History): Promise<void> {
    const { model } = history;
    const known = new Set(model.messages.map(({ id }) => id));
    for (const one of model.users) {
      const list = async (params: Readonly<Record<string, unknown>>) => {
        const answer = await gateway.as(accountOf(history, one)).succeed(getMessages, { params });
        return answer.messages.filter(({ id }) => known.has(id));
      };
      const all = (narrow: unknown) =>
        list({ anchor: "newest", num_before: 5000, num_after: 0, narrow });
      const compare = (what: string, found: ReadonlyArray<{ id: number }>, expected: number[]) =>
        expect(
          found.map(({ id }) => id),
          `${what} of ${one.id}`,
        ).to.deep.equal(expected);

      compare("personal history", await all([]), model.personal(one));
      compare(
        "personal history by ids",
        await list({ message_ids: [...known], narrow: [] }),
        model.personal(one),
      );
      const room = draw(history, model.channels);
      const shared = await all([{ operator: "channel", operand: room.id }]);
      compare(`channel ${room.id}`, shared, model.ofChannel(one, room));
      const received = new Set(
        model.messages.filter(({ receivedBy }) => receivedBy.has(one.id)).map(({ id }) => id),
      );
      for (const { id, flags } of shared)
        expect(flags.includes("historical"), `a copy of ${id} of ${one.id}`).to.equal(
          !received.has(id),
        );
      const publicChannels = { operator: "channels", operand: "public" };
      compare("public channels", await all([publicChannels]), model.ofPublicChannels(one));

      // A search finds the messages of the unsearched narrow that contain the word.
      const word = draw(history, words);
      const having = (ids: readonly number[]) => {
        const found = new Set(
          model.messages.filter((message) => message.word === word).map(({ id }) => id),
        );
        return ids.filter((id) => found.has(id));
      };
      const [what, narrow, seen] = draw(history, [
        ["personal history", [], model.personal(one)],
        [
          `channel ${room.id}`,
          [{ operator: "channel", operand: room.id }],
          model.ofChannel(one, room),
        ],
        ["public channels", [publicChannels], model.ofPublicChannels(one)],
      ] as const);
      const search = [...narrow, { operator: "search", operand: `hello ${word}` }];
      compare(`${what} with ${word}`, await all(search), having(seen));
      const params = { msg_ids: [...known], narrow: [{ operator: "search", operand: word }] };
      const { messages } = await gateway
        .as(accountOf(history, one))
        .succeed(matchNarrow, { params });
      const matching = Object.keys(messages).map((id) => ({ id: Number(id) }));
      compare(`matches of ${word}`, matching, having(model.personal(one)));
    }
  }

  /** What all accounts can access by ID: all messages at once, and some by their own operation. */
  async function compareAccess(history: History, realmId: number): Promise<void> {
    const { model } = history;
    const ids = model.messages.map(({ id }) => id);
    const accounts = await loadAccounts(
      db,
      realmId,
      model.users.map(({ id }) => id),
    );
    for (const one of model.users) {
      const account = accounts.get(one.id);
      if (!account) throw new Error(`nobody has the id ${one.id}`);
      const found = await accessMessages(db, account, ids);
      const expected = model.messages.filter((message) => model.accesses(one, message));
      expect([...found.keys()], `access of ${one.id}`).to.deep.equal(expected.map(({ id }) => id));
      const message = draw(history, model.messages);
      const { status } = await gateway
        .as(accountOf(history, one))
        .call(getMessage, { path: { message_id: message.id } });
      expect(status === 200, `GET of ${message.id} by ${one.id}`).to.equal(
        model.accesses(one, message),
      );
    }
  }

  it("are visible to the accounts that the rules define", () =>
    withChance(async (chance) => {
      const org = await organization(db);
      const history = await begin(org, chance);
      try {
        for (let n = 1; n <= steps; n++) {
          await takeStep(history);
          if (n % stepsBetweenLooks > 0 || history.model.messages.length === 0) continue;
          await compareLists(history);
          await compareAccess(history, org.realm.id);
        }
      } catch (error) {
        throw new Error(`${(error as Error).message}, after\n${history.story.join("\n")}`, {
          cause: error,
        });
      }
      expect([...history.done.keys()], "kinds of steps that went through").to.have.length.at.least(
        6,
      );
    }));
});
