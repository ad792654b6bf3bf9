/** Seconds in which one may delete a message of one's own (`message_content_delete_limit_seconds`). */
export const contentDeleteLimit = 600;
