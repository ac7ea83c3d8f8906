import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { listDeliveries, redeliver, type WebhookDelivery } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { DELIVERY_TONES } from '../webhooks/delivery-tone.ts';

const PAGE_DELIVERIES = 100;
/** A running call makes new events, and a delivery that waits is tried again by itself, ms. */
const READ_INTERVAL_MS = 5_000;

interface DeliveriesProps {
  readonly callId: string;
  readonly mayWrite: boolean;
}

/**
 * The webhook events of a call, with their attempts, the newest first. There are dozens, so the list is folded if all were delivered.
 * A call without events shows nothing.
 */
export function Deliveries({ callId, mayWrite }: DeliveriesProps) {
  const text = useText();
  const query = useInfiniteQuery({
    queryKey: ['deliveries', callId],
    queryFn: ({ pageParam }) =>
      bodyOf(
        listDeliveries({
          callId,
          limit: PAGE_DELIVERIES,
          useCursor: true,
          ...(pageParam !== '' && { cursor: pageParam }),
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? null,
    refetchInterval: READ_INTERVAL_MS,
  });
  if (query.isPending || query.data?.pages[0]?.data.length === 0) return null;
  return (
    <section className="card stack" aria-label={text.call.webhooks}>
      <h2>{text.call.webhooks}</h2>
      <QueryView query={query}>
        {({ pages }) => (
          <DeliveryList
            deliveries={pages.flatMap(({ data }) => data)}
            hasMore={query.hasNextPage}
            callId={callId}
            mayWrite={mayWrite}
          />
        )}
      </QueryView>
      <MoreButton query={query} />
    </section>
  );
}

interface DeliveryListProps extends DeliveriesProps {
  readonly deliveries: readonly WebhookDelivery[];
  /** Older ones are not read yet. */
  readonly hasMore: boolean;
}

function DeliveryList({ deliveries, hasMore, callId, mayWrite }: DeliveryListProps) {
  const { call: text } = useText();
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: (id: string) => bodyOf(redeliver(id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['deliveries', callId] }),
  });
  const delivered = deliveries.filter(({ status }) => status === 'delivered').length;
  const count = hasMore ? text.newestDeliveryCount : text.deliveryCount;
  return (
    <details open={delivered < deliveries.length}>
      <summary>{count(delivered, deliveries.length)}</summary>
      <ul className="stack deliveries">
        {deliveries.map(({ id, type, status, attempts }) => (
          <li key={id} className="stack">
            <div className="row spread">
              <span className="mono">{type}</span>
              <span className="row">
                <span className="quiet">{attempts.map(({ http_status }) => http_status ?? '—').join(', ')}</span>
                <Badge tone={DELIVERY_TONES[status]}>{text.deliveryStatuses[status]}</Badge>
                {mayWrite && (
                  <Button disabled={again.isPending} onClick={() => again.mutate(id)}>
                    {text.resend}
                  </Button>
                )}
              </span>
            </div>
            {again.variables === id && <ErrorNotice error={again.error} />}
          </li>
        ))}
      </ul>
    </details>
  );
}
