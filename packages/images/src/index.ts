export { type ImageType, imageTypeOf, imageTypes } from "./image-type.ts";
