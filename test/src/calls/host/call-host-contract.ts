import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentConfigurationSchema } from '../../../../engine/agent/agent.ts';
import type { RtpParameters } from '../../../../sip/rtp/rtp-parameters.ts';
import type {
  CallHost,
  CallStart,
  HostCommand,
  HostEvent,
  MediaReservation,
} from '../../../../src/calls/host/call-host.ts';

/** A call host with scripted media and providers. */
export interface HostBed {
  readonly host: CallHost;
  /** Configurations of the call's media session, in order. */
  configured(callId: string): readonly RtpParameters[];
  /** The peer of the call proves that it receives our packets. */
  verifySource(callId: string): void;
  isMediaClosed(callId: string): boolean;
  /** Texts that the host sent to the voice. */
  readonly spoken: readonly string[];
  /** Makes every later reservation fail for lack of ports. */
  exhaustPorts(): void;
}

const SESSION: RtpParameters = {
  codec: 'pcmu',
  payloadType: 0,
  dtmfPayloadType: 101,
  remoteAddress: '192.0.2.1',
  remotePort: 4_000,
  allowedAddresses: [],
  direction: 'sendrecv',
};
const CONFIGURATION = agentConfigurationSchema.parse({
  llm: { provider: 'test', model: 'model' },
  voice: { provider: 'test', name: 'voice' },
  transcriber: { provider: 'test' },
  states: [{ name: 'start' }],
  initial_state_name: 'start',
  initial_message: 'Hello.',
});

/** Wide, so that a busy machine does not exceed it. Events usually take a few milliseconds. */
const EVENT_DEADLINE_MS = 10_000;

/** The host as seen from another process: structured clone copies everything that crosses the port. */
function cloning(host: CallHost): CallHost {
  return {
    reserve: async (reservation) => structuredClone(await host.reserve(structuredClone(reservation))),
    prepare: (agent) => host.prepare(structuredClone(agent)),
    start: (request) => host.start(structuredClone(request)),
    send: (command) => host.send(structuredClone(command)),
    onEvent: (listener) =>
      host.onEvent((event) => {
        const copy = structuredClone(event);
        expect(copy).toEqual(event);
        listener(copy);
      }),
  };
}

