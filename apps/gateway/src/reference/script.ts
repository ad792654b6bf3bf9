/**
 * The page's script: it loads the document into the viewer, and adds full-text search of operations, the list of
 * events, and the examples.
 */
export const script = String.raw`"use strict";
(async () => {
  const place = document.getElementById("reference");
  const answer = await fetch("api/v1/openapi.json");
  if (!answer.ok) {
    place.textContent = "The server cannot send its OpenAPI document at the moment: " + answer.status;
    return;
  }
  const spec = await answer.json();
  // Requests that are tried out go to the origin of the page.
  spec.servers = [{ url: new URL(".", location.href).href.replace(/\/$/, "") }];
  for (const item of Object.values(spec.paths))
    for (const operation of Object.values(item))
      for (const sample of operation["x-codeSamples"] || [])
        operation.description = (operation.description || "") + "\n\n${"```"}sh\n" + sample.source + "\n${"```"}\n";
  // The viewer lists only entries with a path and a method; the style sheet hides these for events.
  for (const [name, { post }] of Object.entries(spec["x-webhooks"] || {}))
    spec.paths[name] = {
      get: {
        operationId: post.operationId,
        tags: post.tags,
        summary: post.summary,
        description: post.description,
        security: [],
        responses: { event: { description: "In the answer of GET /api/v1/events", content: post.requestBody.content } },
      },
    };

  SwaggerUIBundle({
    spec,
    domNode: place,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [search],
    deepLinking: true,
    docExpansion: "list",
    filter: true,
    defaultModelsExpandDepth: -1,
    validatorUrl: null,
  });

  function search({ React }) {
    const h = React.createElement;
    const wordsOf = (phrase) => String(phrase).toLowerCase().split(/\s+/).filter(Boolean);
    const says = (text, phrase) => wordsOf(phrase).every((word) => text.toLowerCase().includes(word));
    const textOf = (path, method, operation, tag) =>
      [tag, method, path, ...["operationId", "__originalOperationId", "summary", "description"].map((key) => operation.get(key))].join(" ");

    return {
      fn: {
        opsFilter: (tags, phrase) =>
          tags
            .map((tag, name) =>
              tag.update("operations", (all) =>
                all.filter((one) => says(textOf(one.get("path"), one.get("method"), one.get("operation"), name), phrase)),
              ),
            )
            .filter((tag) => tag.get("operations").size > 0),
      },
      components: {
        // Hides the selection of a server: there is only this one, and the element would have no accessible name.
        ServersContainer: () => null,
        FilterContainer: ({ layoutSelectors, layoutActions }) => {
          const phrase = layoutSelectors.currentFilter();
          return h("div", { className: "wrapper search" },
            h("input", {
              type: "search",
              placeholder: "Search",
              "aria-label": "Search operations and events",
              value: phrase === true || phrase === "true" ? "" : phrase,
              onChange: (event) => layoutActions.updateFilter(event.target.value || true),
            }),
          );
        },
      },
    };
  }
})();
`;
