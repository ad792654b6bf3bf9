import { VList, type VListHandle } from "virtua";
import type { RefObject, VNode } from "preact";

export type VirtualListHandle = VListHandle;

export interface VirtualListProps<Row> {
  readonly ref: RefObject<VirtualListHandle | null>;
  readonly class: string;
  readonly data: readonly Row[];
  readonly children: (row: Row, index: number) => VNode;
  /** Whether rows were added or removed at the start: then the place is kept from the end. */
  readonly shift: boolean;
  /** Pixels beyond the viewport in which rows are drawn. */
  readonly bufferSize: number;
  readonly onScroll: (offset: number) => void;
  readonly onScrollEnd: () => void;
  readonly role: "log";
  readonly "aria-label": string;
  readonly tabIndex: number;
}

/**
 * A list that draws only the rows near the viewport. The library is written for React, which the bundler replaces by
 * Preact; these are its types for Preact.
 */
export const VirtualList = VList as unknown as <Row>(props: VirtualListProps<Row>) => VNode;
