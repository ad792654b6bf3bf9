/** Lets tests and benches run bare SQL texts; production code never loads this file. */
declare module "@carillon/db" {
  interface BareStatements {
    readonly text: string;
  }
}

export {};