/** The contract of the port, run by every implementation. */
export function describeCallHost(name: string, openBed: () => HostBed): void {
  describe(`a call host: ${name}`, () => {
    let bed: HostBed;
    let host: CallHost;
    let events: HostEvent[];

    beforeEach(() => {
      bed = openBed();
      host = cloning(bed.host);
      events = [];
      host.onEvent((event) => events.push(event));
    });

    afterEach(async () => {
      const running = new Set(events.map(({ callId }) => callId));
      for (const callId of running) {
        host.send({ type: 'control_event', callId, event: { type: 'ended', cause: 'remote_bye' } });
        host.send({ type: 'release', callId });
      }
    });

    const rtp = (callId: string): MediaReservation => {
      return { callId, kind: 'rtp', codec: 'pcmu', recordingPath: null, mediaTimeoutMs: 30_000 };
    };
    const request = (callId: string): CallStart => ({
      organizationId: 'o',
      agent: {
        agentId: 'a',
        agentVersion: 1,
        isOverridden: false,
        configuration: CONFIGURATION,
        sealedSecrets: new Map(),
      },
      parameters: {
        callId,
        agentVersion: 1,
        direction: 'inbound',
        fromNumber: null,
        toNumber: null,
        dynamicVariables: {},
        startedWallMs: Date.now(),
      },
    });
    const control = (callId: string, event: Extract<HostCommand, { type: 'control_event' }>['event']) =>
      host.send({ type: 'control_event', callId, event });
    const typesOf = (callId: string) =>
      events.filter((event) => event.callId === callId && event.type !== 'log').map(({ type }) => type);
    const commandsOf = (callId: string) =>
      events.flatMap((event) => (event.type === 'control' && event.callId === callId ? [event.command.type] : []));
    const until = async (isMet: () => boolean) => {
      for (const end = Date.now() + EVENT_DEADLINE_MS; !isMet(); await wait(5)) {
        if (Date.now() > end) throw new Error(`the expected event is missing after ${JSON.stringify(events)}`);
      }
    };
    const closed = (callId: string) => until(() => typesOf(callId).includes('closed'));
    const answered = async (callId: string) => {
      await host.reserve(rtp(callId));
      await host.start(request(callId));
      await until(() => commandsOf(callId).includes('answer'));
      control(callId, { type: 'answered' });
    };

    it('reserves a port and returns the format of the call’s audio', async () => {
      const { format, port } = await host.reserve(rtp('c'));
      expect(port).toBeGreaterThan(0);
      expect(format).toEqual({ encoding: 'mulaw', sampleRateHz: 8_000 });
    });

    it('rejects a reservation if no port is free', async () => {
      bed.exhaustPorts();
      await expect(host.reserve(rtp('c'))).rejects.toThrow();
    });

    it('configures only the media of the call in the command', async () => {
      await host.reserve(rtp('one'));
      await host.reserve(rtp('other'));
      host.send({ type: 'configure', callId: 'one', session: SESSION });
      expect(bed.configured('one')).toEqual([SESSION]);
      expect(bed.configured('other')).toEqual([]);
    });

    it('reports what the media says about the source', async () => {
      await host.reserve(rtp('c'));
      bed.verifySource('c');
      expect(events).toEqual([{ type: 'source_verification', callId: 'c', result: 'verified' }]);
    });

    it('rejects the start of a call without a reservation, and a second start', async () => {
      await expect(host.start(request('c'))).rejects.toThrow('reserved');
      await host.reserve(rtp('c'));
      await host.start(request('c'));
      await expect(host.start(request('c'))).rejects.toThrow('started');
    });

    it('commands the signalling to answer an inbound call', async () => {
      await host.reserve(rtp('c'));
      await host.start(request('c'));
      await until(() => commandsOf('c').includes('answer'));
    });

    it('accepts an answer that arrives before the start', async () => {
      await host.reserve(rtp('c'));
      control('c', { type: 'ringing' });
      control('c', { type: 'answered' });
      await host.start(request('c'));
      await until(() => bed.spoken.includes('Hello.'));
    });

    it('accepts an end that arrives before the start', async () => {
      await host.reserve(rtp('c'));
      control('c', { type: 'ended', cause: 'remote_cancel', sipStatus: 487 });
      await host.start(request('c'));
      await closed('c');
      expect(events.find(({ type }) => type === 'finished')).toMatchObject({ ended: { reason: 'canceled' } });
    });

    it('speaks a say command', async () => {
      await answered('c');
      host.send({
        type: 'live_command',
        callId: 'c',
        command: { type: 'call.say', text: 'Your taxi is here.', interrupt: true },
      });
      await until(() => bed.spoken.some((text) => text.includes('Your taxi is here.')));
    });

    it('hangs up on a terminate command, and reports the end once the leg has ended', async () => {
      await answered('c');
      host.send({ type: 'live_command', callId: 'c', command: { type: 'call.terminate', reason: 'terminated' } });
      await until(() => commandsOf('c').includes('hang_up'));
      control('c', { type: 'ended', cause: 'local_bye' });
      await closed('c');
      expect(events.find(({ type }) => type === 'finished')).toMatchObject({
        callId: 'c',
        ended: { reason: 'terminated' },
        quality: null,
      });
      expect(bed.isMediaClosed('c')).toBe(true);
    });

    it('reports one end, and nothing after it', async () => {
      await answered('c');
      control('c', { type: 'ended', cause: 'remote_bye' });
      await closed('c');
      host.send({ type: 'live_command', callId: 'c', command: { type: 'call.context', content: 'Late.' } });
      control('c', { type: 'off_hold' });
      await wait(20);
      const types = typesOf('c');
      expect(types.filter((type) => type === 'finished')).toHaveLength(1);
      expect(types.indexOf('finished')).toBeLessThan(types.indexOf('closed'));
      expect(types.at(-1)).toBe('closed');
    });

    it('does not end other calls with a call', async () => {
      await answered('one');
      await answered('other');
      control('one', { type: 'ended', cause: 'remote_bye' });
      await closed('one');
      expect(typesOf('other')).not.toContain('finished');
    });

    it('closes the media of a call that is released before its start', async () => {
      await host.reserve(rtp('c'));
      host.send({ type: 'release', callId: 'c' });
      expect(bed.isMediaClosed('c')).toBe(true);
      await expect(host.start(request('c'))).rejects.toThrow('reserved');
    });

    it('does not release a call in progress', async () => {
      await answered('c');
      host.send({ type: 'release', callId: 'c' });
      expect(bed.isMediaClosed('c')).toBe(false);
    });

    it('ignores commands for an unknown call', () => {
      host.send({ type: 'configure', callId: 'unknown', session: SESSION });
      host.send({ type: 'release', callId: 'unknown' });
      control('unknown', { type: 'answered' });
      expect(events).toEqual([]);
    });
  });
}
