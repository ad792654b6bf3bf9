/** Additions to the viewer's own style. */
export const style = `
body { margin: 0; background: #fafafa; }
.before { font: 1rem/1.5 sans-serif; margin: 2rem; }
.swagger-ui .search input { box-sizing: border-box; width: 100%; padding: 0.6rem 0.8rem; margin: 0; font-size: 1rem; }
/* The viewer's own colours are too pale behind and for small text. */
.swagger-ui .opblock-get .opblock-summary-method { background: #0b5cad; }
.swagger-ui .opblock-post .opblock-summary-method { background: #0f6b3d; }
.swagger-ui .opblock-put .opblock-summary-method { background: #8a4b00; }
.swagger-ui .opblock-patch .opblock-summary-method { background: #0b6660; }
.swagger-ui .opblock-delete .opblock-summary-method { background: #b3261e; }
.swagger-ui .info .title small { background: #4d5156; }
.swagger-ui .info .title small.version-stamp { background: #3f6600; }
.swagger-ui .btn.authorize { color: #0f6b3d; border-color: #0f6b3d; }
[id^="operations-event_types-event"] .opblock-summary-method { visibility: hidden; width: 0; min-width: 0; padding: 0; }
[id^="operations-event_types-event"] .try-out, [id^="operations-event_types-event"] .opblock-section { display: none; }
@media (max-width: 600px) {
  .swagger-ui .wrapper { padding: 0 0.5rem; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; overflow-wrap: anywhere; }
  .swagger-ui table { display: block; overflow-x: auto; }
}
`;
