import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../api/connection.ts';
import { listDeliveries, type WebhookDelivery } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Delivery } from './delivery.tsx';

const PAGE_DELIVERIES = 50;
/** A delivery that waits is tried again by itself, ms. */
const READ_INTERVAL_MS = 5_000;
const STATUSES: readonly WebhookDelivery['status'][] = ['failed', 'pending', 'delivered'];

/** The events that were or will be sent to webhook receivers, newest first. */
export function WebhooksPage() {
  const text = useText();
  const [status, setStatus] = useState<WebhookDelivery['status'] | null>(null);
  const query = useInfiniteQuery({
    queryKey: ['deliveries', 'all', status],
    queryFn: ({ pageParam }) =>
      bodyOf(
        listDeliveries({
          limit: PAGE_DELIVERIES,
          useCursor: true,
          ...(status !== null && { status }),
          ...(pageParam !== '' && { cursor: pageParam }),
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? null,
    refetchInterval: READ_INTERVAL_MS,
  });
  return (
    <section className="page">
      <h1>{text.webhooks.title}</h1>
      <p className="quiet">{text.webhooks.explanation}</p>
      <fieldset className="filters">
        <legend className="visually-hidden">{text.calls.filters}</legend>
        <label>
          {text.calls.status}
          <select
            value={status ?? ''}
            onChange={({ target }) => setStatus(STATUSES.find((one) => one === target.value) ?? null)}
          >
            <option value="">{text.common.all}</option>
            {STATUSES.map((one) => (
              <option key={one} value={one}>
                {text.call.deliveryStatuses[one]}
              </option>
            ))}
          </select>
        </label>
      </fieldset>
      <QueryView query={query}>
        {({ pages }) => {
          const deliveries = pages.flatMap(({ data }) => data);
          if (deliveries.length === 0) return <p className="quiet">{text.webhooks.empty}</p>;
          return (
            <ul className="stack">
              {deliveries.map((delivery) => (
                <Delivery key={delivery.id} delivery={delivery} />
              ))}
            </ul>
          );
        }}
      </QueryView>
      <MoreButton query={query} />
    </section>
  );
}
