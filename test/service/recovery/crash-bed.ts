import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { z } from 'zod';
import { getHeader } from '../../../sip/message/headers.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../src/storage/events/webhook-event.ts';
import { freeSipPort } from '../../peers/sip-port.ts';
import type { SpeakScript } from '../../providers/deepgram/speak.ts';
import type { ChatBody } from '../../providers/openai/chat-emulator.ts';
import { textAnswer, toolCallsAnswer } from '../../providers/openai/chat-script.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { SipCaller, type SipCallerEvents } from '../../sip-endpoint/sip-caller.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { type EventReceiver, startEventReceiver } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../rig/service-process.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';
import type { CallStore, StoredCalls } from '../rig/stored-calls.ts';

export const OPEN = ['created', 'initiated', 'staged', 'ringing', 'in_progress'];
export const WAIT_MS = 30_000;
/** The number that is called tells the callee how to answer its INVITE. */
export const SILENT = '+33900000001';
export const RINGS = '+33900000002';
export const ANSWERS = '+33900000003';

const STALL = { steps: [{ type: 'stall' }] } as const;

/** Of a database that outlives the service's processes. */
export interface CrashDatabase {
  /** Of each process. */
  readonly environment: Record<string, string>;
  /** Opened once the first process has made it. */
  store(dataDir: string): Promise<CallStore>;
}

/** One data directory for several service processes that die one after the other, with the peers that outlive them. */
export class CrashBed {
  readonly providers: EmulatedProviders;
  readonly hooks: EventReceiver;
  readonly callee: SipCallee;
  toolRequests = 0;
  /** Whether the model, the voice and the tools answer. Off when the process is to die during a request. */
  stalls = true;
  readonly deaths: StoredCalls[] = [];
  /** The SIP Call-IDs of the dialogs whose peer received our BYE. */
  readonly goodbyes = new Set<string>();
  /** By name. Each records its calls and subscribes to all events. */
  readonly agents = new Map<string, string>();
  readonly cleanUp: (() => unknown)[] = [];
  readonly #tools: Server;
  readonly #environment: Record<string, string>;
  readonly #database: CrashDatabase;
  #service: ServiceProcess | null = null;
  #store: CallStore | null = null;

  private constructor(
    providers: EmulatedProviders,
    hooks: EventReceiver,
    callee: SipCallee,
    tools: Server,
    database: CrashDatabase,
    environment: Record<string, string>,
  ) {
    this.providers = providers;
    this.hooks = hooks;
    this.callee = callee;
    this.#tools = tools;
    this.#database = database;
    this.#environment = environment;
  }

