import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Organization } from "./organization.ts";

export const OrganizationContext = createContext<Organization | undefined>(undefined);

/** Returns the organization that the surrounding view shows. */
export function useOrganization(): Organization {
  const organization = useContext(OrganizationContext);
  if (!organization) throw new Error("no organization is open");
  return organization;
}
