/** A person's identity, as verified by the identity provider (people.md §5). */
export interface Identity {
  readonly issuer: string;
  /** The issuer's permanent id of the person: the claim `sub`. */
  readonly subject: string;
  /** Undefined unless the provider has verified it. */
  readonly email: string | undefined;
  readonly name: string | undefined;
  /** Values of the claim that `OIDC_GROUPS_CLAIM` names; undefined without the claim. */
  readonly groups: readonly string[] | undefined;
}
