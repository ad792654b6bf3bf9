import { createChannel } from "@carillon/contract";
import { changeOrganization, channel, footprint, useScene } from "@carillon/testkit";
import { expect } from "chai";

/** A check of channels.md §4, and how a request for a private channel fails it. */
interface Step {
  readonly name: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** True if the organization's settings must forbid it to the creator. */
  readonly unlicensed?: true;
}

describe("POST /channels/create: order of checks", () => {
  const scene = useScene();
  let steps: readonly Step[];

  before(async () => {
    const { db, org } = scene;
    await changeOrganization(db, org.realm, {
      canSetTopicsPolicyGroupId: org.groups["role:nobody"],
    });
    const taken = await channel(db, org.owner, { inviteOnly: true });
    steps = [
      { name: "1 types", params: { announce: "perhaps" } },
      { name: "1 description", params: { description: "x".repeat(1_025) } },
      { name: "2 group values", params: { can_send_message_group: 2_000_000_000 } },
      {
        name: "2 deletion",
        params: { can_delete_any_message_group: org.groups["role:members"] },
      },
      { name: "3 folder", params: { folder_id: 2_000_000_000 } },
      { name: "4 name", params: { name: "a\u0001b" } },
      { name: "5 name that is taken", params: { name: taken.name.toUpperCase() } },
      { name: "6 privacy", unlicensed: true },
      { name: "7 default", params: { is_default_stream: true } },
      { name: "8 web-public", params: { is_web_public: true } },
      { name: "9 retention", params: { message_retention_days: 5 } },
      { name: "10 topics", params: { topics_policy: "disable_empty_topic" } },
      { name: "11 history", params: { can_create_topic_group: org.groups["role:members"] } },
      { name: "12 subscribers", params: { subscribers: [2_000_000_000] } },
    ];
  });

  /** The expected error of a request that fails these checks. */
  async function answerTo(failing: readonly Step[]): Promise<string> {
    const { status, body } = await scene.as(scene.org.member).call(createChannel, {
      params: {
        name: "fresh",
        subscribers: [],
        invite_only: true,
        ...Object.assign({}, ...failing.toReversed().map(({ params }) => params)),
      },
    });
    return `${status} ${String(body["code"])} ${body.msg}`;
  }

  it("follows the protocol for every pair of failing checks, and changes nothing", async () => {
    const { db, org } = scene;
    const members = { canCreatePrivateChannelGroupId: org.groups["role:members"] };
    const nobody = { canCreatePrivateChannelGroupId: org.groups["role:nobody"] };
    const alone = new Map<Step, string>();
    const wrong: string[] = [];
    for (const unlicensed of [true, false]) {
      await changeOrganization(db, org.realm, unlicensed ? nobody : members);
      const before = await footprint(db);
      const isLicence = (step: Step) => step.unlicensed === true;
      for (const step of steps)
        if (isLicence(step) ? unlicensed : !unlicensed || steps.indexOf(step) < 7)
          alone.set(step, await answerTo([step]));
      const pairs = steps.flatMap((one, i) => steps.slice(i + 1).map((other) => [one, other]));
      for (const [one, other] of pairs) {
        if (!one || !other || (isLicence(one) || isLicence(other)) !== unlicensed) continue;
        const expected = alone.get(one);
        const got = await answerTo([one, other]);
        if (got !== expected) wrong.push(`${one.name} before ${other.name}: ${got}`);
      }
      expect(await footprint(db)).to.deep.equal(before);
    }
    expect(wrong).to.deep.equal([]);
    expect(new Set(alone.values())).to.have.length(steps.length);
    for (const answer of alone.values()) expect(answer).to.match(/^4\d\d /);
  });
});
