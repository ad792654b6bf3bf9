export {
  type ImageFacts,
  type MadeImages,
  makeImages,
  type MakeOptions,
  type Rendition,
} from "./image-maker.ts";
export { type ImageType, imageHeadBytes, imageTypeOf, imageTypes } from "./image-type.ts";
