/**
 * The address of a call's media as seen from this page. The public URL of the service may be unset or wrong; the page knows the
 * address that works.
 *
 * @param mediaUrl as `POST /v1/calls/web` returns it
 */
export function mediaAddress(mediaUrl: string, serviceUrl: string): { readonly url: URL; readonly token: string } {
  const { pathname, searchParams } = new URL(mediaUrl);
  const url = new URL(`${serviceUrl}/v1/${pathname.split('/v1/').at(-1) ?? ''}`);
  url.protocol = url.protocol.replace('http', 'ws');
  return { url, token: searchParams.get('token') ?? '' };
}
