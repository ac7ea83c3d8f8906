// Exit status 0 if the service in this container responds. The image has no curl.
const { HTTP_BIND = '0.0.0.0', HTTP_PORT = '8080' } = process.env;
const host =
  { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[HTTP_BIND] ?? (HTTP_BIND.includes(':') ? `[${HTTP_BIND}]` : HTTP_BIND);
const alive = await fetch(`http://${host}:${HTTP_PORT}/healthz`, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(alive ? 0 : 1);
