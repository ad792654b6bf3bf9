import { useEffect, useRef } from "preact/hooks";
import { handleKeys } from "../keyboard.ts";
import { navigate, route } from "../navigation.ts";
import { operandOf } from "../route.ts";
import { texts } from "../texts.ts";
import { parseSearch } from "./parse-search.ts";

/** The field that searches messages; `/` goes there. */
export function SearchBox() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => handleKeys({ search: () => input.current?.focus() }), []);
  const { value: to } = route;
  const shown = to.page === "messages" ? operandOf(to.terms, "search") : undefined;

  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const terms = parseSearch(input.current?.value ?? "");
        if (terms.length > 0) navigate({ page: "messages", terms, near: null });
      }}
    >
      <input
        key={String(shown)}
        ref={input}
        type="search"
        aria-label={texts.search.label}
        placeholder={texts.search.placeholder}
        defaultValue={typeof shown === "string" ? shown : ""}
        maxLength={500}
        dir="auto"
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
    </form>
  );
}
