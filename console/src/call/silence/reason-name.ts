import type { Messages } from '../../i18n/en.ts';

type Reasons = Messages['evidence']['reasons'];

/** Why words counted as complete or open, translated. A newer reason keeps the name of the API. */
export function reasonName(reason: string, reasons: Reasons): string {
  return isReason(reason, reasons) ? reasons[reason] : reason;
}

function isReason(reason: string, reasons: Reasons): reason is keyof Reasons {
  return Object.hasOwn(reasons, reason);
}
