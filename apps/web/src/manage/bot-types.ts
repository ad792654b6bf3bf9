/** The protocol's numbers of types of bots. */
export const botTypes = { generic: 1, incoming: 2, outgoing: 3 } as const;
