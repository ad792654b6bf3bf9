/** An object that is missing or has other bytes than it should have. */
export interface FaultyObject {
  readonly key: string;
  /** Path of the uploaded file below `/user_uploads/`; undefined for other objects. */
  readonly path: string | undefined;
  readonly fault: "missing" | "changed";
}

/** Maximum number of named objects. If there are more, they probably have the same cause. */
const maxNamed = 1_000;

/** Counts faulty objects, and keeps the first ones with their names. */
export class FaultyObjects {
  readonly named: FaultyObject[] = [];
  count = 0;

  add(object: FaultyObject): void {
    this.count++;
    if (this.named.length < maxNamed) this.named.push(object);
  }
}
