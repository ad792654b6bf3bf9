/** Maximum messages of one request. */
export const maxMessages = 50;
