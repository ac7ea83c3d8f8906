import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { listDeliveries, redeliver, type WebhookDelivery } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';

const DELIVERIES_MAX = 100;
const TONES: Readonly<Record<WebhookDelivery['status'], Tone>> = { pending: 'info', delivered: 'good', failed: 'bad' };

/**
 * The webhook events of a call, with their attempts. There are dozens, so the list is folded if all were delivered. A call without
 * events shows nothing.
 */
export function Deliveries({ callId, mayWrite }: { readonly callId: string; readonly mayWrite: boolean }) {
  const text = useText();
  const client = useQueryClient();
  const queryKey = ['deliveries', callId];
  const query = useQuery({
    queryKey,
    queryFn: () => bodyOf(listDeliveries({ callId, limit: DELIVERIES_MAX })),
  });
  const again = useMutation({
    mutationFn: (id: string) => bodyOf(redeliver(id)),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  const deliveries = query.data?.data ?? [];
  if (deliveries.length === 0) return null;
  const delivered = deliveries.filter(({ status }) => status === 'delivered').length;
  return (
    <section className="card stack" aria-label={text.call.webhooks}>
      <h2>{text.call.webhooks}</h2>
      <details open={delivered < deliveries.length}>
        <summary>{text.call.deliveryCount(delivered, deliveries.length)}</summary>
        <ul className="stack deliveries">
          {deliveries.map(({ id, type, status, attempts }) => (
            <li key={id} className="row spread">
              <span className="mono">{type}</span>
              <span className="row">
                <span className="quiet">{attempts.map(({ http_status }) => http_status ?? '—').join(', ')}</span>
                <Badge tone={TONES[status]}>{text.call.deliveryStatuses[status]}</Badge>
                {mayWrite && (
                  <Button disabled={again.isPending} onClick={() => again.mutate(id)}>
                    {text.call.resend}
                  </Button>
                )}
              </span>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
