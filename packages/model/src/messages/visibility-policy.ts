/** What a user wants of a topic; no row means inherit. */
export const visibilityPolicy = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;
