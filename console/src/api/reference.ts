/** Whether the service serves its API reference and OpenAPI document (`API_DOCS`): it says so in the page. */
export const HAS_REFERENCE = document.querySelector('meta[name="api-reference"]')?.getAttribute('content') === 'true';
