/** Who a person is at the identity provider, as it has proven (people.md §5). */
export interface Identity {
  readonly issuer: string;
  /** By which the issuer knows the person, for ever. */
  readonly subject: string;
  /** Undefined unless the provider has verified it. */
  readonly email: string | undefined;
  readonly name: string | undefined;
  /** Values of the claim `OIDC_GROUPS_CLAIM`; undefined without the claim. */
  readonly groups: readonly string[] | undefined;
}
