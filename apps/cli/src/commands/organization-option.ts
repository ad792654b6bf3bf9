/** The option that names the organization of an account or a setting. */
export const organizationOption = [
  "--organization <subdomain>",
  "subdomain of the organization, if there are several; - for the organization without a subdomain",
] as const;
