import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeMulaw } from '../../../base/audio/g711.ts';
import { callWithoutAck, type UnacknowledgingCaller } from '../../sip-endpoint/unacknowledging-caller.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

/** 1.5 s of audio without silence. Neighbouring samples differ. */
const GREETING = Uint8Array.from({ length: 12_000 }, (_, i) => (i * 7 + (i >> 7)) % 127);
/** The service sends 200 at 0, 0.5 and 1.5 s. The third one comes after the deadline of the playout watchdog. */
const SENT_THREE_TIMES = 3;

describe('source verification of a caller over UDP', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let agentId: string;
  const callers: UnacknowledgingCaller[] = [];

  beforeAll(async () => {
    providers = await startEmulatedProviders({ speak: () => ({ audio: GREETING }) });
    test = await startTestService(providers.environment);
    agentId = (await test.api.createAgent(talker({ initial_message: 'Hello.', record_tape: true }))).id;
  });
  afterEach(() => {
    for (const caller of callers.splice(0)) caller.close();
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  const dial = async () => {
    const callId = await test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
    const headers = { 'X-Service-Call-Id': callId };
    const caller = await callWithoutAck({ host: '127.0.0.1', port: test.sipPort }, TO, headers);
    callers.push(caller);
    await test.api.callIn(callId, ['in_progress']);
    return { callId, caller };
  };
  const untilRepeated = (caller: UnacknowledgingCaller) =>
    eventually(() =>
      expect(caller.statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(SENT_THREE_TIMES),
    );
  /** Expects all samples of the greeting. Gaps from stalls of the machine do not count. */
  const hearsGreeting = async (caller: UnacknowledgingCaller) => {
    const greeting = new Int16Array(GREETING.length);
    decodeMulaw(GREETING, 0, GREETING.length, greeting);
    await eventually(() => expect(caller.rtp.heard().filter((sample) => sample !== 0)).toEqual(greeting));
  };
  const terminated = async (callId: string) => {
    await test.api.send('POST', `/v1/calls/${callId}/terminate`);
    const ended = await test.api.callIn(callId, ['completed']);
    expect(ended.end_reason).toBe('terminated');
    return ended.transcript?.map(({ role, content }) => `${role}: ${content}`);
  };

  it('sends no RTP before the ACK, and then the greeting from its first sample', async () => {
    const { callId, caller } = await dial();
    await untilRepeated(caller);
    expect(caller.rtp.report().received).toBe(0);
    expect((await test.api.call(callId)).transcript).toEqual([]);
    caller.acknowledge();
    await hearsGreeting(caller);
    expect(await terminated(callId)).toEqual(['agent: Hello.']);
  });

  it("sends the greeting from its first sample when the ACK is lost and the caller's RTP arrives", async () => {
    const { callId, caller } = await dial();
    await eventually(() => expect(caller.statuses).toContain(200));
    caller.rtp.start(new Int16Array(0), () => {});
    await hearsGreeting(caller);
    expect(await terminated(callId)).toEqual(['agent: Hello.']);
  });

  it('stores a call that ends before its ACK as answered, and sends no RTP', async () => {
    const { callId, caller } = await dial();
    await untilRepeated(caller);
    expect(await terminated(callId)).toEqual([]);
    expect(caller.rtp.report().received).toBe(0);
  });

  it('is skipped for an address that a trunk lists', async () => {
    const fields = { name: 'Carrier', termination_uri: 'carrier.example', allowed_addresses: ['127.0.0.1'] };
    const trunk = await test.api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', fields);
    const { callId, caller } = await dial();
    await hearsGreeting(caller);
    expect(await terminated(callId)).toEqual(['agent: Hello.']);
    await test.api.send('DELETE', `/v1/sip-trunks/${trunk.id}`);
  });
});
