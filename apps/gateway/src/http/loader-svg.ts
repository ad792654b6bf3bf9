/** A ring with a turning arc, in black, of 40 pixels. */
export const loaderSvg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" viewBox="0 0 40 40" fill="none" stroke="#000" stroke-width="4">
<circle cx="20" cy="20" r="16" opacity=".2"/>
<path d="M36 20A16 16 0 0 0 20 4" stroke-linecap="round"><animateTransform attributeName="transform" type="rotate" from="0 20 20" to="360 20 20" dur="1s" repeatCount="indefinite"/></path>
</svg>
`;
