export { type ImageFacts, makeImages, type Rendition } from "./image-maker.ts";
export { type ImageType, imageTypeOf, imageTypes } from "./image-type.ts";
