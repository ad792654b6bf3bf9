/** The identity provider cannot be asked now: it does not answer, fails, or is configured in a way that cannot work. */
export class ProviderUnavailable extends Error {}

/** The identity provider, or its answer, gives no reason to sign the person in. */
export class IdentityRefused extends Error {}
