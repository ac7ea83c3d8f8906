import { describe, expect, it } from 'vitest';
import { formatTapeEntry, formatTapeHeader, parseTape } from '../../../engine/tape/tape-file.ts';
import { TAPE_VERSION, type TapeEntry } from '../../../engine/tape/tape-format.ts';
import { CALL_PARAMETERS } from '../simulation/agent-with.ts';

const TRANSFER: TapeEntry = {
  seq: 0,
  atUs: 0,
  event: { type: 'call.offered' },
  commands: [
    {
      type: 'call.transfer',
      request: { destination: '+33123456789', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 },
    },
    { type: 'model.cancel', generation: 1 },
  ],
};

describe('field names on a tape', () => {
  it('call the request of a transfer `order`', () => {
    expect(formatTapeEntry(TRANSFER)).toContain('{"type":"call.transfer","order":{"destination":"+33123456789",');
  });

  it('are translated back when the tape is read', () => {
    const header = formatTapeHeader({
      tape: TAPE_VERSION,
      parameters: CALL_PARAMETERS,
      format: { encoding: 'mulaw', sampleRateHz: 8_000 },
    });
    expect(parseTape(header + formatTapeEntry(TRANSFER)).entries).toEqual([TRANSFER]);
  });
});
