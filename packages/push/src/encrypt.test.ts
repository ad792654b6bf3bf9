import { expect } from "chai";

import { decryptPayload, encryptPayload } from "./encrypt.ts";
import { newBouncerKeys, openSealed, seal } from "./sealed.ts";
import { loadSodium } from "./sodium.ts";

const pushKey = Buffer.concat([Buffer.from([0x31]), Buffer.alloc(32, 7)]);
const payload = { type: "message", content: "Ünï 🔔 \u0000 <b>", message_id: 7 };

describe("The encryption of a payload", () => {
  it("is decrypted by a device with its key: nonce, tag, ciphertext (push.md §9)", async () => {
    const text = await encryptPayload(pushKey, payload);
    expect(await decryptPayload(pushKey, text)).to.deep.equal(payload);
    const bytes = Buffer.from(text, "base64");
    expect(bytes.toString("base64")).to.equal(text);
    expect(bytes.length).to.equal(24 + 16 + Buffer.byteLength(JSON.stringify(payload)));
  });

  it("matches NaCl's test vector (tests/secretbox.c)", async () => {
    const { crypto_secretbox_easy: secretbox } = await loadSodium();
    const bytes = (text: string) => Buffer.from(text, "hex");
    const key = bytes("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
    const nonce = bytes("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
    const message = bytes(
      "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c6129" +
        "6cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde" +
        "048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705",
    );
    const box = Buffer.from(secretbox(message, nonce, key)).toString("hex");
    expect(box.slice(0, 96)).to.equal(
      "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a",
    );
    const own = await encryptPayload(Buffer.concat([Buffer.from([0x31]), key]), payload);
    const whole = Buffer.from(own, "base64");
    const again = secretbox(Buffer.from(JSON.stringify(payload)), whole.subarray(0, 24), key);
    expect(Buffer.from(again).equals(whole.subarray(24))).to.equal(true);
  });

  it("never reuses a nonce", async () => {
    const texts = await Promise.all(
      Array.from({ length: 1_000 }, () => encryptPayload(pushKey, payload)),
    );
    const nonces = texts.map((text) => Buffer.from(text, "base64").subarray(0, 24).toString("hex"));
    expect(new Set(nonces).size).to.equal(1_000);
  });

  it("fails with another key or a changed byte", async () => {
    const text = await encryptPayload(pushKey, payload);
    const other = Buffer.from(pushKey);
    other[32] = 8;
    const changed = Buffer.from(text, "base64");
    changed.writeUInt8(changed.readUInt8(50) ^ 1, 50);
    for (const opening of [
      decryptPayload(other, text),
      decryptPayload(pushKey, changed.toString("base64")),
      decryptPayload(pushKey, ""),
    ])
      expect(await opening.catch((error: unknown) => error)).to.be.instanceOf(Error);
  });

  it("refuses an invalid push key, without quoting it", async () => {
    for (const wrong of [pushKey.subarray(1), Buffer.alloc(33, 7), Buffer.alloc(0)]) {
      const error = await encryptPayload(wrong, payload).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(RangeError);
      expect(String(error)).not.to.include("7, 7").and.not.include("0707");
    }
  });

  it("accepts a payload of a megabyte", async () => {
    const large = { text: "x".repeat(1_000_000) };
    expect(await decryptPayload(pushKey, await encryptPayload(pushKey, large))).to.deep.equal(
      large,
    );
  });
});

describe("A sealed box", () => {
  it("is decrypted only with the private key", async () => {
    const [keys, others] = [await newBouncerKeys(), await newBouncerKeys()];
    const sealed = await seal(keys.publicKey, Buffer.from("a token"));
    expect(Buffer.from((await openSealed(keys, sealed)) ?? []).toString()).to.equal("a token");
    expect(await openSealed(others, sealed)).to.equal(undefined);
    expect(await openSealed(keys, sealed.subarray(1))).to.equal(undefined);
    expect(await openSealed(keys, new Uint8Array())).to.equal(undefined);
  });
});
