import { getParameter, parseParameters, quote, splitOutsideQuotes } from './parameters.ts';
import { trimBlanks } from './token.ts';

/** Longer texts of hostile peers are cut. */
const DESCRIBED_LENGTH_MAX = 200;
/** Q.850 cause 16, normal call clearing: what every call ends with. */
const NORMAL_CLEARING = '16';

/** A Reason header of SIP's own protocol (RFC 3326). The text stays one line. */
export function formatReason(status: number, text: string): string {
  return `SIP;cause=${status};text=${quote(text.replace(/\p{Cc}/gu, ' '))}`;
}

/**
 * Describes the cause that a Reason header (RFC 3326) adds to its response or BYE, such as `Q.850 34 (No circuit)`.
 * @returns null if the header adds nothing or is malformed.
 */
export function describeReason(header: string): string | null {
  const values = (splitOutsideQuotes(header, ',') ?? []).flatMap((value) => describeValue(trimBlanks(value)) ?? []);
  return values.length === 0 ? null : values.join(', ').slice(0, DESCRIBED_LENGTH_MAX);
}

function describeValue(value: string): string | null {
  const semicolon = value.indexOf(';');
  const protocol = trimBlanks(semicolon < 0 ? value : value.slice(0, semicolon));
  const parameters = parseParameters(semicolon < 0 ? '' : value.slice(semicolon));
  if (parameters === null) return null;
  const cause = getParameter(parameters, 'cause');
  const text = getParameter(parameters, 'text') || null;
  if (protocol.toUpperCase() === 'SIP') return text;
  if (cause === null || (protocol.toUpperCase() === 'Q.850' && cause === NORMAL_CLEARING)) return null;
  return text === null ? `${protocol} ${cause}` : `${protocol} ${cause} (${text})`;
}
