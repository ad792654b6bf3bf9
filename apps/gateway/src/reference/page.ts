/** The page of the reference. Addresses are relative, for a server whose address has a path. */
export const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Carillon API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="api/reference/viewer.css" />
    <link rel="stylesheet" href="api/reference/page.css" />
    <script src="api/reference/viewer.js" defer></script>
    <script src="api/reference/page.js" defer></script>
  </head>
  <body>
    <main id="reference">
      <p class="before">
        The reference is made from <a href="api/v1/openapi.json">the OpenAPI document</a>, by a script.
      </p>
    </main>
  </body>
</html>
`;

/** No request to other servers, and no inline script. */
export const pageHeaders = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "same-origin",
};
