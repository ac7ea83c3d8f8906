import { maskedNumber } from '../../../src/log/number-mask.ts';
import type { Call } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';

/** A party of a call for people: its masked number, or why it has none. */
export function partyName({ type }: Pick<Call, 'type'>, number: string | null, text: Messages): string {
  if (number !== null) return maskedNumber(number);
  return type === 'web_call' ? text.calls.web : text.calls.withheld;
}

/** The called party for people. A web call leads from a browser to an agent. */
export function calledName(call: Pick<Call, 'to_number' | 'type'>, text: Messages): string {
  return call.type === 'web_call' && call.to_number === null ? text.calls.agent : partyName(call, call.to_number, text);
}
