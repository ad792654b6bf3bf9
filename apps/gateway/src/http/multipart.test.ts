import { ApiError } from "@carillon/contract";
import { expect } from "chai";
import { Fields } from "./fields.ts";
import { addMultipart } from "./multipart.ts";

const type = "multipart/form-data; boundary=bound";

async function decode(body: string, contentType = type): Promise<Fields> {
  const fields = new Fields();
  await addMultipart(Buffer.from(body), contentType, fields);
  return fields;
}

async function texts(body: string, contentType = type): Promise<Record<string, string>> {
  return Object.fromEntries((await decode(body, contentType)).texts);
}

const part = (name: string, value: string) =>
  `--bound\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

describe("addMultipart", () => {
  it("takes texts literally", async () => {
    expect(
      await texts(`${part("a", "1")}${part("b", "")}${part("c", "ä\r\n\r\n✓")}--bound--\r\n`),
    ).to.deep.equal({
      a: "1",
      b: "",
      c: "ä\r\n\r\n✓",
    });
  });

  it("takes a body without parts, and an empty one", async () => {
    expect(await texts("--bound--")).to.deep.equal({});
    expect(await texts("")).to.deep.equal({});
    expect(await texts("", "multipart/form-data")).to.deep.equal({});
  });

  it("reads the boundary quoted or not, and texts around the parts", async () => {
    const body = `preamble\r\n${part("a", "1")}--bound--\r\nepilogue`;
    expect(await texts(body, 'multipart/form-data; charset=utf-8; Boundary="bound"')).to.deep.equal(
      {
        a: "1",
      },
    );
    expect(await texts(body, "multipart/form-data;boundary=bound; charset=utf-8")).to.deep.equal({
      a: "1",
    });
  });

  it("treats a line that only begins like the boundary as text", async () => {
    const value = "\r\n--boundary\r\n--boun\r\n-\r\r\n--bound-x\r\n --bound--";
    expect(
      await texts(
        `${part("a", value)}--bound \t\r\nContent-Disposition: form-data; name=b\r\n\r\n2\r\n--bound--`,
      ),
    ).to.deep.equal({
      a: value,
      b: "2",
    });
  });

  it("keeps every mixture of line ends, dashes and boundaries", async () => {
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
      "bound",
      " ",
    ];
    let seed = 1;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const text = () =>
      Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join("");
    for (let round = 0; round < 2_000; round++) {
      const [a, b] = [text(), text()];
      // A text that holds a whole delimiter is no text for this boundary.
      if (/\r\n--bound(--|[ \t]*\r\n)/.test(`\r\n${a}\r\n${b}\r\n`)) continue;
      expect(await texts(`${part("a", a)}${part("b", b)}--bound--\r\n`)).to.deep.equal({ a, b });
    }
  });

  it("reads names as clients write them", async () => {
    expect(
      await texts(
        `${part('a\\"b', "1")}${part("a%22c", "2")}${part("✓", "3")}${part("x%0D%0Ay", "4")}--bound--`,
      ),
    ).to.deep.equal({
      'a"b': "1",
      'a"c': "2",
      "✓": "3",
      "x\r\ny": "4",
    });
    const shouted =
      '--bound\r\nCONTENT-DISPOSITION:form-data ; NAME="a"\r\nX: y\r\n\r\n1\r\n--bound--';
    expect(await texts(shouted)).to.deep.equal({ a: "1" });
  });

  it("drops parts without a name", async () => {
    const nameless = "--bound\r\nContent-Type: text/plain\r\n\r\nx\r\n--bound\r\n\r\ny\r\n";
    const attachment = '--bound\r\nContent-Disposition: attachment; name="z"\r\n\r\nz\r\n';
    expect(
      await texts(`${nameless}${part("", "w")}${attachment}${part("a", "1")}--bound--`),
    ).to.deep.equal({ a: "1" });
  });

  it("notes file parts by name", async () => {
    const file = (name: string, extra: string) =>
      `--bound\r\nContent-Disposition: form-data; name="${name}"; ${extra}\r\n\r\nbytes\r\n`;
    const fields = await decode(
      `${file("a", 'filename="a.png"')}${file("b", "filename*=UTF-8''b")}${file("c", 'filename=""')}--bound--`,
    );
    expect([...fields.files]).to.deep.equal(["a", "b", "c"]);
    expect(fields.texts.size).to.equal(0);
  });

  it("refuses an incomplete form", async () => {
    for (const body of [
      "x",
      "--bound",
      "--bound\r\n",
      part("a", "1"),
      `${part("a", "1")}--bound`,
      '--bound\r\nContent-Disposition: form-data; name="a"\r\n',
      '--bound\nContent-Disposition: form-data; name="a"\n\n1\n--bound--',
      `--bound\r\nContent-Disposition: form-data; name="${"a".repeat(20_000)}"\r\n\r\n1\r\n--bound--`,
    ]) {
      const error: unknown = await decode(body).catch((thrown: unknown) => thrown);
      expect(error, body.slice(0, 60))
        .to.be.instanceOf(ApiError)
        .with.property("code", "BAD_REQUEST");
    }
    for (const contentType of ["multipart/form-data", `${type}${"x".repeat(70)}`]) {
      const error: unknown = await decode("x", contentType).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ApiError).with.property("message").that.contains("boundary");
    }
  });

  it("decodes large hostile texts in linear time", async () => {
    const size = 8 * 1024 * 1024;
    for (const unit of ["\r", "\r\n--", "\r\n--boun", '"']) {
      const value = unit.repeat(size / unit.length);
      expect((await texts(`${part("a", `${value}x`)}--bound--`))["a"]).to.have.length(
        value.length + 1,
      );
    }
    const disposition = `--bound\r\nContent-Disposition: form-data; ${'filename="'.repeat(1_500)}x\r\n\r\n1\r\n`;
    expect((await decode(`${disposition.repeat(900)}--bound--`)).texts.size).to.equal(0);
  });
});
