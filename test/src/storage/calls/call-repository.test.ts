import { expect, it } from 'vitest';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import { callEventBody, createCallEventRepository } from '../../../../src/storage/events/call-event-repository.ts';
import { DatabaseError } from '../../../../src/storage/link/database-error.ts';
import { createPostCallRepository } from '../../../../src/storage/post-call/post-call-repository.ts';
import { FINAL_STATUSES, OPEN_STATUSES } from '../../../../src/storage/schema/call-status.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';

const DEADLINE_MS = START_MS + 60_000;

/** @param leftMs time until its deadline. */
async function stagedCall(database: Database, leftMs = DEADLINE_MS - START_MS): Promise<string> {
  const calls = createCallRepository(database);
  const call = newCall(await storeAgent(database));
  await calls.createCall(call);
  const patch = { stagingDeadlineMs: START_MS + leftMs };
  expect(await calls.setStatus(call.id, { from: ['initiated'], to: 'staged', atMs: START_MS, patch })).toBe(true);
  return call.id;
}

onEachDatabase((temporaryDatabase) => {
  it('a stored call is read back unchanged', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const agentId = await storeAgent(database, { secureRecordingUrls: true });
    const call = newCall(agentId, { dynamicVariables: { name: 'Ada', nested: { list: [1, null, true] } } });
    await calls.createCall(call);
    expect(await calls.find(call.id)).toMatchObject({
      id: call.id,
      agentId,
      agentVersion: 1,
      status: 'initiated',
      type: 'phone_call',
      direction: 'inbound',
      dynamicVariables: call.dynamicVariables,
      metadata: {},
      secureRecording: true,
      listedUs: expect.any(Number),
      startMs: null,
      endReason: null,
      dialog: null,
      bridgedDialog: null,
    });
  });

  it('a call is not found by another organization or under an unknown id', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const call = newCall(await storeAgent(database));
    await calls.createCall(call);
    expect(await calls.findInOrganization('00000000-0000-4000-8000-000000000002', call.id)).toBeNull();
    expect(await calls.find('00000000-0000-4000-8000-00000000000f')).toBeNull();
  });

  it('a duplicate id and an unknown organization are refused', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const agentId = await storeAgent(database);
    const call = newCall(agentId);
    await calls.createCall(call);
    await expect(calls.createCall(call)).rejects.toMatchObject({ fault: 'constraint' });
    const stray = newCall(agentId, { organizationId: '00000000-0000-4000-8000-000000000002' });
    await expect(calls.createCall(stray)).rejects.toThrow(DatabaseError);
    expect(await calls.find(stray.id)).toBeNull();
  });

  it('a call without an agent stores events, sends no webhook and queues no post-call questions', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const call = newCall(await storeAgent(database), { agentId: null, agentVersion: 0 });
    await calls.createCall(call);
    expect(await calls.setStatus(call.id, { from: ['created', 'initiated'], to: 'in_progress', atMs: 1 })).toBe(true);
    expect(await calls.finish(call.id, { status: 'completed', endReason: 'transferred', atMs: 2 })).toBe(true);
    expect(await calls.find(call.id)).toMatchObject({ agentId: null, secureRecording: false, status: 'completed' });
    const [first] = await createCallEventRepository(database).after(call.id, 0, 10);
    if (first === undefined) throw new Error('the call has no event');
    expect(JSON.parse(callEventBody(first))).toMatchObject({ call_id: call.id, agent_id: null });
    const events = await database.query.selectFrom('call_events').select('status').execute();
    expect(new Set(events.map(({ status }) => status))).toEqual(new Set(['unsent']));
    expect(await createPostCallRepository(database).due(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  it('calls created in the same millisecond have different positions; later calls with an earlier clock follow them', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const agentId = await storeAgent(database);
    const batch = Array.from({ length: 40 }, (_, index) => newCall(agentId, { nowMs: START_MS + (index % 3) - 1 }));
    await Promise.all(batch.map((call) => calls.createCall(call)));
    const late = [newCall(agentId, { nowMs: START_MS - 3_600_000 }), newCall(agentId, { nowMs: START_MS - 7_200_000 })];
    for (const call of late) await calls.createCall(call);
    const placeOf = async ({ id }: { readonly id: string }) => (await calls.find(id))?.listedUs ?? 0;
    const places = await Promise.all(batch.map(placeOf));
    const latePlaces = await Promise.all(late.map(placeOf));
    expect(new Set(places).size).toBe(40);
    expect(Math.min(...places)).toBeGreaterThanOrEqual((START_MS - 1) * 1_000);
    expect(latePlaces).toEqual([Math.max(...places) + 1, Math.max(...places) + 2]);
  });

  it('stores exactly the limit of 40 simultaneous calls on two nodes, and one more for each ended call', async () => {
    const database = await temporaryDatabase();
    const nodes = [createCallRepository(database, 'one'), createCallRepository(database, 'two')] as const;
    const agentId = await storeAgent(database);
    const outbound = () => newCall(agentId, { direction: 'outbound', status: 'created' });
    const requested = Array.from({ length: 40 }, outbound);
    for (const call of [newCall(agentId), newCall(agentId)]) await nodes[0].createCall(call);
    const placed = await Promise.all(requested.map((call, at) => nodes[at % 2 === 0 ? 0 : 1].placeCall(call, 5)));
    expect(placed.filter(Boolean), 'inbound calls do not count').toHaveLength(5);
    const [first] = requested.filter((_, at) => placed[at]);
    const refused = requested.filter((_, at) => !placed[at]);
    for (const { id } of refused) expect(await nodes[0].find(id)).toBeNull();

    const end = { status: 'busy', endReason: 'busy', atMs: START_MS } as const;
    await nodes[1].finish(first?.id ?? '', end);
    expect(await nodes[0].placeCall(outbound(), 5)).toBe(true);
    expect(await nodes[1].placeCall(outbound(), 5)).toBe(false);
    expect(await nodes[1].placeCall(outbound(), 6)).toBe(true);
    const stray = { ...outbound(), organizationId: '00000000-0000-4000-8000-000000000002' };
    expect(await nodes[0].placeCall(stray, 5)).toBe(false);
  });

  it('exactly one of 50 simultaneous claims gets the staged call', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const callId = await stagedCall(database);
    const claims = await Promise.all(Array.from({ length: 50 }, () => calls.claimStaged(callId, START_MS + 1)));
    const won = claims.filter((claim) => claim !== null);
    expect(won).toHaveLength(1);
    expect(won[0]).toMatchObject({ id: callId, status: 'ringing' });
  });

  it('a staged call can be claimed before its deadline, but not at it', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const late = await stagedCall(database, 0);
    const early = await stagedCall(database);
    expect(await calls.claimStaged(late, START_MS)).toBeNull();
    expect(await calls.claimStaged(early, DEADLINE_MS - 1)).not.toBeNull();
    expect(await calls.find(late)).toMatchObject({ status: 'staged' });
  });

  it('a call that is not staged is not claimed', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const agentId = await storeAgent(database);
    for (const status of OPEN_STATUSES.filter((open) => open !== 'staged')) {
      const call = newCall(agentId, { status });
      await calls.createCall(call);
      expect(await calls.claimStaged(call.id, START_MS)).toBeNull();
      expect(await calls.find(call.id)).toMatchObject({ status });
    }
  });

  it('a staged call ends once as no_answer after its deadline', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const due = await stagedCall(database, 0);
    const waiting = await stagedCall(database);
    const claimed = await stagedCall(database);
    await calls.claimStaged(claimed, START_MS);
    expect(await calls.expireStaged(START_MS)).toEqual([due]);
    expect(await calls.expireStaged(START_MS)).toEqual([]);
    expect(await calls.find(due)).toMatchObject({
      status: 'no_answer',
      endReason: 'staging_timeout',
      endMs: START_MS,
    });
    expect(await calls.find(waiting)).toMatchObject({ status: 'staged' });
    expect(await calls.find(claimed)).toMatchObject({ status: 'ringing' });
  });

  it('a simultaneous sweep and claim never both succeed', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const callId = await stagedCall(database);
    const [claim, swept] = await Promise.all([
      calls.claimStaged(callId, DEADLINE_MS - 1),
      calls.expireStaged(DEADLINE_MS + 1),
    ]);
    expect(Number(claim !== null) + swept.length).toBe(1);
  });

  it('a final status never changes', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const agentId = await storeAgent(database);
    for (const status of FINAL_STATUSES) {
      const call = newCall(agentId, { status: 'in_progress' });
      await calls.createCall(call);
      expect(await calls.finish(call.id, { status, endReason: 'terminated', atMs: START_MS + 5 })).toBe(true);
      expect(await calls.finish(call.id, { status: 'failed', endReason: 'sip_error', atMs: START_MS + 9 })).toBe(false);
      const change = { from: OPEN_STATUSES, to: 'in_progress', atMs: START_MS + 9 } as const;
      expect(await calls.setStatus(call.id, change)).toBe(false);
      expect(await calls.claimStaged(call.id, START_MS)).toBeNull();
      expect(await calls.find(call.id)).toMatchObject({ status, endReason: 'terminated', endMs: START_MS + 5 });
    }
  });

  it('a call starts when it is answered, and its dialog is deleted at its end', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const call = newCall(await storeAgent(database), { status: 'ringing' });
    await calls.createCall(call);
    const dialog = {
      sipCallId: 'abc',
      localUri: '<sip:a@x>;tag=1',
      remoteUri: '<sip:b@y>;tag=2',
      localCseq: 1,
      routeSet: [],
      remoteTarget: 'sip:b@192.0.2.1',
      transport: 'udp',
      source: null,
    };
    await calls.setStatus(call.id, { from: ['ringing'], to: 'in_progress', atMs: START_MS + 7, patch: { dialog } });
    expect(await calls.find(call.id)).toMatchObject({ status: 'in_progress', startMs: START_MS + 7, dialog });
    await calls.update(call.id, { recordingPath: 'recordings/x.wav' });
    expect((await calls.callsInFlight()).map(({ id }) => id)).toEqual([call.id]);
    await calls.finish(call.id, { status: 'completed', endReason: 'caller_hangup', atMs: START_MS + 99 });
    expect(await calls.find(call.id)).toMatchObject({ dialog: null, recordingPath: 'recordings/x.wav' });
    expect(await calls.callsInFlight()).toEqual([]);
  });

  it('a change from a status that the call does not have has no effect', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const call = newCall(await storeAgent(database));
    await calls.createCall(call);
    const patch = { sipCallId: 'never' };
    expect(await calls.setStatus(call.id, { from: ['staged'], to: 'ringing', atMs: START_MS, patch })).toBe(false);
    const end = { status: 'canceled', endReason: 'terminated', atMs: START_MS, from: ['ringing'] } as const;
    expect(await calls.finish(call.id, end)).toBe(false);
    expect(await calls.find(call.id)).toMatchObject({ status: 'initiated', sipCallId: null, endMs: null });
  });
});
