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

/** Lower bound of heard audio in a recording. */
const HEARD_BYTES = 16_000;
/** Deadline of a staged call that outlives several processes. */
const WAITING_MS = 30 * 60_000;

/** How the receiver responds, so that one event of each kind waits for its response and one is to be retried. */
class OpenDeliveries {
  /** Types of the events that wait. */
  readonly held = new Set<string>();
  /** The call whose recording event waits. */
  slowId = '';
  /** Whether the next transcript event is refused. */
  refuses = false;
  /** Id of the refused event. */
  refused: string | null = null;

  readonly answer = ({ call_id: callId, id, type }: Arrival): 'refuse' | 'hold' | 'take' => {
    if (this.refuses && this.refused === null && type === 'event_transcript_updated') {
      this.refused = id;
      return 'refuse';
    }
    if (id === this.refused) return 'hold';
    // The other events of the call wait behind the held one.
    const holds =
      type === 'event_post_call_answers_ready' || (type === 'event_recording_ready' && callId === this.slowId);
    if (holds) this.held.add(type);
    return holds ? 'hold' : 'take';
  };
}

/**
 * Processes die one after the other on one data directory, each at another point. Each successor finishes the work that
 * the test has read in the database.
 *
 * @param moments whether to die also at each moment of signalling. They do not depend on the database.
 */
