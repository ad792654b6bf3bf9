import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { reasonOf } from "../reason.ts";
import type { Item } from "../store/events.ts";
import { useOrganization } from "../store/use-organization.ts";

/** What a section shows: `undefined` until it is loaded. */
export interface LoadedState<Value> {
  readonly value: Value | undefined;
  /** Why loading failed, for people. */
  readonly problem: string | undefined;
}

/**
 * Loads data that the store does not keep, and loads it again after each event that may change it.
 * @param changedBy types of events
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  changedBy: ReadonlyArray<Item["type"]>,
): LoadedState<Value> {
  const organization = useOrganization();
  const state = useSignal<LoadedState<Value>>({ value: undefined, problem: undefined });
  useEffect(() => {
    let isOpen = true;
    let isLoading = false;
    let isStale = false;
    const read = async () => {
      // Events during a request lead to one more request, however many they are.
      isStale = isLoading;
      if (isLoading) return;
      isLoading = true;
      try {
        const value = await load();
        if (isOpen) state.value = { value, problem: undefined };
      } catch (error) {
        if (isOpen) state.value = { value: state.peek().value, problem: reasonOf(error) };
      }
      isLoading = false;
      if (isStale && isOpen) void read();
    };
    void read();
    const end = organization.listen((item) => {
      if (item.type === "registered" || changedBy.includes(item.type)) void read();
    });
    return () => {
      isOpen = false;
      end();
    };
  }, [organization]);
  return state.value;
}
