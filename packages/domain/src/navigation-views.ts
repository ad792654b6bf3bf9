import {
  errors,
  maxNavigationViews,
  navigationViewAdded,
  navigationViewRemoved,
  navigationViewUpdated,
} from "@carillon/contract";
import { type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";
import { type Account, lockAccount } from "@carillon/model";
import type { Section } from "./snapshot-section.ts";

const ofAccount = statement({
  name: "navigation-views",
  text: "SELECT fragment, is_pinned, name FROM navigation_views WHERE user_id = $1 ORDER BY id",
});

/** Lists the account's settings of navigation views, oldest first. */
export function listNavigationViews(
  sql: Sql,
  userId: number,
): Promise<Array<RowOf<typeof ofAccount>>> {
  return sql.rows(ofAccount, [userId]);
}

/** The account's settings of navigation views. */
export const navigationViewsSection: Section = {
  names: ["navigation_views"],
  load: async ({ tx, actor }) => ({ navigation_views: await listNavigationViews(tx, actor.id) }),
};

interface NewView {
  readonly fragment: string;
  readonly is_pinned: boolean;
  readonly name?: string | undefined;
}

interface ViewChanges {
  readonly is_pinned?: boolean | undefined;
  readonly name?: string | undefined;
}

/**
 * Adds a view to the account's navigation, or stores settings of a built-in view (bot-storage-alert-words-navigation.md
 * §3).
 * @throws ApiError `BAD_REQUEST`
 */
export async function addNavigationView(tx: Tx, actor: Account, given: NewView): Promise<void> {
  const fragment = viewText("fragment", given.fragment);
  const name = given.name === undefined ? null : viewText("name", given.name);
  refuseBuiltInName(fragment, given.name);
  if (name === null && !isBuiltIn(fragment))
    throw errors.badRequest("name is required for a view that is not built in");
  const prisma = await lockedPrisma(tx, actor);
  const data = { userId: actor.id, fragment, isPinned: given.is_pinned, name };
  if ((await prisma.navigationView.count({ where: { userId: actor.id } })) >= maxNavigationViews)
    throw errors.badRequest(
      `An account must not have more than ${maxNavigationViews} navigation views`,
    );
  const { count } = await prisma.navigationView.createMany({ data, skipDuplicates: true });
  if (count === 0) throw viewExists();
  const view = { fragment, is_pinned: given.is_pinned, name };
  emit(tx, actor.realmId, [
    navigationViewAdded({ navigation_view: view }, { audience: [actor.id] }),
  ]);
}

/**
 * Changes a view. Fields that are not given stay.
 * @throws ApiError `BAD_REQUEST`; with status 404 if the account has no such view
 */
export async function updateNavigationView(
  tx: Tx,
  actor: Account,
  fragment: string,
  wanted: ViewChanges,
): Promise<void> {
  const name = wanted.name === undefined ? undefined : viewText("name", wanted.name);
  refuseBuiltInName(fragment, name);
  const prisma = await lockedPrisma(tx, actor);
  const ofAccount = { userId: actor.id };
  if (
    name !== undefined &&
    (await prisma.navigationView.count({ where: { ...ofAccount, name } })) > 0
  )
    throw viewExists();
  const { is_pinned } = wanted;
  const pinning = is_pinned !== undefined;
  const naming = name !== undefined;
  const { count } = await prisma.navigationView.updateMany({
    where: { ...ofAccount, fragment },
    data: { ...(pinning && { isPinned: is_pinned }), ...(naming && { name }) },
  });
  if (count === 0) throw noSuchView();
  if (!pinning && !naming) return;
  const data = { ...(pinning && { is_pinned }), ...(naming && { name }) };
  emit(tx, actor.realmId, [navigationViewUpdated({ fragment, data }, { audience: [actor.id] })]);
}

/**
 * Removes a view. A built-in view returns to its defaults.
 * @throws ApiError `BAD_REQUEST` with status 404 if the account has no such view
 */
export async function removeNavigationView(
  tx: Tx,
  actor: Account,
  fragment: string,
): Promise<void> {
  const prisma = await lockedPrisma(tx, actor);
  const where = { userId: actor.id, fragment };
  const { count } = await prisma.navigationView.deleteMany({ where });
  if (count === 0) throw noSuchView();
  emit(tx, actor.realmId, [navigationViewRemoved({ fragment }, { audience: [actor.id] })]);
}

/** Locks the account until the transaction ends, so that its clients receive events in the order of the changes. */
async function lockedPrisma(tx: Tx, { realmId, id }: Account) {
  await lockAccount(tx, realmId, id);
  return tx.prisma();
}

/** The built-in views, which exist without a row (bot-storage-alert-words-navigation.md §3). */
const builtIn: ReadonlySet<string> = new Set([
  "inbox",
  "recent",
  "feed",
  "drafts",
  "narrow/has/reaction/sender/me",
  "narrow/is/mentioned",
  "narrow/is/starred",
  "scheduled",
  "reminders",
]);

/** Maximum code points of a fragment and of a name, which are both indexed. */
const maxLength = 500;

function isBuiltIn(fragment: string): boolean {
  return builtIn.has(fragment);
}

/**
 * Trims and checks a fragment or a name.
 * @param what the parameter's name in the request
 * @throws ApiError `BAD_REQUEST` if it is blank or too long
 */
function viewText(what: "fragment" | "name", given: string): string {
  const text = given.trim();
  if (text === "") throw errors.badRequest(`${what} must not be empty`);
  if (isLongerThan(text, maxLength))
    throw errors.badRequest(`${what} must not have more than ${maxLength} characters`);
  return text;
}

/**
 * Checks that no name is given for a built-in view.
 * @throws ApiError `BAD_REQUEST` if one is
 */
function refuseBuiltInName(fragment: string, name: string | undefined): void {
  if (name !== undefined && isBuiltIn(fragment))
    throw errors.badRequest("A built-in view has no name of its own");
}

/** The error for a fragment or a name that another view of the account has. */
function viewExists() {
  return errors.badRequest("You have such a navigation view already");
}

/** The error for a fragment for which the account has no view. */
function noSuchView() {
  return errors.notFound404("You have no such navigation view");
}
