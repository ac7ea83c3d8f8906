import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { ToolRun } from '../../../engine/ports/tool-runner.ts';
import { type TraceContext, traceparent } from '../../observability/opentelemetry/trace-context.ts';
import type { GuardedRequest } from '../../outgoing-http/guarded-http.ts';

/** Decrypts the value of a `secret` header. Throws if that fails. */
export type ResolveSecret = (reference: string) => string;

/** Bytes of a response that are read. A longer response is cut off, which is an error. */
export const RESPONSE_BYTES_MAX = 1_048_576;

/** Headers that frame the message or choose the host. They are derived from the request, never taken from an agent. */
const FRAMING_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a header of an agent is never sent. */
export function isFramingHeader(name: string): boolean {
  return FRAMING_HEADERS.has(name.toLowerCase());
}

const DEFAULT_HEADERS = { accept: 'application/json, */*;q=0.5', 'user-agent': 'trunkline' };

/**
 * Builds the HTTP request of a tool call. `content_type` decides where parameters go. A GET has no content (RFC 9110 §9.3.1), so its
 * parameters are in the query. Headers of the agent override the default headers, `traceparent` too. `trace`: the span of the tool call.
 * @throws {Error} for an invalid URL or an unreadable secret. The message is for the model and reveals nothing about the service.
 */
export function toolRequest(
  toolRun: ToolRun,
  resolveSecret: ResolveSecret,
  trace: TraceContext | null = null,
): GuardedRequest {
  const { tool } = toolRun;
  const url = URL.parse(toolRun.url);
  if (url === null) throw new Error('the URL of the function is not valid');
  const place = tool.method === 'GET' ? 'url_params' : tool.content_type;
  const headers: Record<string, string> = {
    ...DEFAULT_HEADERS,
    ...(trace !== null && { traceparent: traceparent(trace) }),
  };
  const request = {
    method: tool.method,
    headers,
    timeoutMs: tool.timeout * 1000,
    responseBytesMax: RESPONSE_BYTES_MAX,
  };
  if (place === 'url_params') {
    const query = formOf(toolRun.values);
    if (query !== '') url.search += `${url.search === '' ? '?' : '&'}${query}`;
    addAgentHeaders(headers, toolRun, resolveSecret);
    return { ...request, url: url.href };
  }
  const [contentType, body] =
    place === 'json'
      ? ['application/json', JSON.stringify(toolRun.values)]
      : ['application/x-www-form-urlencoded', formOf(toolRun.values)];
  headers['content-type'] = contentType;
  addAgentHeaders(headers, toolRun, resolveSecret);
  return { ...request, url: url.href, body };
}

/** null is omitted; objects and arrays become JSON text. */
function formOf(values: Readonly<Record<string, JsonValue>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === null) continue;
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return form.toString();
}

function addAgentHeaders(headers: Record<string, string>, toolRun: ToolRun, resolveSecret: ResolveSecret): void {
  const secretNames = new Set(
    toolRun.tool.headers.filter(({ secret }) => secret).map(({ name }) => name.toLowerCase()),
  );
  for (const [name, given] of Object.entries(toolRun.headers)) {
    const key = name.toLowerCase();
    if (isFramingHeader(name)) continue;
    headers[key] = headerText(secretNames.has(key) ? secretOf(name, given, resolveSecret) : given);
  }
}

function secretOf(name: string, reference: string, resolveSecret: ResolveSecret): string {
  try {
    return resolveSecret(reference);
  } catch (cause) {
    throw new Error(`the secret of the header ${name} cannot be read`, { cause });
  }
}

/**
 * Makes text of the user a valid header value: control characters become spaces, characters outside ISO 8859-1 their UTF-8 bytes
 * (RFC 9110 §5.5, obs-text).
 */
function headerText(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters.
  return Buffer.from(value.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim(), 'utf8').toString('latin1');
}
