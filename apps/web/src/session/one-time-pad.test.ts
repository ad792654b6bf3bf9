import { expect } from "chai";
import { decryptKey, makePad, readHandOver } from "./one-time-pad.ts";

const key = "aB3".repeat(10) + "xY";
const encrypt = (pad: string) =>
  Buffer.from(Buffer.from(key).map((byte, i) => byte ^ (Buffer.from(pad, "hex")[i] ?? 0))).toString(
    "hex",
  );

describe("The one-time pad of a sign-in", () => {
  it("is random, and decrypts the key that was encrypted with it", () => {
    const [pad, other] = [makePad(), makePad()];
    expect(pad)
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.equal(other);
    expect(decryptKey(encrypt(pad), pad)).to.equal(key);
    expect(decryptKey(encrypt(pad).toUpperCase(), pad)).to.equal(key);
  });

  it("decrypts nothing else", () => {
    const pad = "0".repeat(64);
    for (const encrypted of ["", "0".repeat(64), `${"0".repeat(63)}g`, encrypt("f".repeat(64))])
      expect(decryptKey(encrypted, pad), encrypted).to.equal(undefined);
    expect(decryptKey(encrypt(pad), "")).to.equal(undefined);
  });

  it("comes with an address whose fragment is not that of a page", () => {
    const query = "otp_encrypted_api_key=0a&email=a%2Bb%40example.com&user_id=7&realm=x";
    expect(readHandOver(`#signed-in?${query}`)).to.deep.equal({
      encrypted: "0a",
      email: "a+b@example.com",
      userId: 7,
    });
    for (const fragment of ["", "#", "#narrow/channel/1", "#signed-in", `#x#signed-in?${query}`])
      expect(readHandOver(fragment)).to.equal(undefined);
  });
});
