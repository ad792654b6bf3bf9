/** Messages that one request may make. */
export const maxMessages = 50;
