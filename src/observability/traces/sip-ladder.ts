import { printable } from '../../../base/text/printable.ts';
import { maskedDigits, numberMask } from '../../log/number-mask.ts';
import { type MaskedMessage, maskedMessage } from './masked-message.ts';
import type { TracedLeg } from './sip-traces.ts';

/**
 * The SIP ladder of a call as text: its dialogs, then one line per message with ms since the first one. Numbers and credentials are
 * masked; what peers wrote is printable.
 */
export function sipLadder(legs: readonly TracedLeg[], numbers: readonly (string | null)[]): string {
  const width = Math.max(...legs.map(({ name }) => name.length));
  const mask = numberMask(numbers, maskedDigits);
  const names = legs.map(({ name, sipCallId }) => `${name.padEnd(width)}  Call-ID ${printable(mask(sipCallId))}\n`);
  const steps = legs
    .flatMap(({ name, entries }) => entries.map((entry) => ({ name, ...entry })))
    .sort((a, b) => a.at - b.at);
  const startMs = steps[0]?.at ?? 0;
  const lines = steps.map(({ at, bytes, direction, name, remote, transport }) => {
    const arrow = direction === 'sent' ? '──>' : '<──';
    const time = (at - startMs).toFixed(1).padStart(10);
    return `${time} ms  ${name.padEnd(width)}  ${arrow}  ${transport} ${remote}  ${printable(describe(maskedMessage(bytes, numbers)))}\n`;
  });
  return [...names, '\n', ...lines].join('');
}

function describe({ head, body }: MaskedMessage): string {
  const [start = ''] = head.split(/\r?\n/, 1);
  const line = start.replace(/ ?SIP\/2\.0 ?/, '');
  const cseq = /^CSeq[ \t]*:[ \t]*(.+?)[ \t]*\r?$/im.exec(head)?.[1] ?? '?';
  return `${line} (CSeq ${cseq})${Buffer.from(body.subarray(0, 3)).toString() === 'v=0' ? ' +SDP' : ''}`;
}
