import { Readable } from "node:stream";
import { makeImages } from "../image-maker.ts";

/** A process whose decoder gets only the first bytes of a picture and waits for the rest. Tests kill it. */
const head = Buffer.from("89504e470d0a1a0a", "hex");
const source = new Readable({ read() {} });
source.push(head);
await makeImages(async () => source, [], { signal: new AbortController().signal });
