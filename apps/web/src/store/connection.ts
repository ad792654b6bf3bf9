/**
 * `connecting`: the first snapshot has not arrived. `live`: the server answers. `silent`: a request has waited too long for its
 * answer. `offline`: a request has failed without an answer. `refused`: the server does not accept the key; this is final.
 */
export type Connection = "connecting" | "live" | "silent" | "offline" | "refused";