  static async open(database: CrashDatabase): Promise<CrashBed> {
    const listen = { steps: heardLine('Hello there.', 100, 400) };
    const speak: SpeakScript = (text) =>
      bed.stalls && text.includes('Unheard') ? { breakBy: 'stall', breakAfterChunks: 0 } : {};
    const providers = await startEmulatedProviders({ chat: (body) => bed.#chat(body), listen, speak });
    const hooks = await startEventReceiver();
    const tools = createServer((_request, response) => {
      bed.toolRequests += 1;
      if (!bed.stalls) response.end('{}');
    });
    await once(tools.listen(0, '127.0.0.1'), 'listening');
    const environment = {
      ...providers.environment,
      SIP_PORT: String(await freeSipPort()),
      HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
      ...database.environment,
    };
    const bed = new CrashBed(providers, hooks, await SipCallee.open(), tools, database, environment);
    await bed.#answerCalls();
    return bed;
  }

  get service(): ServiceProcess {
    if (this.#service === null) throw new Error('no process was started');
    return this.#service;
  }

  get store(): CallStore {
    if (this.#store === null) throw new Error('no process has made the database');
    return this.#store;
  }

  /** The first process, or its successor. */
  async start(): Promise<void> {
    const known = this.#service === null ? {} : { DATA_DIR: this.#service.dataDir };
    this.#service = await startServiceProcess({ ...this.#environment, ...known });
    this.#store ??= await this.#database.store(this.#service.dataDir);
  }

  /** A trunk to the callee, the number that calls go out by, and the agents. */
  async furnish(): Promise<void> {
    const { api } = this.service;
    const trunk = { name: 'Carrier', termination_uri: `127.0.0.1:${this.callee.hop.port}`, transport: 'udp' };
    const { id } = await api.must(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', trunk);
    await api.must(z.unknown(), 'POST', '/v1/phone-numbers', { number: FROM, name: 'Ours', trunk_id: id });
    const { port } = this.#tools.address() as AddressInfo;
    const lookup = { type: 'custom_function', name: 'lookup', url: `http://127.0.0.1:${port}/` };
    await this.#agent('plain', 'Hello, this is a call that goes on for a while.');
    await this.#agent('slow', 'Hello.', {}, 'Slow?');
    await this.#agent('fast', 'Hello.', {}, 'Fast?');
    await this.#agent('unheard', 'Unheard.');
    await this.#agent('thinks', 'Yes?', { states: [{ name: 'talk', prompt: 'Think.' }] });
    await this.#agent('looksUp', 'Yes?', { states: [{ name: 'talk', prompt: 'Look up.', tools: [lookup] }] });
  }

  agent(name: string): string {
    return this.agents.get(name) ?? '';
  }

  async dial(to: string): Promise<string> {
    const order = { from_number: FROM, to_number: to, agent_id: this.agent('plain') };
    return (await this.service.api.must(z.object({ call_id: z.string() }), 'POST', '/v1/calls/phone', order)).call_id;
  }

  stage(): Promise<string> {
    return this.service.api.stage({ from_number: FROM, to_number: TO, agent_id: this.agent('plain') });
  }

  /** Places an inbound call and waits for the answer. */
  async talk(name: string) {
    const dialled = await dialIn(this.service, this.agent(name));
    void dialled.report.then(({ endedBy, sipCallId }) => endedBy === 'callee' && this.goodbyes.add(sipCallId));
    return dialled;
  }

  /** Places an inbound call and reports each step at once. */
  async callIn(callId: string, events: Partial<SipCallerEvents>): Promise<SipCaller> {
    const rtp = await TalkingRtpPeer.open('127.0.0.1');
    const none = { onProvisional: () => {}, onAnswered: () => {}, onEnded: () => {} };
    const options = {
      target: { host: '127.0.0.1', port: this.service.sipPort },
      protocol: 'UDP',
      localAddress: '127.0.0.1',
      to: TO,
      from: FROM,
      headers: { 'X-Service-Call-Id': callId },
      sdp: rtp.offer(['pcmu']),
    } as const;
    const onEnded: SipCallerEvents['onEnded'] = (by, status) => {
      if (by === 'callee') this.goodbyes.add(uac.sipCallId);
      events.onEnded?.(by, status);
    };
    const uac = new SipCaller(options, { ...none, ...events, onEnded });
    this.cleanUp.push(
      () => rtp.close(),
      () => uac.close(),
    );
    await uac.invite();
    return uac;
  }

  /**
   * Kills from another process, so that no more code of this one runs. Call it in the handler of the moment in
   * question.
   */
  kill(): void {
    this.service.child.kill('SIGKILL');
  }

  /** State that the killed process left. */
  async dead(): Promise<StoredCalls> {
    const { child } = this.service;
    if (child.signalCode === null) await once(child, 'exit');
    await this.store.settled();
    const left = await this.store.read();
    this.deaths.push(left);
    return left;
  }

  async statusOf(callId: string): Promise<string | undefined> {
    return statusIn(await this.store.read(), callId);
  }

  /** All open calls have ended, except the one still staged; all stored events were delivered. */
  finished(left: StoredCalls, waiting: readonly string[] = []): Promise<void> {
    return eventually(async () => {
      const now = await this.store.read();
      const open = now.calls.filter(({ id, status }) => OPEN.includes(status) && !waiting.includes(id));
      expect(open, 'calls without an end').toEqual([]);
      for (const { id } of left.calls.filter(({ status }) => status === 'in_progress')) {
        expect(now.calls.find((call) => call.id === id)).toMatchObject({ status: 'completed', end_reason: 'shutdown' });
      }
      const unended = left.calls.filter(
        ({ dialog_json: dialog, sip_call_id: id }) => dialog && !this.goodbyes.has(id ?? ''),
      );
      expect(unended, 'peers that still wait for a BYE').toEqual([]);
      const late = left.events.filter(({ id }) => !this.hooks.arrivals.some((arrival) => arrival.id === id));
      expect(late, 'events that were not delivered').toEqual([]);
      expect(now.events.filter(({ status }) => status !== 'delivered')).toEqual([]);
      expect(now.calls.filter((call) => call.recording_path !== null && call.recording_complete === null)).toEqual([]);
    }, WAIT_MS);
  }

  async close(): Promise<void> {
    for (const close of this.cleanUp.reverse()) await close();
    await this.#service?.kill();
    await this.#store?.close();
    this.callee.close();
    this.#tools.closeAllConnections();
    this.#tools.close();
    await Promise.all([this.providers.close(), this.hooks.close()]);
  }

  #chat(body: ChatBody) {
    if (isPostCall(body)) return this.stalls && said(body).includes('Slow?') ? STALL : textAnswer('{"q1":true}');
    if (this.stalls && said(body).includes('Think.')) return STALL;
    if (this.stalls && said(body).includes('Look up.')) {
      return toolCallsAnswer([{ id: 'a', name: 'lookup', arguments: '{}' }]);
    }
    return textAnswer('Very well.');
  }

  async #answerCalls(): Promise<void> {
    const { callee, goodbyes } = this;
    const rtp = await TalkingRtpPeer.open('127.0.0.1');
    this.cleanUp.push(() => rtp.close());
    callee.onRequest = (request) => {
      const { headers, method, uri } = request;
      if (method === 'BYE') goodbyes.add(getHeader(headers, 'Call-ID') ?? '');
      if (method === 'BYE') callee.respond(request, 200, 'OK');
      if (method !== 'INVITE' || uri.includes(SILENT)) return;
      callee.respond(request, 180, 'Ringing');
      if (uri.includes(ANSWERS)) callee.respond(request, 200, 'OK', rtp.offer(['pcmu']));
    };
  }

  async #agent(name: string, greeting: string, more: object = {}, question = ''): Promise<void> {
    const { api } = this.service;
    const { id } = await api.createAgent(
      talker({
        initial_message: greeting,
        recording: true,
        webhook_url: this.hooks.url,
        webhook_subscriptions: WEBHOOK_EVENT_TYPES,
        ...more,
      }),
    );
    const asked = { questions: [{ name: question, type: 'boolean' }] };
    if (question !== '') await api.must(z.unknown(), 'POST', `/v1/agents/${id}/post-call-questions`, asked);
    this.agents.set(name, id);
  }
}

export function statusIn({ calls }: StoredCalls, callId: string): string | undefined {
  return calls.find(({ id }) => id === callId)?.status;
}

export function said(body: ChatBody): string {
  return JSON.stringify(body.messages);
}

export function isPostCall({ response_format: format }: ChatBody): boolean {
  return format?.type === 'json_schema' && format.json_schema.name === 'post_call_answers';
}
