import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PCM_WAV_HEADER_BYTES } from '../../../base/audio/wav.ts';
import { callWithoutAck } from '../../sip-endpoint/unacknowledging-caller.ts';
import type { Arrival } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { FROM, TO } from '../rig/staged-call.ts';
import {
  ANSWERS,
  CrashBed,
  type CrashDatabase,
  isPostCall,
  OPEN,
  RINGS,
  SILENT,
  said,
  statusIn,
  WAIT_MS,
} from './crash-bed.ts';

/** Lower bound of the audio in a recording. */
const RECORDED_BYTES_MIN = 16_000;
/** Deadline of a staged call that outlives several processes. */
const WAITING_MS = 30 * 60_000;

/** Responses of the receiver that leave deliveries unfinished: two events wait for a response, one must be retried. */
class UnfinishedDeliveries {
  /** Types of the events without a response. */
  readonly held = new Set<string>();
  /** The call whose recording event gets no response. */
  slowId = '';
  /** True: refuse the next transcript event. */
  refuses = false;
  /** Id of the refused event. */
  refused: string | null = null;

  readonly answer = ({ call_id: callId, id, type }: Arrival): 'refuse' | 'hold' | 'take' => {
    if (this.refuses && this.refused === null && type === 'event_transcript_updated') {
      this.refused = id;
      return 'refuse';
    }
    if (id === this.refused) return 'hold';
    // The call's later events wait until this one is delivered.
    const holds =
      type === 'event_post_call_answers_ready' || (type === 'event_recording_ready' && callId === this.slowId);
    if (holds) this.held.add(type);
    return holds ? 'hold' : 'take';
  };
}

/**
 * Kills a sequence of processes on one data directory, each at another point. Each successor must finish the work that the
 * database contains.
 *
 * @param moments `all` also kills at each step of signalling, which does not depend on the database
 */
