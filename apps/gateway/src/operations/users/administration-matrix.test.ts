import { deactivateUser, updateUser } from "@carillon/contract";
import {
  bot,
  organization,
  refused,
  roles,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

type Role = keyof typeof roles & string;
const everyRole = Object.keys(roles) as Role[];

describe("Administration of accounts by role", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  /** A caller of each role, as a person and as a bot. */
  const callers: Array<{ role: Role; by: TestAccount }> = [];
  before(async () => {
    org = await organization(db);
    for (const role of everyRole) {
      callers.push({ role, by: await user(db, org.realm, { role: roles[role] }) });
      callers.push({ role, by: await bot(db, org.owner, { role: roles[role] }) });
    }
  });

  /** The error code of the refusal; undefined on success. */
  type Rule = (caller: Role, target: Role) => string | undefined;

  const holds = async (
    rule: Rule,
    target: () => Promise<TestAccount>,
    role: Role,
    ask: (by: TestAccount, id: number) => Promise<{ status: number; body: { msg?: string } }>,
  ) => {
    let asked = await target();
    for (const caller of callers) {
      const code = rule(caller.role, role);
      if (code) await refused(db, () => ask(caller.by, asked.id), code);
      else {
        const { status, body } = await ask(caller.by, asked.id);
        expect(status, `${caller.role} asks about a ${role}: ${body.msg}`).to.equal(200);
        asked = await target();
      }
    }
  };

  const change = (params: Readonly<Record<string, unknown>>) => (by: TestAccount, id: number) =>
    gateway.as(by).call(updateUser, { path: { user_id: id }, params });
  const deactivate = (by: TestAccount, id: number) =>
    gateway.as(by).call(deactivateUser, { path: { user_id: id } });
  const isInCharge = (caller: Role) => caller === "owner" || caller === "administrator";

  for (const role of everyRole) {
    const person = () => user(db, org.realm, { role: roles[role] });
    const machine = () => bot(db, org.member, { role: roles[role] });
    const absent = () => user(db, org.realm, { role: roles[role], isActive: false });

    it(`requires an administrator to change the name of people, bots and deactivated accounts with the role ${role}`, async () => {
      const rule: Rule = (caller) => (isInCharge(caller) ? undefined : "BAD_REQUEST");
      const ruleOfBots: Rule = (caller, target) =>
        caller === "administrator" && target === "owner"
          ? "UNAUTHORIZED_PRINCIPAL"
          : rule(caller, target);
      for (const target of [person, absent])
        await holds(rule, target, role, change({ full_name: "Somebody Else" }));
      await holds(ruleOfBots, machine, role, change({ full_name: "Somebody Else" }));
    });

    it(`requires an administrator to make a ${role} a moderator or member, and an owner to change an owner`, async () => {
      const to = role === "moderator" ? roles.member : roles.moderator;
      const rule: Rule = (caller, target) => {
        if (!isInCharge(caller)) return "BAD_REQUEST";
        return target === "owner" && caller !== "owner" ? "UNAUTHORIZED_PRINCIPAL" : undefined;
      };
      for (const target of [person, machine, absent])
        await holds(rule, target, role, change({ role: to }));
    });

    it(`requires an administrator to deactivate a ${role}, and an owner to deactivate an owner`, async () => {
      const rule: Rule = (caller, target) => {
        if (!isInCharge(caller)) return "BAD_REQUEST";
        return target === "owner" && caller !== "owner" ? "UNAUTHORIZED_PRINCIPAL" : undefined;
      };
      await holds(rule, person, role, deactivate);
      // Bots have their own operation, and deactivated accounts stay deactivated.
      for (const target of [machine, absent])
        await holds(() => "BAD_REQUEST", target, role, deactivate);
    });
  }
});
