/** Why the microphone is not available. */
export type MicrophoneFault = 'insecure' | 'denied' | 'missing' | 'busy' | 'failed';

export class MicrophoneError extends Error {
  readonly fault: MicrophoneFault;

  constructor(fault: MicrophoneFault) {
    super(`the microphone is not available: ${fault}`);
    this.name = 'MicrophoneError';
    this.fault = fault;
  }
}

/** https://www.w3.org/TR/mediacapture-streams/#dom-mediadevices-getusermedia */
const FAULTS: Readonly<Record<string, MicrophoneFault>> = {
  NotAllowedError: 'denied',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
};

export function faultOf(error: unknown): MicrophoneFault {
  return (error instanceof Error ? FAULTS[error.name] : undefined) ?? 'failed';
}
