import type { LocalCallHostOptions } from '../host/local-call-host.ts';
import type { HostCallMessage, ServiceRequest, ServiceResponse } from './host-messages.ts';

/** The operations of the service that the calls of a host use. */
export type CallServices = Pick<LocalCallHostOptions, 'tools' | 'knowledge'>;

/**
 * In the host's process: the engine's ports to the service. Each request gets one response, within the bound of its tool or
 * search; if the service exits, so does its host.
 */
export class ServiceAccess implements CallServices {
  readonly #send: (message: Extract<HostCallMessage, { readonly type: 'service_request' }>) => void;
  readonly #open = new Map<number, (response: ServiceResponse) => void>();
  #nextId = 1;

  constructor(send: (message: Extract<HostCallMessage, { readonly type: 'service_request' }>) => void) {
    this.#send = send;
  }

  readonly tools: CallServices['tools'] = ({ sealedSecrets }, organizationId, trace) => ({
    run: (run, done, toolCallId) =>
      this.#ask({ type: 'tool', organizationId, sealedSecrets, trace, run, toolCallId }, (response) => {
        if (response.type === 'tool') done(response.result);
      }),
  });

  readonly knowledge: CallServices['knowledge'] = (organizationId) => ({
    search: (search, done) =>
      this.#ask({ type: 'knowledge', organizationId, search }, (response) => {
        if (response.type === 'knowledge') done(response.result);
      }),
  });

  receive(id: number, response: ServiceResponse): void {
    const done = this.#open.get(id);
    this.#open.delete(id);
    done?.(response);
  }

  #ask(request: ServiceRequest, done: (response: ServiceResponse) => void): void {
    const id = this.#nextId++;
    this.#open.set(id, done);
    this.#send({ type: 'service_request', id, request });
  }
}

/** In the service: runs a request of a host. */
export function handleServiceRequest(
  services: CallServices,
  request: ServiceRequest,
  done: (response: ServiceResponse) => void,
): void {
  const { organizationId } = request;
  switch (request.type) {
    case 'tool': {
      const { run, toolCallId, trace } = request;
      services.tools(request, organizationId, trace).run(run, (result) => done({ type: 'tool', result }), toolCallId);
      return;
    }
    case 'knowledge':
      services.knowledge(organizationId).search(request.search, (result) => done({ type: 'knowledge', result }));
      return;
  }
}
