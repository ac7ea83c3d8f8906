import { NO_ANSWER } from '../../../sip/signalling/no-answer.ts';
import type { Messages } from '../i18n/en.ts';

/** Why a trunk cannot be reached or does not register, for people. The most frequent cause is translated; the others are those of SIP and the network. */
export function trunkFault(error: string, { evidence }: Pick<Messages, 'evidence'>): string {
  return error === NO_ANSWER ? evidence.noAnswer : error;
}
