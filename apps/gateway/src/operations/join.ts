import * as contract from "@carillon/contract";
import {
  checkPassword,
  findUsableLink,
  hashPassword,
  joinOrganization,
  type Link,
  mailPersonalLink,
} from "@carillon/domain";
import { checkFullName, type Realm } from "@carillon/model";

import { handle } from "../handle.ts";
import { problemOf, redirect } from "../http/page.ts";
import { joinedPage, joinPage, mailSentPage, type Problems } from "../pages/join.ts";
import type { Services } from "../services.ts";

/**
 * Returns the link with the key, or throws ApiError 404, the same for every link that cannot be used (people.md §2).
 */
async function requireLink({ db, site }: Services, realm: Realm, key: string): Promise<Link> {
  const link = await findUsableLink(db, site, realm.id, key);
  if (!link) throw noSuchLink();
  return link;
}

function noSuchLink() {
  return contract.errors.notFound404("There is no such link");
}

/** Returns why a value cannot be accepted; undefined if it can. */
async function problemWith(check: () => unknown): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

/** Returns the problems of the form that makes an account; undefined if there are none. */
async function problemsOf(
  input: contract.InputOf<typeof contract.join>,
  hasTerms: boolean,
): Promise<Problems | undefined> {
  const problems: Problems = {
    full_name: await problemWith(() => checkFullName(input.full_name)),
    password: await problemWith(() => checkPassword(input.password)),
    terms: hasTerms && input.terms !== "true" ? "Agree to the terms to join" : undefined,
  };
  return Object.values(problems).some((problem) => problem !== undefined) ? problems : undefined;
}

export default [
  handle.page(contract.showJoin, async ({ path, services }, { realm, guard }) => {
    const link = await requireLink(services, realm, path.key);
    return joinPage({ site: services.site, realm, guard, link, key: path.key });
  }),

  handle.page(contract.join, async ({ input, path, ip, services }, { realm, guard }) => {
    const { db, site, mails } = services;
    const link = await requireLink(services, realm, path.key);
    const again = (problems: Problems) =>
      joinPage({
        site,
        realm,
        guard,
        link,
        key: path.key,
        typed: { email: input.email, fullName: input.full_name },
        problems,
      });
    if (link.email === null) {
      await mails.countMail(ip);
      const problem = await problemWith(() =>
        db.transaction((tx) => mailPersonalLink(tx, site, realm, link, input.email)),
      );
      return problem === undefined ? redirect("/mail-sent") : again({ email: problem });
    }
    if (!realm.passwordAuthEnabled)
      throw contract.errors.forbidden("Accounts of this organization have no passwords.");
    const problems = await problemsOf(input, site.termsUrl !== undefined);
    if (problems) return again(problems);
    const newcomer = {
      realmId: realm.id,
      linkId: link.id,
      email: link.email,
      fullName: input.full_name,
      passwordHash: await hashPassword(input.password),
    };
    let joined: Awaited<ReturnType<typeof joinOrganization>> | undefined;
    const taken = await problemWith(async () => {
      joined = await db.transaction((tx) => joinOrganization(tx, site, newcomer));
    });
    if (taken !== undefined) return again({ full_name: taken });
    if (joined === "gone") throw noSuchLink();
    return redirect("/joined");
  }),

  handle.page(contract.showJoined, async ({ services }, { realm }) =>
    joinedPage(services.site, realm),
  ),

  handle.page(contract.showMailSent, async () => mailSentPage()),
];
