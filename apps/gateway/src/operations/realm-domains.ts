import * as contract from "@carillon/contract";
import { addDomain, removeDomain, updateDomain } from "@carillon/domain";
import { listDomains } from "@carillon/model";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.listDomains, async ({ sql, actor }) => ({
    domains: await listDomains(sql, actor.realmId),
  })),

  handle.changes(contract.addDomain, async ({ tx, input, actor }) => ({
    new_domain: [await addDomain(tx, actor, input), input.domain] as [number, string],
  })),

  handle.changes(contract.updateDomain, async ({ tx, input, path, actor }) => {
    await updateDomain(tx, actor, path.domain, input.allow_subdomains);
  }),

  handle.changes(contract.removeDomain, async ({ tx, path, actor }) => {
    await removeDomain(tx, actor, path.domain);
  }),
];
