import { expect, it } from 'vitest';
import { DtmfDetector } from '../../../../sip/rtp/dtmf/dtmf-detector.ts';
import { DtmfTone } from '../../../../sip/rtp/dtmf/dtmf-tone.ts';
import { digitOfEvent } from '../../../../sip/rtp/dtmf/telephone-event.ts';

it('each digit is detected from its tone, generated in several pieces', () => {
  for (let event = 0; event < 16; event++) {
    const detected: string[] = [];
    const detector = new DtmfDetector((digit) => detected.push(digit));
    const tone = new DtmfTone();
    const piece = new Int16Array(160);
    for (let i = 0; i < 5; i++) {
      tone.fill(event, piece, piece.length, 8_000);
      detector.write(piece, piece.length);
    }
    detector.interrupt();
    expect(detected).toEqual([digitOfEvent(event)]);
  }
});
