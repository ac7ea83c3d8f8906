import { MediaServiceError } from '../../../sip/media/media-service-error.ts';
import type { CallHost } from '../host/call-host.ts';
import type { HostCallMessage, HostInstruction, HostRequest, HostResponse } from './host-messages.ts';

type HostTask = Exclude<HostInstruction, { readonly type: 'service_response' }>;

/** In the host's process: carries out the service's instructions on a `CallHost`, and reports its events. */
export class CallHostServer {
  readonly #host: CallHost;
  readonly #send: (message: HostCallMessage) => void;

  constructor(host: CallHost, send: (message: HostCallMessage) => void) {
    this.#host = host;
    this.#send = send;
    host.onEvent((event) => send({ type: 'event', event }));
  }

  receive(task: HostTask): void {
    switch (task.type) {
      case 'request':
        void this.#respond(task.id, task.request);
        return;
      case 'command':
        this.#host.send(task.command);
        return;
    }
  }

  async #respond(id: number, request: HostRequest): Promise<void> {
    const response = await this.#run(request).catch(failed);
    this.#send({ type: 'response', id, response });
  }

  async #run(request: HostRequest): Promise<HostResponse> {
    switch (request.type) {
      case 'reserve':
        return { type: 'reserved', media: await this.#host.reserve(request.reservation) };
      case 'prepare':
        await this.#host.prepare(request.call, request.agent);
        return { type: 'prepared' };
      case 'start':
        await this.#host.start(request.start);
        return { type: 'started' };
      case 'activities':
        return { type: 'activities', activities: await this.#host.activities() };
    }
  }
}

function failed(error: unknown): HostResponse {
  const code = error instanceof MediaServiceError ? error.code : null;
  return { type: 'failed', code, message: error instanceof Error ? error.message : String(error) };
}
