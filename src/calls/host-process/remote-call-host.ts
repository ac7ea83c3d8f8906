import { MediaServiceError } from '../../../sip/media/media-service-error.ts';
import type {
  CallHost,
  CallStart,
  HostCommand,
  HostEvent,
  HostedActivity,
  HostedAgent,
  MediaReservation,
  PlannedCall,
  ReservedMedia,
} from '../host/call-host.ts';
import { CallsOfHost, mediaIdOf } from './calls-of-host.ts';
import type { HostCallMessage, HostInstruction, HostRequest, HostResponse } from './host-messages.ts';
import { LostCalls, type LostCallsOptions } from './lost-calls.ts';
import { type CallServices, handleServiceRequest } from './service-access.ts';

export interface RemoteCallHostOptions {
  readonly clock: LostCallsOptions['clock'];
  readonly send: (instruction: HostInstruction) => void;
  readonly services: CallServices;
  readonly repairRecording: LostCallsOptions['repairRecording'];
  readonly onRecordingFault: LostCallsOptions['onRecordingFault'];
}

interface OpenRequest {
  readonly request: HostRequest;
  readonly resolve: (response: HostResponse) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One host process as the service sees it, from its start to its exit. When the process exits, its calls end here: the user of the
 * port gets the events that the host can no longer send.
 */
export class RemoteCallHost implements CallHost {
  readonly #options: RemoteCallHostOptions;
  readonly #callsOfHost = new CallsOfHost();
  readonly #open = new Map<number, OpenRequest>();
  #nextId = 1;
  /** Set once the process has exited. */
  #lost: { readonly reason: string; readonly calls: LostCalls } | null = null;
  #listener: (event: HostEvent) => void = () => {};

  constructor(options: RemoteCallHostOptions) {
    this.#options = options;
  }

  /** Legs that this host runs. */
  get size(): number {
    return this.#callsOfHost.media.size;
  }

  get hasExited(): boolean {
    return this.#lost !== null;
  }

  onEvent(listener: (event: HostEvent) => void): void {
    this.#listener = listener;
  }

  async reserve(reservation: MediaReservation): Promise<ReservedMedia> {
    const mediaId = mediaIdOf(reservation);
    if (this.#callsOfHost.media.has(mediaId)) throw new Error('the media are reserved already');
    this.#callsOfHost.reserved(reservation);
    try {
      const response = await this.#request({ type: 'reserve', reservation });
      if (response.type === 'reserved') return response.media;
      throw unexpected(response);
    } catch (error) {
      this.#callsOfHost.forget(mediaId);
      throw error;
    }
  }

  async prepare(call: PlannedCall, agent: HostedAgent): Promise<void> {
    await this.#request({ type: 'prepare', call, agent });
  }

  async start(start: CallStart): Promise<void> {
    await this.#request({ type: 'start', start });
  }

  /** Empty once the process has exited. */
  async activities(): Promise<readonly HostedActivity[]> {
    const response = await this.#request({ type: 'activities' }).catch(() => null);
    return response?.type === 'activities' ? response.activities : [];
  }

  send(command: HostCommand): void {
    if (this.#lost !== null) {
      this.#lost.calls.send(command);
      return;
    }
    this.#callsOfHost.sent(command);
    this.#options.send({ type: 'command', command });
  }

  receive(message: HostCallMessage): void {
    switch (message.type) {
      case 'response':
        this.#respond(message.id, message.response);
        return;
      case 'event':
        this.#emit(message.event);
        return;
      case 'service_request': {
        const { id } = message;
        handleServiceRequest(this.#options.services, message.request, (response) => {
          if (this.#lost === null) this.#options.send({ type: 'service_response', id, response });
        });
        return;
      }
    }
  }

  /** The process has exited, and each of its messages was received. Ends its calls. `reason`: for people. */
  exited(reason: string): void {
    const detail = `the call host exited: ${reason}`;
    const { clock, onRecordingFault, repairRecording } = this.#options;
    const calls = new LostCalls({
      clock,
      callsOfHost: this.#callsOfHost,
      emit: (event) => this.#listener(event),
      detail,
      repairRecording,
      onRecordingFault,
    });
    this.#lost = { reason, calls };
    for (const { reject } of this.#open.values()) reject(gone(reason));
    this.#open.clear();
    calls.end();
  }

  #request(request: HostRequest): Promise<HostResponse> {
    if (this.#lost !== null) return Promise.reject(gone(this.#lost.reason));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { request, resolve, reject });
      this.#options.send({ type: 'request', id, request });
    });
  }

  #respond(id: number, response: HostResponse): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    if (response.type === 'failed') {
      const { code, message } = response;
      open.reject(code === null ? new Error(message) : new MediaServiceError(code, message));
      return;
    }
    if (open.request.type === 'start') this.#callsOfHost.started(open.request.start.parameters.callId);
    open.resolve(response);
  }

  #emit(event: HostEvent): void {
    if ('callId' in event && event.type !== 'log') this.#startedBy(event.callId);
    this.#callsOfHost.received(event);
    this.#listener(event);
  }

  /** The first event of an engine comes before the response to `start`: from then on an exit of the host ends the call. */
  #startedBy(callId: string): void {
    if (this.#callsOfHost.calls.has(callId)) return;
    for (const [id, { request }] of this.#open) {
      if (request.type === 'start' && request.start.parameters.callId === callId)
        this.#respond(id, { type: 'started' });
    }
  }
}

function gone(reason: string): MediaServiceError {
  return new MediaServiceError('no_worker', `The call host exited: ${reason}`);
}

function unexpected({ type }: HostResponse): Error {
  return new Error(`the call host responded with ${type}`);
}
