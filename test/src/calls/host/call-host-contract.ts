import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { agentConfigurationSchema } from '../../../../engine/agent/agent-schema.ts';
import type { RtpParameters } from '../../../../sip/rtp/rtp-parameters.ts';
import type {
  CallHost,
  CallStart,
  HostCommand,
  HostEvent,
  MediaReservation,
} from '../../../../src/calls/host/call-host.ts';
import { cloning } from './cloning-host.ts';

/** A call host with scripted media and providers. */
export interface HostBed {
  readonly host: CallHost;
  /** Configurations of a leg's media session, in order. */
  configured(mediaId: string): readonly RtpParameters[];
  /**
   * The source of the audio that the peer of a leg hears: the agent, ringback or the peer of the leg with this
   * `mediaId`.
   */
  playbackOf(mediaId: string): string;
  /** The peer of a leg proves that it receives our packets. */
  verifySource(mediaId: string): void;
  /** The media session of a leg reports its end. */
  loseMedia(mediaId: string, cause: 'timeout' | 'failed'): void;
  /** Address of the running capture of a leg; null: none. */
  capturedAs(mediaId: string): string | null;
  /** The media worker has captured packets of a leg. */
  captureRecords(mediaId: string, records: Uint8Array): void;
  isMediaClosed(mediaId: string): boolean;
  /** Resolves once the host has all commands so far, and the test all of its events. */
  delivered(): Promise<void>;
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

/** The contract of the port, run by every implementation. */
export function describeCallHost(name: string, openBed: () => HostBed): void {
  describe(`a call host: ${name}`, () => {
    let bed: HostBed;
    let host: CallHost;
    let events: HostEvent[];

    beforeEach(() => {
      bed = openBed();
      host = cloning(bed.host);
      // Late events of one test are not those of the next.
      const ownEvents: HostEvent[] = [];
      events = ownEvents;
      host.onEvent((event) => ownEvents.push(event));
    });

    afterEach(async () => {
      const running = new Set(events.flatMap((event) => ('callId' in event ? [event.callId] : [])));
      for (const callId of running) {
        host.send({ type: 'control_event', callId, event: { type: 'ended', cause: 'remote_bye' } });
        release(callId);
      }
    });

    const rtp = (callId: string, hasEngine = true, recordingPath: string | null = null): MediaReservation => {
      return { callId, kind: 'rtp', codec: 'pcmu', hasEngine, recordingPath, mediaTimeoutMs: 30_000 };
    };
    const secondLeg = (callId: string, mediaId: string): MediaReservation => {
      return { callId, kind: 'second_leg', mediaId, mediaTimeoutMs: 30_000 };
    };
    const release = (mediaId: string, keepsRecording = false) =>
      host.send({ type: 'release', mediaId, keepsRecording });
    const request = (callId: string, configuration = CONFIGURATION): CallStart => ({
      organizationId: 'o',
      agent: {
        agentId: 'a',
        agentVersion: 1,
        isOverridden: false,
        configuration,
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
      events
        .filter((event) => 'callId' in event && event.callId === callId && event.type !== 'log')
        .map(({ type }) => type);
    const eventsOf = (mediaId: string) => events.filter((event) => 'mediaId' in event && event.mediaId === mediaId);
    const mediaClosed = (mediaId: string) => until(() => eventsOf(mediaId).at(-1)?.type === 'media_closed');
    const commandsOf = (callId: string) =>
      events.flatMap((event) => (event.type === 'control' && event.callId === callId ? [event.command.type] : []));
    const until = async (isMet: () => boolean) => {
      for (const end = Date.now() + EVENT_DEADLINE_MS; !isMet(); await wait(5)) {
        if (Date.now() > end) throw new Error(`the expected event is missing after ${JSON.stringify(events)}`);
      }
    };
    const closed = (callId: string) => until(() => typesOf(callId).includes('closed'));
    const answered = async (callId: string, configuration = CONFIGURATION) => {
      await host.reserve(rtp(callId));
      await host.start(request(callId, configuration));
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
      host.send({ type: 'configure', mediaId: 'one', session: SESSION });
      await bed.delivered();
      expect(bed.configured('one')).toEqual([SESSION]);
      expect(bed.configured('other')).toEqual([]);
    });

    it('reports what the media says about the source', async () => {
      await host.reserve(rtp('c'));
      bed.verifySource('c');
      await bed.delivered();
      expect(events).toEqual([{ type: 'source_verification', mediaId: 'c', result: 'verified' }]);
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

    it('reports what happens in a call while its engine runs', async () => {
      await host.reserve(rtp('c'));
      expect(await host.activities()).toEqual([]);
      await answered('other');
      await until(() => bed.spoken.includes('Hello.'));
      const [activity, ...others] = await host.activities();
      expect([activity?.callId, activity?.state, others]).toEqual(['other', 'start', []]);
      expect(['thinking', 'speaking']).toContain(activity?.agentState);
      control('other', { type: 'ended', cause: 'remote_bye' });
      await closed('other');
      expect(await host.activities()).toEqual([]);
    });

    it('speaks a say command', async () => {
      // A greeting that is interrupted unheard is said first, and the scripted media play none.
      await answered('c', { ...CONFIGURATION, initial_message: '' });
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

    it('reports the spans of a call before the journal entry that follows them, and all before its end', async () => {
      await answered('c');
      await until(() => bed.spoken.includes('Hello.'));
      control('c', { type: 'on_hold' });
      control('c', { type: 'off_hold' });
      control('c', { type: 'ended', cause: 'remote_bye' });
      await closed('c');
      const types = events.flatMap((event) => {
        if (event.type === 'finished') return ['finished'];
        return event.type === 'journal' ? event.entries.map(({ type }) => type) : [];
      });
      const spans = events.flatMap((event) => (event.type === 'journal' ? event.entries : []));
      const stored = spans.flatMap((entry) => (entry.type === 'spans' ? [entry] : []));
      expect(stored.map(({ part }) => part)).toEqual(stored.map((_, index) => index + 1));
      expect(stored.flatMap((entry) => entry.spans.map(({ type }) => type))).toEqual(
        expect.arrayContaining(['answered', 'on_hold', 'voice']),
      );
      expect(types.lastIndexOf('spans')).toBeLessThan(types.indexOf('finished'));
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
      release('c');
      await bed.delivered();
      expect(bed.isMediaClosed('c')).toBe(true);
      await expect(host.start(request('c'))).rejects.toThrow('reserved');
    });

    it('does not release a call in progress', async () => {
      await answered('c');
      release('c');
      await bed.delivered();
      expect(bed.isMediaClosed('c')).toBe(false);
    });

    it('rejects a second reservation of the same call', async () => {
      await host.reserve(rtp('c'));
      await expect(host.reserve(rtp('c'))).rejects.toThrow('reserved');
    });

    it('rejects a second leg without a first leg', async () => {
      await expect(host.reserve(secondLeg('c', 'second'))).rejects.toThrow('first leg');
    });

    it('bridges a second leg: each peer hears the other', async () => {
      await answered('c');
      const { port } = await host.reserve(secondLeg('c', 'second'));
      expect(port).toBeGreaterThan(0);
      host.send({ type: 'configure', mediaId: 'second', session: SESSION });
      await bed.delivered();
      expect([bed.configured('c'), bed.configured('second')]).toEqual([[], [SESSION]]);
      host.send({ type: 'bridge', callId: 'c', mediaId: 'second' });
      await bed.delivered();
      expect([bed.playbackOf('c'), bed.playbackOf('second')]).toEqual(['second', 'c']);
      release('second');
      await bed.delivered();
      expect([bed.isMediaClosed('second'), bed.isMediaClosed('c')]).toEqual([true, false]);
    });

    it('plays ringback while a second leg rings, then the agent again', async () => {
      await answered('c');
      host.send({ type: 'playback_source', callId: 'c', source: 'ringback' });
      await bed.delivered();
      expect(bed.playbackOf('c')).toBe('ringback');
      host.send({ type: 'playback_source', callId: 'c', source: 'agent' });
      await bed.delivered();
      expect(bed.playbackOf('c')).toBe('agent');
    });

    it.each(['timeout', 'failed'] as const)('reports a loss of media without an engine: %s', async (cause) => {
      await host.reserve(rtp('c', false));
      await host.reserve(secondLeg('c', 'second'));
      bed.loseMedia('c', cause);
      bed.loseMedia('second', cause);
      await bed.delivered();
      expect(events).toEqual([
        { type: 'media_lost', mediaId: 'c', cause },
        { type: 'media_lost', mediaId: 'second', cause },
      ]);
    });

    it('leaves the loss of a call’s media to its engine', async () => {
      await answered('c');
      bed.loseMedia('c', 'timeout');
      await until(() => commandsOf('c').includes('hang_up'));
      expect(events.map(({ type }) => type)).not.toContain('media_lost');
    });

    it('rejects the start of a call that was reserved without an engine', async () => {
      await host.reserve(rtp('c', false));
      await expect(host.start(request('c'))).rejects.toThrow('reserved');
    });

    it('reports released media, and then their recording if it is kept', async () => {
      await host.reserve(rtp('c', false, '/recordings/c.wav'));
      release('c', true);
      await mediaClosed('c');
      expect(events).toEqual([
        { type: 'released', mediaId: 'c', quality: null },
        {
          type: 'media_closed',
          mediaId: 'c',
          recording: { path: '/recordings/c.wav', complete: true, durationMs: 0 },
        },
      ]);
    });

    it('deletes the recording of released media unless it is kept', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'trunkline-host-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const path = join(folder, 'c.wav');
      await writeFile(path, '');
      await host.reserve(rtp('c', false, path));
      release('c');
      await mediaClosed('c');
      expect(events.at(-1)).toMatchObject({ type: 'media_closed', recording: { path: null } });
      expect(existsSync(path)).toBe(false);
    });

    it('reports captured packets until the capture ends', async () => {
      await answered('c');
      host.send({ type: 'capture', callId: 'c', localAddress: '192.0.2.9' });
      await bed.delivered();
      expect(bed.capturedAs('c')).toBe('192.0.2.9');
      bed.captureRecords('c', Uint8Array.of(1, 2, 3));
      await bed.delivered();
      expect(eventsOf('c')).toEqual([{ type: 'captured', mediaId: 'c', records: Uint8Array.of(1, 2, 3) }]);
      host.send({ type: 'capture', callId: 'c', localAddress: null });
      await bed.delivered();
      expect(bed.capturedAs('c')).toBeNull();
    });

    it('ignores commands for an unknown call', async () => {
      host.send({ type: 'configure', mediaId: 'unknown', session: SESSION });
      host.send({ type: 'info_dtmf', mediaId: 'unknown', digit: '1', durationMs: 100 });
      host.send({ type: 'playback_source', callId: 'unknown', source: 'ringback' });
      host.send({ type: 'bridge', callId: 'unknown', mediaId: 'unknown' });
      host.send({ type: 'capture', callId: 'unknown', localAddress: '192.0.2.9' });
      release('unknown');
      control('unknown', { type: 'answered' });
      await bed.delivered();
      expect(events).toEqual([]);
    });
  });
}
