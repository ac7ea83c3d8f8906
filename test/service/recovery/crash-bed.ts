import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { z } from 'zod';
import { getHeader } from '../../../sip/message/headers.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../src/storage/events/webhook-event.ts';
import { freeSipPort } from '../../peers/sip-port.ts';
import type { ChatBody } from '../../providers/openai/chat-emulator.ts';
import { textAnswer, toolCallsAnswer } from '../../providers/openai/chat-script.ts';
import type { SpeakScript } from '../../providers/speech/speak-answer.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { SipCaller, type SipCallerEvents } from '../../sip-endpoint/sip-caller.ts';
import type { CallStore, StoredCalls } from '../rig/call-store.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { type EventReceiver, startEventReceiver } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../rig/service-process.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';

/** Statuses of a call that has not ended. */
export const OPEN = ['created', 'initiated', 'staged', 'ringing', 'in_progress'];
export const WAIT_MS = 30_000;
/** The called number selects the callee's response to the INVITE: none, 180, or 180 and 200. */
export const SILENT = '+33900000001';
export const RINGS = '+33900000002';
export const ANSWERS = '+33900000003';

const STALL = { steps: [{ type: 'stall' }] } as const;

/** A database that outlives the service's processes. */
export interface CrashDatabase {
  /** Environment variables of each service process. */
  readonly environment: Record<string, string>;
  /** Opens the database. Call it once the first process has created it. */
  store(dataDir: string): Promise<CallStore>;
}

/** One data directory for a sequence of service processes, and the peers that outlive each of them. */
export class CrashBed {
  readonly providers: EmulatedProviders;
  readonly hooks: EventReceiver;
  readonly callee: SipCallee;
  toolRequests = 0;
  /** True: the model, the voice and the tools do not answer, so that the process is killed during their requests. */
  stalls = true;
  readonly exits: StoredCalls[] = [];
  /** The SIP Call-IDs of the dialogs whose peer received our BYE. */
  readonly goodbyes = new Set<string>();
  /** Ids by name. Each agent records its calls and subscribes to all events. */
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
    // Not «Hello?»: the greeting, if it is heard later, would answer that.
    const listen = { steps: heardLine('I have a question.', 100, 400) };
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

  /** Starts the first process, or its successor on the same data directory. */
  async start(): Promise<void> {
    const dataDir = this.#service === null ? {} : { DATA_DIR: this.#service.dataDir };
    this.#service = await startServiceProcess({ ...this.#environment, ...dataDir });
    this.#store ??= await this.#database.store(this.#service.dataDir);
  }

  /** Creates a trunk to the callee, the number of outbound calls, and the agents. */
  async configure(): Promise<void> {
    const { api } = this.service;
    const trunk = { name: 'Carrier', termination_uri: `127.0.0.1:${this.callee.hop.port}`, transport: 'udp' };
    const { id } = await api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', trunk);
    await api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', { number: FROM, name: 'Ours', trunk_id: id });
    const { port } = this.#tools.address() as AddressInfo;
    const lookup = { type: 'custom_function', name: 'lookup', url: `http://127.0.0.1:${port}/` };
    await this.#createAgent('plain', 'Hello, this is a call that goes on for a while.');
    await this.#createAgent('slow', 'Hello.', {}, 'Slow?');
    await this.#createAgent('fast', 'Hello.', {}, 'Fast?');
    await this.#createAgent('unheard', 'Unheard.');
    await this.#createAgent('thinks', 'Yes?', { states: [{ name: 'talk', prompt: 'Think.' }] });
    await this.#createAgent('looksUp', 'Yes?', { states: [{ name: 'talk', prompt: 'Look up.', tools: [lookup] }] });
  }

  agent(name: string): string {
    return this.agents.get(name) ?? '';
  }

  async dial(to: string): Promise<string> {
    const request = { from_number: FROM, to_number: to, agent_id: this.agent('plain') };
    return (await this.service.api.requestOk(z.object({ call_id: z.string() }), 'POST', '/v1/calls/phone', request))
      .call_id;
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

  /** Places an inbound call and reports each step as it happens. */
  async callIn(callId: string, events: Partial<SipCallerEvents>): Promise<SipCaller> {
    const rtp = await TalkingRtpPeer.open('127.0.0.1');
    const noEvents = { onProvisional: () => {}, onAnswered: () => {}, onEnded: () => {} };
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
    const uac = new SipCaller(options, { ...noEvents, ...events, onEnded });
    this.cleanUp.push(
      () => rtp.close(),
      () => uac.close(),
    );
    await uac.invite();
    return uac;
  }

  /**
   * Kills the service with SIGKILL from the test process, so that no more code of the service runs. Call it in the handler
   * of the event at which the service must die.
   */
  kill(): void {
    this.service.child.kill('SIGKILL');
  }

  /** Waits for the exit and returns the stored state that the killed process left. */
  async dead(): Promise<StoredCalls> {
    const { child } = this.service;
    if (child.signalCode === null) await once(child, 'exit');
    await this.store.settled();
    const storedAtExit = await this.store.read();
    this.exits.push(storedAtExit);
    return storedAtExit;
  }

  async statusOf(callId: string): Promise<string | undefined> {
    return statusIn(await this.store.read(), callId);
  }

  /** Resolves once all calls have ended, except the `waiting` ones, and all events in `atExit` were delivered. */
  finished(atExit: StoredCalls, waiting: readonly string[] = []): Promise<void> {
    return eventually(async () => {
      const now = await this.store.read();
      const open = now.calls.filter(({ id, status }) => OPEN.includes(status) && !waiting.includes(id));
      expect(open, 'calls without an end').toEqual([]);
      for (const { id } of atExit.calls.filter(({ status }) => status === 'in_progress')) {
        expect(now.calls.find((call) => call.id === id)).toMatchObject({ status: 'completed', end_reason: 'shutdown' });
      }
      const withoutBye = atExit.calls.filter(
        ({ dialog_json: dialog, sip_call_id: id }) => dialog && !this.goodbyes.has(id ?? ''),
      );
      expect(withoutBye, 'peers that still wait for a BYE').toEqual([]);
      const undelivered = atExit.events.filter(({ id }) => !this.hooks.arrivals.some((arrival) => arrival.id === id));
      expect(undelivered, 'events that were not delivered').toEqual([]);
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

  async #createAgent(name: string, greeting: string, more: object = {}, question = ''): Promise<void> {
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
    const questions = { questions: [{ name: question, type: 'boolean' }] };
    if (question !== '') await api.requestOk(z.unknown(), 'POST', `/v1/agents/${id}/post-call-questions`, questions);
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
