import { numberMask } from '../../log/number-mask.ts';
import { maskedMessage } from './masked-message.ts';
import type { TracedLeg } from './sip-traces.ts';

/**
 * The SIP ladder of a call as text: its dialogs, then one line per message with ms since the first one. Numbers and credentials are
 * masked.
 */
export function sipLadder(legs: readonly TracedLeg[], numbers: readonly (string | null)[]): string {
  const width = Math.max(...legs.map(({ name }) => name.length));
  const mask = numberMask(numbers);
  const names = legs.map(({ name, sipCallId }) => `${name.padEnd(width)}  Call-ID ${mask(sipCallId)}\n`);
  const steps = legs
    .flatMap(({ name, entries }) => entries.map((entry) => ({ name, ...entry })))
    .sort((a, b) => a.at - b.at);
  const startMs = steps[0]?.at ?? 0;
  const lines = steps.map(({ at, bytes, direction, name, remote, transport }) => {
    const text = Buffer.from(maskedMessage(bytes, numbers)).toString('utf8');
    const arrow = direction === 'sent' ? '──>' : '<──';
    const time = (at - startMs).toFixed(1).padStart(10);
    return `${time} ms  ${name.padEnd(width)}  ${arrow}  ${transport} ${remote}  ${describe(text)}\n`;
  });
  return [...names, '\n', ...lines].join('');
}

function describe(text: string): string {
  const [start = ''] = text.split(/\r?\n/, 1);
  const line = start.replace(/ ?SIP\/2\.0 ?/, '');
  const cseq = /^CSeq[ \t]*:[ \t]*(.+?)[ \t]*\r?$/im.exec(text)?.[1] ?? '?';
  return `${line} (CSeq ${cseq})${/\r?\n\r?\nv=0/.test(text) ? ' +SDP' : ''}`;
}
