import type { HostMessage, HostSettings, ServiceMessage } from './host-messages.ts';

/** A host process as its slot sees it. */
export interface HostLink {
  /** -1: the process could not be started. */
  readonly pid: number;
  /** Never throws; a message to a process that has exited is lost. */
  send(message: ServiceMessage): void;
  /** Ends the process at once. `onExit` follows. */
  kill(): void;
}

export interface HostLinkListener {
  onMessage(message: HostMessage): void;
  /** Called once, after the last message. `reason`: for people. */
  onExit(reason: string): void;
}

/** Starts a host process with these settings. No call of the listener comes before it returns. */
export type LaunchHost = (settings: HostSettings, listener: HostLinkListener) => HostLink;
