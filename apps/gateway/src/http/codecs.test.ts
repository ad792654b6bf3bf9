import { ApiError, isUnstorable } from "@carillon/contract";
import { holds } from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import { readCredentials } from "./credentials.ts";
import { Fields } from "./fields.ts";
import { addMultipart } from "./multipart.ts";

const text = fc.string({ unit: "binary", maxLength: 30 });
const name = text.filter((any) => any !== "");
const pairs = fc.array(fc.tuple(name, text), { maxLength: 12 });

/**
 * What decoders of query strings and of forms meet: escapes, broken ones, bytes that are no UTF-8. All of it ASCII, as
 * clients send it: the platform's decoder spoils other characters where an escape beside them is broken.
 */
const rawForm = fc
  .array(
    fc.oneof(
      fc.constantFrom("&", "=", "+", "%", "%2", "%zz", "%00", "%26", "%c3%28", "?", "a", "&&"),
      fc.string({ unit: "binary-ascii", maxLength: 3 }),
    ),
    { maxLength: 20 },
  )
  .map((pieces) => pieces.join(""));

async function decodedForm(bytes: Buffer): Promise<ReadonlyMap<string, string>> {
  const fields = new Fields();
  await fields.addForm(bytes);
  return fields.texts;
}

describe("the decoders of requests, for arbitrary input", () => {
  it("decode forms like URLSearchParams", async () => {
    await holds(
      fc.asyncProperty(pairs, rawForm, async (written, raw) => {
        const form = new URLSearchParams(written);
        const read = await decodedForm(Buffer.from(form.toString()));
        expect([...read]).to.deep.equal([...new Map(written)]);
        const wanted = new Map([...new URLSearchParams(raw)].filter(([key]) => key !== ""));
        expect([...(await decodedForm(Buffer.from(raw)))], raw).to.deep.equal([...wanted]);
      }),
    );
  });

  it("decode multipart forms that FormData writes, with files by name", async () => {
    await holds(
      fc.asyncProperty(pairs, fc.array(name, { maxLength: 3 }), async (written, files) => {
        const form = new FormData();
        for (const [key, value] of written) form.append(key, value);
        for (const file of files) form.append(file, new Blob([file]), "name");
        const request = new Response(form);
        const body = Buffer.from(await request.arrayBuffer());
        const fields = new Fields();
        await addMultipart(body, request.headers.get("content-type") ?? "", fields);
        // A line end is written as CR LF in names and values alike.
        const lines = (any: string) => any.replaceAll(/\r\n|\r|\n/g, "\r\n");
        const wanted = new Map(written.map(([key, value]) => [lines(key), lines(value)]));
        expect([...fields.texts]).to.deep.equal([...wanted]);
        expect([...fields.files]).to.deep.equal([...new Set(files.map(lines))]);
      }),
      0.5,
    );
  });

  it("accept the credentials that clients write, and refuse every other header with 401 or 400", async () => {
    const part = text.filter((any) => !any.includes(":"));
    const header = fc.oneof(
      fc.string(),
      fc.base64String().map((token) => `Basic ${token}`),
      fc.uint8Array().map((bytes) => `Basic ${Buffer.from(bytes).toString("base64")}`),
    );
    await holds(
      fc.property(part, part, header, (email, apiKey, other) => {
        const token = Buffer.from(`${email}:${apiKey}`).toString("base64");
        const wanted = { email: email.trim(), apiKey: apiKey.trim() };
        for (const scheme of ["Basic", "basic ", "BASIC\t"])
          for (const sent of [token, token.replaceAll("=", "")])
            expect(readCredentials(`${scheme} ${sent}`)).to.deep.equal(wanted);
        try {
          const { email: read, apiKey: key } = readCredentials(other);
          expect(`${read}${key}`).to.not.include(":");
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          expect(["UNAUTHORIZED", "BAD_REQUEST"]).to.include(error.code);
        }
      }),
    );
  });

  it("pass text on unchanged: later checks decide whether it can be stored", async () => {
    await holds(
      fc.asyncProperty(fc.uint8Array({ maxLength: 20 }), async (bytes) => {
        const escaped = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
        const read = (await decodedForm(Buffer.from(`a=${escaped}`))).get("a") ?? "";
        expect(read).to.equal(Buffer.from(bytes).toString("utf8"));
        // Bytes that are no UTF-8 are replaced, so that only U+0000 is left to refuse.
        expect(isUnstorable(read)).to.equal(read.includes("\0"));
      }),
    );
  });
});
