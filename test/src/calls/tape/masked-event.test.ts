import { expect, it } from 'vitest';
import { maskedEvent } from '../../../../src/calls/tape/masked-event.ts';

const mask = (text: string) => text.replaceAll(/\d/g, '0');

it('masks the destination, the headers and the announcement of a requested transfer', () => {
  const request = {
    destination: '+4930123456',
    mode: 'refer' as const,
    headers: { 'X-Customer': 'order 4711' },
    ringTimeoutMs: 30_000,
  };
  expect(maskedEvent({ type: 'call.transfer', request, announcement: 'Extension 12.' }, mask)).toEqual({
    type: 'call.transfer',
    request: { ...request, destination: '+0000000000', headers: { 'X-Customer': 'order 0000' } },
    announcement: 'Extension 00.',
  });
});
