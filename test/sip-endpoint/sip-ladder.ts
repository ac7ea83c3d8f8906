import { getHeader } from '../../sip/message/headers.ts';
import type { SipMessage } from '../../sip/message/sip-message.ts';

/** A readable log of sent and received messages: one per line, with ms since the start. */
export class SipLadder {
  readonly lines: string[] = [];
  readonly #startMs = performance.now();

  sent(message: SipMessage): void {
    this.#write('──>', describe(message));
  }

  received(message: SipMessage): void {
    this.#write('<──', describe(message));
  }

  note(text: string): void {
    this.#write('   ', text);
  }

  #write(arrow: string, text: string): void {
    this.lines.push(`${(performance.now() - this.#startMs).toFixed(1).padStart(9)} ms  ${arrow}  ${text}`);
  }
}

function describe(message: SipMessage): string {
  const cseq = getHeader(message.headers, 'CSeq') ?? '?';
  const sdp = message.body.length > 0 ? ' +SDP' : '';
  return message.kind === 'request'
    ? `${message.method} ${message.uri} (CSeq ${cseq})${sdp}`
    : `${message.status} ${message.reason} (CSeq ${cseq})${sdp}`;
}
