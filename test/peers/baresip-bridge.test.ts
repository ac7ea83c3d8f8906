import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolCallsAnswer } from '../providers/openai/chat-script.ts';
import { heardLine } from '../service/rig/emulated-providers.ts';
import { eventually } from '../service/rig/eventually.ts';
import { TlsFiles } from '../sip/server/tls-files.ts';
import { type BaresipCodec, G711, G722, OPUS } from './baresip.ts';
import { BaresipBed, type Transport } from './baresip-bed.ts';
import { toneMs } from './heard-tone.ts';
import { hasPeer } from './peer-process.ts';

interface Leg {
  readonly transport: Transport;
  readonly codec: BaresipCodec;
  readonly encryption?: 'srtp-mand';
}

interface Bridge {
  readonly name: string;
  readonly caller: Leg;
  readonly desk: Leg & { readonly trunkCodec: 'pcmu' | 'g722' | 'opus' };
}

const BRIDGES: readonly Bridge[] = [
  {
    name: 'G.711 over UDP to G.722 over TLS with SRTP required',
    caller: { transport: 'udp', codec: G711 },
    desk: { transport: 'tls', codec: G722, trunkCodec: 'g722', encryption: 'srtp-mand' },
  },
  {
    name: 'Opus over TLS with SRTP required to G.711 over TCP',
    caller: { transport: 'tls', codec: OPUS, encryption: 'srtp-mand' },
    desk: { transport: 'tcp', codec: G711, trunkCodec: 'pcmu' },
  },
];

const CALLER_HZ = 700;
const DESK_HZ = 1_000;
const PROOF_MS = 500;

/** The tests run concurrently, each with its own number, trunk and agent. */
describe.skipIf(!hasPeer('baresip') || !TlsFiles.available)(
  'a bridge between two baresip clients',
  { concurrent: true },
  () => {
    let bed: BaresipBed;
    beforeAll(async () => {
      bed = await BaresipBed.open({
        listen: { steps: heardLine('The desk please.', 300, 1_000) },
        chat: () => toolCallsAnswer([{ id: 'call_1', name: 'desk', arguments: '{}' }]),
      });
    });
    afterAll(() => bed?.close());

    it.each(BRIDGES)('$name: both hear each other before and after a hold of the caller', async (bridge) => {
      const place = BRIDGES.indexOf(bridge);
      const [number, deskNumber] = [`+3398765432${place}`, `+3315555555${place}`];
      const caller = await bed.baresip({ ...bridge.caller, user: '+33123456789', toneHz: CALLER_HZ });
      const desk = await bed.baresip({ ...bridge.desk, user: deskNumber, toneHz: DESK_HZ });
      try {
        const { trunkCodec, encryption, transport } = bridge.desk;
        const terms = { codecs: [trunkCodec], srtp: encryption === undefined ? 'off' : 'required' };
        const agent = await bed.test.api.createAgent({
          name: 'Desk',
          initial_message: 'Hello.',
          interruptions: false,
          initial_state_name: 'talk',
          states: [
            {
              name: 'talk',
              prompt: 'Talk.',
              tools: [
                { type: 'transfer_call', name: 'desk', destination: deskNumber, mode: 'bridge', ring_timeout: 10 },
              ],
            },
          ],
        });
        // Inbound calls use another trunk, so that the settings of the desk's trunk do not apply.
        await bed.trunkTo(caller, bridge.caller.transport, { srtp: 'optional', allowed_addresses: ['127.0.0.1/32'] });
        const trunkId = await bed.trunkTo(desk, transport, { ...terms, allowed_addresses: ['127.0.0.9/32'] });
        await bed.number(number, { trunk_id: trunkId, inbound_agent_id: agent.id });
        caller.command('dial', bed.dialTarget(number, bridge.caller.transport));

        const atCaller = async () => toneMs(await caller.heard(), DESK_HZ, bridge.caller.codec.rateHz);
        const atDesk = async () => toneMs(await desk.heard(), CALLER_HZ, bridge.desk.codec.rateHz);
        await eventually(async () => {
          expect(await atCaller(), 'the desk, as the caller hears it').toBeGreaterThanOrEqual(PROOF_MS);
          expect(await atDesk(), 'the caller, as the desk hears it').toBeGreaterThanOrEqual(PROOF_MS);
        });

        caller.command('hold');
        const [callerBefore, deskBefore] = await heardBeforeSilence(atCaller, atDesk);
        caller.command('resume');
        await eventually(async () => {
          expect(await atCaller(), 'the desk, after the hold').toBeGreaterThanOrEqual(callerBefore + PROOF_MS);
          expect(await atDesk(), 'the caller, after the hold').toBeGreaterThanOrEqual(deskBefore + PROOF_MS);
        });
        expect(toneMs(await caller.heard(), CALLER_HZ, bridge.caller.codec.rateHz), 'does not hear itself').toBe(0);
        expect(toneMs(await desk.heard(), DESK_HZ, bridge.desk.codec.rateHz), 'does not hear itself').toBe(0);

        desk.command('hangup');
        const callId = await bed.callOf('to_number', number);
        const call = await bed.test.api.callIn(callId, ['completed']);
        expect(call.end_reason).toBe('transferred');
        await eventually(() => expect(caller.events('CALL_CLOSED')).toBe(1));
        expect(caller.output.includes('SRTP is Enabled')).toBe(bridge.caller.encryption !== undefined);
        expect(desk.output.includes('SRTP is Enabled')).toBe(encryption !== undefined);
      } catch (error) {
        throw new Error(`${String(error)}\n${caller.output}\n${desk.output}`, { cause: error });
      } finally {
        await Promise.all([caller.stop(), desk.stop()]);
      }
    });
  },
);

/** Waits until the caller has heard no more of the desk for `PROOF_MS`. Resolves with the ms that each has heard. */
async function heardBeforeSilence(atCaller: () => Promise<number>, atDesk: () => Promise<number>) {
  let last = 0;
  let sinceMs = performance.now();
  return eventually(async () => {
    const now = await atCaller();
    if (now !== last) sinceMs = performance.now();
    last = now;
    expect(performance.now() - sinceMs, 'ms without new audio').toBeGreaterThanOrEqual(PROOF_MS);
    return [now, await atDesk()] as const;
  });
}
