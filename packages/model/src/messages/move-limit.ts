/**
 * Seconds in which an account that is no moderator may move a message: within its channel
 * (`move_messages_within_stream_limit_seconds`) and to another one (`move_messages_between_streams_limit_seconds`).
 */
export const moveLimit = 604_800;
