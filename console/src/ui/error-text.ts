import { ApiFailure } from '../api/api-failure.ts';
import { ServiceUnreachable } from '../api/service-unreachable.ts';
import type { Messages } from '../i18n/en.ts';

const NOT_FOUND = 404;

/** What people read of an error: that the service cannot be reached, that what was asked for does not exist, or the message of the service. */
export function errorText(error: unknown, { common }: Pick<Messages, 'common'>): string {
  if (error instanceof ServiceUnreachable) return common.unreachable;
  if (error instanceof ApiFailure && error.status === NOT_FOUND) return common.missing;
  return error instanceof Error ? error.message : String(error);
}
