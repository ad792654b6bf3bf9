import { listLinkifiers } from "@carillon/model";
import type { Section } from "../context/section.ts";

/** The organization's linkifiers: none for clients that do not know their templates. */
export const linkifiers: Section = {
  names: ["realm_linkifiers"],
  load: async ({ tx, realm, capabilities }) => ({
    realm_linkifiers: capabilities.has("linkifier_url_template")
      ? await listLinkifiers(tx, realm.id)
      : [],
  }),
};
