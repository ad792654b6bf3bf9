/** Tests and benches run bare texts too: production code, which never loads this file, may not. */
declare module "@carillon/db" {
  interface BareStatements {
    readonly text: string;
  }
}

export {};
