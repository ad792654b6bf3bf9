import { holds } from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import { codePointLength, cutTo, firstCodePoints, isLongerThan } from "./code-points.ts";
import { parseIso8601 } from "./iso-8601.ts";
import { randomKey } from "./keys.ts";
import { parseRateRules } from "./rate-rules.ts";
import { sealerOf } from "./sealing.ts";
import { strictBase64 } from "./strict-base64.ts";

/** Any string, including lone surrogates. */
const anyText = fc.string({
  unit: fc.oneof(fc.string({ unit: "binary", maxLength: 1 }), halves()),
});

function halves() {
  return fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
}

describe("codecs, for random input", () => {
  it("open sealed bytes with the same key and purpose only, and reject changed ones", async () => {
    const sealer = sealerOf("a secret", "keys");
    const others = [sealerOf("a secret", "mail"), sealerOf("another", "keys")];
    await holds(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), fc.nat(254), (bytes, at, change) => {
        const sealed = sealer.seal(bytes);
        expect(sealer.open(sealed)).to.deep.equal(Uint8Array.from(bytes));
        for (const other of others) expect(() => other.open(sealed)).to.throw();
        const place = at % sealed.length;
        const changed = sealed.with(place, (sealed[place] ?? 0) ^ (change + 1));
        expect(() => sealer.open(changed)).to.throw();
        expect(() => sealer.open(sealed.subarray(0, place))).to.throw();
      }),
    );
  });

  it("accept Base64 of the exact number of bytes, and nothing else", async () => {
    await holds(
      fc.property(fc.uint8Array({ maxLength: 70 }), anyText, (bytes, text) => {
        const encoded = Buffer.from(bytes).toString("base64");
        expect(strictBase64(encoded, bytes.length)).to.deep.equal(Buffer.from(bytes));
        expect(strictBase64(encoded, bytes.length + 1)).to.equal(undefined);
        const decoded = strictBase64(text, Math.floor((text.length * 3) / 4));
        if (decoded) expect(decoded.toString("base64")).to.equal(text);
      }),
    );
  });

  it("parse every date that JavaScript writes, to the microsecond and in any zone", async () => {
    const moment = fc.date({
      noInvalidDate: true,
      min: new Date("0000-01-01T00:00:00Z"),
      max: new Date("9999-12-30T00:00:00Z"),
    });
    const minutes = fc.integer({ min: -1_439, max: 1_439 });
    await holds(
      fc.property(moment, fc.nat(999), minutes, (date, rest, ahead) => {
        const local = new Date(date.getTime() + ahead * 60_000);
        // Years with more than four digits are written differently.
        fc.pre(/^\d{4}-/.test(local.toISOString()));
        const [hours, left] = [Math.abs(ahead) / 60, Math.abs(ahead) % 60].map((n) =>
          String(Math.floor(n)).padStart(2, "0"),
        );
        const text = local
          .toISOString()
          .replace("Z", `${String(rest).padStart(3, "0")}${ahead < 0 ? "-" : "+"}${hours}:${left}`);
        expect(parseIso8601(text), text).to.equal(BigInt(date.getTime()) * 1_000n + BigInt(rest));
      }),
    );
  });

  it("return undefined for other texts, without an error", async () => {
    const pieces = fc.constantFrom(
      "2026",
      "-",
      "W",
      "T",
      ":",
      "24",
      "60",
      "99",
      ".5",
      "Z",
      "+",
      "−",
    );
    const almost = fc.array(pieces, { maxLength: 14 }).map((all) => all.join(""));
    await holds(
      fc.property(fc.oneof(anyText, almost), (text) => {
        const read = parseIso8601(text);
        if (read === undefined) return;
        expect(Number(read / 1_000n)).to.be.within(-8.64e15, 8.64e15);
      }),
    );
  });

  it("cut between code points, and count them like string iterators", async () => {
    await holds(
      fc.property(anyText, fc.nat(30), (text, count) => {
        const points = Array.from(text);
        expect(codePointLength(text)).to.equal(points.length);
        expect(isLongerThan(text, count)).to.equal(points.length > count);
        expect(firstCodePoints(text, count)).to.equal(points.slice(0, count).join(""));
        const cut = cutTo(text, count + 3, "...");
        expect(Array.from(cut).length).to.be.at.most(count + 3);
        expect(cut === text || cut === `${points.slice(0, count).join("")}...`).to.equal(true);
      }),
    );
  });

  it("parse valid rate rules, and reject other texts with an error that names the part", async () => {
    const rule = fc.record({
      seconds: fc.integer({ min: 1, max: 999_999 }),
      requests: fc.integer({ min: 1, max: 999_999_999 }),
    });
    const rules = fc.array(rule, { minLength: 1, maxLength: 5 });
    const all = fc.record({
      user: rules,
      ip: rules,
      login: rules,
      files: rules,
      mail: rules,
      reset: rules,
      invites: rules,
    });
    await holds(
      fc.property(all, anyText, (wanted, text) => {
        const written = Object.entries(wanted).map(
          ([kind, list]) =>
            `${kind}=${list.map(({ seconds, requests }) => `${seconds}:${requests}`).join()}`,
        );
        expect(parseRateRules(written.join(";"))).to.deep.equal(wanted);
        if (text !== "off")
          expect(() => parseRateRules(text)).to.throw(Error, "invalid rate rules: ");
      }),
    );
  });

  it("generate keys of the wanted length, of letters and digits only", async () => {
    await holds(
      fc.property(fc.nat(100), (length) => {
        expect(randomKey(length)).to.match(new RegExp(`^[A-Za-z0-9]{${length}}$`));
      }),
    );
  });
});
