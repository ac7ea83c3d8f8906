import { ServiceUnreachable } from '../api/service-unreachable.ts';
import type { Messages } from '../i18n/en.ts';

/** What people read of an error: the message of the service, or that it cannot be reached. */
export function errorText(error: unknown, { common }: Pick<Messages, 'common'>): string {
  if (error instanceof ServiceUnreachable) return common.unreachable;
  return error instanceof Error ? error.message : String(error);
}
