import { dropFirstRequest, sendFirstRequest } from "../messages/first-request.ts";
import { route } from "../navigation.ts";
import { Organization } from "../store/organization.ts";
import { type Account, accounts } from "./accounts.ts";
import { reloadAfterMove } from "./reload-after-move.ts";

/** The organization that was opened before the views were loaded; undefined once a view has it. */
let opened: { readonly account: Account; readonly organization: Organization } | undefined;

/** Opens the organization of the current account, if there is one, before the views are loaded. */
export function openCurrent(): void {
  const { current } = accounts;
  if (current) opened = { account: current, organization: open(current) };
}

/** Returns the organization of an account, which receives events until the caller stops it. */
export function openOrganization(account: Account): Organization {
  const known = opened;
  opened = undefined;
  if (known?.account === account) return known.organization;
  known?.organization.stop();
  return open(account);
}

function open(account: Account): Organization {
  const organization = new Organization(account);
  // Earlier events do not reach a view that opens later, so the view must request its messages again.
  organization.listen((item) => {
    if (item.type !== "registered" || item.missed) dropFirstRequest(organization.client);
  });
  organization.listen((item) => {
    if (item.type === "registered") reloadAfterMove(account, organization, item.snapshot);
  });
  void organization.start(() => sendFirstRequest(organization.client, route.value));
  return organization;
}
