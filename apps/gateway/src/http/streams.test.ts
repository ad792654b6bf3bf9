import { ApiError } from "@carillon/contract";
import { expect } from "chai";
import type { FieldSink } from "./field-sink.ts";
import { Fields } from "./fields.ts";
import { decodeForm } from "./form-decoder.ts";
import { FormStream } from "./form-stream.ts";
import { addMultipart } from "./multipart.ts";
import { MultipartStream } from "./multipart-stream.ts";

type Pairs = Array<[name: string, value: string]>;

/** Takes everything, and notes it. */
function noted(): { sink: FieldSink; pairs: Pairs; files: string[] } {
  const pairs: Pairs = [];
  const files: string[] = [];
  const sink: FieldSink = {
    admit() {},
    file: ({ name }) => void files.push(name),
    field(name) {
      let text = "";
      return { write: (piece) => (text += piece), end: () => pairs.push([name, text]) };
    },
  };
  return { sink, pairs, files };
}

let seed = 7;
const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;

/** The bytes in pieces of random lengths, each of them its own. */
function* cut(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length;) {
    const to = from + 1 + random(5);
    yield Buffer.from(bytes.subarray(from, to));
    from = to;
  }
}

const textOf = (pieces: readonly string[], maxLength: number) =>
  Array.from({ length: random(maxLength) }, () => pieces[random(pieces.length)]).join("");

describe("streamed forms", () => {
  it("decode the same as whole forms, wherever the chunks are cut", async () => {
    const pieces = [
      ...Array.from("&=+%?ab\0é✓😀"),
      ..."%20 %2B %26 %3d %zz %4 %C3%A4 %c3 %A4 %F0%9F%98%80 %F0%9F %ED%A0%80 %FF && == %%20".split(
        " ",
      ),
    ];
    for (let round = 0; round < 10_000; round++) {
      const bytes = Buffer.from(textOf(pieces, 14));
      const { sink, pairs } = noted();
      const form = new FormStream(sink);
      for (const piece of cut(bytes)) form.write(piece);
      form.end();
      const whole: Pairs = [];
      await decodeForm(Buffer.from(bytes), (name, value) => {
        if (name !== "") whole.push([name, value]);
      });
      expect(pairs, bytes.toString()).to.deep.equal(whole);
    }
  });

  it("decode multipart forms the same way", async () => {
    const type = "multipart/form-data; boundary=bound";
    const pieces = [
      "\r",
      "\n",
      "\r\n",
      "-",
      "--",
      "\r\n--",
      "\r\n--boun",
      "a",
      "\r\n--boundx",
      "é😀",
      " ",
    ];
    const heads = [
      'Content-Disposition: form-data; name="a"\r\n',
      "content-disposition: form-data; name=b\r\nX: y\r\n",
      'Content-Disposition: form-data; name="f"; filename="x"\r\n',
      "Content-Type: text/plain\r\n",
      "",
    ];
    for (let round = 0; round < 5_000; round++) {
      const parts = Array.from(
        { length: random(4) },
        () =>
          `--bound${random(3) === 0 ? " \t" : ""}\r\n${heads[random(5)]}\r\n${textOf(pieces, 8)}\r\n`,
      );
      const preamble = random(4) === 0 ? `${textOf(pieces, 4)}\r\n` : "";
      const text = `${preamble}${parts.join("")}--bound${random(8) === 0 ? "" : "--\r\nepilogue"}`;
      const { sink, pairs, files } = noted();
      const form = new MultipartStream(sink, type);
      let error: unknown;
      try {
        for (const piece of cut(Buffer.from(text))) form.write(piece);
        form.end();
      } catch (thrown) {
        error = thrown;
      }
      const whole = new Fields();
      const refusal: unknown = await addMultipart(Buffer.from(text), type, whole).catch(
        (thrown: unknown) => thrown,
      );
      const why = JSON.stringify(text);
      expect(error instanceof ApiError && error.message, why).to.equal(
        refusal instanceof ApiError && refusal.message,
      );
      if (error) continue;
      expect(Object.fromEntries(pairs), why).to.deep.equal(Object.fromEntries(whole.texts));
      expect(new Set(files), why).to.deep.equal(whole.files);
    }
  });

  it("decide alike how much white space a delimiter may have", async () => {
    const type = "multipart/form-data; boundary=bound";
    for (const [spaces, isDelimiter] of [
      [1_022, true],
      [1_023, false],
      [5_000, false],
    ] as const) {
      const text = `--bound\r\ncontent-disposition: form-data; name=a\r\n\r\nx\r\n--bound${" ".repeat(spaces)}\r\n\r\n\r\n--bound--`;
      const { sink, pairs } = noted();
      const form = new MultipartStream(sink, type);
      for (const piece of cut(Buffer.from(text))) form.write(piece);
      form.end();
      const whole = new Fields();
      await addMultipart(Buffer.from(text), type, whole);
      expect([...whole.texts], `${spaces}`).to.deep.equal(pairs);
      expect(pairs[0]?.[1] === "x", `${spaces}`).to.equal(isDelimiter);
    }
  });

  it("buffer no more than an undecided delimiter or escape", () => {
    const type = "multipart/form-data; boundary=bound";
    const form = new MultipartStream(noted().sink, type);
    expect(() => {
      form.write(Buffer.from("--bound\r\n"));
      for (let n = 0; n < 100; n++) form.write(Buffer.alloc(1_000, "h"));
    }).to.throw(ApiError, "without valid headers");
    const padded = noted();
    const padding = new MultipartStream(padded.sink, type);
    padding.write(
      Buffer.from("--bound\r\ncontent-disposition: form-data; name=a\r\n\r\n\r\n--bound"),
    );
    for (let n = 0; n < 100; n++) padding.write(Buffer.alloc(1_000, " "));
    padding.write(Buffer.from("\r\n--bound--"));
    padding.end();
    expect(padded.pairs[0]?.[1]).to.have.length(2 + 7 + 100_000);
  });
});
