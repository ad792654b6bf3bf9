import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const brotlied = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Files of other kinds, such as fonts, are compressed already. */
const compressible = /\.(js|css|svg|html)$/;

/**
 * Makes the compressed copies of files, at the highest levels: a build compresses once what is sent many times.
 * @param {readonly { path: string, contents: Uint8Array }[]} files
 * @returns {Promise<{ path: string, contents: Uint8Array }[]>} `.br` and `.gz` of each file, where they are smaller
 */
export async function compressed(files) {
  const copies = files
    .filter(({ path }) => compressible.test(path))
    .map(async ({ path, contents }) =>
      [
        { path: `${path}.br`, contents: await brotlied(contents, brotliOptions(contents)) },
        { path: `${path}.gz`, contents: await gzipped(contents, { level: 9 }) },
      ].filter((copy) => copy.contents.length < contents.length),
    );
  return (await Promise.all(copies)).flat();
}

/**
 * Returns the options of Brotli for the smallest output.
 * @param {Uint8Array} contents
 */
function brotliOptions({ length }) {
  return {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: length,
    },
  };
}
