import type { Messages } from '../i18n/en.ts';

/** The cause that the service gives most often. */
const NO_ANSWER = 'no answer';

/** Why a trunk cannot be reached or does not register, for people. The other causes are those of SIP and the network. */
export function trunkFault(error: string, { evidence }: Pick<Messages, 'evidence'>): string {
  return error === NO_ANSWER ? evidence.noAnswer : error;
}
