import type { LocalCallHostOptions } from '../host/local-call-host.ts';
import type { HostCallMessage, ServiceAnswer, ServiceQuestion } from './host-messages.ts';

/** The operations of the service that the calls of a host use. */
export type CallServices = Pick<LocalCallHostOptions, 'tools' | 'knowledge'>;

/**
 * In the host's process: the engine's ports to the service. A question is answered once, within the bound of its tool or
 * search; if the service exits, so does its host.
 */
export class ServiceAccess implements CallServices {
  readonly #send: (message: Extract<HostCallMessage, { readonly type: 'question' }>) => void;
  readonly #open = new Map<number, (answer: ServiceAnswer) => void>();
  #nextId = 1;

  constructor(send: (message: Extract<HostCallMessage, { readonly type: 'question' }>) => void) {
    this.#send = send;
  }

  readonly tools: CallServices['tools'] = ({ sealedSecrets }, organizationId, trace) => ({
    run: (run, done, toolCallId) =>
      this.#ask({ type: 'tool', organizationId, sealedSecrets, trace, run, toolCallId }, (answer) => {
        if (answer.type === 'tool') done(answer.result);
      }),
  });

  readonly knowledge: CallServices['knowledge'] = (organizationId) => ({
    search: (search, done) =>
      this.#ask({ type: 'knowledge', organizationId, search }, (answer) => {
        if (answer.type === 'knowledge') done(answer.result);
      }),
  });

  receive(id: number, answer: ServiceAnswer): void {
    const done = this.#open.get(id);
    this.#open.delete(id);
    done?.(answer);
  }

  #ask(question: ServiceQuestion, done: (answer: ServiceAnswer) => void): void {
    const id = this.#nextId++;
    this.#open.set(id, done);
    this.#send({ type: 'question', id, question });
  }
}

/** In the service: answers a question of a host. */
export function answerQuestion(
  services: CallServices,
  question: ServiceQuestion,
  done: (answer: ServiceAnswer) => void,
): void {
  const { organizationId } = question;
  switch (question.type) {
    case 'tool': {
      const { run, toolCallId, trace } = question;
      services.tools(question, organizationId, trace).run(run, (result) => done({ type: 'tool', result }), toolCallId);
      return;
    }
    case 'knowledge':
      services.knowledge(organizationId).search(question.search, (result) => done({ type: 'knowledge', result }));
      return;
  }
}
