/**
 * The parts of a declaration that are the same for all operations that answer `GET` with bytes which this program has built.
 * @param about what the answer is, for the reference
 * @param type its media type, if it is always the same
 */
export function staticReply(about: string, type?: string) {
  return {
    method: "GET",
    access: "anyone",
    raw: [{ status: 200, about, ...(type !== undefined && { type }) }],
  } as const;
}
