import * as contract from "@carillon/contract";
import {
  createLinkifier,
  removeLinkifier,
  reorderLinkifiers,
  updateLinkifier,
} from "@carillon/domain";
import { listLinkifiers } from "@carillon/model";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.listLinkifiers, async ({ sql, actor }) => ({
    linkifiers: await listLinkifiers(sql, actor.realmId),
  })),

  handle.changes(contract.createLinkifier, async ({ tx, input, actor }) => ({
    id: await createLinkifier(tx, actor, {
      pattern: input.pattern,
      urlTemplate: input.url_template,
    }),
  })),

  handle.changes(contract.updateLinkifier, async ({ tx, path, input, actor }) => {
    const { pattern, url_template: urlTemplate } = input;
    await updateLinkifier(tx, actor, path.filter_id, { pattern, urlTemplate });
  }),

  handle.changes(contract.reorderLinkifiers, async ({ tx, input, actor }) => {
    await reorderLinkifiers(tx, actor, input.ordered_linkifier_ids);
  }),

  handle.changes(contract.removeLinkifier, async ({ tx, path, actor }) => {
    await removeLinkifier(tx, actor, path.filter_id);
  }),
];