export function crashPoints(database: () => Promise<CrashDatabase>, moments: 'all' | 'of_writes'): void {
  let bed: CrashBed;
  let staged: string;
  /** A call that the first crash ended, and its API response after that crash. */
  let endedCall: { readonly id: string; readonly answer: object };

  const recordedBytes = (callId: string) => statSync(join(bed.service.dataDir, 'recordings', `${callId}.wav`)).size;

  beforeAll(async () => {
    bed = await CrashBed.open(await database());
    await bed.start();
    await bed.configure();
  }, 180_000);
  afterAll(() => bed?.close());

  it('during staging, calls, post-call work and deliveries: the next process finishes all of it, once', async () => {
    const { hooks, providers, service, store } = bed;
    const deliveries = new UnfinishedDeliveries();
    hooks.answer = deliveries.answer;

    const [slow, fast] = await Promise.all([bed.talk('slow'), bed.talk('fast')]);
    deliveries.slowId = slow.callId;
    await Promise.all([slow, fast].map(({ callId }) => service.api.send('POST', `/v1/calls/${callId}/terminate`)));
    await eventually(() => {
      expect(providers.openai.requests.some((body) => isPostCall(body) && said(body).includes('Slow?'))).toBe(true);
      expect([...deliveries.held].sort()).toEqual(['event_post_call_answers_ready', 'event_recording_ready']);
    }, WAIT_MS);

    deliveries.refuses = true;
    staged = await bed.stage();
    const expires = await bed.stage();
    await store.moveDeadline(staged, Date.now() + WAITING_MS);
    const late = await bed.stage();
    const [silent, rings, answered] = await Promise.all([bed.dial(SILENT), bed.dial(RINGS), bed.dial(ANSWERS)]);
    const plain = await bed.talk('plain');
    const unacknowledged = await callWithoutAck({ host: '127.0.0.1', port: service.sipPort }, TO, {
      'X-Service-Call-Id': late,
    });
    bed.cleanUp.push(() => unacknowledged.close());
    const busy = await Promise.all([bed.talk('unheard'), bed.talk('thinks'), bed.talk('looksUp')]);
    await eventually(async () => {
      expect(recordedBytes(plain.callId)).toBeGreaterThan(RECORDED_BYTES_MIN);
      expect((await service.api.call(plain.callId)).transcript).not.toEqual([]);
      const now = await store.read();
      const dialogs = now.calls.filter((call) => call.dialog_json !== null);
      const connected = [answered, plain.callId, late, ...busy.map(({ callId }) => callId)];
      expect(dialogs.map(({ id }) => id).sort()).toEqual(connected.sort());
      expect(connected.map((id) => statusIn(now, id))).toEqual(connected.map(() => 'in_progress'));
      expect(statusIn(now, rings)).toBe('ringing');
      expect(statusIn(now, silent)).toBe('initiated');
      expect(providers.openai.requests.some((body) => said(body).includes('Think.'))).toBe(true);
      expect(providers.deepgram.speaks.some(({ texts }) => texts.some((text) => text.includes('Unheard')))).toBe(true);
      expect(bed.toolRequests).toBe(1);
      expect(deliveries.refused).not.toBeNull();
    }, WAIT_MS);
    bed.kill();
    const atExit = await bed.dead();
    expect([staged, expires].map((id) => statusIn(atExit, id))).toEqual(['staged', 'staged']);
    expect(unacknowledged.methods).toEqual([]);
    await store.moveDeadline(expires, Date.now() - 1);
    bed.stalls = false;
    hooks.answer = () => 'take';

    await bed.start();
    await eventually(() => {
      if (unacknowledged.methods.includes('BYE')) bed.goodbyes.add(unacknowledged.sipCallId);
      expect(unacknowledged.methods).toContain('BYE');
    });
    await bed.finished(atExit, [staged]);
    const { api } = bed.service;
    expect(await api.call(expires)).toMatchObject({ status: 'no_answer', end_reason: 'staging_timeout' });
    const killed = { metrics: { end_detail: expect.stringContaining('the service was killed or crashed') } };
    expect(await api.call(silent)).toMatchObject({ status: 'failed', end_reason: 'shutdown', ...killed });
    expect(await api.call(rings)).toMatchObject({ status: 'failed', end_reason: 'shutdown', ...killed });
    const answer = await api.call(plain.callId);
    expect(answer.transcript, 'speech before the crash').not.toEqual([]);
    expect(answer.duration_seconds, 'at least the duration of the recording').toBeGreaterThanOrEqual(1);
    const recording = await (await fetch(answer.recording_url ?? '')).arrayBuffer();
    expect(recording.byteLength).toBeGreaterThan(RECORDED_BYTES_MIN);
    endedCall = { id: plain.callId, answer };
    await eventually(
      async () => expect((await store.read()).answered.toSorted()).toEqual([slow.callId, fast.callId].sort()),
      WAIT_MS,
    );
  }, 180_000);

  it.skipIf(moments === 'of_writes')(
    'when the caller has received 180: the call ends',
    async () => {
      const callId = await bed.stage();
      await bed.callIn(callId, { onProvisional: (status) => status === 180 && bed.kill() });
      const atExit = await bed.dead();
      expect(OPEN).toContain(statusIn(atExit, callId));
      await bed.start();
      await bed.finished(atExit, [staged]);
    },
    60_000,
  );

  it('when the caller has acknowledged the 200: both legs end', async () => {
    const callId = await bed.stage();
    const uac = await bed.callIn(callId, { onAnswered: () => bed.kill() });
    const atExit = await bed.dead();
    expect(OPEN).toContain(statusIn(atExit, callId));
    expect(atExit.calls.find(({ id }) => id === callId)?.dialog_json, 'known before the 200').not.toBeNull();
    expect(bed.goodbyes.has(uac.sipCallId)).toBe(false);
    await bed.start();
    await bed.finished(atExit, [staged]);
  }, 60_000);

  it.skipIf(moments === 'of_writes')(
    'when the callee has received the ACK: the call ends',
    async () => {
      const { callee } = bed;
      callee.requests.length = 0;
      const handleRequest = callee.onRequest;
      callee.onRequest = (request) => {
        if (request.method === 'ACK') bed.kill();
        handleRequest(request);
      };
      await bed.dial(ANSWERS);
      const atExit = await bed.dead();
      callee.onRequest = handleRequest;
      await bed.start();
      await bed.finished(atExit, [staged]);
    },
    60_000,
  );

  it.skipIf(moments === 'of_writes')(
    'when the caller has received the BYE: the call ends',
    async () => {
      const callId = await bed.stage();
      const { promise: answered, resolve } = Promise.withResolvers<void>();
      await bed.callIn(callId, { onAnswered: () => resolve(), onEnded: () => bed.kill() });
      await answered;
      await bed.service.api.callIn(callId, ['in_progress']);
      await bed.service.api.send('POST', `/v1/calls/${callId}/terminate`).catch(() => {});
      const atExit = await bed.dead();
      await bed.start();
      await bed.finished(atExit, [staged]);
      expect(OPEN).not.toContain(await bed.statusOf(callId));
    },
    60_000,
  );

  it('when a call’s end has just been stored: its recording is still reported', async () => {
    expect(await bed.statusOf(staged), 'after the earlier crashes').toBe('staged');
    const uac = await bed.callIn(staged, {});
    await bed.service.api.callIn(staged, ['in_progress']);
    uac.bye();
    await eventually(async () => expect(await bed.statusOf(staged)).toBe('completed'), WAIT_MS, 1);
    bed.kill();
    const atExit = await bed.dead();
    await bed.start();
    await bed.finished(atExit);
    expect(await bed.service.api.call(staged)).toMatchObject({ end_reason: 'caller_hangup' });
  }, 60_000);

  it('when a receiver has sent 204 and the process has not stored it: the same event is delivered again', async () => {
    const { hooks } = bed;
    let taken: Arrival | null = null;
    const { length: before } = hooks.arrivals;
    hooks.onTaken = (arrival) => {
      if (taken !== null) return;
      taken = arrival;
      bed.kill();
    };
    const request = { from_number: FROM, to_number: TO, agent_id: bed.agent('plain') };
    await bed.service.api.send('POST', '/v1/calls/stage', request).catch(() => {});
    const atExit = await bed.dead();
    const [first] = hooks.arrivals.slice(before);
    const callId = first?.call_id ?? '';
    await bed.start();
    await bed.finished(atExit, [callId]);
    const wasStored = atExit.events.find(({ id }) => id === first?.id)?.status === 'delivered';
    expect(hooks.arrivals.filter(({ id }) => id === first?.id)).toHaveLength(wasStored ? 1 : 2);
    await bed.service.api.send('POST', `/v1/calls/${callId}/terminate`);
    await bed.finished(atExit);
  }, 60_000);

  it('at all of these points, it loses and mixes up nothing', async () => {
    const { api } = bed.service;
    expect(bed.exits).toHaveLength(moments === 'all' ? 7 : 4);
    expect(await api.call(endedCall.id), 'unchanged since the first restart').toEqual({
      ...endedCall.answer,
      recording_url: expect.any(String),
    });
    const { calls, events, answered } = await bed.store.read();
    expect(new Set(answered).size, 'post-call answers exist once').toBe(answered.length);
    for (const { id, recording_path: path } of calls) {
      const callEvents = events.filter(({ call_id: callId }) => callId === id);
      expect(callEvents.map(({ sequence }) => sequence)).toEqual(callEvents.map((_, index) => index + 1));
      const count = (type: string) => callEvents.filter((event) => event.type === type).length;
      expect(count('event_call_ended'), 'ends').toBe(1);
      expect(count('event_post_call_answers_ready')).toBe(answered.includes(id) ? 1 : 0);

      const delivered = bed.hooks.arrivals.filter(({ call_id: callId }) => callId === id);
      const order = delivered.map(({ sequence }) => sequence);
      expect(order, 'in order').toEqual(order.toSorted((a, b) => a - b));
      expect([...new Set(delivered.map((arrival) => arrival.id))]).toEqual(callEvents.map((event) => event.id));
      expect(new Set(delivered.map(({ body }) => body)).size, 'duplicates are the same').toBe(callEvents.length);

      if (path === null) continue;
      expect(count('event_recording_ready'), 'a recording is reported once').toBe(1);
      const { recording_url: url } = await api.call(id);
      const wav = Buffer.from(await (await fetch(url ?? '')).arrayBuffer());
      expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
      expect(wav.readUInt32LE(PCM_WAV_HEADER_BYTES - 4)).toBe(wav.length - PCM_WAV_HEADER_BYTES);
    }
  }, 60_000);
}
