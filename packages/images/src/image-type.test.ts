import { expect } from "chai";
import sharp from "sharp";
import { imageTypeOf } from "./image-type.ts";

describe("image type", () => {
  const pixels = { width: 3, height: 2, channels: 3 as const, background: "red" };

  for (const format of ["avif", "gif", "jpeg", "png", "tiff", "webp"] as const)
    it(`recognizes ${format} by its first bytes`, async () => {
      const file = await sharp({ create: pixels }).toFormat(format).toBuffer();
      expect(imageTypeOf(file)).to.equal(`image/${format}`);
    });

  it("takes nothing else for an image", () => {
    const others = ["", "GIF", "<svg>", "<html>\x89PNG\r\n\x1a\n", "RIFF1234WAVEfmt ", "%PDF-1.7"];
    others.push("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "\0\0\0\x18ftypmp42avif0000");
    for (const other of others)
      expect(imageTypeOf(Buffer.from(other, "latin1")), other).to.equal(undefined);
  });
});
