/** A call would have connected to an address that the rules refuse. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";
}
