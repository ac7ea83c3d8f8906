import { describe, expect, it } from 'vitest';
import { findInboundTarget } from '../../../../src/calls/inbound/inbound-target.ts';
import type { CallPatch } from '../../../../src/storage/calls/call-record.ts';
import type { CallEnd } from '../../../../src/storage/calls/call-repository.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../../storage/temporary-database.ts';

const TO = '+33987654321';
const DEADLINE: CallPatch = { stagingDeadlineMs: START_MS + 60_000 };

onEachDatabase((temporaryDatabase) => {
  describe('an INVITE that names a staged call', () => {
    async function stagedCall(end: CallEnd | null = null) {
      const database = await temporaryDatabase();
      const { calls, phoneNumbers, sipTrunks } = createRepositories(database);
      const call = newCall(await storeAgent(database), { toNumber: TO });
      await calls.createCall(call);
      await calls.setStatus(call.id, { from: ['initiated'], to: 'staged', atMs: START_MS, patch: DEADLINE });
      if (end !== null) await calls.finish(call.id, end);
      return { callId: call.id, calls, numbers: phoneNumbers, trunks: sipTrunks };
    }

    it('finds it when it dials its number, in the Request-URI or in To', async () => {
      const { callId, ...options } = await stagedCall();
      for (const [dialled, addressee] of [
        [TO, 'agent'],
        ['0987654321', 'agent'],
        ['registered', TO],
      ] as const) {
        const invite = { serviceCallId: callId.toUpperCase(), dialled, addressee };
        const target = await findInboundTarget(invite, { ...options, comparesStagedNumber: true });
        expect(target).toMatchObject({ type: 'staged', call: { id: callId } });
      }
    });

    it('is refused if it dials another number, unless the comparison is off', async () => {
      const { callId, ...options } = await stagedCall();
      const invite = { serviceCallId: callId, dialled: '+33987654322', addressee: 'agent' };
      const refusal = { cause: 'staged_number_differs', status: 404, organizationId: expect.any(String) };
      expect(await findInboundTarget(invite, { ...options, comparesStagedNumber: true })).toMatchObject({ refusal });
      const target = await findInboundTarget(invite, { ...options, comparesStagedNumber: false });
      expect(target).toMatchObject({ type: 'staged' });
    });

    it.each([
      ['staged_call_expired', { status: 'no_answer', endReason: 'staging_timeout' }],
      ['staged_call_taken', { status: 'canceled', endReason: 'terminated' }],
    ] as const)('is refused as %s after its end', async (cause, end) => {
      const { callId, ...options } = await stagedCall({ ...end, atMs: START_MS });
      const invite = { serviceCallId: callId, dialled: TO, addressee: TO };
      const target = await findInboundTarget(invite, { ...options, comparesStagedNumber: true });
      expect(target).toMatchObject({ refusal: { cause, status: 404 } });
    });
  });

  it('an INVITE that names no call, or an unknown number, concerns no organization', async () => {
    const database = await temporaryDatabase();
    const { calls, phoneNumbers: numbers, sipTrunks: trunks } = createRepositories(database);
    for (const [serviceCallId, cause] of [
      ['not a UUID', 'unknown_staged_call'],
      [null, 'unknown_number'],
    ] as const) {
      const invite = { serviceCallId, dialled: TO, addressee: TO };
      const target = await findInboundTarget(invite, { calls, numbers, trunks, comparesStagedNumber: true });
      expect(target).toMatchObject({ refusal: { cause, status: 404, organizationId: null } });
    }
  });
});
