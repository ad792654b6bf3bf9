/** Style sheets are imported for the bundler, which writes them to a file. */
declare module "*.css";

/** The address of a stylesheet that the bundler writes to a file of its own, for loading it when needed. */
declare module "*.css?url" {
  const address: string;
  export default address;
}
