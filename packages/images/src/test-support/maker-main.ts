import { Readable } from "node:stream";
import { makeImages } from "../image-maker.ts";

/** A process that waits for a decoder, which gets the head of a picture only. Tests kill it. */
const head = Buffer.from("89504e470d0a1a0a", "hex");
const source = new Readable({ read() {} });
source.push(head);
await makeImages(async () => source, [], { signal: new AbortController().signal });
