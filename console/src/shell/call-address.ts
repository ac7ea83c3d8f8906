/**
 * The prepared call of the address `/call#media_url=…`; null: none. A fragment appears in no request and no log, and the token in it
 * is taken out of the address and its history.
 */
export function takePreparedCall(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get('media_url');
  if (given !== null) history.replaceState(null, '', location.pathname);
  return given;
}

/**
 * The service serves the console also as `console/call`, to which `/call` leads. Its path follows the #, as for every page.
 */
export function leaveCallAddress(): void {
  if (location.pathname.endsWith('/call')) location.replace('./#/talk');
}
