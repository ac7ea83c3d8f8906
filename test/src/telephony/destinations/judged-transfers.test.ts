import { expect, test } from 'vitest';
import type { CallControlEvent, TransferRequest } from '../../../../engine/ports/call-control.ts';
import { createDestinationPolicy } from '../../../../src/telephony/destinations/destination-policy.ts';
import { withDestinationPolicy } from '../../../../src/telephony/destinations/transfer-destination-policy.ts';

function leg() {
  const ordered: string[] = [];
  const events: CallControlEvent[] = [];
  let emit: (event: CallControlEvent) => void = () => {};
  const control = withDestinationPolicy(
    {
      answer: () => ordered.push('answer'),
      hangUp: () => ordered.push('hangUp'),
      transfer: ({ destination }) => ordered.push(destination),
      onEvent: (listener) => {
        emit = listener;
      },
    },
    createDestinationPolicy([]),
  );
  control.onEvent((event) => events.push(event));
  return { control, events, ordered, emit: (event: CallControlEvent) => emit(event) };
}

const ORDER: TransferRequest = { destination: '+4930123456', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 };

test('forwards everything except refused transfers', () => {
  const { control, events, ordered, emit } = leg();
  control.answer();
  control.transfer({ ...ORDER, headers: { 'X-Note': 'a' } });
  emit({ type: 'on_hold' });
  control.hangUp();
  expect(ordered).toEqual(['answer', '+4930123456', 'hangUp']);
  expect(events).toEqual([{ type: 'on_hold' }]);
});

test.each([
  [{ destination: '+499001234567' }, /^the destination is not dialled: it is in a premium range/],
  [{ destination: 'nobody' }, /^the destination is not dialled: it is not an E.164 number/],
  [{ headers: { Via: 'x' } }, /^its headers are not allowed: Via cannot be set$/],
  [{ headers: { 'X-A': 'a\r\nVia: x' } }, /^its headers are not allowed: X-A contains a control character$/],
])('a transfer that is not allowed fails without dialling: %j', (given, reason) => {
  const { control, events, ordered } = leg();
  control.transfer({ ...ORDER, ...given });
  expect(ordered).toEqual([]);
  expect(events).toEqual([{ type: 'transfer_failed', reason: expect.stringMatching(reason) }]);
});
