import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { CallControlEvent } from '../../../../engine/ports/call-control.ts';
import type { MediaEvent } from '../../../../engine/ports/media.ts';
import type { WebMediaSession } from '../../../../sip/media/media-service.ts';
import { WebCallLeg } from '../../../../src/calls/web/web-call-leg.ts';

/** Maximum number of unacknowledged frames. */
const WINDOW_FRAMES = 50;

/** A clock that tests advance. */
class ManualClock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();

  nowUs = (): number => this.#nowMs * 1_000;

  after = (delayMs: number, callback: () => void): (() => void) => {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Advances in steps, so that timers set by timers fire in order. */
  advance(ms: number): void {
    for (const end = this.#nowMs + ms; this.#nowMs < end; ) {
      this.#nowMs = Math.min(end, this.#nowMs + 100);
      for (const timer of [...this.#timers].filter(({ dueMs }) => dueMs <= this.#nowMs)) {
        if (this.#timers.delete(timer)) timer.callback();
      }
    }
  }
}

/** The media of a call with scripted agent speech. */
class ScriptedMedia {
  readonly reported: MediaEvent[] = [];
  readonly written: Uint8Array[] = [];
  frames: Uint8Array[] = [];
  connected = false;
  started = false;
  speak: () => void = () => undefined;
  clear: () => void = () => undefined;
  emit: (event: MediaEvent) => void = () => undefined;

  get port(): WebMediaSession {
    const media = this;
    return {
      pauseRecording: () => undefined,
      recordedMs: 0,
      recorded: Promise.resolve({ path: null, complete: true, durationMs: 0 }),
      suppressNoise: () => undefined,
      channel: {
        get connected() {
          return media.connected;
        },
        set connected(is) {
          media.connected = is;
        },
        write: (audio) => media.written.push(audio),
        next: () => media.frames.shift() ?? null,
        onAgentAudio: (listener) => {
          media.speak = listener;
        },
        onClear: (listener) => {
          media.clear = listener;
        },
      },
      start: () => {
        media.started = true;
      },
      report: (event) => media.reported.push(event),
      audio: {
        format: { encoding: 'linear16', sampleRateHz: 16_000 },
        onEvent: (listener) => {
          media.emit = listener;
        },
        play: () => true,
        endSegment: () => undefined,
        clear: () => undefined,
        pause: () => undefined,
        resume: () => undefined,
        sendDtmf: () => undefined,
        listenForTones: () => undefined,
        onAudio: () => undefined,
        onDrained: () => undefined,
        close: () => undefined,
      },
      close: () => undefined,
    };
  }
}

describe('the leg of a web call', () => {
  let server: WebSocketServer;
  beforeAll(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
  });
  afterAll(() => server?.close());

  /** The two ends of a connection: of the browser and of the service. */
  async function connection() {
    const { port } = server.address() as AddressInfo;
    const browser = new WebSocket(`ws://127.0.0.1:${port}`);
    onTestFinished(() => browser.terminate());
    const messages: { type: string; [field: string]: unknown }[] = [];
    const received: string[] = [];
    const watchers = new Set<() => void>();
    browser.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) messages.push(JSON.parse(data.toString()));
      received.push(isBinary ? 'frame' : (messages.at(-1)?.type ?? ''));
      for (const check of watchers) check();
    });
    const until = (holds: () => boolean) =>
      new Promise<void>((resolve) => {
        const check = () => holds() && resolve();
        watchers.add(check);
        check();
      });
    const [ours] = (await once(server, 'connection')) as [WebSocket];
    return { browser, ours, messages, received, until };
  }

  async function answeredCall() {
    const clock = new ManualClock();
    const media = new ScriptedMedia();
    const leg = new WebCallLeg({ callId: 'the-call', media: media.port, clock });
    const events: CallControlEvent[] = [];
    leg.onEvent((event) => events.push(event));
    const first = await connection();
    leg.attach(first.ours);
    leg.answer();
    await first.until(() => first.messages.length > 0);
    const types = () => events.map(({ type }) => type);
    return { clock, media, leg, events, types, ...first };
  }

  it('ends as no_media exactly ten seconds after a lost connection', async () => {
    const { browser, ours, clock, media, types } = await answeredCall();
    const gone = once(ours, 'close');
    browser.terminate();
    await gone;
    expect(types()).toEqual(['answered', 'on_hold']);
    expect(media.connected).toBe(false);
    clock.advance(9_900);
    expect(media.reported).toEqual([]);
    clock.advance(100);
    expect(media.reported).toEqual([{ type: 'timeout' }]);
  });

  it('continues on the next connection, which gets the missed messages', async () => {
    const { browser, ours, clock, leg, media, messages, types } = await answeredCall();
    const token = String(messages[0]?.resume_token);
    expect(leg.resumesBy(token)).toBe(true);
    const gone = once(ours, 'close');
    browser.terminate();
    await gone;
    leg.observe({ type: 'state', from: 'a', to: 'b', atUs: 0 }, 0);
    clock.advance(9_000);
    const next = await connection();
    leg.attach(next.ours);
    await next.until(() => next.messages.length === 2);
    expect(next.messages.map(({ type }) => type)).toEqual(['connected', 'state']);
    expect(leg.resumesBy(token)).toBe(false);
    expect(types()).toEqual(['answered', 'on_hold', 'off_hold']);
    clock.advance(4_000);
    expect(media.reported).toEqual([]);
    expect(media.connected).toBe(true);
  });

  it('drops the old connection when the browser reconnects', async () => {
    const { browser, leg, types } = await answeredCall();
    const dropped = once(browser, 'close');
    const next = await connection();
    leg.attach(next.ours);
    await dropped;
    expect(types()).toEqual(['answered']);
  });

  it('sends at most one second ahead of a stalled browser, goes on hold, and resumes', async () => {
    const { browser, clock, media, received, types, until } = await answeredCall();
    browser.pause();
    media.frames = Array.from({ length: 200 }, (_, i) => new Uint8Array(640).fill(i));
    media.speak();
    expect(media.frames).toHaveLength(200 - WINDOW_FRAMES);
    clock.advance(500);
    media.speak();
    expect(media.frames).toHaveLength(200 - WINDOW_FRAMES);
    expect(types()).toEqual(['answered']);
    clock.advance(400);
    expect(types()).toEqual(['answered', 'on_hold']);
    browser.resume();
    await until(() => received.filter((kind) => kind === 'frame').length === 200);
    expect(types()).toEqual(['answered', 'on_hold', 'off_hold']);
    expect(media.frames).toEqual([]);
  });

  it('treats a connection as lost after five seconds of silence', async () => {
    const { browser, clock, types } = await answeredCall();
    browser.pause();
    clock.advance(4_900);
    expect(types()).toEqual(['answered']);
    clock.advance(400);
    expect(types()).toEqual(['answered', 'on_hold']);
  });

  it('sends a clear before later frames, and a mark after earlier frames', async () => {
    const { media, received, until } = await answeredCall();
    media.frames = [new Uint8Array(640), new Uint8Array(640)];
    media.emit({ type: 'segment_started', utterance: 1, segment: 0, playedMs: 0 });
    media.clear();
    media.frames = [new Uint8Array(640)];
    media.speak();
    await until(() => received.length === 6);
    expect(received).toEqual(['connected', 'frame', 'frame', 'mark', 'clear', 'frame']);
  });

  it('passes on frames, DTMF digits and typed texts', async () => {
    const { browser, media, ours } = await answeredCall();
    browser.send(new Uint8Array(640).fill(9));
    browser.send('{"type":"dtmf","digit":"#"}');
    browser.send('{"type":"text","text":" Two seats. "}');
    while (media.reported.length < 2) await once(ours, 'message');
    expect(media.written.map((frame) => frame.length)).toEqual([640]);
    expect(media.reported).toEqual([
      { type: 'dtmf', digit: '#', durationMs: 100 },
      { type: 'typed_text', text: 'Two seats.' },
    ]);
  });

  it('stays connected after a hang-up until the end was sent', async () => {
    const { browser, leg, ours, messages, events } = await answeredCall();
    browser.send('{"type":"hangup"}');
    await once(ours, 'message');
    expect(events.at(-1)).toEqual({ type: 'ended', cause: 'remote_bye' });
    const closed = once(browser, 'close');
    leg.observe(endedEntry, 0);
    const [code] = await closed;
    expect(code).toBe(1000);
    expect(messages.at(-1)).toEqual({ type: 'ended', end_reason: 'caller_hangup' });
    expect(leg.resumesBy(String(messages[0]?.resume_token))).toBe(false);
  });

  it.each([
    { name: 'half a sample', send: (browser: WebSocket) => browser.send(new Uint8Array(3)) },
    { name: 'a long frame', send: (browser: WebSocket) => browser.send(new Uint8Array(3_202)) },
    { name: 'invalid JSON', send: (browser: WebSocket) => browser.send('{') },
    { name: 'an invalid DTMF digit', send: (browser: WebSocket) => browser.send('{"type":"dtmf","digit":"12"}') },
    { name: 'a long text', send: (browser: WebSocket) => browser.send(`"${'x'.repeat(2_000)}"`) },
  ])('fails its media after $name', async ({ send }) => {
    const { browser, media } = await answeredCall();
    send(browser);
    const [code] = await once(browser, 'close');
    expect(code).toBe(1008);
    expect(media.reported).toEqual([{ type: 'failed', message: expect.stringContaining('protocol violation') }]);
  });

  it('ends a connection that floods pings', async () => {
    const { browser, media, ours } = await answeredCall();
    const gone = once(ours, 'close');
    for (let i = 0; i < 2_000; i++) browser.ping();
    await gone;
    expect(media.connected).toBe(false);
  });

  it('ignores pongs without a matching ping', async () => {
    const { browser, media, ours } = await answeredCall();
    browser.pause();
    media.frames = Array.from({ length: 100 }, () => new Uint8Array(640));
    media.speak();
    for (const forged of ['1000000', '-1', 'NaN', '']) browser.pong(forged);
    browser.send(new Uint8Array(2));
    await once(ours, 'message');
    expect(media.frames).toHaveLength(100 - WINDOW_FRAMES);
  });

  it('cannot be transferred', async () => {
    const { leg, events } = await answeredCall();
    leg.transfer();
    expect(events.at(-1)).toMatchObject({ type: 'transfer_failed' });
  });
});

const NO_SPREAD = { median: null, p95: null };
const endedEntry = {
  type: 'ended',
  reason: 'caller_hangup',
  atUs: 0,
  metrics: {
    turns: 0,
    interruptions: 0,
    falseInterruptions: 0,
    ducked: 0,
    echoWords: 0,
    reopened: 0,
    amended: 0,
    eagerHits: 0,
    eagerMisses: 0,
    inputTokens: 0,
    outputTokens: 0,
    voiceCharacters: 0,
    transcribedMs: 0,
    endpointingMs: NO_SPREAD,
    llmFirstTokenMs: NO_SPREAD,
    voiceFirstAudioMs: NO_SPREAD,
    engineMs: NO_SPREAD,
    responseMs: NO_SPREAD,
  },
} as const;
