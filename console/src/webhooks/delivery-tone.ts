import type { WebhookDelivery } from '../generated/client.ts';
import type { Tone } from '../ui/badge.tsx';

export const DELIVERY_TONES: Readonly<Record<WebhookDelivery['status'], Tone>> = {
  pending: 'info',
  delivered: 'good',
  failed: 'bad',
};
