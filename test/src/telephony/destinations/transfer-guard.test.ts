import { expect, it } from 'vitest';
import type { CallControlEvent, TransferRequest } from '../../../../engine/ports/call-control.ts';
import { NO_EXTENSIONS } from '../../../../src/configuration/extensions.ts';
import { createDestinationPolicy } from '../../../../src/telephony/destinations/destination-policy.ts';
import { withJudgedTransfers } from '../../../../src/telephony/destinations/transfer-guard.ts';
import { TransferPolicy } from '../../../../src/telephony/destinations/transfer-policy.ts';
import { trunkRecord } from '../trunks/trunk-record.ts';

const CALL = { organizationId: 'org', ownNumber: '+33155555555' };
const REQUEST: TransferRequest = { destination: '+4930123456', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 };

function leg(trunks = async () => [trunkRecord({ terminationUri: 'sip.carrier.example', country: 'FR' })]) {
  const ordered: (string | TransferRequest)[] = [];
  const events: CallControlEvent[] = [];
  const faults: unknown[] = [];
  let emit: (event: CallControlEvent) => void = () => {};
  const policy = new TransferPolicy({
    policy: createDestinationPolicy({ allowedPrefixes: [], extensions: NO_EXTENSIONS }),
    trunks: { all: trunks },
    numbers: { findByNumber: async () => null },
  });
  let pending = Promise.resolve();
  const control = withJudgedTransfers(
    {
      answer: () => ordered.push('answer'),
      hangUp: () => ordered.push('hangUp'),
      transfer: (request) => ordered.push(request),
      onEvent: (listener) => {
        emit = listener;
      },
    },
    (request) => {
      const judging = policy.judge(CALL, request);
      pending = judging.then(
        () => {},
        () => {},
      );
      return judging;
    },
    (error) => faults.push(error),
  );
  control.onEvent((event) => events.push(event));
  return {
    control,
    events,
    faults,
    ordered,
    emit: (event: CallControlEvent) => emit(event),
    judged: async () => {
      await pending;
      await new Promise(setImmediate);
    },
  };
}

it('passes answer, hang-up and events through, and transfers as they were judged', async () => {
  const { control, events, ordered, emit, judged } = leg();
  control.answer();
  const headers = { 'X-Note': 'a', To: '"Desk" <sip:0155555555@sip.carrier.example>;x=1' };
  control.transfer({ ...REQUEST, destination: 'sip:0155555555@sip.carrier.example', headers });
  emit({ type: 'on_hold' });
  await judged();
  control.hangUp();
  const judgedRequest = {
    ...REQUEST,
    destination: 'sip:+33155555555@sip.carrier.example',
    headers: { 'X-Note': 'a', To: '"Desk" <sip:+33155555555@sip.carrier.example>;x=1' },
  };
  expect(ordered).toEqual(['answer', judgedRequest, 'hangUp']);
  expect(events).toEqual([{ type: 'on_hold' }]);
});

it.each([
  [{ destination: '+499001234567' }, /^the destination is not dialled: it is in a premium range/],
  [{ destination: 'nobody' }, /^the destination is not dialled: it is not an E.164 number/],
  [{ destination: 'sip:911@gw.example' }, /^the destination is not dialled: it is neither a phone number/],
  [{ headers: { Via: 'x' } }, /^its headers are not allowed: Via cannot be set$/],
  [{ headers: { 'X-A': 'a\r\nVia: x' } }, /^its headers are not allowed: X-A contains a control character$/],
  [{ headers: { To: 'tel:+499001234567' } }, /^its header To is not allowed: it is in a premium range/],
  [{ headers: { to: '<sip:911@gw.example>' } }, /^its header to is not allowed: it is neither a phone number/],
  [{ headers: { Diversion: '<sip:a@b?Replaces=x>' } }, /^its headers are not allowed: Diversion contains a URI with/],
])('a transfer that is not allowed fails without dialling: %j', async (given, reason) => {
  const { control, events, judged, ordered } = leg();
  control.transfer({ ...REQUEST, ...given });
  await judged();
  expect(ordered).toEqual([]);
  expect(events).toEqual([{ type: 'transfer_failed', reason: expect.stringMatching(reason) }]);
});

it.each(['bridge', 'refer'] as const)('a %s may dial a name at another host, and no short number', async (mode) => {
  const { control, events, judged, ordered } = leg();
  const named = { ...REQUEST, mode, destination: 'sip:desk@gw.example' };
  control.transfer(named);
  await judged();
  expect(ordered).toEqual([named]);
  control.transfer({ ...named, destination: 'sip:1001@gw.example' });
  await judged();
  expect(ordered).toEqual([named]);
  expect(events).toHaveLength(1);
});

it('fails where trunks cannot be read, and dials nothing', async () => {
  const { control, events, faults, judged, ordered } = leg(async () => {
    throw new Error('the database is gone');
  });
  control.transfer(REQUEST);
  await judged();
  expect(ordered).toEqual([]);
  expect(events).toEqual([{ type: 'transfer_failed', reason: 'the destination could not be checked' }]);
  expect(faults).toHaveLength(1);
});

it('reports no refusal after the end of the leg', async () => {
  const { control, emit, events, judged } = leg();
  control.transfer({ ...REQUEST, destination: 'nobody' });
  emit({ type: 'ended', cause: 'remote_bye' });
  await judged();
  expect(events).toEqual([{ type: 'ended', cause: 'remote_bye' }]);
});
