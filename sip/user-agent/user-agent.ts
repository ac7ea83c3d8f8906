import type { Credentials } from '../authentication/digest-response.ts';
import { type DialogRecovery, dialogFromRecovery } from '../dialog/dialog-recovery.ts';
import type { ApplicationCommand, CommandResult, SipApplication } from '../dialog/sip-application.ts';
import type { SipMessage } from '../message/sip-message.ts';
import type { Origin } from '../transport/transport-address.ts';
import { InDialogRequests } from './in-dialog-requests.ts';
import { InboundRequests } from './inbound-requests.ts';
import { OutboundRequests } from './outbound-requests.ts';
import { PendingRequests } from './pending-requests.ts';
import type { UserAgentCore } from './user-agent-core.ts';

/** The layer between transactions and applications. */
export class UserAgent {
  readonly #core: UserAgentCore;
  readonly #applications = new Set<SipApplication>();
  readonly #inbound: InboundRequests;
  readonly #pending: PendingRequests;
  readonly #inDialog: InDialogRequests;
  readonly #outbound: OutboundRequests;

  constructor(core: UserAgentCore) {
    this.#core = core;
    this.#inDialog = new InDialogRequests(core);
    this.#outbound = new OutboundRequests(core, this.#inDialog);
    this.#pending = new PendingRequests({
      core,
      sessions: this.#inDialog.sessions,
      endDialog: (dialog, reason) => this.#inDialog.endByServer(dialog, reason),
    });
    this.#inbound = new InboundRequests({
      core,
      pending: this.#pending,
      applicationFor: (method) => this.#applicationFor(method),
      sessions: this.#inDialog.sessions,
      earlyState: (request) => this.#outbound.earlyState(request),
    });
  }

  receive(message: SipMessage, origin: Origin): void {
    if (message.kind === 'request') this.#inbound.receive(message, origin);
    // A response without a request of ours is dropped (RFC 3261 §18.1.2): a repeated 2xx has its transaction for 64·T1.
    else this.#core.transactions.findClient(message)?.receive(message, origin);
  }

  join(application: SipApplication): void {
    this.#applications.add(application);
  }

  /** The application has disconnected: ends all its calls. */
  leave(application: SipApplication): void {
    if (!this.#applications.delete(application)) return;
    this.#pending.forget(application);
    this.#outbound.forget(application);
    for (const dialog of this.#core.dialogs.of(application)) {
      this.#inDialog.endByServer(dialog, 'the application is gone');
    }
  }

  async execute(application: SipApplication, command: ApplicationCommand): Promise<CommandResult> {
    const { message, transactionId, dialogId, route } = command;
    if (message.kind === 'response') return this.#pending.respond(application, transactionId, message);
    if (transactionId !== '' && message.method === 'CANCEL') {
      return this.#outbound.cancel(application, transactionId, message);
    }
    if (dialogId !== '') return this.#inDialog.send(application, dialogId, message);
    return this.#outbound.send(application, message, route);
  }

  /** Resolves when the BYE has been answered or abandoned. Never rejects. */
  endOrphan(recovery: DialogRecovery, credentials: Credentials | null): Promise<void> {
    return this.#inDialog.endOrphan(dialogFromRecovery(recovery), [], credentials);
  }

  /** Drops all state without a message to peers. */
  clear(): void {
    this.#pending.clear();
    this.#outbound.clear();
    this.#core.dialogs.clear();
    this.#core.transactions.clear();
  }

  #applicationFor(method: string): SipApplication | null {
    for (const application of this.#applications) if (application.takes(method)) return application;
    return null;
  }
}