export function crashPoints(database: () => Promise<CrashDatabase>, moments: 'all' | 'of_writes'): void {
  let bed: CrashBed;
  let staged: string;
  /** A call that the first crash ended, as reported then. */
  let ended: { readonly id: string; readonly answer: object };

  beforeAll(async () => {
    bed = await CrashBed.open(await database());
    await bed.start();
    await bed.furnish();
  }, 180_000);
  afterAll(() => bed?.close());

  it('while calls stand at fifteen points of staging, call, post-call and delivery: each is finished, once', async () => {
    const { hooks, providers, service, store } = bed;
    const deliveries = new OpenDeliveries();
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
      expect(statSync(join(service.dataDir, 'recordings', `${plain.callId}.wav`)).size).toBeGreaterThan(HEARD_BYTES);
      expect((await service.api.call(plain.callId)).transcript).not.toEqual([]);
      const now = await store.read();
      const dialogs = now.calls.filter((call) => call.dialog_json !== null);
      const up = [answered, plain.callId, late, ...busy.map(({ callId }) => callId)];
      expect(dialogs.map(({ id }) => id).sort()).toEqual(up.sort());
      expect(up.map((id) => statusIn(now, id))).toEqual(up.map(() => 'in_progress'));
      expect(statusIn(now, rings)).toBe('ringing');
      expect(statusIn(now, silent)).toBe('initiated');
      expect(providers.openai.requests.some((body) => said(body).includes('Think.'))).toBe(true);
      expect(providers.deepgram.speaks.some(({ texts }) => texts.some((text) => text.includes('Unheard')))).toBe(true);
      expect(bed.toolRequests).toBe(1);
      expect(deliveries.refused).not.toBeNull();
    }, WAIT_MS);
    bed.kill();
    const left = await bed.dead();
    expect([staged, expires].map((id) => statusIn(left, id))).toEqual(['staged', 'staged']);
    expect(unacknowledged.methods).toEqual([]);
    await store.moveDeadline(expires, Date.now() - 1);
    bed.stalls = false;
    hooks.answer = () => 'take';

    await bed.start();
    await eventually(() => {
      if (unacknowledged.methods.includes('BYE')) bed.goodbyes.add(unacknowledged.sipCallId);
      expect(unacknowledged.methods).toContain('BYE');
    });
    await bed.finished(left, [staged]);
    const { api } = bed.service;
    expect(await api.call(expires)).toMatchObject({ status: 'no_answer', end_reason: 'staging_timeout' });
    expect(await api.call(silent)).toMatchObject({ status: 'failed', end_reason: 'shutdown' });
    expect(await api.call(rings)).toMatchObject({ status: 'failed', end_reason: 'shutdown' });
    const answer = await api.call(plain.callId);
    expect(answer.transcript, 'what was said before the death').not.toEqual([]);
    expect(answer.duration_seconds, 'as long as the recording').toBeGreaterThanOrEqual(1);
    const recording = await (await fetch(answer.recording_url ?? '')).arrayBuffer();
    expect(recording.byteLength).toBeGreaterThan(HEARD_BYTES);
    ended = { id: plain.callId, answer };
    await eventually(
      async () => expect((await store.read()).answered.toSorted()).toEqual([slow.callId, fast.callId].sort()),
      WAIT_MS,
    );
  }, 180_000);

  it.skipIf(moments === 'of_writes')(
    'at the 180 that its caller has just heard',
    async () => {
      const callId = await bed.stage();
      await bed.callIn(callId, { onProvisional: (status) => status === 180 && bed.kill() });
      const left = await bed.dead();
      expect(OPEN).toContain(statusIn(left, callId));
      await bed.start();
      await bed.finished(left, [staged]);
    },
    60_000,
  );

  it('at the 200 that its caller has just acknowledged', async () => {
    const callId = await bed.stage();
    const uac = await bed.callIn(callId, { onAnswered: () => bed.kill() });
    const left = await bed.dead();
    expect(OPEN).toContain(statusIn(left, callId));
    expect(left.calls.find(({ id }) => id === callId)?.dialog_json, 'known before the 200').not.toBeNull();
    expect(bed.goodbyes.has(uac.sipCallId)).toBe(false);
    await bed.start();
    await bed.finished(left, [staged]);
  }, 60_000);

  it.skipIf(moments === 'of_writes')(
    'at the ACK that its callee has just got',
    async () => {
      const { callee } = bed;
      callee.requests.length = 0;
      const ofCallee = callee.onRequest;
      callee.onRequest = (request) => {
        if (request.method === 'ACK') bed.kill();
        ofCallee(request);
      };
      await bed.dial(ANSWERS);
      const left = await bed.dead();
      callee.onRequest = ofCallee;
      await bed.start();
      await bed.finished(left, [staged]);
    },
    60_000,
  );

  it.skipIf(moments === 'of_writes')(
    'at the BYE that its caller has just got',
    async () => {
      const callId = await bed.stage();
      const { promise: answered, resolve } = Promise.withResolvers<void>();
      await bed.callIn(callId, { onAnswered: () => resolve(), onEnded: () => bed.kill() });
      await answered;
      await bed.service.api.callIn(callId, ['in_progress']);
      await bed.service.api.send('POST', `/v1/calls/${callId}/terminate`).catch(() => {});
      const left = await bed.dead();
      await bed.start();
      await bed.finished(left, [staged]);
      expect(OPEN).not.toContain(await bed.statusOf(callId));
    },
    60_000,
  );

  it('at the end of a call, as soon as its row shows it: its recording is still reported', async () => {
    expect(await bed.statusOf(staged), 'over the deaths before').toBe('staged');
    const uac = await bed.callIn(staged, {});
    await bed.service.api.callIn(staged, ['in_progress']);
    uac.bye();
    await eventually(async () => expect(await bed.statusOf(staged)).toBe('completed'), WAIT_MS, 1);
    bed.kill();
    const left = await bed.dead();
    await bed.start();
    await bed.finished(left);
    expect(await bed.service.api.call(staged)).toMatchObject({ end_reason: 'caller_hangup' });
  }, 60_000);

  it('at the 204 of a receiver that it has no time to note: the event comes again, the same', async () => {
    const { hooks } = bed;
    let taken: Arrival | null = null;
    const { length: before } = hooks.arrivals;
    hooks.onTaken = (arrival) => {
      if (taken !== null) return;
      taken = arrival;
      bed.kill();
    };
    const order = { from_number: FROM, to_number: TO, agent_id: bed.agent('plain') };
    await bed.service.api.send('POST', '/v1/calls/stage', order).catch(() => {});
    const left = await bed.dead();
    const [first] = hooks.arrivals.slice(before);
    const callId = first?.call_id ?? '';
    await bed.start();
    await bed.finished(left, [callId]);
    const wasStored = left.events.find(({ id }) => id === first?.id)?.status === 'delivered';
    expect(hooks.arrivals.filter(({ id }) => id === first?.id)).toHaveLength(wasStored ? 1 : 2);
    await bed.service.api.send('POST', `/v1/calls/${callId}/terminate`);
    await bed.finished(left);
  }, 60_000);

  it('has, over all of its deaths, lost and mixed up nothing', async () => {
    const { api } = bed.service;
    expect(bed.deaths).toHaveLength(moments === 'all' ? 7 : 4);
    expect(await api.call(ended.id), 'as the first start left it').toEqual({
      ...ended.answer,
      recording_url: expect.any(String),
    });
    const { calls, events, answered } = await bed.store.read();
    expect(new Set(answered).size, 'post-call answers exist once').toBe(answered.length);
    for (const { id, recording_path: path } of calls) {
      const own = events.filter(({ call_id: callId }) => callId === id);
      expect(own.map(({ sequence }) => sequence)).toEqual(own.map((_, index) => index + 1));
      const count = (type: string) => own.filter((event) => event.type === type).length;
      expect(count('event_call_ended'), 'ends').toBe(1);
      expect(count('event_post_call_answers_ready')).toBe(answered.includes(id) ? 1 : 0);

      const arrived = bed.hooks.arrivals.filter(({ call_id: callId }) => callId === id);
      const order = arrived.map(({ sequence }) => sequence);
      expect(order, 'in order').toEqual(order.toSorted((a, b) => a - b));
      expect([...new Set(arrived.map((one) => one.id))]).toEqual(own.map((event) => event.id));
      expect(new Set(arrived.map(({ body }) => body)).size, 'duplicates are the same').toBe(own.length);

      if (path === null) continue;
      expect(count('event_recording_ready'), 'a recording is reported once').toBe(1);
      const { recording_url: url } = await api.call(id);
      const wav = Buffer.from(await (await fetch(url ?? '')).arrayBuffer());
      expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
      expect(wav.readUInt32LE(PCM_WAV_HEADER_BYTES - 4)).toBe(wav.length - PCM_WAV_HEADER_BYTES);
    }
  }, 60_000);
}
